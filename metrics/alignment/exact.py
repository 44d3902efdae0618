"""Provably optimal alignment: Lagrangian bounds, and branch and bound for what they leave open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.alignment.problem import Alignment, AlignmentBatch, AlignmentProblem, ProblemBatch
from metrics.alignment.relaxation import branching_pair, drop_matches, drop_option, relax
from metrics.alignment.solver import Solver
from metrics.alignment.workspace import BatchArrays, Record, Table, Workspace, load, unload
from metrics.compiled import compiled, inlined, inner
from metrics.errors import OptionError
from metrics.types import Floats, Ints

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
    work_limit: int = 500_000_000
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
        limits = np.array(
            [self.node_limit, self.work_limit, self.root_rounds, self.node_rounds], np.int64
        )
        answer = AlignmentBatch.unsolved(batch)
        _solve_all(
            BatchArrays.of(batch),
            limits,
            answer.start,
            answer.mapping,
            answer.value,
            answer.upper_bound,
            Workspace.allocate(batch),
        )
        np.less_equal(answer.upper_bound, answer.value, out=answer.optimal)
        return answer


@compiled
def _solve_all(
    batch: BatchArrays,
    limits: Ints,
    start: Ints,
    mapping: Ints,
    value: Floats,
    bound: Floats,
    space: Workspace,
) -> None:
    """Solve each problem of a batch."""
    state = space.state[0]
    for p in range(value.size):
        load(p, batch, space)
        if state.n == 0:
            continue
        state.margin = INTEGER_MARGIN if state.whole else TOLERANCE
        state.work = limits[1]
        upper = _search(state.n, state.m, limits[0], limits[2], limits[3], space)
        value[p] = unload(start[p], mapping, space)
        bound[p] = max(value[p], np.floor(upper + TOLERANCE) if state.whole else upper)


@inlined
def _search(
    n: int, m: int, node_limit: int, rounds: int, node_rounds: int, space: Workspace
) -> float:
    """Depth-first branch and bound on the problem in `space`.

    A sub-problem is a path of pairs taken one by one. When it is closed, its last pair is taken
    back and forbidden, and the sub-problem above goes on without it.

    Returns:
        an upper bound of the maps that are better than the best one found; -inf if there are none.
    """
    rows, pairs, halves, groups = space.rows, space.pairs, space.halves, space.groups
    options, trail, live, path = space.options, space.trail, space.live, space.path
    state = space.state[0]
    bound, depth, nodes = np.inf, 0, 0
    while True:
        below = relax(n, m, rounds, space)
        if depth == 0:
            bound = min(bound, below)
        branch = -1
        if below >= state.best + state.margin:
            if nodes >= node_limit or state.work <= 0:
                return bound
            branch = branching_pair(n, m, rows, halves, groups, options, live, state)
        if branch >= 0:
            path[depth].pair, path[depth].dead, path[depth].live = branch, state.dead, state.live
            depth += 1
            _take(branch // m, branch % m, n, m, rows, pairs, options, trail, state)
        elif depth > 0:
            depth -= 1
            last = path[depth]
            _revive(last.dead, m, rows, pairs, trail, state)
            state.live = last.live
            rows[last.pair // m].taken = -1
            _forbid(last.pair // m, last.pair % m, m, rows, pairs, options, trail, state)
        else:
            return -np.inf
        drop_matches(np.inf, pairs, halves, live, state)
        nodes += 1
        rounds = node_rounds


@inner
def _take(
    i: int,
    j: int,
    n: int,
    m: int,
    rows: Table,
    pairs: Table,
    options: Ints,
    trail: Ints,
    state: Record,
) -> None:
    """Drop all pairs that row i and column j form with others."""
    rows[i].taken = j
    for t in range(i * m + rows[i].options - 1, i * m - 1, -1):
        if options[t] != j:
            drop_option(i, t, m, rows, pairs, options, trail, state)
    for k in range(n):
        if k != i:
            _forbid(k, j, m, rows, pairs, options, trail, state)


@inner
def _forbid(
    i: int, j: int, m: int, rows: Table, pairs: Table, options: Ints, trail: Ints, state: Record
) -> None:
    """Drop the pair (i, j), unless it is dead."""
    if pairs[i * m + j].alive:
        t = i * m
        while options[t] != j:
            t += 1
        drop_option(i, t, m, rows, pairs, options, trail, state)


@inner
def _revive(dead: int, m: int, rows: Table, pairs: Table, trail: Ints, state: Record) -> None:
    """Take back the latest drops until only `dead` are left."""
    while state.dead > dead:
        state.dead -= 1
        at = trail[state.dead]
        pairs[at].alive = True
        rows[at // m].options += 1
