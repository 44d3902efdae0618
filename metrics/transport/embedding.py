"""Weisfeiler-Leman embeddings of nodes, and the distances between those of two graphs.

A node starts with its label's vector, which is updated in K WL iterations: X_k = A^k X_0, where A
is a matrix of the graph's edge weights. The distances that transport needs depend on inner
products only, and those follow from the level-0 ones: X_k Y_k^T = A^k (X_0 Y_0^T) (B^k)^T. So
word vectors are multiplied once, and whatever the edge weights are, the rest is algebra on
matrices as small as the graphs. What concerns one graph alone is computed once per graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics import limits
from metrics.compiled import compiled, inner
from metrics.corpus import starts
from metrics.transport.encoding import EncodedPairs, MessageTable, Scratch
from metrics.transport.flow import CostBatch
from metrics.transport.labels import LabelVectors
from metrics.types import Bools, Floats, Ints

# Squared distances of unit vectors below this are the rounding of equal ones.
ROUNDING = 1e-13
VECTOR_BYTES = 8 * 300  # of a word vector of the usual size


class Grams(NamedTuple):
    """Inner products of the level-0 vectors of some pairs, in flat arrays.

    Attributes:
        own, own_start: n x n within each graph; of graphs that are in no pair, none.
        cross, cross_start: n x m between src and tgt of each pair.
    """

    own: Floats
    own_start: Ints
    cross: Floats
    cross_start: Ints


def check_limits(encoded: EncodedPairs, depth: int, draws: int) -> None:
    """Check that no pair needs more memory or steps than `metrics.limits` allows.

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
        both = int(n[pair]), int(m[pair])
        if memory[pair] > limits.MEMORY:
            raise limits.too_large(float(memory[pair]), both, pair)
        raise limits.too_much_work(limits.TRANSPORT_WORK, both, pair)


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
    grams = level0(encoded, current)
    everything = np.arange(len(encoded))
    total = np.zeros(len(grams.cross))
    for draw, drawn in enumerate(weights):
        if draw:
            current[vectors.unknown] = vectors.drawn[draw]
            labels, node_start = encoded.graphs.labels, encoded.graphs.node_start
            redraw(labels, node_start, encoded.src, encoded.tgt, current, vectors.unknown, grams)
        add_distances(encoded, grams, drawn, depth, scale, everything, total, grams.cross_start)
    return CostBatch(encoded.sizes, total / len(weights), grams.cross_start)


def level0(encoded: EncodedPairs, vectors: Floats) -> Grams:
    """The inner products of the vectors of the nodes' labels."""
    used = np.zeros(len(encoded.graphs.tops), np.bool_)
    used[encoded.src] = used[encoded.tgt] = True
    own_start = starts(np.diff(encoded.graphs.node_start) ** 2 * used)
    cross_start = starts(encoded.sizes.prod(axis=1))
    grams = Grams(np.empty(own_start[-1]), own_start, np.empty(cross_start[-1]), cross_start)
    graphs = encoded.graphs
    _multiply(graphs.labels, graphs.node_start, encoded.src, encoded.tgt, vectors, grams)
    return grams


@compiled
def _multiply(
    labels: Ints, node_start: Ints, src: Ints, tgt: Ints, vectors: Floats, grams: Grams
) -> None:
    done = np.zeros(node_start.size - 1, np.bool_)
    for p in range(src.size):
        one, two = src[p], tgt[p]
        a_labels = labels[node_start[one] : node_start[one + 1]]
        b_labels = labels[node_start[two] : node_start[two + 1]]
        if a_labels.size == 0 or b_labels.size == 0:
            continue
        a, b = vectors[a_labels], vectors[b_labels]
        if not done[one]:
            own = np.dot(a, a.T)
            grams.own[grams.own_start[one] : grams.own_start[one + 1]] = own.ravel()
            done[one] = True
        if not done[two]:
            own = np.dot(b, b.T)
            grams.own[grams.own_start[two] : grams.own_start[two + 1]] = own.ravel()
            done[two] = True
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
    done = np.zeros(node_start.size - 1, np.bool_)
    for p in range(src.size):
        one, two = src[p], tgt[p]
        a_labels = labels[node_start[one] : node_start[one + 1]]
        b_labels = labels[node_start[two] : node_start[two + 1]]
        n, m = a_labels.size, b_labels.size
        if n == 0 or m == 0 or not (unknown[a_labels].any() or unknown[b_labels].any()):
            continue
        a, b = vectors[a_labels], vectors[b_labels]
        cross = grams.cross[grams.cross_start[p] : grams.cross_start[p + 1]].reshape((n, m))
        if not done[one]:
            _redraw_own(one, a, unknown[a_labels], grams)
            done[one] = True
        if not done[two]:
            _redraw_own(two, b, unknown[b_labels], grams)
            done[two] = True
        for i in range(n):
            if unknown[a_labels[i]]:
                cross[i] = np.dot(b, a[i])
        for j in range(m):
            if unknown[b_labels[j]]:
                cross[:, j] = np.dot(a, b[j])


@compiled
def _redraw_own(g: int, vectors: Floats, unknown: Bools, grams: Grams) -> None:
    size = len(vectors)
    own = grams.own[grams.own_start[g] : grams.own_start[g + 1]].reshape((size, size))
    for i in range(size):
        if unknown[i]:
            own[i] = np.dot(vectors, vectors[i])
            own[:, i] = own[i]


def add_distances(
    encoded: EncodedPairs,
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
        encoded: the pairs.
        grams: their level-0 inner products.
        weights: one per role.
        depth: K, the number of WL iterations.
        scale: factor of each update.
        pairs: indices of the pairs to compute.
        out, start: the n x m distances of ``pairs[k]`` go to ``out[start[k]:start[k + 1]]``.
    """
    src, tgt = encoded.src[pairs], encoded.tgt[pairs]
    distances_of(
        encoded.messages,
        encoded.graphs.node_start,
        src,
        tgt,
        grams,
        weights,
        depth,
        scale,
        pairs,
        out,
        start,
        encoded.scratch,
    )


@compiled
def distances_of(
    table: MessageTable,
    node_start: Ints,
    src: Ints,
    tgt: Ints,
    grams: Grams,
    weights: Floats,
    depth: int,
    scale: float,
    pairs: Ints,
    out: Floats,
    start: Ints,
    scratch: Scratch,
) -> None:
    """See `add_distances`."""
    largest = 0
    for k in range(pairs.size):
        for g in (src[k], tgt[k]):
            largest = max(largest, node_start[g + 1] - node_start[g])
    size = largest * _padded(largest)
    # Three arrays, not the rows of one: those would not be known to be contiguous.
    now, after, inner = np.zeros(size), np.zeros(size), np.zeros(size)
    # Computed when a graph is first needed: the shares of its messages, the squares of its vectors.
    done, shares, squares = scratch.done, scratch.shares, scratch.squares
    for k in range(pairs.size):
        one, two = src[k], tgt[k]
        n, m = node_start[one + 1] - node_start[one], node_start[two + 1] - node_start[two]
        if n == 0 or m == 0:
            continue
        for g in (one, two):
            if not done[g]:
                done[g] = True
                _set_shares(table, g, weights, shares)
                first = node_start[g]
                size = node_start[g + 1] - first
                _set_squares(
                    table, g, size, shares, grams, depth, scale, now, after, squares, first
                )
        _pad(grams.cross, grams.cross_start[pairs[k]], n, m, now)
        count = n * _padded(m)
        for x in range(count):
            inner[x] = now[x]
        for level in range(1, depth + 1):
            factor = scale ** (2 * level)
            _take_in(now, n, m, table, one, shares, True, after)
            _take_in(after, n, m, table, two, shares, False, now)
            for x in range(count):
                inner[x] += factor * now[x]
        _add_unit_distances(inner, n, m, squares, node_start[one], node_start[two], out, start[k])
    for k in range(pairs.size):
        done[src[k]] = done[tgt[k]] = False


@inner
def _padded(columns: int) -> int:
    """The length of a row in arrays of intermediate results.

    A multiple of 16, so that the vectorised loops over a row have no remainder: in graphs as small
    as these, mispredicted branches at the ends of loops take longer than the arithmetic.
    """
    return (columns + 15) & -16


@inner
def _pad(matrices: Floats, first: int, n: int, m: int, out: Floats) -> None:
    """Copy the n x m matrix at ``matrices[first]`` to rows of padded length."""
    width = _padded(m)
    for i in range(n):
        row, padded = matrices[first + i * m : first + i * m + m], out[i * width : i * width + m]
        for j in range(m):
            padded[j] = row[j]


@inner
def _set_shares(table: MessageTable, g: int, weights: Floats, shares: Floats) -> None:
    """Compute the weights of a graph's messages; a node is updated with their mean.

    Parallel edges are one message, and their weights multiply.
    """
    at, last = table.message_start[g], table.message_start[g + 1]
    receivers, roles, role_start = table.receivers, table.roles, table.role_start
    while at < last:
        end = at
        while end < last and receivers[end] == receivers[at]:
            end += 1
        for message in range(at, end):
            share = 1.0
            for r in range(role_start[message], role_start[message + 1]):
                share *= weights[roles[r]]
            shares[message] = share / (end - at)
        at = end


@inner
def _set_squares(
    table: MessageTable,
    g: int,
    n: int,
    shares: Floats,
    grams: Grams,
    depth: int,
    scale: float,
    now: Floats,
    after: Floats,
    squares: Floats,
    first: int,
) -> None:
    """Compute the squared lengths of the embeddings of a graph's nodes, from ``squares[first]``."""
    width = _padded(n)
    _pad(grams.own, grams.own_start[g], n, n, now)
    for i in range(n):
        squares[first + i] = now[i * width + i]
    for level in range(1, depth + 1):
        factor = scale ** (2 * level)
        _take_in(now, n, n, table, g, shares, True, after)
        # Of the product with A^T, only the diagonal is needed.
        for i in range(n):
            squares[first + i] += factor * after[i * width + i]
        for k in range(table.message_start[g], table.message_start[g + 1]):
            i = table.receivers[k]
            squares[first + i] += factor * shares[k] * after[i * width + table.senders[k]]
        if level < depth:
            _take_in(after, n, n, table, g, shares, False, now)


@inner
def _take_in(
    gram: Floats,
    n: int,
    m: int,
    table: MessageTable,
    g: int,
    shares: Floats,
    left: bool,
    out: Floats,
) -> None:
    """``A gram`` if `left`, else ``gram A^T``, n x m; A is the identity and the messages of `g`."""
    width = np.uint64(_padded(m))
    for x in range(np.uint64(n) * width):
        out[x] = gram[x]
    # A message updates a row or a column; where its node begins, and the steps along it.
    node, step, count = (
        (width, np.uint64(1), width) if left else (np.uint64(1), width, np.uint64(n))
    )
    for k in range(table.message_start[g], table.message_start[g + 1]):
        share = shares[k]
        receiver, sender = np.uint64(table.receivers[k]) * node, np.uint64(table.senders[k]) * node
        for j in range(count):
            at = np.uint64(j) * step
            out[receiver + at] += share * gram[sender + at]


@inner
def _add_unit_distances(
    inner: Floats, n: int, m: int, squares: Floats, a: int, b: int, out: Floats, first: int
) -> None:
    """Add the Euclidean distances of vectors scaled to length 1 to ``out[first]`` and after it.

    Zero vectors are not scaled.

    Args:
        inner: n x m, inner products.
        squares: the squared lengths, from position `a` those of src, from `b` those of tgt.
    """
    width = _padded(m)
    b_squares = squares[b : b + m]
    for i in range(n):
        a_square = squares[a + i]
        products, row = inner[i * width : i * width + m], out[first + i * m : first + i * m + m]
        for j in range(m):
            b_square = b_squares[j]
            both = a_square > 0 and b_square > 0
            cosine = products[j] / np.sqrt(a_square * b_square)
            square = float(int(a_square > 0) + int(b_square > 0)) - (2 * cosine if both else 0.0)
            row[j] += np.sqrt(square) if square > ROUNDING else 0.0
