"""The Lagrangian bound of an alignment problem, and what follows from it.

The weight of an edge match q is split between the two node pairs it touches: a share for the pair
of the edges' sources, the rest for the pair of their targets. For fixed shares the best map is one
linear assignment problem, whose value bounds every map from above and whose solution is itself a
map. Subgradient steps move the shares to bring the bound down; the prices of the assignment show
which node pairs and matches no better map can use, and these are dropped for good.

Source: Lagrangean decomposition for graph matching, as in Swoboda et al. (2017), "A study of
Lagrangean decompositions and dual ascent solvers for graph matching"; dropping pairs by their
reduced cost is standard in integer programming.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.alignment.assignment import assign
from metrics.compiled import compiled
from metrics.types import Bools, Floats, Ints

STEP_SHRINK = 0.6
STEP_PATIENCE = 3
SMALLEST_GAP = 0.3
ROUNDING = 1e-9


class Matches(NamedTuple):
    """Edge matches in flat arrays, ordered by the edge of the first graph.

    Match q maps (i, k), an edge of the first graph, onto (j, l), one of the second. Matches of one
    edge with the same j form a source group, those with the same l a target group: a map can use
    at most one match of a group.
    """

    i: Ints
    j: Ints
    k: Ints
    l: Ints
    weight: Floats
    source_group: Ints
    target_group: Ints
    n_source_groups: int
    n_target_groups: int


class Workspace(NamedTuple):
    """Scratch arrays, allocated once a problem."""

    profit: Floats
    row_price: Floats
    column_price: Floats
    partner: Ints
    owner: Ints
    source_top: Floats
    target_top: Floats
    source_choice: Ints
    target_choice: Ints
    disagreements: Ints


@compiled
def group_matches(i: Ints, j: Ints, k: Ints, l: Ints, edge: Ints, weight: Floats) -> Matches:
    """Number the source and target groups of matches that are ordered by `edge`."""
    q = weight.size
    source_group, target_group = np.empty(q, np.int32), np.empty(q, np.int32)
    sources, targets = 0, 0
    first = 0
    for at in range(q):
        if edge[at] != edge[first]:
            first = at
        source_group[at] = target_group[at] = -1
        for other in range(first, at):
            if j[other] == j[at]:
                source_group[at] = source_group[other]
            if l[other] == l[at]:
                target_group[at] = target_group[other]
        if source_group[at] < 0:
            source_group[at] = sources
            sources += 1
        if target_group[at] < 0:
            target_group[at] = targets
            targets += 1
    return Matches(i, j, k, l, weight, source_group, target_group, sources, targets)


@compiled
def workspace(n: int, m: int, matches: Matches) -> Workspace:
    """Scratch arrays for problems of n x m nodes."""
    return Workspace(
        np.empty((n, m)),
        np.empty(n),
        np.empty(m),
        np.empty(n, np.int64),
        np.empty(m, np.int64),
        np.empty(matches.n_source_groups),
        np.empty(matches.n_target_groups),
        np.empty(matches.n_source_groups, np.int64),
        np.empty(matches.n_target_groups, np.int64),
        np.empty(n, np.int64),
    )


@compiled
def relax(
    unary: Floats,
    matches: Matches,
    dead: Bools,
    fixed: Ints,
    live: Ints,
    share: Floats,
    best: float,
    best_map: Ints,
    margin: float,
    rounds: int,
    space: Workspace,
    work: Ints,
) -> tuple[float, float, int, int]:
    """Bring the bound of one sub-problem down, and the best map up.

    Args:
        unary: n x m, n <= m.
        dead: in and out, node pairs no better map uses.
        fixed: for each row the column it must take, or -1.
        live: in and out, positions of the matches still of use, in front.
        share: in and out, what each match gives to its pair of sources.
        best, best_map: value of the best map so far, and the map (out).
        margin: a map is better only if worth at least ``best + margin``.
        rounds: subgradient steps at most.
        work: in and out, one count of steps done, to hold against a limit.

    Returns:
        the bound, the best value, the node pair (i * m + j) to branch on or -1 if the sub-problem
        is closed, and the number of live matches.
    """
    n, m = unary.shape
    profit, partner = space.profit, space.partner
    n_live = live.size
    bonus = 1.0 + best + n + unary.max() + matches.weight.sum()
    bound, step, stale, branch = np.inf, 1.0, 0, -1
    for _ in range(rounds):
        _profits(unary, matches, dead, live[:n_live], share, space)
        n_fixed = 0
        for i in range(n):
            if fixed[i] >= 0:
                profit[i, fixed[i]] += bonus
                n_fixed += 1
        value = assign(profit, space.row_price, space.column_price, partner, space.owner)
        value -= n_fixed * bonus
        work[0] += n * m + matches.weight.size
        reached = map_value(partner, unary, matches)
        if reached > best:
            best = reached
            best_map[:] = partner
        if value < bound - ROUNDING:
            bound, stale = value, 0
        else:
            stale += 1
            if stale == STEP_PATIENCE:
                step, stale = step * STEP_SHRINK, 0
        if bound < best + margin:
            return bound, best, -1, n_live
        n_live = _drop(value, best + margin, matches, dead, live, n_live, space)
        _choose(matches, live[:n_live], share, space)
        branch = _move_shares(
            matches, fixed, live[:n_live], share, step * max(bound - best, SMALLEST_GAP), m, space
        )
    return bound, best, branch, n_live


@compiled
def map_value(mapping: Ints, unary: Floats, matches: Matches) -> float:
    """The objective of a map (-1: unmapped)."""
    total = 0.0
    for i in range(mapping.size):
        if mapping[i] >= 0:
            total += unary[i, mapping[i]]
    for q in range(matches.weight.size):
        if mapping[matches.i[q]] == matches.j[q] and mapping[matches.k[q]] == matches.l[q]:
            total += matches.weight[q]
    return total


@compiled
def _profits(
    unary: Floats, matches: Matches, dead: Bools, live: Ints, share: Floats, space: Workspace
) -> None:
    """Profit of a node pair: its own weight and, of each group at it, the largest share."""
    profit, source_top, target_top = space.profit, space.source_top, space.target_top
    for i in range(unary.shape[0]):
        for j in range(unary.shape[1]):
            profit[i, j] = 0.0 if dead[i, j] else unary[i, j]
    for q in live:
        source_top[matches.source_group[q]] = 0.0
        target_top[matches.target_group[q]] = 0.0
    for q in live:
        group = matches.source_group[q]
        if share[q] > source_top[group]:
            profit[matches.i[q], matches.j[q]] += share[q] - source_top[group]
            source_top[group] = share[q]
        group, rest = matches.target_group[q], matches.weight[q] - share[q]
        if rest > target_top[group]:
            profit[matches.k[q], matches.l[q]] += rest - target_top[group]
            target_top[group] = rest


@compiled
def _drop(
    value: float,
    goal: float,
    matches: Matches,
    dead: Bools,
    live: Ints,
    n_live: int,
    space: Workspace,
) -> int:
    """Mark the node pairs, and drop the matches, that no map worth `goal` can use."""
    profit, row_price, column_price = space.profit, space.row_price, space.column_price
    slack = value - goal
    for i in range(dead.shape[0]):
        for j in range(dead.shape[1]):
            if row_price[i] + column_price[j] - profit[i, j] > slack:
                dead[i, j] = True
    kept = 0
    for at in range(n_live):
        q = live[at]
        i, j, k, l = matches.i[q], matches.j[q], matches.k[q], matches.l[q]
        if dead[i, j] or dead[k, l]:
            continue
        cost = row_price[i] + column_price[j] - profit[i, j]
        cost += row_price[k] + column_price[l] - profit[k, l]
        if cost <= slack:
            live[kept] = q
            kept += 1
    return kept


@compiled
def _choose(matches: Matches, live: Ints, share: Floats, space: Workspace) -> None:
    """For each group at an assigned node pair, the match that gave its profit.

    Of several with the same share the one is taken whose other end is assigned as well.
    """
    partner = space.partner
    source_choice, target_choice = space.source_choice, space.target_choice
    for q in live:
        source_choice[matches.source_group[q]] = -1
        target_choice[matches.target_group[q]] = -1
    for q in live:
        at_source = partner[matches.i[q]] == matches.j[q]
        at_target = partner[matches.k[q]] == matches.l[q]
        group = matches.source_group[q]
        if at_source and share[q] >= space.source_top[group] - ROUNDING:
            if at_target or (source_choice[group] < 0 and share[q] > ROUNDING):
                source_choice[group] = q
        group, rest = matches.target_group[q], matches.weight[q] - share[q]
        if at_target and rest >= space.target_top[group] - ROUNDING:
            if at_source or (target_choice[group] < 0 and rest > ROUNDING):
                target_choice[group] = q


@compiled
def _move_shares(
    matches: Matches,
    fixed: Ints,
    live: Ints,
    share: Floats,
    length: float,
    m: int,
    space: Workspace,
) -> int:
    """One subgradient step: a match chosen at one end only gives some of that end's share away.

    Returns:
        the node pair to branch on: the assigned one with most such matches.
    """
    source_choice, target_choice = space.source_choice, space.target_choice
    disagreeing = 0
    for q in live:
        if (source_choice[matches.source_group[q]] == q) != (
            target_choice[matches.target_group[q]] == q
        ):
            disagreeing += 1
    branch, most = -1, 0
    counts = space.disagreements
    counts[:] = 0
    step = length / max(disagreeing, 1)
    for q in live:
        at_source = source_choice[matches.source_group[q]] == q
        if at_source == (target_choice[matches.target_group[q]] == q):
            continue
        here, other = (matches.i[q], matches.j[q]), (matches.k[q], matches.l[q])
        if at_source:
            share[q] = max(0.0, share[q] - step)
        else:
            here, other = other, here
            share[q] = min(matches.weight[q], share[q] + step)
        if fixed[here[0]] < 0:
            counts[here[0]] += 1
            if counts[here[0]] > most:
                most = counts[here[0]]
                branch = here[0] * m + here[1]
        elif most == 0:
            branch = other[0] * m + other[1]
    return branch
