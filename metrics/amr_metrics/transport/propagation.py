"""The arrays from which the distances between the nodes of graphs are computed.

See `amr_metrics.transport.embedding`, and ``kernels/embedding.c`` for the algebra.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from amr_metrics.types import Floats, Ints


class Grams(NamedTuple):
    """Inner products of the level-0 vectors of some pairs, in flat arrays.

    Attributes:
        within, within_start: n x n within each graph; 0 x 0 for graphs that are in no pair.
        cross, cross_start: n x m between src and tgt of each pair.
    """

    within: Floats
    within_start: Ints
    cross: Floats
    cross_start: Ints


class Buffers(NamedTuple):
    """Memory for matrices of one pair or graph, with rows of `pad_length` length.

    Attributes:
        gram: inner products after some WL iterations, ``A^k G (B^k)^T``.
        half: ``A^(k+1) G (B^k)^T``, an iteration of the left graph only.
        products: the inner products of the embeddings of the nodes of src and tgt.
    """

    gram: Floats
    half: Floats
    products: Floats

    @classmethod
    def allocate(cls, nodes: int) -> Self:
        """Allocate memory for graphs with at most this number of nodes."""
        rows = nodes + 3  # kernels compute four rows at a time
        return cls(*np.zeros((3, rows * pad_length(nodes))))


def pad_length(columns: int) -> int:
    """Return the length of a row in arrays of intermediate results, a multiple of 16.

    >>> pad_length(16), pad_length(17)
    (16, 32)
    """
    return (columns + 15) & -16
