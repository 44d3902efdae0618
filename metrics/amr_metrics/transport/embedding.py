"""Weisfeiler-Leman embeddings of nodes, and the distances between those of two graphs.

A node starts with its label's vector, which is updated in K WL iterations: X_k = A^k X_0, where A
is a matrix of the graph's edge weights. The distances that transport needs depend on inner
products only, and those follow from the level-0 ones: X_k Y_k^T = A^k (X_0 Y_0^T) (B^k)^T. So
word vectors are multiplied once, and whatever the edge weights are, the rest is algebra on
matrices as small as the graphs. What concerns one graph alone is computed once per graph.
"""

from __future__ import annotations

import numpy as np

from amr_metrics import limits
from amr_metrics.graphs.rows import starts
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.transport.encoding import EncodedPairs
from amr_metrics.transport.flow import CostBatch
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.propagation import Grams
from amr_metrics.types import Bools, Floats

VECTOR_BYTES = 8 * 300  # of a word vector of the usual size


def check_limits(encoded: EncodedPairs, depth: int, draws: int) -> None:
    """Check that no pair needs more memory or steps than `amr_metrics.limits` allows.

    Raises:
        PairError: for the first pair that does.
    """
    sizes = encoded.sizes.astype(np.float64)
    n, m = sizes.T
    squares = n * n + m * m
    largest = sizes.max(axis=1, initial=0)
    # Inner products within and between graphs, distances, the three tables of `Buffers`, and
    # for each draw the vectors of all labels.
    memory = 8 * (2 * n * m + squares + 3 * largest * largest) + draws * (n + m) * VECTOR_BYTES
    messages = np.diff(encoded.messages.message_start).astype(np.float64)
    a, b = messages[encoded.src], messages[encoded.tgt]
    steps = draws * depth * (2 * n * m + a * m + b * n + 2 * (squares + a * n + b * m))
    over = (memory > limits.MEMORY) | (steps > limits.TRANSPORT_WORK)
    if over.any() and memory[pair := int(over.argmax())] > limits.MEMORY:
        raise limits.too_large(float(memory[pair]), (int(n[pair]), int(m[pair])), pair)
    limits.check_work(over, limits.TRANSPORT_WORK, encoded.sizes)


def mean_distances(
    encoded: EncodedPairs, vectors: LabelVectors, weights: Floats, depth: int
) -> CostBatch:
    """Return the distances between the nodes of both sides of each pair, averaged over draws.

    Args:
        encoded: the pairs.
        vectors: the vectors of their labels, with one draw per row of weights.
        weights: draws x roles.
        depth: as in `add_distances`.
    """
    # A draw changes only the vectors of labels without a word vector, so that only the products of
    # these are computed again.
    current = vectors.draw(0)
    grams = level0(encoded, current)
    total = np.zeros(len(grams.cross))
    for draw, drawn in enumerate(weights):
        if draw:
            current[vectors.unknown] = vectors.drawn[draw]
            redraw(encoded, current, vectors.unknown, grams)
        add_distances(encoded, grams, drawn, depth, total)
    return CostBatch(encoded.sizes, total / len(weights), grams.cross_start)


def level0(encoded: EncodedPairs, vectors: Floats) -> Grams:
    """Return the inner products of the vectors of the nodes' labels."""
    used = np.zeros(len(encoded.graphs.tops), np.bool_)
    used[encoded.src] = used[encoded.tgt] = True
    within_start = starts(np.square(np.diff(encoded.graphs.node_start)) * used)
    cross_start = starts(encoded.sizes.prod(axis=1))
    grams = Grams(np.empty(within_start[-1]), within_start, np.empty(cross_start[-1]), cross_start)
    _multiply_label_vectors(
        *(len(used), len(encoded), *vectors.shape, encoded.graphs, encoded.src, encoded.tgt),
        *(vectors, np.zeros(len(used), np.bool_), grams),
    )
    return grams


_multiply_label_vectors = declare_kernel("multiply_label_vectors")


def redraw(encoded: EncodedPairs, vectors: Floats, unknown: Bools, grams: Grams) -> None:
    """Recompute the inner products of the nodes whose label's vector is random.

    Args:
        vectors: labels x d.
        unknown: whether a label's vector is random.
    """
    graphs, most = len(encoded.graphs.tops), int(encoded.sizes.max(initial=0))
    _redraw_label_vectors(
        *(graphs, len(encoded), *vectors.shape, most, encoded.graphs, encoded.src, encoded.tgt),
        *(vectors, unknown, np.empty(most), np.zeros(graphs, np.bool_), grams),
    )


_redraw_label_vectors = declare_kernel("redraw_label_vectors")


def add_distances(
    encoded: EncodedPairs, grams: Grams, weights: Floats, depth: int, out: Floats
) -> None:
    """Add to `out` the distances between the nodes of both sides of each pair.

    Args:
        encoded: the pairs.
        grams: their level-0 inner products.
        weights: one per role.
        depth: K, the number of WL iterations.
        out: the n x m distances of each pair, in the order of ``grams.cross``.
    """
    _add_node_distances(
        *(len(encoded), len(encoded.roles), len(grams.cross), encoded.messages),
        *(encoded.graphs.node_start, encoded.src, encoded.tgt, grams, weights, depth),
        *(encoded.scratch, encoded.buffers, out),
    )


_add_node_distances = declare_kernel("add_node_distances")
