"""Provably optimal alignment by Lagrangian bounds and, if these leave a gap, branch and bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amr_metrics.alignment.problem import AlignmentBatch
from amr_metrics.alignment.relaxation import branching_pair, drop_matches, drop_option, relax
from amr_metrics.alignment.solver import Solver
from amr_metrics.alignment.workspace import ProblemBatch, Workspace, load, unload
from amr_metrics.compiled import compiled, inlined, inner, is_plain, leave_plain
from amr_metrics.errors import OptionError
from amr_metrics.limits import MOST_ROUNDS, WORK
from amr_metrics.types import Floats, Ints

TOLERANCE = 1e-9
INTEGER_MARGIN = 1.0 - 1e-6
PLAIN_WORK = 10_000  # steps in plain Python for a batch of pairs: at most 0.2 seconds
UNLIMITED = 2**62  # within 64 bits, even after the last steps have exceeded it


@dataclass(frozen=True, kw_only=True)
class Exact(Solver):
    """Branch and bound over the Lagrangian relaxation; optimal unless a limit stops it.

    With integer weights a map is proven optimal once the bound is less than 1 above it, with
    real weights once it is within 1e-9. Both limits count steps, not seconds, so that the same
    input always gives the same answer. At a limit, the answer is the best map so far with the
    upper bound that is proven so far, and not `optimal`.

    Attributes:
        node_limit: largest number of sub-problems for one pair.
        work_limit: largest number of elementary steps for one pair in all phases, apart from
            a first bound; a few seconds by default.
        root_rounds, node_rounds: subgradient steps at the root and at a sub-problem.

    Raises:
        OptionError: if a limit is below 0, or a number of rounds below 1 or above 10,000.
    """

    exhaustive: ClassVar[bool] = True

    node_limit: int = 100_000
    work_limit: int = WORK
    root_rounds: int = 30
    node_rounds: int = 10

    def __post_init__(self) -> None:
        if min(self.node_limit, self.work_limit) < 0 or min(self.root_rounds, self.node_rounds) < 1:
            raise OptionError("limits must be at least 0, and rounds at least 1")
        if max(self.node_limit, self.work_limit) > UNLIMITED:
            raise OptionError(f"limits must be at most {UNLIMITED}")
        if max(self.root_rounds, self.node_rounds) > MOST_ROUNDS:
            raise OptionError(f"rounds must be at most {MOST_ROUNDS:,}")

    def solve_batch(self, batch: ProblemBatch) -> AlignmentBatch:
        """Return the optimal maps of many problems."""
        if is_plain():
            answer = self._solved(batch, min(self.work_limit, PLAIN_WORK // len(batch.sizes)))
            if answer.optimal.all():  # a limit changes only answers that are not proven optimal
                return answer
            leave_plain()
        return self._solved(batch, self.work_limit)

    def _solved(self, batch: ProblemBatch, work_limit: int) -> AlignmentBatch:
        limits = np.array(
            [self.node_limit, work_limit, self.root_rounds, self.node_rounds], np.int64
        )
        answer = AlignmentBatch.unsolved(batch.sizes)
        _solve_all(
            batch,
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
    batch: ProblemBatch,
    limits: Ints,
    start: Ints,
    mapping: Ints,
    value: Floats,
    bound: Floats,
    space: Workspace,
) -> None:
    """Solve each problem of a batch.

    Args:
        limits: the attributes of `Exact`, in the order of their definition.
        start, mapping, value, bound: as in `AlignmentBatch`; the answers are written to them.
    """
    state = space.state[0]
    for p in range(value.size):
        load(p, batch, space)
        if state.n == 0:
            continue
        # A better map of a problem with integer weights is worth at least best + 1, so that a bound
        # below this proves the best map optimal; a little less, because bounds are rounded sums.
        state.margin = INTEGER_MARGIN if state.integral else TOLERANCE
        state.work = limits[1] - state.n * state.m - state.matches  # to load it
        upper = _search(limits[0], limits[2], limits[3], space)
        value[p] = unload(start[p], mapping, space)
        # With integer weights every map has an integer value: the bound may be rounded down.
        bound[p] = max(value[p], np.floor(upper + TOLERANCE) if state.integral else upper)


@inlined
def _search(node_limit: int, root_rounds: int, node_rounds: int, space: Workspace) -> float:
    """Search the problem in `space` by depth-first branch and bound.

    A sub-problem is a path of fixed pairs. When it is closed, its last pair is released and
    forbidden, and the search goes on with the sub-problem above.

    Returns:
        an upper bound of the maps that are better than the best one found; -inf if there are none.
    """
    rows, path, state = space.rows, space.path, space.state[0]
    m = state.m
    # path[:depth] are the pairs that are fixed now. A map that is better than the best one is in
    # one of these sub-problems, which have no map in common:
    #   - the current one: it has all pairs of the path; or
    #   - for a k < depth: it has the pairs path[:k], but not path[k], which is forbidden once the
    #     sub-problem below it is closed.
    # With depth 0, all that remains of the problem is the current sub-problem. Shares are never
    # restored: any split gives a bound, and the last one is a good start for the next sub-problem.
    rounds, bound, depth, nodes = root_rounds, np.inf, 0, 0
    while True:
        node_bound = relax(rounds, space)
        if depth == 0:  # the whole problem, except for the branches that are already closed
            bound = min(bound, node_bound)
        branch = -1
        if node_bound >= state.best + state.margin:
            if nodes >= node_limit or state.work <= 0:
                return bound
            branch = branching_pair(space)
        if branch >= 0:
            # Fix the pair first: the sub-problem that forbids it follows when this one is closed.
            # What `relax` has dropped here stays dropped in both; what is dropped from here on is
            # restored before the second one begins.
            step = path[depth]
            step.pair, step.dropped, step.active = branch, state.dropped, state.active
            depth += 1
            _fix_pair(branch // m, branch % m, space)
        elif depth > 0:
            # Closed: the bound shows that it has no better map, or no row is left to branch on, and
            # `relax` has evaluated the one map that remains, or a better one.
            depth -= 1
            last = path[depth]
            _restore_pairs(last.dropped, space)
            state.active = last.active
            rows[last.pair // m].fixed = -1
            _forbid_pair(last.pair // m, last.pair % m, space)
        else:
            return -np.inf
        drop_matches(np.inf, space)  # those at pairs that were dropped just now
        nodes += 1
        rounds = node_rounds


@inner
def _fix_pair(i: int, j: int, space: Workspace) -> None:
    """Fix row i to column j: drop all other pairs of that row and column."""
    rows, options, state = space.rows, space.options, space.state[0]
    m = state.m
    rows[i].fixed = j
    # Backwards, because `drop_option` moves the last option to position t.
    for t in range(i * m + rows[i].options - 1, i * m - 1, -1):
        if options[t] != j:
            drop_option(i, t, space)
    for k in range(state.n):
        if k != i:
            _forbid_pair(k, j, space)
    state.work -= state.n


@inner
def _forbid_pair(i: int, j: int, space: Workspace) -> None:
    m = space.state[0].m
    if space.pairs[i * m + j].allowed:
        t = i * m
        while space.options[t] != j:
            t += 1
        space.state[0].work -= t - i * m
        drop_option(i, t, space)


@inner
def _restore_pairs(dropped: int, space: Workspace) -> None:
    """Restore the pairs that were dropped last, until only `dropped` pairs are dropped."""
    state = space.state[0]
    state.work -= state.dropped - dropped
    while state.dropped > dropped:
        state.dropped -= 1
        pair = space.trail[state.dropped]
        space.pairs[pair].allowed = True
        space.rows[pair // state.m].options += 1
