"""Optimal transport between the nodes of pairs whose costs change a little at a time.

Training scores the same pairs again and again, with edge weights that hardly differ: the search
starts from the trees that were optimal the last time. No score depends on them, since such a tree
counts only if it is the only optimal one, see ``kernels/simplex.c``.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from amr_metrics.kernels.library import declare_kernel
from amr_metrics.transport.flow import Bases
from amr_metrics.transport.propagation import pad_length
from amr_metrics.types import Floats, Ints


class LastTrees(NamedTuple):
    """The trees that were optimal the last time, of many pairs.

    Attributes:
        parents, flows: of the n + m nodes of each pair, as in `amr_metrics.transport.flow.Bases`.
        order: the nodes, each after its parent; begins with -1 after an unfinished search.
    """

    parents: Ints
    flows: Ints
    order: Ints

    @classmethod
    def of(cls, bases: Bases) -> LastTrees:
        """Return the bases, as trees that can be replaced."""
        return cls(bases.parents.copy(), bases.flows.copy(), bases.order.copy())


class NodeValues(NamedTuple):
    """Memory for values of the nodes of a pair.

    Attributes:
        arcs: the cost of the arc to the parent.
        rows, columns: the prices of rows and columns.
        row_scales, column_scales: 1 and 2 divided by the length of the node's vector, so that the
            squared distance of two vectors scaled to length 1, 2 - 2 cos, is 2 - product * scales.
        marks: 0, except within a pivot.
        moved: nodes, within a pivot.
    """

    arcs: Floats
    rows: Floats
    columns: Floats
    row_scales: Floats
    column_scales: Floats
    marks: Ints
    moved: Ints

    @classmethod
    def allocate(cls, nodes: int) -> Self:
        """Allocate memory for graphs with at most this number of nodes."""
        return cls(
            *np.zeros((5, 2 * pad_length(nodes))), *np.zeros((2, 2 * pad_length(nodes)), np.int64)
        )


# Called by other kernels, and by tests.
cost_from_last = declare_kernel("cost_from_last")
cost_from_basis = declare_kernel("cost_from_basis")
