"""Messages between the nodes of graphs: kernels for one graph and for a pair of graphs.

See `amr_metrics.transport.embedding`, which calls them for many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.compiled import inner
from amr_metrics.transport.encoding import MessageTable, Scratch
from amr_metrics.types import Floats, Ints

# Squared distances of unit vectors below this are the rounding of equal ones.
ROUNDING = 1e-13


# Let X_0 be the vectors of the nodes of src, one per row, and Y_0 those of tgt. An iteration adds
# to each vector the mean of the weighted vectors of its neighbours: X_k = A X_(k-1), where A is the
# identity plus the shares of the messages, so that X_k = A^k X_0, and likewise Y_k = B^k Y_0. Of
# the embeddings, the concatenations of levels 0 to K, only inner products are needed:
#
#     between graphs    sum over k = 0 .. K of  A^k (X_0 Y_0^T) (B^k)^T     `set_inner_products`
#     of a node itself  the diagonal of the same sum with Y = X             `_set_squares`
#
# `Grams` has X_0 Y_0^T and X_0 X_0^T. A is sparse: a product with it is a loop over messages.


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
    """Space for matrices of one pair or graph, with rows of `padded` length.

    Attributes:
        gram: inner products after some WL iterations, ``A^k G (B^k)^T``.
        half: ``A^(k+1) G (B^k)^T``, an iteration of the left graph only.
        products: the inner products of the embeddings of the nodes of src and tgt.
    """

    gram: Floats
    half: Floats
    products: Floats


@inner
def most_nodes(node_start: Ints, src: Ints, tgt: Ints) -> int:
    """Return the number of nodes of the largest of the graphs `src` and `tgt`."""
    largest = 0
    for k in range(src.size):
        for g in (src[k], tgt[k]):
            largest = max(largest, node_start[g + 1] - node_start[g])
    return largest


@inner
def matrix_size(nodes: int) -> int:
    """Return the size of each of the `Buffers` for graphs with at most this number of nodes."""
    return (nodes + 3) * padded(nodes)  # three more rows, see `_from_right`


@inner
def embed(
    table: MessageTable,
    node_start: Ints,
    g: int,
    grams: Grams,
    weights: Floats,
    depth: int,
    scratch: Scratch,
    buffers: Buffers,
) -> None:
    """Compute the weights of a graph's messages and the squared lengths of its nodes' embeddings.

    Graphs marked in `Scratch.embedded` are left as they are: one may occur in many pairs.
    """
    if not scratch.embedded[g]:
        scratch.embedded[g] = True
        _set_shares(table, g, weights, scratch.shares)
        first, n = node_start[g], node_start[g + 1] - node_start[g]
        _set_squares(
            table,
            g,
            n,
            scratch.shares,
            grams,
            depth,
            buffers.gram,
            buffers.half,
            scratch.squares,
            first,
        )


@inner
def set_inner_products(
    table: MessageTable,
    src: int,
    tgt: int,
    n: int,
    m: int,
    grams: Grams,
    pair: int,
    depth: int,
    scratch: Scratch,
    buffers: Buffers,
) -> None:
    """Compute the inner products of the embeddings of the nodes of two graphs.

    An embedding is the concatenation of the vectors of all levels, so inner products of embeddings
    are sums over the levels.
    """
    gram, half, products = buffers.gram, buffers.half, buffers.products
    _pad(grams.cross, grams.cross_start[pair], n, m, products)
    for level in range(1, depth + 1):
        _from_left(products if level == 1 else gram, n, m, table, src, scratch.shares, half)
        _from_right(half, n, m, table, tgt, scratch.shares, gram)
        for x in range(n * padded(m)):
            products[x] += gram[x]


@inner
def padded(columns: int) -> int:
    """Return the length of a row in arrays of intermediate results.

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
    # Numba checks whether a signed index is negative and counts from the end; unsigned indices need
    # no check. Here and below.
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
    gram: Floats,
    half: Floats,
    squares: Floats,
    first: int,
) -> None:
    """Compute the squared lengths of the embeddings of a graph's nodes, from ``squares[first]``."""
    # gram = A^k G (A^k)^T at level k, with G = X_0 X_0^T; its diagonal is added to the squares.
    width, start = padded(n), np.uint64(first)
    _pad(grams.within, grams.within_start[g], n, n, gram)
    for i in range(n):
        squares[first + i] = gram[i * width + i]
    for level in range(1, depth + 1):
        _from_left(gram, n, n, table, g, shares, half)
        # Of half A^T = half (I + S)^T, only the diagonal is needed: that of half, and for each
        # message from j to i with the share s, s half[i, j].
        for i in range(n):
            squares[first + i] += half[i * width + i]
        for k in range(np.uint64(table.message_start[g]), np.uint64(table.message_start[g + 1])):
            row, column = np.uint64(table.receivers[k]), np.uint64(table.senders[k])
            product = half[row * np.uint64(width) + column]
            squares[start + row] += shares[k] * product
        if level < depth:
            _from_right(half, n, n, table, g, shares, gram)


@inner
def _from_left(
    gram: Floats, n: int, m: int, table: MessageTable, g: int, shares: Floats, out: Floats
) -> None:
    """Write ``A gram``, n x m, to `out`, with A the identity plus the shares of messages."""
    width = np.uint64(padded(m))
    for x in range(np.uint64(n) * width):
        out[x] = gram[x]
    for k in range(np.uint64(table.message_start[g]), np.uint64(table.message_start[g + 1])):
        share = shares[k]
        receiver = np.uint64(table.receivers[k]) * width
        sender = np.uint64(table.senders[k]) * width
        for j in range(width):
            out[receiver + j] += share * gram[sender + j]


@inner
def _from_right(
    gram: Floats, n: int, m: int, table: MessageTable, g: int, shares: Floats, out: Floats
) -> None:
    """Write ``gram A^T``, n x m, to `out`, with A as in `_from_left`."""
    width = np.uint64(padded(m))
    for x in range(np.uint64(n) * width):
        out[x] = gram[x]
    # Four rows at a time, and up to three rows more than there are, so that nothing remains.
    second, third, fourth = width, np.uint64(2) * width, np.uint64(3) * width
    for k in range(np.uint64(table.message_start[g]), np.uint64(table.message_start[g + 1])):
        share = shares[k]
        receiver, sender = np.uint64(table.receivers[k]), np.uint64(table.senders[k])
        for four in range(np.uint64((n + 3) // 4)):
            to_cell = receiver + four * np.uint64(4) * width
            from_cell = sender + four * np.uint64(4) * width
            out[to_cell] += share * gram[from_cell]
            out[to_cell + second] += share * gram[from_cell + second]
            out[to_cell + third] += share * gram[from_cell + third]
            out[to_cell + fourth] += share * gram[from_cell + fourth]


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
        row, distances = products[i * width : i * width + m], out[first + i * m : first + i * m + m]
        for j in range(m):
            distances[j] += unit_distance(row[j], a_square, b_squares[j])


@inner
def unit_distance(product: float, a_square: float, b_square: float) -> float:
    """Return the Euclidean distance of two vectors scaled to length 1; zero vectors are not scaled.

    Args:
        product: their inner product.
        a_square, b_square: their squared lengths.
    """
    # |x / |x| - y / |y||^2 = 2 - 2 cos; a zero vector contributes 0 in place of 1.
    both = a_square > 0 and b_square > 0
    cosine = product / np.sqrt(a_square * b_square)
    square = float(int(a_square > 0) + int(b_square > 0)) - (2 * cosine if both else 0.0)
    distance: float = np.sqrt(square) if square > ROUNDING else 0.0
    return distance
