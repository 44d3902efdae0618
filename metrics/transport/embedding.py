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
    encoded: EncodedPairs,
    vectors: LabelVectors,
    weights: Floats,
    depth: int,
    scale: float,
    grams: Grams | None = None,
) -> CostBatch:
    """The distances between the nodes of both sides of each pair, averaged over draws.

    Args:
        encoded: the pairs.
        vectors: those of their labels, in as many draws as there are rows of weights.
        weights: draws x roles.
        depth, scale: as in `add_distances`.
        grams: the inner products of the first draw if they are known; with several draws they are
            overwritten.
    """
    current = vectors.draw(0)
    if grams is None:
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
    _distances_of(
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
def _distances_of(
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
    size = matrix_size(most_nodes(node_start, src, tgt))
    # Three arrays, not the rows of one: those would not be known to be contiguous.
    buffers = Buffers(np.zeros(size), np.zeros(size), np.zeros(size))
    for k in range(pairs.size):
        one, two = src[k], tgt[k]
        n, m = node_start[one + 1] - node_start[one], node_start[two + 1] - node_start[two]
        if n == 0 or m == 0:
            continue
        embed(table, node_start, one, grams, weights, depth, scale, scratch, buffers)
        embed(table, node_start, two, grams, weights, depth, scale, scratch, buffers)
        set_inner_products(table, one, two, n, m, grams, pairs[k], depth, scale, scratch, buffers)
        a, b = node_start[one], node_start[two]
        add_unit_distances(buffers.products, n, m, scratch.squares, a, b, out, start[k])
    for k in range(pairs.size):
        scratch.done[src[k]] = scratch.done[tgt[k]] = False


class Buffers(NamedTuple):
    """Space for matrices of one pair or graph, with rows of `padded` length.

    Attributes:
        now, after: intermediate results.
        products: the inner products of the embeddings of the nodes of src and tgt.
    """

    now: Floats
    after: Floats
    products: Floats


@inner
def most_nodes(node_start: Ints, src: Ints, tgt: Ints) -> int:
    """The number of nodes of the largest of the graphs `src` and `tgt`."""
    largest = 0
    for k in range(src.size):
        for g in (src[k], tgt[k]):
            largest = max(largest, node_start[g + 1] - node_start[g])
    return largest


@inner
def matrix_size(nodes: int) -> int:
    """The size of each of the `Buffers` for graphs with at most so many nodes."""
    return (nodes + 3) * padded(nodes)


@inner
def embed(
    table: MessageTable,
    node_start: Ints,
    g: int,
    grams: Grams,
    weights: Floats,
    depth: int,
    scale: float,
    scratch: Scratch,
    buffers: Buffers,
) -> None:
    """Compute the weights of a graph's messages and the squared lengths of its nodes' embeddings.

    Once per graph: `Scratch.done` tells for which graphs this has been computed.
    """
    if not scratch.done[g]:
        scratch.done[g] = True
        _set_shares(table, g, weights, scratch.shares)
        first, n = node_start[g], node_start[g + 1] - node_start[g]
        _set_squares(
            table,
            g,
            n,
            scratch.shares,
            grams,
            depth,
            scale,
            buffers.now,
            buffers.after,
            scratch.squares,
            first,
        )


@inner
def set_inner_products(
    table: MessageTable,
    one: int,
    two: int,
    n: int,
    m: int,
    grams: Grams,
    pair: int,
    depth: int,
    scale: float,
    scratch: Scratch,
    buffers: Buffers,
) -> None:
    """Compute the inner products of the embeddings of the nodes of two graphs."""
    now, after, products = buffers.now, buffers.after, buffers.products
    _pad(grams.cross, grams.cross_start[pair], n, m, products)
    for level in range(1, depth + 1):
        factor = scale ** (2 * level)
        _propagate(products if level == 1 else now, n, m, table, one, scratch.shares, True, after)
        _propagate(after, n, m, table, two, scratch.shares, False, now)
        for x in range(n * padded(m)):
            products[x] += factor * now[x]


@inner
def padded(columns: int) -> int:
    """The length of a row in arrays of intermediate results.

    A multiple of 16, so that the vectorised loops over a row have no remainder: in graphs as small
    as these, mispredicted branches at the ends of loops take longer than the arithmetic.
    """
    return (columns + 15) & -16


@inner
def _pad(matrices: Floats, first: int, n: int, m: int, out: Floats) -> None:
    """Copy the n x m matrix at ``matrices[first]`` to rows of padded length."""
    width = padded(m)
    for i in range(n):
        row, copy = matrices[first + i * m : first + i * m + m], out[i * width : i * width + m]
        for j in range(m):
            copy[j] = row[j]


@inner
def _set_shares(table: MessageTable, g: int, weights: Floats, shares: Floats) -> None:
    """Compute the weights of a graph's messages; a node is updated with their mean.

    Parallel edges are one message, and their weights multiply.
    """
    first, last = np.uint64(table.message_start[g]), np.uint64(table.message_start[g + 1])
    roles, role_start, counts = table.roles, table.role_start, table.counts
    at = np.uint64(role_start[first])
    if np.uint64(role_start[last]) - at == last - first:  # no parallel edges
        for k in range(last - first):
            shares[first + k] = weights[roles[at + k]] / counts[first + k]
        return
    for k in range(first, last):
        share = 1.0
        for r in range(role_start[k], role_start[k + np.uint64(1)]):
            share *= weights[roles[r]]
        shares[k] = share / counts[k]


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
    width, start = padded(n), np.uint64(first)
    _pad(grams.own, grams.own_start[g], n, n, now)
    for i in range(n):
        squares[first + i] = now[i * width + i]
    for level in range(1, depth + 1):
        factor = scale ** (2 * level)
        _propagate(now, n, n, table, g, shares, True, after)
        # Of the product with A^T, only the diagonal is needed.
        for i in range(n):
            squares[first + i] += factor * after[i * width + i]
        for k in range(np.uint64(table.message_start[g]), np.uint64(table.message_start[g + 1])):
            row, column = np.uint64(table.receivers[k]), np.uint64(table.senders[k])
            product = after[row * np.uint64(width) + column]
            squares[start + row] += factor * shares[k] * product
        if level < depth:
            _propagate(after, n, n, table, g, shares, False, now)


@inner
def _propagate(
    gram: Floats,
    n: int,
    m: int,
    table: MessageTable,
    g: int,
    shares: Floats,
    left: bool,
    out: Floats,
) -> None:
    """Propagate along the messages of a graph: ``A gram`` if `left`, else ``gram A^T``, n x m.

    A is the sum of the identity and the weights of the messages.
    """
    width = np.uint64(padded(m))
    for x in range(np.uint64(n) * width):
        out[x] = gram[x]
    first, last = np.uint64(table.message_start[g]), np.uint64(table.message_start[g + 1])
    if left:
        for k in range(first, last):
            share = shares[k]
            receiver = np.uint64(table.receivers[k]) * width
            sender = np.uint64(table.senders[k]) * width
            for j in range(width):
                out[receiver + j] += share * gram[sender + j]
        return
    # Four rows at a time, and up to three rows more than there are, so that nothing remains.
    second, third, fourth = width, np.uint64(2) * width, np.uint64(3) * width
    for k in range(first, last):
        share = shares[k]
        receiver, sender = np.uint64(table.receivers[k]), np.uint64(table.senders[k])
        for four in range(np.uint64((n + 3) // 4)):
            at = receiver + four * np.uint64(4) * width
            other = sender + four * np.uint64(4) * width
            out[at] += share * gram[other]
            out[at + second] += share * gram[other + second]
            out[at + third] += share * gram[other + third]
            out[at + fourth] += share * gram[other + fourth]


@inner
def add_unit_distances(
    products: Floats, n: int, m: int, squares: Floats, a: int, b: int, out: Floats, first: int
) -> None:
    """Add the Euclidean distances of vectors scaled to length 1 to ``out[first]`` and after it.

    Args:
        products: n x m, inner products, in rows of `padded` length.
        squares: the squared lengths, from position `a` those of src, from `b` those of tgt.
    """
    width = padded(m)
    b_squares = squares[b : b + m]
    for i in range(n):
        a_square = squares[a + i]
        own, row = products[i * width : i * width + m], out[first + i * m : first + i * m + m]
        for j in range(m):
            row[j] += unit_distance(own[j], a_square, b_squares[j])


@inner
def unit_distance(product: float, a_square: float, b_square: float) -> float:
    """The Euclidean distance of two vectors scaled to length 1; zero vectors are not scaled.

    Args:
        product: their inner product.
        a_square, b_square: their squared lengths.
    """
    both = a_square > 0 and b_square > 0
    cosine = product / np.sqrt(a_square * b_square)
    square = float(int(a_square > 0) + int(b_square > 0)) - (2 * cosine if both else 0.0)
    distance: float = np.sqrt(square) if square > ROUNDING else 0.0
    return distance
