"""The interface of alignment solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from amr_metrics.alignment.problem import Alignment, AlignmentBatch, AlignmentProblem
from amr_metrics.alignment.workspace import ProblemBatch


@dataclass(frozen=True, kw_only=True)
class Solver(ABC):
    """Aligns two graphs, and reports an upper bound and whether the map is proven optimal.

    Attributes:
        exhaustive: whether the best map is sought until a limit of work is reached, so that a
            better one from elsewhere may replace the answer.
    """

    exhaustive: ClassVar[bool] = False

    @abstractmethod
    def solve_batch(self, batch: ProblemBatch) -> AlignmentBatch:
        """Return the answers to all problems of a batch, each independent of the others."""

    def solve(self, problem: AlignmentProblem) -> Alignment:
        """Return the best map found for one problem, with its upper bound.

        >>> from amr_metrics import Exact
        >>> problem = AlignmentProblem.build([[1, 0], [0, 1]], [(0, 1)], [(0, 1)], [(0, 0)])
        >>> answer = Exact().solve(problem)
        >>> answer.mapping.tolist(), answer.value, answer.optimal
        ([0, 1], 3.0, True)
        """
        return self.solve_batch(ProblemBatch.pack([problem]))[0]
