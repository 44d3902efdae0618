"""Problems in flat arrays, and the memory in which the alignment solvers work on them.

The tables in this memory are described in ``kernels/alignment.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.graphs.rows import starts
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Floats, Ints


class ProblemBatch(NamedTuple):
    """Many problems in flat arrays; problem p has the slices ``start[p]:start[p + 1]``.

    Attributes:
        sizes: int64 p x 2, numbers of nodes (n, m).
        unary, unary_start: the n x m weights, row by row; float64 and int64.
        src_edges, src_start, tgt_edges, tgt_start: edge ends; int32 and int64.
        matches, weights, match_start: matching edges and their weights; int32, float64, int64.
    """

    sizes: Ints
    unary: Floats
    unary_start: Ints
    src_edges: Ints
    src_start: Ints
    tgt_edges: Ints
    tgt_start: Ints
    matches: Ints
    weights: Floats
    match_start: Ints

    def problem(self, p: int) -> AlignmentProblem:
        """Return problem p."""
        return AlignmentProblem(*self.arrays(p))

    def arrays(self, p: int) -> tuple[Floats, Ints, Ints, Ints, Floats]:
        """Return the attributes of problem p, in the order of `AlignmentProblem`."""

        def part(start: Ints) -> slice:
            return slice(start[p], start[p + 1])

        return (
            self.unary[part(self.unary_start)].reshape(self.sizes[p]),
            self.src_edges[part(self.src_start)],
            self.tgt_edges[part(self.tgt_start)],
            self.matches[part(self.match_start)],
            self.weights[part(self.match_start)],
        )

    @classmethod
    def pack(cls, problems: Sequence[AlignmentProblem]) -> ProblemBatch:
        """Concatenate problems in flat arrays."""

        def rows(parts: Sequence[Ints]) -> Ints:
            return np.concatenate([np.empty((0, 2), np.int32), *parts]).astype(np.int32)

        return cls(
            np.array([p.unary.shape for p in problems], np.int64).reshape(-1, 2),
            np.concatenate([np.empty(0), *[p.unary.ravel() for p in problems]]),
            starts([p.unary.size for p in problems]),
            rows([p.src_edges for p in problems]),
            starts([len(p.src_edges) for p in problems]),
            rows([p.tgt_edges for p in problems]),
            starts([len(p.tgt_edges) for p in problems]),
            rows([p.matches for p in problems]),
            np.concatenate([np.empty(0), *[p.weights for p in problems]]),
            starts([len(p.matches) for p in problems]),
        )


# Returns how many numbers of memory a solver needs to work on any problem of a batch.
count_workspace = declare_kernel("count_workspace")
