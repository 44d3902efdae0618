"""Hill-climbing with restarts, the original search method of Smatch."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from amr_metrics.alignment.problem import AlignmentBatch
from amr_metrics.alignment.solver import Solver
from amr_metrics.alignment.workspace import ProblemBatch, count_workspace
from amr_metrics.errors import OptionError
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.limits import MOST_DRAWS, MOST_SEED, WORK, check_count
from amr_metrics.types import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class HillClimb(Solver):
    """Local search by moves and swaps from several starts; the answer is the best map found.

    The upper bound is a simple one: the sum of the largest unary weight of each node and of the
    largest match of each edge. The answer counts as optimal only if it attains this bound, which
    is rare. The climbs from all starts together take at most `amr_metrics.limits.WORK` steps; then
    the best map so far is the answer. The random starts of a problem depend on `seed` and the
    problem alone, not on the other problems of a batch.

    Source: Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures,
    section 4. In the paper, each step makes the best of all moves and swaps; here, each node in
    turn makes its best move or swap. The smatch package also completes the smart start at random,
    and in random starts, each node takes one of its possible partners; here, a node stays free if
    the partner drawn for it is impossible. With equal triples, the package finds the optimum for
    96 % of the 400 parses of the SemBleu evaluation, this solver for 92 %.

    Attributes:
        restarts: number of random starts, at most 100. The first start is not random: it maps the
            nodes with the largest unary weight, such as equal concepts, onto each other.
        seed: seed of the random starts, 0 or more.

    Raises:
        OptionError: if a number is negative or too large.
    """

    restarts: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.restarts, self.seed) < 0:
            raise OptionError("restarts and seed must be at least 0")
        check_count("restarts", self.restarts, 0, MOST_DRAWS)
        check_count("seed", self.seed, 0, MOST_SEED - 1)

    def solve_batch(self, batch: ProblemBatch) -> AlignmentBatch:
        """Return the best maps found for many problems."""
        columns = batch.sizes.max(1, initial=0)
        by_problem = [
            self._generator(batch.arrays(p)).permuted(
                np.tile(np.arange(m), (self.restarts, 1)), axis=1
            )
            for p, m in enumerate(columns)
        ]
        orders = np.concatenate([np.empty(0, np.int64), *[order.ravel() for order in by_problem]])
        answer = AlignmentBatch.unsolved(batch.sizes)
        memory = np.empty(count_workspace(len(answer), batch))
        _climb_problems(
            *(len(answer), len(answer.mapping), len(memory), len(orders), self.restarts, WORK),
            *(batch, orders, answer.start, memory),
            *(answer.mapping, answer.value, answer.upper_bound),
        )
        np.less_equal(answer.upper_bound, answer.value, out=answer.optimal)
        return answer

    def _generator(self, problem: Iterable[Floats | Ints]) -> np.random.Generator:
        # Seeded by the problem's content: not by its position in the batch, which must not matter.
        digest = 0
        for part in problem:
            digest = zlib.crc32(np.ascontiguousarray(part).data, digest)
        return np.random.default_rng([self.seed, digest])


_climb_problems = declare_kernel("climb_problems")
