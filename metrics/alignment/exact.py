"""Provably optimal alignment: Lagrangian bounds, and branch and bound for what they leave open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.alignment.problem import Alignment, AlignmentBatch, AlignmentProblem, ProblemBatch
from metrics.alignment.relaxation import Matches, group_matches, relax, workspace
from metrics.alignment.solver import Solver
from metrics.compiled import compiled
from metrics.errors import OptionError
from metrics.types import Bools, Floats, Ints

TOLERANCE = 1e-9
INTEGER_MARGIN = 1.0 - 1e-6


@dataclass(frozen=True, kw_only=True)
class Exact(Solver):
    """Branch and bound over the Lagrangian relaxation; optimal unless a limit stops it.

    With whole-number weights a map is proven best once the bound lies less than 1 above it, with
    real ones once it lies within 1e-9. Both limits count work, not seconds, so that the same
    input always gives the same answer.

    Attributes:
        node_limit: sub-problems of one pair at most.
        work_limit: elementary steps on one pair at most; a few seconds for the default.
        root_rounds, node_rounds: subgradient steps at the root and at a sub-problem.

    Raises:
        OptionError: a limit below 0, or fewer than one round.
    """

    node_limit: int = 100_000
    work_limit: int = 1_000_000_000
    root_rounds: int = 30
    node_rounds: int = 10

    def __post_init__(self) -> None:
        if min(self.node_limit, self.work_limit) < 0 or min(self.root_rounds, self.node_rounds) < 1:
            raise OptionError("limits must be at least 0, and rounds at least 1")

    def solve(self, problem: AlignmentProblem) -> Alignment:
        """The optimal map of one problem.

        >>> problem = AlignmentProblem.build([[1, 0], [0, 1]], [(0, 1)], [(0, 1)], [(0, 0)])
        >>> answer = Exact().solve(problem)
        >>> answer.mapping.tolist(), answer.value, answer.optimal
        ([0, 1], 3.0, True)
        """
        return self.solve_batch(ProblemBatch.pack([problem]))[0]

    def solve_batch(self, batch: ProblemBatch) -> AlignmentBatch:
        """The optimal maps of many problems."""
        start = np.concatenate([[0], np.cumsum(batch.sizes[:, 0])]).astype(np.int64)
        mapping = np.full(start[-1], -1, np.int64)
        value, bound = np.zeros(len(batch)), np.zeros(len(batch))
        optimal = np.zeros(len(batch), np.bool_)
        limits = np.array(
            [self.node_limit, self.work_limit, self.root_rounds, self.node_rounds], np.int64
        )
        _solve_all(
            batch.sizes,
            batch.unary,
            batch.unary_start,
            batch.src_edges,
            batch.src_start,
            batch.tgt_edges,
            batch.tgt_start,
            batch.matches,
            batch.weights,
            batch.match_start,
            limits,
            mapping,
            start,
            value,
            bound,
            optimal,
        )
        return AlignmentBatch(mapping, start, value, bound, optimal)


@compiled
def _solve_all(
    sizes: Ints,
    unary: Floats,
    unary_start: Ints,
    src_edges: Ints,
    src_start: Ints,
    tgt_edges: Ints,
    tgt_start: Ints,
    matches: Ints,
    weights: Floats,
    match_start: Ints,
    limits: Ints,
    mapping: Ints,
    start: Ints,
    value: Floats,
    bound: Floats,
    optimal: Bools,
) -> None:
    """Solve each problem of a batch, from the side with fewer nodes."""
    for p in range(len(sizes)):
        n, m = sizes[p]
        if n == 0 or m == 0:
            optimal[p] = True
            continue
        u = unary[unary_start[p] : unary_start[p + 1]].reshape((n, m))
        pairs = matches[match_start[p] : match_start[p + 1]]
        w = weights[match_start[p] : match_start[p + 1]]
        a_ends = src_edges[src_start[p] : src_start[p + 1]][pairs[:, 0]]
        b_ends = tgt_edges[tgt_start[p] : tgt_start[p + 1]][pairs[:, 1]]
        edge = pairs[:, 0]
        found = mapping[start[p] : start[p + 1]]
        if n <= m:
            value[p], bound[p], optimal[p] = _solve(
                np.ascontiguousarray(u), a_ends, b_ends, edge, w, limits, found
            )
        else:
            order = np.argsort(pairs[:, 1], kind="mergesort")
            inverse = np.full(m, -1, np.int64)
            value[p], bound[p], optimal[p] = _solve(
                np.ascontiguousarray(u.T),
                b_ends[order],
                a_ends[order],
                pairs[:, 1][order],
                w[order],
                limits,
                inverse,
            )
            for j in range(m):
                if inverse[j] >= 0:
                    found[inverse[j]] = j


@compiled
def _solve(
    unary: Floats,
    row_edges: Ints,
    column_edges: Ints,
    edge: Ints,
    weight: Floats,
    limits: Ints,
    best_map: Ints,
) -> tuple[float, float, bool]:
    """Branch and bound on one problem with n <= m; fills `best_map`."""
    n, m = unary.shape
    node_limit, work_limit, root_rounds, node_rounds = limits
    unary, row_edges, column_edges, edge, weight = _fold_loops(
        unary, row_edges, column_edges, edge, weight
    )
    matches = group_matches(
        np.ascontiguousarray(row_edges[:, 0]),
        np.ascontiguousarray(column_edges[:, 0]),
        np.ascontiguousarray(row_edges[:, 1]),
        np.ascontiguousarray(column_edges[:, 1]),
        edge,
        weight,
    )
    margin = INTEGER_MARGIN if _whole(unary.ravel()) and _whole(weight) else TOLERANCE
    space = workspace(n, m, matches)
    work = np.zeros(1, np.int64)
    dead: Bools = np.zeros((n, m), np.bool_)
    fixed: Ints = np.full(n, -1, np.int64)
    live: Ints = np.arange(weight.size)
    share = weight * 0.5
    bound, best, branch, kept = relax(
        unary, matches, dead, fixed, live, share, -1.0, best_map, margin, root_rounds, space, work
    )
    stack = [(dead, fixed, live[:kept].copy(), share, bound, branch)]
    if branch < 0:
        stack.clear()
    nodes = 0
    while len(stack) > 0 and nodes < node_limit and work[0] < work_limit:
        dead, fixed, live, share, bound, branch = stack.pop()
        if bound < best + margin:
            continue
        for take in (False, True):
            child_dead, child_fixed = _branch(dead, fixed, branch // m, branch % m, take)
            child_live, child_share = _usable(live, matches, child_dead), share.copy()
            below, best, next_branch, kept = relax(
                unary,
                matches,
                child_dead,
                child_fixed,
                child_live,
                child_share,
                best,
                best_map,
                margin,
                node_rounds,
                space,
                work,
            )
            nodes += 1
            if next_branch >= 0:
                stack.append(
                    (
                        child_dead,
                        child_fixed,
                        child_live[:kept].copy(),
                        child_share,
                        min(bound, below),
                        next_branch,
                    )
                )
    upper = best
    for entry in stack:
        if entry[4] >= best + margin:
            upper = max(upper, entry[4])
    _drop_idle(best_map, unary, matches)
    return best, upper, upper <= best


@compiled
def _whole(values: Floats) -> bool:
    """Whether all values are whole numbers."""
    for value in values:
        if value != np.floor(value):
            return False
    return True


@compiled
def _fold_loops(
    unary: Floats, row_edges: Ints, column_edges: Ints, edge: Ints, weight: Floats
) -> tuple[Floats, Ints, Ints, Ints, Floats]:
    """A match of two self-loops depends on one node pair only: it belongs to the unary weights."""
    keep = np.ones(weight.size, np.bool_)
    for q in range(weight.size):
        row_loop = row_edges[q, 0] == row_edges[q, 1]
        column_loop = column_edges[q, 0] == column_edges[q, 1]
        keep[q] = not (row_loop or column_loop)
        if row_loop and column_loop:
            unary = unary.copy()
            unary[row_edges[q, 0], column_edges[q, 0]] += weight[q]
    if keep.all():
        return unary, row_edges, column_edges, edge, weight
    return unary, row_edges[keep], column_edges[keep], edge[keep], weight[keep]


@compiled
def _branch(dead: Bools, fixed: Ints, i: int, j: int, take: bool) -> tuple[Bools, Ints]:
    """The sub-problem in which node i takes node j, or in which it must not."""
    dead, fixed = dead.copy(), fixed.copy()
    if take:
        dead[i, :] = True
        dead[:, j] = True
        dead[i, j] = False
        fixed[i] = j
    else:
        dead[i, j] = True
    return dead, fixed


@compiled
def _usable(live: Ints, matches: Matches, dead: Bools) -> Ints:
    """The matches neither of whose node pairs is dead."""
    kept = live.copy()
    n_kept = 0
    for q in live:
        if not (dead[matches.i[q], matches.j[q]] or dead[matches.k[q], matches.l[q]]):
            kept[n_kept] = q
            n_kept += 1
    return kept[:n_kept]


@compiled
def _drop_idle(mapping: Ints, unary: Floats, matches: Matches) -> None:
    """Unmap the nodes whose pair adds nothing: the assignment maps every row, useful or not."""
    useful = np.zeros(mapping.size, np.bool_)
    for i in range(mapping.size):
        useful[i] = mapping[i] >= 0 and unary[i, mapping[i]] > 0
    for q in range(matches.weight.size):
        if mapping[matches.i[q]] == matches.j[q] and mapping[matches.k[q]] == matches.l[q]:
            useful[matches.i[q]] = useful[matches.k[q]] = True
    for i in range(mapping.size):
        if not useful[i]:
            mapping[i] = -1
