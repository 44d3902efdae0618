"""The alignment problem shared by all metrics of the Smatch family.

Given two graphs with n and m nodes, find a partial one-to-one map x of their nodes that maximises

    sum u[i, j] x[i, j]  +  sum w[q] [both ends of match q are mapped onto each other]

where u is the weight of mapping node i to node j (concept, attribute and root matches) and match q
means that edge a = (i, k) of the first graph matches edge b = (j, l) of the second.
Source: the generalised triple match of Opitz (2023), Smatch++, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amr_metrics.errors import OptionError
from amr_metrics.graphs.rows import starts
from amr_metrics.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class AlignmentProblem:
    """One pair of graphs to align.

    Attributes:
        unary: float64 n x m, weight of mapping node i to node j; finite, >= 0.
        src_edges, tgt_edges: int32 e x 2 and f x 2, the node positions each edge joins.
        matches: int32 q x 2, (edge of src, edge of tgt) that match, ordered by the first.
        weights: float64 q, the weight of each match; finite, >= 0.

    Raises:
        OptionError: if a weight is negative or not finite, an edge or match refers to a node or
            edge that does not exist, or arrays have other shapes or another order.
    """

    unary: Floats
    src_edges: Ints
    tgt_edges: Ints
    matches: Ints
    weights: Floats

    def __post_init__(self) -> None:
        pairs = self.src_edges, self.tgt_edges, self.matches
        has_integers = all(rows.shape[1:] == (2,) and rows.dtype.kind in "iu" for rows in pairs)
        if self.unary.ndim != 2 or not has_integers:
            raise OptionError(
                "unary weights are a matrix; edges and matches have two columns of integers"
            )
        if self.weights.shape != (len(self.matches),):
            raise OptionError(f"{len(self.matches)} matches but {self.weights.size} weights")
        for weights in (self.unary, self.weights):
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise OptionError("alignment weights must be finite and not negative")
        # Kernels read what an index refers to without a check.
        for side, edges in enumerate(pairs[:2]):
            column = self.matches[:, side]
            outside = ((edges < 0) | (edges >= self.unary.shape[side])).any()
            if outside or ((column < 0) | (column >= len(edges))).any():
                raise OptionError("an edge or match points outside the graphs")
        # They also find the matches of one src edge side by side.
        if (np.diff(self.matches[:, 0]) < 0).any():
            raise OptionError("matches must be in the order of the edges of src")

    def value(self, mapping: Ints) -> float:
        """Return the objective of a map (for each node of src its node of tgt, or -1).

        >>> problem = AlignmentProblem.build([[1, 0], [0, 1]], [(0, 1)], [(0, 1)], [(0, 0)])
        >>> problem.value(np.array([0, 1])), problem.value(np.array([1, -1]))
        (3.0, 0.0)
        """
        # Edge a = (i, k) has the ends (mapping[i], mapping[k]) in tgt; -1 for a node without
        # partner equals the end of no edge.
        total = sum(self.unary[i, j] for i, j in enumerate(mapping) if j >= 0)
        for (a, b), weight in zip(self.matches, self.weights, strict=True):
            if np.array_equal(mapping[self.src_edges[a]], self.tgt_edges[b]):
                total += weight
        return float(total)

    @classmethod
    def build(
        cls,
        unary: Sequence[Sequence[float]] | Floats,
        src_edges: Sequence[tuple[int, int]] = (),
        tgt_edges: Sequence[tuple[int, int]] = (),
        matches: Sequence[tuple[int, int]] = (),
        weights: Sequence[float] | None = None,
    ) -> AlignmentProblem:
        """Create a problem from plain sequences, matches in any order; `weights` are 1 by default.

        Raises:
            OptionError: as for the class.
        """
        u = np.asarray(unary, np.float64)
        u = u.reshape(u.shape if u.ndim == 2 else (0, 0))
        ends = [np.asarray(e, np.int32).reshape(-1, 2) for e in (src_edges, tgt_edges)]
        pairs = np.asarray(matches, np.int32).reshape(-1, 2)
        w = np.ones(len(pairs)) if weights is None else np.asarray(weights, np.float64)
        order = np.argsort(pairs[:, 0], kind="stable")
        return cls(u, ends[0], ends[1], pairs[order], w[order] if len(w) == len(order) else w)


@dataclass(frozen=True, eq=False)
class Alignment:
    """A solver's answer.

    Attributes:
        mapping: for each node of src its node of tgt, or -1.
        value: the objective of `mapping`.
        upper_bound: the value of every map is at most this.
        optimal: whether `mapping` is proven optimal.
    """

    mapping: Ints
    value: float
    upper_bound: float
    optimal: bool


@dataclass(frozen=True, eq=False)
class AlignmentBatch:
    """The answers to a `ProblemBatch`, in its order.

    Attributes:
        mapping, start: the maps one after another; problem p's is ``mapping[start[p]:start[p+1]]``.
        value, upper_bound, optimal: as in `Alignment`, one per problem.
    """

    mapping: Ints
    start: Ints
    value: Floats
    upper_bound: Floats
    optimal: Bools

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, p: int) -> Alignment:
        return Alignment(
            self.mapping[self.start[p] : self.start[p + 1]],
            float(self.value[p]),
            float(self.upper_bound[p]),
            bool(self.optimal[p]),
        )

    @classmethod
    def unsolved(cls, sizes: Ints) -> AlignmentBatch:
        """Create answers with nothing mapped and values and bounds of 0.

        Args:
            sizes: the numbers of nodes of each problem, as in `ProblemBatch`.
        """
        start = starts(sizes[:, 0])
        count = len(sizes)
        return cls(
            np.full(start[-1], -1, np.int64),
            start,
            np.zeros(count),
            np.zeros(count),
            np.zeros(count, np.bool_),
        )

    @classmethod
    def pack(cls, alignments: Sequence[Alignment]) -> AlignmentBatch:
        """Combine single answers into a batch."""
        return cls(
            np.concatenate([np.empty(0, np.int64), *[a.mapping for a in alignments]]),
            starts(len(a.mapping) for a in alignments),
            np.array([a.value for a in alignments], np.float64),
            np.array([a.upper_bound for a in alignments], np.float64),
            np.array([a.optimal for a in alignments], np.bool_),
        )
