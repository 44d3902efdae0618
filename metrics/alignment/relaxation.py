"""The Lagrangian bound of an alignment problem, and what follows from it.

The weight of an edge match is split between the two node pairs it touches: a share for each half.
For fixed shares the best map is one linear assignment problem, whose value bounds every map from
above and whose solution is itself a map. Subgradient steps move the shares to bring the bound
down; the prices of the assignment show which node pairs and matches no better map can use, and
these are dropped. Local search betters the maps on the way: the sooner a good one is known, the
fewer steps it takes to prove it best.

Source: Lagrangean decomposition for graph matching, as in Swoboda et al. (2017), "A study of
Lagrangean decompositions and dual ascent solvers for graph matching"; dropping pairs by their
reduced cost is standard in integer programming.
"""

from __future__ import annotations

import numpy as np

from metrics.alignment.assignment import assign
from metrics.alignment.climb import climb
from metrics.alignment.workspace import Record, Table, Workspace, index_halves
from metrics.compiled import inlined, inner
from metrics.types import Floats, Ints

STEP_SHRINK = 0.6
STEP_PATIENCE = 3
SMALLEST_GAP = 0.3
ROUNDING = 1e-9
ROUNDS_PER_CLIMB = 4


@inlined
def relax(n: int, m: int, rounds: int, space: Workspace) -> float:
    """Bring the bound of a sub-problem down and the best map up, by `rounds` steps at most.

    Stops as soon as the bound shows that the sub-problem holds no better map, that is, below
    ``best + margin``, or when the work runs out.

    Returns:
        the bound on every map of the sub-problem that is better than the best one found.
    """
    rows, columns, pairs, halves, groups = (
        space.rows,
        space.columns,
        space.pairs,
        space.halves,
        space.groups,
    )
    options, trail, live, weight = space.options, space.trail, space.live, space.weight
    incident, queue, state = space.incident, space.queue, space.state[0]
    bound, step, stale = np.inf, 1.0, 0
    for r in range(rounds):
        set_profits(n, m, rows, pairs, halves, groups, options, live, state)
        value = assign(n, m, rows, columns, pairs, options, queue, state)
        if value < bound - ROUNDING:
            bound, stale = value, 0
        else:
            stale += 1
            if stale == STEP_PATIENCE:
                step, stale = step * STEP_SHRINK, 0
        reached = map_value(n, m, rows, pairs, halves, live, weight, state)
        keep_better(reached, n, rows, state)
        if bound < state.best + state.margin or state.work <= 0:
            break
        slack = value - state.best - state.margin
        drop_pairs(slack, n, m, rows, columns, pairs, options, trail, state)
        drop_matches(slack, pairs, halves, live, state)
        length = step * max(bound - state.best, SMALLEST_GAP)
        move_shares(length, pairs, halves, groups, live, state)
        if r % ROUNDS_PER_CLIMB == 0:
            index_halves(n * m, pairs, halves, incident, state)
            reached = climb(n, m, rows, columns, pairs, halves, options, incident, weight, state)
            keep_better(reached, n, rows, state)
            if bound < state.best + state.margin:
                break
    return bound


@inner
def keep_better(value: float, n: int, rows: Table, state: Record) -> None:
    """Remember the present map if it is the best so far."""
    if value > state.best:
        state.best = value
        for i in range(n):
            rows[i].best = rows[i].partner


@inner
def map_value(
    n: int,
    m: int,
    rows: Table,
    pairs: Table,
    halves: Table,
    live: Ints,
    weight: Floats,
    state: Record,
) -> float:
    """The objective of the present map, by the live matches only."""
    total = 0.0
    for i in range(n):
        if rows[i].partner >= 0:
            total += pairs[i * m + rows[i].partner].unary
    for t in range(state.live):
        h = 2 * live[t]
        if pairs[halves[h].pair].chosen and pairs[halves[h + 1].pair].chosen:
            total += weight[live[t]]
    return total


@inner
def set_profits(
    n: int,
    m: int,
    rows: Table,
    pairs: Table,
    halves: Table,
    groups: Table,
    options: Ints,
    live: Ints,
    state: Record,
) -> None:
    """Profit of a node pair: its own weight and, of each group at it, the largest share."""
    for i in range(n):
        for t in range(i * m, i * m + rows[i].options):
            at = i * m + options[t]
            pairs[at].profit = pairs[at].unary
    for t in range(state.live):
        for h in range(2 * live[t], 2 * live[t] + 2):
            groups[halves[h].group].top = 0.0
            groups[halves[h].group].choice = -1
    for t in range(state.live):
        for h in range(2 * live[t], 2 * live[t] + 2):
            extra = halves[h].share - groups[halves[h].group].top
            if extra > 0.0:
                pairs[halves[h].pair].profit += extra
                groups[halves[h].group].top = halves[h].share
    state.work -= 3 * state.live


@inner
def drop_pairs(
    slack: float,
    n: int,
    m: int,
    rows: Table,
    columns: Table,
    pairs: Table,
    options: Ints,
    trail: Ints,
    state: Record,
) -> None:
    """Drop the node pairs whose choice costs more than `slack` against the bound."""
    for i in range(n):
        for t in range(i * m + rows[i].options - 1, i * m - 1, -1):
            at = i * m + options[t]
            pairs[at].slack = rows[i].price + columns[options[t]].price - pairs[at].profit
            if pairs[at].slack > slack:
                drop_option(i, t, m, rows, pairs, options, trail, state)


@inner
def drop_option(
    i: int, t: int, m: int, rows: Table, pairs: Table, options: Ints, trail: Ints, state: Record
) -> None:
    """Drop the pair of row i and column ``options[t]``, which goes behind the row's options."""
    rows[i].options -= 1
    last = i * m + rows[i].options
    options[t], options[last] = options[last], options[t]
    at = i * m + options[last]
    pairs[at].alive = False
    trail[state.dead] = at
    state.dead += 1


@inner
def drop_matches(slack: float, pairs: Table, halves: Table, live: Ints, state: Record) -> None:
    """Drop the matches at dead pairs, and those whose two pairs together cost more than `slack`."""
    t = 0
    while t < state.live:
        h = 2 * live[t]
        a, b = halves[h].pair, halves[h + 1].pair
        if pairs[a].alive and pairs[b].alive and pairs[a].slack + pairs[b].slack <= slack:
            t += 1
        else:
            state.live -= 1
            live[t], live[state.live] = live[state.live], live[t]


@inner
def move_shares(
    length: float, pairs: Table, halves: Table, groups: Table, live: Ints, state: Record
) -> None:
    """One subgradient step: a match chosen at one half only moves some of its share to the other.

    Each group at a chosen pair chooses the half that gave the pair its profit; of several with
    the same share one whose other pair is chosen as well.
    """
    for t in range(state.live):
        for h in range(2 * live[t], 2 * live[t] + 2):
            if pairs[halves[h].pair].chosen:
                group, share = halves[h].group, halves[h].share
                if share >= groups[group].top - ROUNDING and (
                    pairs[halves[h ^ 1].pair].chosen
                    or (groups[group].choice < 0 and share > ROUNDING)
                ):
                    groups[group].choice = h
    disagreements = 0
    for t in range(state.live):
        disagreements += disagreeing(live[t], halves, groups) >= 0
    step = length / max(disagreements, 1)
    for t in range(state.live):
        h = disagreeing(live[t], halves, groups)
        if h >= 0:
            moved = min(halves[h].share, step)
            halves[h].share -= moved
            halves[h ^ 1].share += moved


@inner
def disagreeing(q: int, halves: Table, groups: Table) -> int:
    """The half of match q that is chosen while its other half is not, or -1."""
    h = 2 * q
    first = groups[halves[h].group].choice == h
    second = groups[halves[h + 1].group].choice == h + 1
    if first == second:
        return -1
    return h if first else h + 1


@inner
def branching_pair(
    n: int,
    m: int,
    rows: Table,
    halves: Table,
    groups: Table,
    options: Ints,
    live: Ints,
    state: Record,
) -> int:
    """The node pair to branch on, or -1 if every row is taken or has no options.

    One with most disagreeing matches; if they all lie at rows that are taken, the other end of one
    of them; if there are none (those of the last step are dropped), any pair of a row not taken.
    """
    for i in range(n):
        rows[i].disagreements = 0
    most, branch = 0, -1
    for t in range(state.live):
        h = disagreeing(live[t], halves, groups)
        if h < 0:
            continue
        i = halves[h].pair // m
        if rows[i].taken < 0:
            rows[i].disagreements += 1
            if rows[i].disagreements > most:
                most = rows[i].disagreements
                branch = halves[h].pair
        elif most == 0:
            branch = halves[h ^ 1].pair
    if branch < 0:
        for i in range(n):
            if rows[i].taken < 0 and rows[i].options > 0:
                branch = i * m + options[i * m]
    return branch
