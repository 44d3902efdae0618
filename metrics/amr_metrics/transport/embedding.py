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
from amr_metrics.compiled import compiled
from amr_metrics.graphs.rows import starts
from amr_metrics.transport.encoding import EncodedPairs, MessageTable, Scratch
from amr_metrics.transport.flow import CostBatch
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.propagation import (
    Buffers,
    Grams,
    add_unit_distances,
    embed,
    matrix_size,
    most_nodes,
    set_inner_products,
)
from amr_metrics.types import Bools, Floats, Ints

VECTOR_BYTES = 8 * 300  # of a word vector of the usual size


def check_limits(encoded: EncodedPairs, depth: int, draws: int) -> None:
    """Check that no pair needs more memory or steps than `amr_metrics.limits` allows.

    Raises:
        PairError: for the first pair that does.
    """
    sizes = encoded.sizes.astype(np.float64)
    n, m = sizes.T
    squares = n**2 + m**2
    largest = sizes.max(axis=1, initial=0)
    # Inner products within and between graphs, distances, three tables of `_add_distances`, and
    # for each draw the vectors of all labels.
    memory = 8 * (2 * n * m + squares + 3 * largest**2) + draws * (n + m) * VECTOR_BYTES
    messages = np.diff(encoded.messages.message_start).astype(np.float64)
    a, b = messages[encoded.src], messages[encoded.tgt]
    steps = draws * depth * (2 * n * m + a * m + b * n + 2 * (squares + a * n + b * m))
    over = np.flatnonzero((memory > limits.MEMORY) | (steps > limits.TRANSPORT_WORK))
    if len(over):
        pair = int(over[0])
        nodes = int(n[pair]), int(m[pair])
        if memory[pair] > limits.MEMORY:
            raise limits.too_large(float(memory[pair]), nodes, pair)
        raise limits.too_much_work(limits.TRANSPORT_WORK, nodes, pair)


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
    current = vectors.draw(0)
    grams = level0(encoded, current)
    total = np.zeros(len(grams.cross))
    for draw, drawn in enumerate(weights):
        if draw:
            current[vectors.unknown] = vectors.drawn[draw]
            labels, node_start = encoded.graphs.labels, encoded.graphs.node_start
            redraw(labels, node_start, encoded.src, encoded.tgt, current, vectors.unknown, grams)
        add_distances(encoded, grams, drawn, depth, total)
    return CostBatch(encoded.sizes, total / len(weights), grams.cross_start)


def level0(encoded: EncodedPairs, vectors: Floats) -> Grams:
    """Return the inner products of the vectors of the nodes' labels."""
    used = np.zeros(len(encoded.graphs.tops), np.bool_)
    used[encoded.src] = used[encoded.tgt] = True
    within_start = starts(np.diff(encoded.graphs.node_start) ** 2 * used)
    cross_start = starts(encoded.sizes.prod(axis=1))
    grams = Grams(np.empty(within_start[-1]), within_start, np.empty(cross_start[-1]), cross_start)
    graphs = encoded.graphs
    _multiply(graphs.labels, graphs.node_start, encoded.src, encoded.tgt, vectors, grams)
    return grams


@compiled
def _multiply(
    labels: Ints, node_start: Ints, src: Ints, tgt: Ints, vectors: Floats, grams: Grams
) -> None:
    computed = np.zeros(node_start.size - 1, np.bool_)
    for p in range(src.size):
        g, h = src[p], tgt[p]
        a_labels = labels[node_start[g] : node_start[g + 1]]
        b_labels = labels[node_start[h] : node_start[h + 1]]
        if a_labels.size == 0 or b_labels.size == 0:
            continue
        a, b = vectors[a_labels], vectors[b_labels]
        if not computed[g]:
            within = np.dot(a, a.T)
            grams.within[grams.within_start[g] : grams.within_start[g + 1]] = within.ravel()
            computed[g] = True
        if not computed[h]:
            within = np.dot(b, b.T)
            grams.within[grams.within_start[h] : grams.within_start[h + 1]] = within.ravel()
            computed[h] = True
        cross = np.dot(a, b.T)
        grams.cross[grams.cross_start[p] : grams.cross_start[p + 1]] = cross.ravel()


@compiled
def redraw(
    labels: Ints,
    node_start: Ints,
    src: Ints,
    tgt: Ints,
    vectors: Floats,
    unknown: Bools,
    grams: Grams,
) -> None:
    """Recompute the inner products of the nodes whose label's vector is random."""
    computed = np.zeros(node_start.size - 1, np.bool_)
    for p in range(src.size):
        g, h = src[p], tgt[p]
        a_labels = labels[node_start[g] : node_start[g + 1]]
        b_labels = labels[node_start[h] : node_start[h + 1]]
        n, m = a_labels.size, b_labels.size
        if n == 0 or m == 0 or not (unknown[a_labels].any() or unknown[b_labels].any()):
            continue
        a, b = vectors[a_labels], vectors[b_labels]
        cross = grams.cross[grams.cross_start[p] : grams.cross_start[p + 1]].reshape((n, m))
        if not computed[g]:
            _redraw_within(g, a, unknown[a_labels], grams)
            computed[g] = True
        if not computed[h]:
            _redraw_within(h, b, unknown[b_labels], grams)
            computed[h] = True
        for i in range(n):
            if unknown[a_labels[i]]:
                cross[i] = np.dot(b, a[i])
        for j in range(m):
            if unknown[b_labels[j]]:
                cross[:, j] = np.dot(a, b[j])


@compiled
def _redraw_within(g: int, vectors: Floats, unknown: Bools, grams: Grams) -> None:
    size = len(vectors)
    within = grams.within[grams.within_start[g] : grams.within_start[g + 1]].reshape((size, size))
    for i in range(size):
        if unknown[i]:
            within[i] = np.dot(vectors, vectors[i])
            within[:, i] = within[i]


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
    _distances_of(
        encoded.messages,
        encoded.graphs.node_start,
        encoded.src,
        encoded.tgt,
        grams,
        weights,
        depth,
        out,
        encoded.scratch,
    )


@compiled
def _distances_of(
    table: MessageTable,
    node_start: Ints,
    src: Ints,
    tgt: Ints,
    grams: Grams,
    weights: Floats,
    depth: int,
    out: Floats,
    scratch: Scratch,
) -> None:
    size = matrix_size(most_nodes(node_start, src, tgt))
    # Three arrays, not the rows of one: those would not be known to be contiguous.
    buffers = Buffers(np.zeros(size), np.zeros(size), np.zeros(size))
    for p in range(src.size):
        g, h = src[p], tgt[p]
        n, m = node_start[g + 1] - node_start[g], node_start[h + 1] - node_start[h]
        if n == 0 or m == 0:
            continue
        embed(table, node_start, g, grams, weights, depth, scratch, buffers)
        embed(table, node_start, h, grams, weights, depth, scratch, buffers)
        set_inner_products(table, g, h, n, m, grams, p, depth, scratch, buffers)
        a, b = node_start[g], node_start[h]
        add_unit_distances(buffers.products, n, m, scratch.squares, a, b, out, grams.cross_start[p])
    for p in range(src.size):
        scratch.embedded[src[p]] = scratch.embedded[tgt[p]] = False
