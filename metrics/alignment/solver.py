"""The interface of alignment solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from metrics.alignment.problem import Alignment, AlignmentBatch, AlignmentProblem, ProblemBatch
from metrics.alignment.workspace import Workspace
from metrics.types import Ints


@dataclass(frozen=True, kw_only=True)
class Solver(ABC):
    """Aligns two graphs, and reports an upper bound and whether the map is proven optimal.

    Attributes:
        exhaustive: whether the best map is sought until a limit of work is reached, so that a
            better one from elsewhere may replace the answer.
    """

    exhaustive: ClassVar[bool] = False

    @abstractmethod
    def solve(self, problem: AlignmentProblem) -> Alignment:
        """Return the best map found for one problem, with its upper bound."""

    def memory(self, pairs: Ints, matches: Ints) -> Ints:
        """Estimate how many bytes problems need, in addition to their own arrays.

        Metrics do not use the solver for problems that need more than `metrics.limits.MEMORY`.

        Args:
            pairs: the number of node pairs of each problem.
            matches: the number of matches of each problem.
        """
        return Workspace.memory(pairs, matches)

    def solve_batch(self, batch: ProblemBatch) -> AlignmentBatch:
        """Return the answers to all problems of a batch, each independent of the others."""
        return AlignmentBatch.pack([self.solve(problem) for problem in batch])
