"""Alignment problems whose graded matches depend on two thresholds, and what maps match in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metrics.alignment.facts import FactTable, GradedMatches, problems
from metrics.alignment.problem import AlignmentBatch, ProblemBatch
from metrics.compiled import compiled
from metrics.corpus import rows_of
from metrics.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class GradedProblems:
    """The alignment problems of some pairs for any thresholds.

    Attributes:
        batch: the problems without graded matches.
        cells: int64, where in ``batch.unary`` each graded match counts; matches that count at the
            same position have equal weights.
        start: int64 p + 1, the graded matches of each pair.
        similarity: float64, the weight of each graded match if `tau_sense` is 1.
        limit: float64, the lowest `tau` for which the match does not count; infinite if it always
            does.
        scaled: whether the weight is multiplied by `tau_sense`.
        kinds: float64 x 4, for each position in ``batch.unary``: equal rows have equal weights for
            all thresholds.
    """

    batch: ProblemBatch
    cells: Ints
    start: Ints
    similarity: Floats
    limit: Floats
    scaled: Bools
    kinds: Floats

    @classmethod
    def of(
        cls, src: FactTable, tgt: FactTable, matches: GradedMatches, limit: Floats, scaled: Bools
    ) -> GradedProblems:
        """The problems of graph k of `src` with graph k of `tgt`.

        Args:
            matches: the graded matches, with their weights if `tau_sense` is 1.
            limit, scaled: the attributes.
        """
        batch = problems(src, tgt)
        pair = np.repeat(np.arange(len(batch)), np.diff(matches.start))
        row, column = src.facts[matches.src, 0], tgt.facts[matches.tgt, 0]
        cells = batch.unary_start[pair] + row * batch.sizes[pair, 1] + column
        kinds = np.zeros((len(batch.unary), 4))
        kinds[:, 0] = batch.unary
        kinds[cells, 1] = limit
        np.add.at(kinds, (cells, np.where(scaled, 2, 3)), matches.weights)
        return cls(batch, cells, matches.start, matches.weights, limit, scaled, kinds)

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def pairs(self) -> Ints:
        """The pair of each graded match."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def take(self, chosen: Ints) -> GradedProblems:
        """The problems at some positions."""
        start, rows = rows_of(self.start, chosen)
        batch = self.batch.take(chosen)
        moved = batch.unary_start[:-1] - self.batch.unary_start[chosen]
        return GradedProblems(
            batch,
            self.cells[rows] + np.repeat(moved, np.diff(start)),
            start,
            self.similarity[rows],
            self.limit[rows],
            self.scaled[rows],
            self.kinds[rows_of(self.batch.unary_start, chosen).rows],
        )

    def at(self, tau: float, tau_sense: float | Floats) -> ProblemBatch:
        """The problems for `tau`, and for one `tau_sense` or one per pair."""
        unary, factors = self.batch.unary.copy(), np.empty(len(self))
        factors[:] = tau_sense
        _add_weights(
            unary, self.cells, self.start, self.similarity, self.limit, self.scaled, tau, factors
        )
        return replace(self.batch, unary=unary)

    def counts(self, tau: float) -> tuple[Ints, Ints]:
        """The number of graded matches of each pair for `tau`, and of those that are scaled."""
        active = self.limit > tau
        return (
            np.bincount(self.pairs[active], minlength=len(self)),
            np.bincount(self.pairs[active & self.scaled], minlength=len(self)),
        )

    def graded(self, tau: float) -> Bools:
        """Which positions in ``batch.unary`` have graded matches for `tau`."""
        graded = np.zeros(len(self.batch.unary), np.bool_)
        graded[self.cells[self.limit > tau]] = True
        return graded

    @cached_property
    def whole(self) -> Bools:
        """Whether, without graded matches, all weights of a pair are integers that solvers keep.

        The solvers add the weight of a matched self-loop to a unary weight.
        """
        batch = self.batch
        whole = np.ones(len(batch), np.bool_)
        for bad, start in (
            (batch.unary % 1 != 0, batch.unary_start),
            (batch.weights % 1 != 0, batch.match_start),
            (batch.src_edges[:, 0] == batch.src_edges[:, 1], batch.src_start),
            (batch.tgt_edges[:, 0] == batch.tgt_edges[:, 1], batch.tgt_start),
        ):
            whole[np.searchsorted(start, np.flatnonzero(bad), side="right") - 1] = False
        return whole


@compiled
def _add_weights(
    unary: Floats,
    cells: Ints,
    start: Ints,
    similarity: Floats,
    limit: Floats,
    scaled: Bools,
    tau: float,
    factors: Floats,
) -> None:
    """Add the weights of graded matches in their order, as `metrics.alignment.facts.add_graded`."""
    for p in range(factors.size):
        for q in range(start[p], start[p + 1]):
            if limit[q] > tau:
                unary[cells[q]] += similarity[q] * factors[p] if scaled[q] else similarity[q]


@dataclass(frozen=True, eq=False)
class Matched:
    """What the maps of some pairs match.

    Attributes:
        edges: float64, by pair, the sum of the weights of the edges that match.
        cells: int64, by node of src: the positions in ``batch.unary`` that the map uses, ordered by
            the rows of the solver, with -1 for nodes without a partner.
        start: int64 p + 1, the cells of each pair.
    """

    edges: Floats
    cells: Ints
    start: Ints

    @classmethod
    def of(cls, batch: ProblemBatch, answer: AlignmentBatch) -> Matched:
        """What the maps of answers match."""
        pair = np.repeat(np.arange(len(batch)), np.diff(batch.match_start))
        one = batch.src_edges[batch.src_start[pair] + batch.matches[:, 0]]
        two = batch.tgt_edges[batch.tgt_start[pair] + batch.matches[:, 1]]
        matched = (answer.mapping[answer.start[pair][:, None] + one] == two).all(axis=1)
        edges = np.bincount(pair, matched * batch.weights, len(batch)).astype(np.float64)
        n, m = batch.sizes.T
        nodes = np.flatnonzero(answer.mapping >= 0)
        pair = np.repeat(np.arange(len(batch)), n)[nodes]
        i, j = nodes - answer.start[pair], answer.mapping[nodes]
        cells = np.full(len(answer.mapping), -1, np.int64)
        row = np.where(n[pair] > m[pair], j, i)
        cells[answer.start[pair] + row] = batch.unary_start[pair] + i * m[pair] + j
        return cls(edges, cells, answer.start)

    def take(self, chosen: Ints) -> Matched:
        """What the maps of the pairs at some positions match; the cells are not renumbered."""
        start, rows = rows_of(self.start, chosen)
        return Matched(self.edges[chosen], self.cells[rows], start)

    def moved(self, steps: Ints) -> Matched:
        """The same with each pair's cells moved."""
        cells = self.cells + np.repeat(steps, np.diff(self.start))
        return replace(self, cells=np.where(self.cells < 0, -1, cells))

    def values(self, unary: Floats) -> Floats:
        """The values of the maps, added in the order of `metrics.alignment.workspace.unload`."""
        pairs = np.arange(len(self.edges))
        order = np.concatenate([pairs, np.repeat(pairs, np.diff(self.start))])
        weights = np.concatenate([self.edges, np.append(unary, 0.0)[self.cells]])
        return np.asarray(np.bincount(order, weights, len(pairs)), np.float64)

    def used(self, count: int) -> Bools:
        """Which of the first `count` positions in ``batch.unary`` are used."""
        used = np.zeros(count, np.bool_)
        used[self.cells[self.cells >= 0]] = True
        return used

    def smallest(self, weights: Floats) -> Floats:
        """The smallest of the weights, by position in ``batch.unary``, that each map uses."""
        smallest = np.full(len(self.edges), np.inf)
        pairs = np.repeat(np.arange(len(smallest)), np.diff(self.start))
        np.minimum.at(smallest, pairs, np.append(weights, np.inf)[self.cells])
        return smallest
