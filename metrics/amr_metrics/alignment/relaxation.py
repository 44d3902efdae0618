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
from amr_metrics.alignment.workspace import StructArray, Workspace, index_halves
from amr_metrics.compiled import inlined, inner

# The bound. Pair p of nodes has the unary weight u[p]; match q has the weight w[q], and its halves
# 2q and 2q + 1 are at the pairs a[q] and b[q]. The value of a map x, with x[p] = 1 if it uses p, is
#
#     value(x) = sum_p u[p] x[p] + sum_q w[q] x[a[q]] x[b[q]].
#
# Split w[q] = share[2q] + share[2q + 1], both at least 0, and let each pair choose among its halves
# independently of the pairs at their other ends. A group holds the halves of one src edge at one
# pair. A map uses at most one of them, because it maps the other end of the edge to one node only:
#
#     value(x) <= sum_p profit[p] x[p],
#     profit[p] = u[p] + sum over the groups g at p of max(share[h] for h in g).
#
# The map with the largest right-hand side solves a linear assignment problem. Its value L(share) is
# a bound for any split: the shares are Lagrange multipliers of the constraints that both halves of
# a match are chosen, or neither. L is convex and piecewise linear; `relax` looks for its minimum.
# If no match has only one of its halves chosen, L is the value of the map, which is then optimal.

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
        # With the reduced costs c[p] = row price + column price - profit[p] >= 0,
        #     sum_p profit[p] x[p] <= sum of all prices - sum_p c[p] x[p] = value - sum_p c[p] x[p]
        # for every map x, since it uses no row or column twice. A map that uses pair p is worth at
        # most value - c[p]: it can be better than the best one only if c[p] <= slack. This holds
        # for the shares of this round alone, so `value` is used here, not the lowest bound.
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
    # The matches that are no longer active touch a dropped pair, or belong only to maps that are
    # not better than the best one. Without them a map may be undervalued, but never overvalued.
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
    # The trail and the options of each row are stacks. Restored from the top of the trail, a pair
    # is again the first one behind its row's options: `_restore_pairs` only has to count up.
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
    # Active matches stay in active[:state.active]. Dropped ones move behind them, so that an
    # earlier value of `state.active` restores them.
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
    # Any half with the largest share of its group gives a subgradient. Preferring those whose other
    # pair is mapped leaves fewer matches that disagree.
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
    # As share[2q + 1] = w[q] - share[2q], a subgradient of L at share[2q] is
    #     [half 2q is chosen] - [half 2q + 1 is chosen],
    # that is 1 or -1 for each match that disagrees, and 0 for the others. A step against it takes
    # share from the chosen half. Polyak's step length is the gap, to which `length` is
    # proportional, divided by the squared norm of the subgradient: the number of disagreements.
    step = length / max(disagreements, 1)
    for t in range(state.active):
        h = disagreeing_half(active[t], halves, groups)
        if h >= 0:
            moved = min(halves[h].share, step)  # shares stay between 0 and the weight
            halves[h].share -= moved
            halves[h ^ 1].share += moved


@inner
def disagreeing_half(q: int, halves: StructArray, groups: StructArray) -> int:
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
    # The bound is above the best map because halves disagree. Once a pair is fixed or forbidden,
    # its halves have to be decided: the more of them disagree, the more the bound should fall.
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
