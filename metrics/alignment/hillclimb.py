"""Hill-climbing with restarts: how Smatch was computed when it was new."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from metrics.alignment.climb import climb
from metrics.alignment.problem import Alignment, AlignmentBatch, AlignmentProblem, ProblemBatch
from metrics.alignment.relaxation import keep_better
from metrics.alignment.solver import Solver
from metrics.alignment.workspace import (
    BatchArrays,
    Table,
    Workspace,
    index_halves,
    load,
    unload,
)
from metrics.compiled import compiled, inner
from metrics.errors import OptionError
from metrics.types import Floats, Ints

UNLIMITED = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True)
class HillClimb(Solver):
    """Local search by moves and swaps from several starts; the best map found wins.

    It knows no more of the optimum than a simple bound: each node its largest unary weight, each
    edge its largest match. The answer counts as optimal only in the rare case that it attains it.
    The random starts of a problem follow from `seed` and the problem itself, so that the other
    problems of a batch make no difference.

    Source: Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures,
    section 4. There each step takes the best move or swap of all; here each node in turn takes
    its own best one.

    Attributes:
        restarts: random starts.
        smart: also start from mapping nodes of most unary weight, such as equal concepts, onto
            each other.
        seed: of the random starts, 0 or more.

    Raises:
        OptionError: a negative number, or no start at all.
    """

    restarts: int = 4
    smart: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.restarts, self.seed) < 0:
            raise OptionError("restarts and seed must be at least 0")
        if not (self.restarts or self.smart):
            raise OptionError("no start: restarts must be at least 1, unless smart is true")

    def solve(self, problem: AlignmentProblem) -> Alignment:
        """The best map found for one problem.

        >>> problem = AlignmentProblem.build([[1, 0], [0, 1]], [(0, 1)], [(0, 1)], [(0, 0)])
        >>> answer = HillClimb().solve(problem)
        >>> answer.mapping.tolist(), answer.value, answer.optimal
        ([0, 1], 3.0, True)
        """
        return self.solve_batch(ProblemBatch.pack([problem]))[0]

    def solve_batch(self, batch: ProblemBatch) -> AlignmentBatch:
        """The best maps found for many problems."""
        columns = batch.sizes.max(1, initial=0)
        orders = [
            self._generator(problem).permuted(np.tile(np.arange(m), (self.restarts, 1)), axis=1)
            for problem, m in zip(batch, columns, strict=True)
        ]
        answer = AlignmentBatch.unsolved(batch)
        _climb_all(
            BatchArrays.of(batch),
            self.smart,
            self.restarts,
            np.concatenate([np.empty(0, np.int64), *[order.ravel() for order in orders]]),
            answer.start,
            answer.mapping,
            answer.value,
            answer.upper_bound,
            Workspace.allocate(batch),
        )
        np.less_equal(answer.upper_bound, answer.value, out=answer.optimal)
        return answer

    def _generator(self, problem: AlignmentProblem) -> np.random.Generator:
        """The source of a problem's random starts."""
        content = (problem.unary, problem.src_edges, problem.tgt_edges, problem.matches)
        digest = 0
        for part in (*content, problem.weights):
            digest = zlib.crc32(np.ascontiguousarray(part).data, digest)
        return np.random.default_rng([self.seed, digest])


@compiled
def _climb_all(
    batch: BatchArrays,
    smart: bool,
    restarts: int,
    orders: Ints,
    start: Ints,
    mapping: Ints,
    value: Floats,
    bound: Floats,
    space: Workspace,
) -> None:
    """Climb from each start of each problem.

    Args:
        orders: a permutation of the columns for each random start of each problem.
    """
    rows, columns, pairs, halves = space.rows, space.columns, space.pairs, space.halves
    options, incident, weight, state = space.options, space.incident, space.weight, space.state[0]
    at = 0
    for p in range(value.size):
        load(p, batch, space)
        n, m = state.n, state.m
        index_halves(n * m, pairs, halves, incident, state)
        state.work = UNLIMITED
        for r in range(0 if smart else 1, restarts + 1):
            if r == 0:
                _start_smart(n, m, rows, columns, pairs, options)
            else:
                _start_at_random(n, m, orders[at : at + m], rows, pairs)
                at += m
            reached = climb(n, m, rows, columns, pairs, halves, options, incident, weight, state)
            keep_better(reached, n, rows, state)
        value[p] = unload(start[p], mapping, space)
        bound[p] = max(value[p], _simple_bound(n, m, space))


@inner
def _start_smart(n: int, m: int, rows: Table, columns: Table, pairs: Table, options: Ints) -> None:
    """Each row in turn takes the free column with which it has most unary weight, if any."""
    for j in range(m):
        columns[j].owner = -1
    for i in range(n):
        most, to = 0.0, -1
        for t in range(i * m, i * m + rows[i].options):
            at = i * m + options[t]
            if pairs[at].unary > most and columns[options[t]].owner < 0:
                most, to = pairs[at].unary, options[t]
        rows[i].partner = to
        if to >= 0:
            columns[to].owner = i


@inner
def _start_at_random(n: int, m: int, order: Ints, rows: Table, pairs: Table) -> None:
    """Each row takes the column that `order` gives it, if the pair is of any use."""
    for i in range(n):
        at = i * m + rows[i].partner
        if rows[i].partner >= 0:
            pairs[at].chosen = False
        rows[i].partner = order[i] if pairs[i * m + order[i]].alive else -1


@inner
def _simple_bound(n: int, m: int, space: Workspace) -> float:
    """The largest unary weight of each node, on the better side, and match of each edge."""
    columns, pairs, halves, groups = space.columns, space.pairs, space.halves, space.groups
    by_row, by_column, by_edge = 0.0, 0.0, 0.0
    for j in range(m):
        columns[j].price = 0.0
    for i in range(n):
        most = 0.0
        for j in range(m):
            most = max(most, pairs[i * m + j].unary)
            columns[j].price = max(columns[j].price, pairs[i * m + j].unary)
        by_row += most
    for j in range(m):
        by_column += columns[j].price
    edge, most = -1, 0.0
    for q in range(space.state[0].matches):
        if groups[halves[2 * q].group].edge != edge:
            edge = groups[halves[2 * q].group].edge
            by_edge += most
            most = 0.0
        most = max(most, space.weight[q])
    return min(by_row, by_column) + by_edge + most
