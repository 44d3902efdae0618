"""The alignment problem as a mixed-integer linear program, solved by HiGHS through SciPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.alignment.problem import Alignment, AlignmentProblem
from metrics.alignment.solver import Solver
from metrics.errors import OptionError, SolverError
from metrics.types import Ints

TOLERANCE = 1e-6  # the default tolerance of HiGHS for gaps and integrality
BYTES = 1_000  # of memory per node pair; a match has about twice as many coefficients
STOPPED = (0, 1)  # SciPy's status: solved, or time limit reached


@dataclass(frozen=True, kw_only=True)
class Milp(Solver):
    """Optimal alignment by a general-purpose solver: slow, but independent of `Exact`.

    The program has an integer variable x per node pair and a variable y per match: each node is
    in at most one pair, and y is at most x for both pairs that the match touches. The optimum is
    proven up to 1e-6.

    Source: the integer program of Opitz (2023), Smatch++, section 3.

    Attributes:
        time_limit: seconds for one problem. A solution at the time limit depends on the machine.

    Raises:
        OptionError: if the time limit is not above 0.
    """

    time_limit: float = 60.0

    def __post_init__(self) -> None:
        if not self.time_limit > 0:
            raise OptionError(f"time_limit={self.time_limit}: must be above 0 seconds")

    def memory(self, pairs: Ints, matches: Ints) -> Ints:
        """Estimate what HiGHS needs: the rows and columns of its matrix, several times."""
        return (pairs + 2 * matches) * BYTES

    def solve(self, problem: AlignmentProblem) -> Alignment:
        """Return the optimal map of one problem.

        Raises:
            SolverError: if HiGHS fails for a reason other than the time limit.

        >>> problem = AlignmentProblem.build([[1, 0], [0, 1]], [(0, 1)], [(0, 1)], [(0, 0)])
        >>> answer = Milp().solve(problem)
        >>> answer.mapping.tolist(), answer.value, answer.optimal
        ([0, 1], 3.0, True)
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array

        n, m = problem.unary.shape
        mapping = np.full(n, -1, np.int64)
        ends = [problem.src_edges[problem.matches[:, 0]], problem.tgt_edges[problem.matches[:, 1]]]
        touched = ends[0] * m + ends[1]  # the number i * m + j of both pairs of each match
        pairs, matches = n * m, len(touched)
        if not pairs:
            return Alignment(mapping, 0.0, 0.0, True)
        row, match = np.arange(pairs), np.arange(matches)
        ones = np.ones(pairs)
        # sum of x <= 1 for each node of src, then for each node of tgt
        nodes = coo_array(
            (
                np.concatenate([ones, ones]),
                (np.concatenate([row // m, n + row % m]), np.concatenate([row, row])),
            ),
            shape=(n + m, pairs + matches),
        )
        # y - x <= 0, at the pair of the sources and at the pair of the targets
        links = coo_array(
            (
                np.repeat([1.0, 1.0, -1.0, -1.0], matches),
                (
                    np.tile(np.concatenate([match, matches + match]), 2),
                    np.concatenate([pairs + match, pairs + match, touched[:, 0], touched[:, 1]]),
                ),
            ),
            shape=(2 * matches, pairs + matches),
        )
        result = milp(
            -np.concatenate([problem.unary.ravel(), problem.weights]),
            integrality=np.concatenate([np.ones(pairs), np.zeros(matches)]),
            bounds=Bounds(0, 1),
            constraints=[
                LinearConstraint(nodes.tocsr(), ub=1),
                *([LinearConstraint(links.tocsr(), ub=0)] if matches else []),
            ],
            options={"time_limit": self.time_limit, "mip_rel_gap": 0.0},
        )
        if result.status not in STOPPED:
            raise SolverError(f"HiGHS: {result.message}. Use the solver Exact")
        if result.x is not None:
            for at in np.flatnonzero(result.x[:pairs] > 0.5):
                mapping[at // m] = at % m
        value = problem.value(mapping)
        everything = float(problem.unary.sum() + problem.weights.sum())
        dual = result.mip_dual_bound
        upper = everything if dual is None else min(everything, -float(dual))
        if _integral(problem):
            upper = float(np.floor(upper + TOLERANCE))
        upper = max(value, upper)
        return Alignment(mapping, value, upper, result.status == 0 or upper <= value)


def _integral(problem: AlignmentProblem) -> bool:
    return all(bool((part == np.floor(part)).all()) for part in (problem.unary, problem.weights))
