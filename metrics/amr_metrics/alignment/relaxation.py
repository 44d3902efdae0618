"""The Lagrangian bound of an alignment problem, and the pairs and matches that it rules out.

The weight of an edge match is split between the two node pairs it touches: a share for each half.
For fixed shares the best map is a linear assignment problem, whose value is an upper bound of every
map and whose solution is itself a map. Subgradient steps move the shares to lower the bound. The
prices of the assignment show which node pairs and matches no better map can use, and these are
dropped. Local search improves the maps during the iterations: the sooner a good map is known, the
fewer steps are needed to prove it optimal.

Source: Lagrangean decomposition for graph matching, as in Swoboda et al. (2017), "A study of
Lagrangean decompositions and dual ascent solvers for graph matching"; dropping pairs by their
reduced cost is standard in integer programming.
"""

from __future__ import annotations

import numpy as np

from amr_metrics.alignment.assignment import assign
from amr_metrics.alignment.climb import climb
from amr_metrics.alignment.workspace import Table, Workspace, index_halves
from amr_metrics.compiled import inlined, inner

STEP_SHRINK = 0.6  # factor of the step after `STEP_PATIENCE` rounds without a lower bound
STEP_PATIENCE = 3
SMALLEST_GAP = 0.3  # in the step length, so that the last steps are not too short
ROUNDING = 1e-9
ROUNDS_PER_CLIMB = 4


@inlined
def relax(rounds: int, space: Workspace) -> float:
    """Lower the bound of a sub-problem and improve the best map, by at most `rounds` steps.

    Stops as soon as the bound is below ``best + margin``, which shows that the sub-problem has no
    better map, or when the work limit is reached.

    Returns:
        the bound on every map of the sub-problem that is better than the best one so far.
    """
    state = space.state[0]
    bound, step, stale = np.inf, 1.0, 0
    for r in range(rounds):
        set_profits(space)
        value = assign(space)
        if value < bound - ROUNDING:
            bound, stale = value, 0
        else:
            stale += 1
            if stale == STEP_PATIENCE:
                step, stale = step * STEP_SHRINK, 0
        keep_better(map_value(space), space)
        if bound < state.best + state.margin or state.work <= 0:
            break
        state.work -= 6 * state.active  # of the next steps, apart from `climb`
        # A map that uses a pair of reduced cost c is worth at most value - c. It is better than the
        # best one only if c <= slack. This holds for the shares of this round alone, so `value` is
        # used here, not the lowest bound of all rounds.
        slack = value - state.best - state.margin
        drop_pairs(slack, space)
        drop_matches(slack, space)
        move_shares(step * max(bound - state.best, SMALLEST_GAP), space)
        if r % ROUNDS_PER_CLIMB == 0:
            index_halves(space)
            keep_better(climb(space), space)
            if bound < state.best + state.margin:
                break
    return bound


@inner
def keep_better(value: float, space: Workspace) -> None:
    """Store the current map, which has this value, if it is the best so far."""
    rows, state = space.rows, space.state[0]
    if value > state.best:
        state.best = value
        for i in range(state.n):
            rows[i].best = rows[i].partner


@inner
def map_value(space: Workspace) -> float:
    """Return the objective of the current map, by the active matches only."""
    rows, pairs, halves, active = space.rows, space.pairs, space.halves, space.active
    state = space.state[0]
    total = 0.0
    for i in range(state.n):
        if rows[i].partner >= 0:
            total += pairs[i * state.m + rows[i].partner].unary
    for t in range(state.active):
        h = 2 * active[t]
        if pairs[halves[h].pair].mapped and pairs[halves[h + 1].pair].mapped:
            total += space.weight[active[t]]
    return total


@inner
def set_profits(space: Workspace) -> None:
    """Set the profit of each node pair: its unary weight plus the largest share of each group.

    A map uses at most one match of a group, so the sum over groups of the largest share is an upper
    bound of what the matches at the pair contribute.
    """
    rows, pairs, halves, groups = space.rows, space.pairs, space.halves, space.groups
    options, active, state = space.options, space.active, space.state[0]
    m = state.m
    for i in range(state.n):
        for t in range(i * m, i * m + rows[i].options):
            pair = i * m + options[t]
            pairs[pair].profit = pairs[pair].unary
    for t in range(state.active):
        for h in range(2 * active[t], 2 * active[t] + 2):
            groups[halves[h].group].top = 0.0
            groups[halves[h].group].choice = -1
    for t in range(state.active):
        for h in range(2 * active[t], 2 * active[t] + 2):
            # The profit grows by the difference each time a larger share of the group is met.
            extra = halves[h].share - groups[halves[h].group].top
            if extra > 0.0:
                pairs[halves[h].pair].profit += extra
                groups[halves[h].group].top = halves[h].share
    state.work -= 6 * state.active


@inner
def drop_pairs(slack: float, space: Workspace) -> None:
    """Drop the node pairs whose reduced cost is more than `slack`."""
    rows, columns, pairs, options = space.rows, space.columns, space.pairs, space.options
    m = space.state[0].m
    for i in range(space.state[0].n):
        space.state[0].work -= rows[i].options
        # Backwards, because `drop_option` moves the last option to position t.
        for t in range(i * m + rows[i].options - 1, i * m - 1, -1):
            pair = i * m + options[t]
            pairs[pair].slack = rows[i].price + columns[options[t]].price - pairs[pair].profit
            if pairs[pair].slack > slack:
                drop_option(i, t, space)


@inner
def drop_option(i: int, t: int, space: Workspace) -> None:
    """Drop the pair of row i and column ``options[t]``, which moves behind the row's options."""
    rows, options, state = space.rows, space.options, space.state[0]
    rows[i].options -= 1
    last = i * state.m + rows[i].options
    options[t], options[last] = options[last], options[t]
    pair = i * state.m + options[last]
    space.pairs[pair].allowed = False
    space.trail[state.dropped] = pair
    state.dropped += 1


@inner
def drop_matches(slack: float, space: Workspace) -> None:
    """Drop matches at dropped pairs, and those whose pairs' reduced costs exceed `slack`.

    A map that uses the match uses both of its pairs, and their reduced costs add up.
    """
    pairs, halves, active, state = space.pairs, space.halves, space.active, space.state[0]
    t = 0
    while t < state.active:
        h = 2 * active[t]
        a, b = halves[h].pair, halves[h + 1].pair
        if pairs[a].allowed and pairs[b].allowed and pairs[a].slack + pairs[b].slack <= slack:
            t += 1
        else:
            state.active -= 1
            active[t], active[state.active] = active[state.active], active[t]


@inner
def move_shares(length: float, space: Workspace) -> None:
    """Take one subgradient step: move share to the other half of each match that disagrees.

    Each group at a mapped pair chooses the half that gave the pair its profit; of several with
    the same share one whose other pair is mapped as well. A match disagrees if one of its halves is
    chosen and the other is not.
    """
    pairs, halves, groups = space.pairs, space.halves, space.groups
    active, state = space.active, space.state[0]
    for t in range(state.active):
        for h in range(2 * active[t], 2 * active[t] + 2):
            if pairs[halves[h].pair].mapped:
                group, share = halves[h].group, halves[h].share
                if share >= groups[group].top - ROUNDING and (
                    pairs[halves[h ^ 1].pair].mapped
                    or (groups[group].choice < 0 and share > ROUNDING)
                ):
                    groups[group].choice = h
    disagreements = 0
    for t in range(state.active):
        disagreements += disagreeing_half(active[t], halves, groups) >= 0
    # Polyak's step length: the gap, which `length` is proportional to, divided by the squared norm
    # of the subgradient, which is 1 or -1 for each match that disagrees and 0 for the others.
    step = length / max(disagreements, 1)
    for t in range(state.active):
        h = disagreeing_half(active[t], halves, groups)
        if h >= 0:
            moved = min(halves[h].share, step)  # shares stay between 0 and the weight
            halves[h].share -= moved
            halves[h ^ 1].share += moved


@inner
def disagreeing_half(q: int, halves: Table, groups: Table) -> int:
    """Return the half of match q that is chosen while its other half is not, or -1."""
    h = 2 * q
    source_chosen = groups[halves[h].group].choice == h
    target_chosen = groups[halves[h + 1].group].choice == h + 1
    if source_chosen == target_chosen:
        return -1
    return h if source_chosen else h + 1


@inner
def branching_pair(space: Workspace) -> int:
    """Return the node pair to branch on, or -1 if every row is fixed or has no options.

    This is the pair with the most disagreeing matches. If these are all at fixed rows, it is the
    other pair of one of them. If no match disagrees (matches that did may have been dropped), it is
    any pair of a row that is not fixed.
    """
    rows, halves, groups = space.rows, space.halves, space.groups
    options, active, state = space.options, space.active, space.state[0]
    n, m = state.n, state.m
    for i in range(n):
        rows[i].disagreements = 0
    most, branch = 0, -1
    for t in range(state.active):
        h = disagreeing_half(active[t], halves, groups)
        if h < 0:
            continue
        i = halves[h].pair // m
        if rows[i].fixed < 0:
            rows[i].disagreements += 1
            if rows[i].disagreements > most:
                most = rows[i].disagreements
                branch = halves[h].pair
        elif most == 0:
            branch = halves[h ^ 1].pair
    if branch < 0:
        for i in range(n):
            if rows[i].fixed < 0 and rows[i].options > 0:
                branch = i * m + options[i * m]
    return branch
