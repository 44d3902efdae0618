"""Alignment problems whose graded matches depend on two thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metrics.alignment.facts import FactTable, GradedMatches, problems
from metrics.alignment.problem import ProblemBatch
from metrics.graphs.corpus import rows_of
from metrics.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class GradedProblems:
    """The alignment problems of some pairs for any `tau` and `tau_sense`.

    Attributes:
        batch: the problems without graded matches.
        cells: int64, the position in ``batch.unary`` to which each graded match adds its weight.
        start: int64 p + 1, the graded matches of each pair.
        similarity: float64, the weight of each graded match if `tau_sense` is 1.
        limit: float64, a graded match counts only if `tau` is below this.
        scaled: whether the weight is multiplied by `tau_sense`.
    """

    batch: ProblemBatch
    cells: Ints
    start: Ints
    similarity: Floats
    limit: Floats
    scaled: Bools

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
        return cls(batch, cells, matches.start, matches.weights, limit, scaled)

    def __len__(self) -> int:
        return len(self.batch)

    def take(self, chosen: Ints) -> GradedProblems:
        """The problems at some positions."""
        start, rows = rows_of(self.start, chosen)
        batch = self.batch.take(chosen)
        shift = batch.unary_start[:-1] - self.batch.unary_start[chosen]
        return GradedProblems(
            batch,
            self.cells[rows] + np.repeat(shift, np.diff(start)),
            start,
            self.similarity[rows],
            self.limit[rows],
            self.scaled[rows],
        )

    def unary(self, tau: float, tau_sense: float) -> Floats:
        """The unary weights, summed in the same order as by `metrics.alignment.facts.add_graded`.

        The sums are therefore equal to the last bit.
        """
        unary, active = self.batch.unary.copy(), self.limit > tau
        weights = np.where(self.scaled, self.similarity * tau_sense, self.similarity)
        np.add.at(unary, self.cells[active], weights[active])
        return unary

    def at(self, tau: float, tau_sense: float) -> ProblemBatch:
        """The problems for these thresholds."""
        return replace(self.batch, unary=self.unary(tau, tau_sense))

    def counts(self, tau: float) -> tuple[Ints, Ints]:
        """The number of graded matches of each pair for `tau`, and of those that are scaled."""
        pair = np.repeat(np.arange(len(self)), np.diff(self.start))
        active = self.limit > tau
        return (
            np.bincount(pair[active], minlength=len(self)),
            np.bincount(pair[active & self.scaled], minlength=len(self)),
        )

    @cached_property
    def integral_edges(self) -> Bools:
        """Whether the edges of a pair have integer weights, and none of them is a self-loop.

        Solvers add the weight of a matching self-loop to a unary weight.
        """
        batch = self.batch
        integral = np.ones(len(batch), np.bool_)
        for exception, start in (
            (batch.weights % 1 != 0, batch.match_start),
            (batch.src_edges[:, 0] == batch.src_edges[:, 1], batch.src_start),
            (batch.tgt_edges[:, 0] == batch.tgt_edges[:, 1], batch.tgt_start),
        ):
            integral[np.searchsorted(start, np.flatnonzero(exception), side="right") - 1] = False
        return integral
