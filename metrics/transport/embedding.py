"""Weisfeiler-Leman embeddings of nodes, and the distances between those of two graphs.

A node starts with its label's vector, which is updated in K WL iterations: X_k = A^k X_0, where A
is a matrix of the graph's edge weights. The distances that transport needs depend on inner
products only, and those follow from the level-0 ones: X_k Y_k^T = A^k (X_0 Y_0^T) (B^k)^T. So
word vectors are multiplied once, and whatever the edge weights are, the rest is algebra on
matrices as small as the graphs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.compiled import compiled
from metrics.transport.encoding import EncodedPairs, GraphTable
from metrics.transport.flow import CostBatch
from metrics.transport.labels import LabelVectors
from metrics.types import Bools, Floats, Ints

# Squared distances of unit vectors below this are the rounding of equal ones.
ROUNDING = 1e-13


class Grams(NamedTuple):
    """Inner products of the level-0 vectors of each pair, in flat arrays.

    Attributes:
        src, src_start: n x n within src.
        cross, cross_start: n x m between src and tgt.
        tgt, tgt_start: m x m within tgt.
    """

    src: Floats
    src_start: Ints
    cross: Floats
    cross_start: Ints
    tgt: Floats
    tgt_start: Ints


def mean_distances(
    encoded: EncodedPairs, vectors: LabelVectors, weights: Floats, depth: int, scale: float
) -> CostBatch:
    """The distances between the nodes of both sides of each pair, averaged over draws.

    Args:
        encoded: the pairs.
        vectors: those of their labels, in as many draws as there are rows of weights.
        weights: draws x roles.
        depth, scale: as in `add_distances`.
    """
    current = vectors.draw(0)
    grams = level0(encoded.graphs, current)
    everything = np.arange(len(encoded))
    total = np.zeros(len(grams.cross))
    for draw, drawn in enumerate(weights):
        if draw:
            current[vectors.unknown] = vectors.drawn[draw]
            redraw(encoded.graphs, current, vectors.unknown, grams)
        add_distances(
            encoded.graphs, grams, drawn, depth, scale, everything, total, grams.cross_start
        )
    return CostBatch(encoded.sizes, total / len(weights), grams.cross_start)


def level0(graphs: GraphTable, vectors: Floats) -> Grams:
    """The inner products of the vectors of the nodes' labels."""
    sizes = np.diff(graphs.node_start).reshape(-1, 2)
    n, m = sizes[:, 0], sizes[:, 1]
    starts = [np.concatenate([[0], np.cumsum(areas)]) for areas in (n * n, n * m, m * m)]
    grams = Grams(
        np.empty(starts[0][-1]),
        starts[0],
        np.empty(starts[1][-1]),
        starts[1],
        np.empty(starts[2][-1]),
        starts[2],
    )
    _multiply(graphs, vectors, grams)
    return grams


@compiled
def _multiply(graphs: GraphTable, vectors: Floats, grams: Grams) -> None:
    for p in range(grams.cross_start.size - 1):
        if grams.cross_start[p] == grams.cross_start[p + 1]:
            continue
        a, b = vectors[_labels(graphs, 2 * p)], vectors[_labels(graphs, 2 * p + 1)]
        src, cross, tgt = np.dot(a, a.T), np.dot(a, b.T), np.dot(b, b.T)
        grams.src[grams.src_start[p] : grams.src_start[p + 1]] = src.ravel()
        grams.cross[grams.cross_start[p] : grams.cross_start[p + 1]] = cross.ravel()
        grams.tgt[grams.tgt_start[p] : grams.tgt_start[p + 1]] = tgt.ravel()


@compiled
def redraw(graphs: GraphTable, vectors: Floats, unknown: Bools, grams: Grams) -> None:
    """Recompute the inner products of the nodes whose label's vector is random."""
    for p in range(grams.cross_start.size - 1):
        a_labels, b_labels = _labels(graphs, 2 * p), _labels(graphs, 2 * p + 1)
        n, m = a_labels.size, b_labels.size
        if n == 0 or m == 0 or not (unknown[a_labels].any() or unknown[b_labels].any()):
            continue
        a, b = vectors[a_labels], vectors[b_labels]
        src = grams.src[grams.src_start[p] : grams.src_start[p + 1]].reshape((n, n))
        cross = grams.cross[grams.cross_start[p] : grams.cross_start[p + 1]].reshape((n, m))
        tgt = grams.tgt[grams.tgt_start[p] : grams.tgt_start[p + 1]].reshape((m, m))
        for i in range(n):
            if unknown[a_labels[i]]:
                src[i] = np.dot(a, a[i])
                src[:, i] = src[i]
                cross[i] = np.dot(b, a[i])
        for j in range(m):
            if unknown[b_labels[j]]:
                tgt[j] = np.dot(b, b[j])
                tgt[:, j] = tgt[j]
                cross[:, j] = np.dot(a, b[j])


@compiled
def add_distances(
    graphs: GraphTable,
    grams: Grams,
    weights: Floats,
    depth: int,
    scale: float,
    pairs: Ints,
    out: Floats,
    start: Ints,
) -> None:
    """Add to `out` the distances between the nodes of both sides of each pair.

    Args:
        graphs: the graphs.
        grams: their level-0 inner products.
        weights: one per role.
        depth: K, the number of WL iterations.
        scale: factor of each update.
        pairs: indices of the pairs to compute.
        out, start: the n x m distances of ``pairs[k]`` go to ``out[start[k]:start[k + 1]]``.
    """
    for k in range(pairs.size):
        p = pairs[k]
        n = graphs.node_start[2 * p + 1] - graphs.node_start[2 * p]
        m = graphs.node_start[2 * p + 2] - graphs.node_start[2 * p + 1]
        a, b = _messages(graphs, 2 * p, weights), _messages(graphs, 2 * p + 1, weights)
        src = grams.src[grams.src_start[p] : grams.src_start[p + 1]].reshape((n, n))
        cross = grams.cross[grams.cross_start[p] : grams.cross_start[p + 1]].reshape((n, m))
        tgt = grams.tgt[grams.tgt_start[p] : grams.tgt_start[p + 1]].reshape((m, m))
        inner, a_square, b_square = cross.copy(), np.diag(src).copy(), np.diag(tgt).copy()
        for level in range(1, depth + 1):
            factor = scale ** (2 * level)
            cross = _taken_in_right(_taken_in(cross, a), b)
            inner += factor * cross
            src, tgt = _taken_in(src, a), _taken_in(tgt, b)
            _add_squares(src, a, factor, a_square)
            _add_squares(tgt, b, factor, b_square)
            if level < depth:
                src, tgt = _taken_in_right(src, a), _taken_in_right(tgt, b)
        _add_unit_distances(inner, a_square, b_square, out[start[k] : start[k + 1]])


class Messages(NamedTuple):
    """The messages of one graph: the receiver, the sender and the weight of each."""

    receivers: Ints
    senders: Ints
    shares: Floats


@compiled
def _messages(graphs: GraphTable, g: int, weights: Floats) -> Messages:
    """The messages of a graph; a node is updated with the mean of its messages.

    Parallel edges are one message, and their weights multiply.
    """
    first, last = graphs.message_start[g], graphs.message_start[g + 1]
    receivers, roles, role_start = graphs.receivers, graphs.roles, graphs.role_start
    shares = np.ones(last - first)
    at = first
    while at < last:
        end = at
        while end < last and receivers[end] == receivers[at]:
            end += 1
        for message in range(at, end):
            for r in range(role_start[message], role_start[message + 1]):
                shares[message - first] *= weights[roles[r]]
            shares[message - first] /= end - at
        at = end
    return Messages(receivers[first:last], graphs.senders[first:last], shares)


@compiled
def _taken_in(gram: Floats, a: Messages) -> Floats:
    """``A gram``, where A is the identity and the messages."""
    m = gram.shape[1]
    out = gram.copy()
    for k in range(a.shares.size):
        receiver, sender, share = a.receivers[k], a.senders[k], a.shares[k]
        for j in range(m):
            out[receiver, j] += share * gram[sender, j]
    return out


@compiled
def _taken_in_right(gram: Floats, b: Messages) -> Floats:
    """``gram B^T``, where B is the identity and the messages."""
    out = gram.copy()
    for i in range(len(gram)):
        for k in range(b.shares.size):
            out[i, b.receivers[k]] += b.shares[k] * gram[i, b.senders[k]]
    return out


@compiled
def _add_squares(half: Floats, a: Messages, factor: float, out: Floats) -> None:
    """Add the diagonal of ``half A^T``, the only part of the last step that is needed."""
    for i in range(out.size):
        out[i] += factor * half[i, i]
    for k in range(a.shares.size):
        i = a.receivers[k]
        out[i] += factor * a.shares[k] * half[i, a.senders[k]]


@compiled
def _add_unit_distances(inner: Floats, a_square: Floats, b_square: Floats, out: Floats) -> None:
    """Add the Euclidean distances of vectors scaled to length 1, from their inner products.

    Zero vectors are not scaled.
    """
    n, m = inner.shape
    for i in range(n):
        for j in range(m):
            square = float(int(a_square[i] > 0) + int(b_square[j] > 0))
            if a_square[i] > 0 and b_square[j] > 0:
                square -= 2 * inner[i, j] / np.sqrt(a_square[i] * b_square[j])
            out[i * m + j] += np.sqrt(square) if square > ROUNDING else 0.0


@compiled
def _labels(graphs: GraphTable, g: int) -> Ints:
    return graphs.labels[graphs.node_start[g] : graphs.node_start[g + 1]]
