"""The interface of alignment solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from metrics.alignment.problem import Alignment, AlignmentBatch, AlignmentProblem, ProblemBatch


@dataclass(frozen=True, kw_only=True)
class Solver(ABC):
    """Aligns two graphs, and reports an upper bound and whether the map is proven optimal."""

    @abstractmethod
    def solve(self, problem: AlignmentProblem) -> Alignment:
        """The best map found for one problem, with its upper bound."""

    def solve_batch(self, batch: ProblemBatch) -> AlignmentBatch:
        """The answers to all problems of a batch, each independent of the others."""
        return AlignmentBatch.pack([self.solve(problem) for problem in batch])
