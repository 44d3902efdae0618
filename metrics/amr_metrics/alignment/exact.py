"""Provably optimal alignment by Lagrangian bounds and, if these leave a gap, branch and bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amr_metrics.alignment.problem import AlignmentBatch
from amr_metrics.alignment.solver import Solver
from amr_metrics.alignment.workspace import ProblemBatch, count_workspace
from amr_metrics.errors import OptionError
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.limits import MOST_ROUNDS, WORK

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
        answer = AlignmentBatch.unsolved(batch.sizes)
        memory = np.empty(count_workspace(len(answer), batch))
        _solve_problems(
            *(len(answer), len(answer.mapping), len(memory)),
            *(self.node_limit, self.work_limit, self.root_rounds, self.node_rounds),
            *(batch, answer.start, memory, answer.mapping, answer.value, answer.upper_bound),
        )
        np.less_equal(answer.upper_bound, answer.value, out=answer.optimal)
        return answer


_solve_problems = declare_kernel("solve_problems")
