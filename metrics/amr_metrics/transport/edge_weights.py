"""The scores of pairs for several edge weights, which is what training WWLK-theta computes.

A step of training scores a few pairs twice, with weights that hardly differ, and later steps score
them again. So their transport starts from the trees of the last time (`last_trees`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.compiled import compiled, inner
from amr_metrics.transport.encoding import MessageTable, Scratch
from amr_metrics.transport.flow import Bases
from amr_metrics.transport.last_trees import LastTrees, NodeValues, cost_from_basis, cost_from_last
from amr_metrics.transport.propagation import (
    Buffers,
    Grams,
    add_unit_distances,
    embed,
    matrix_size,
    most_nodes,
    padded,
    set_inner_products,
)
from amr_metrics.types import Floats, Ints

# The last tree of a pair is used only if the exact method takes far fewer steps than the limit, so
# that the limit concerns the same pairs whatever was scored before.
STEPS = 1000  # times n m (n + m)
TOGETHER = 64  # pairs whose data fit into the processor's cache


class WeightedPairs(NamedTuple):
    """Pairs whose scores depend on nothing but the weights of roles.

    Attributes:
        messages, node_start, src, tgt, scratch: see `amr_metrics.transport.encoding.EncodedPairs`.
        grams: the inner products of the nodes' labels.
        base: the weight of each role.
        roles, parameters: for parameters with the values v, role ``roles[k]`` has the weight
            ``v[parameters[k]]`` instead.
        depth: K, the number of WL iterations.
        work: the most steps of a pair's transport.
    """

    messages: MessageTable
    node_start: Ints
    src: Ints
    tgt: Ints
    scratch: Scratch
    grams: Grams
    base: Floats
    roles: Ints
    parameters: Ints
    depth: int
    work: int


@compiled
def scores_of_rows(
    context: tuple[WeightedPairs, Bases, LastTrees], rows: Floats, pairs: Ints
) -> Floats:
    """Return the scores of some pairs for several values of the parameters.

    Args:
        context: the pairs, a basis for each, and their last trees, which are updated.
        rows: the values of the parameters, one set in each row.
        pairs: positions of the pairs.

    Returns:
        rows x pairs; 1 - `UNFINISHED` for pairs that reach the work limit.
    """
    weighted, bases, last = context
    messages, node_start, grams = weighted.messages, weighted.node_start, weighted.grams
    depth, scratch = weighted.depth, weighted.scratch
    squares = scratch.squares
    src, tgt = weighted.src[pairs], weighted.tgt[pairs]
    most = most_nodes(node_start, src, tgt)
    size = matrix_size(most)
    buffers = Buffers(np.zeros(size), np.zeros(size), np.zeros(size))
    nodes = 2 * padded(most) + 1
    values = NodeValues(
        np.empty(nodes),
        np.empty(nodes),
        np.empty(nodes),
        np.empty(nodes),
        np.empty(nodes),
        np.zeros(nodes, np.int64),
        np.empty(nodes, np.int64),
    )
    distances, weights = np.empty(size), weighted.base.copy()
    out = np.empty((len(rows), pairs.size))
    for first in range(0, pairs.size, TOGETHER):
        end = min(first + TOGETHER, pairs.size)
        values.rows[0] = _prefetch(weighted, bases, last, pairs, first, end)
        for row in range(len(rows)):
            for k in range(weighted.roles.size):
                weights[weighted.roles[k]] = rows[row, weighted.parameters[k]]
            for k in range(first, end):
                g, h = src[k], tgt[k]
                a, b = node_start[g], node_start[h]
                n, m = node_start[g + 1] - a, node_start[h + 1] - b
                if n == 0 or m == 0:
                    out[row, k] = int(n == m)
                    continue
                embed(messages, node_start, g, grams, weights, depth, scratch, buffers)
                embed(messages, node_start, h, grams, weights, depth, scratch, buffers)
                set_inner_products(messages, g, h, n, m, grams, pairs[k], depth, scratch, buffers)
                at, products = bases.start[pairs[k]], buffers.products
                cost = np.nan
                if n * m * (n + m) * STEPS < weighted.work:
                    cost = cost_from_last(products, n, m, squares, a, b, last, at, values)
                if np.isnan(cost):
                    distances[: n * m] = 0.0
                    add_unit_distances(products, n, m, squares, a, b, distances, 0)
                    matrix = distances[: n * m].reshape((n, m))
                    cost = cost_from_basis(matrix, bases, last, at, weighted.work)
                out[row, k] = 1 - cost
            for k in range(first, end):
                scratch.embedded[src[k]] = scratch.embedded[tgt[k]] = False
    return out


@inner
def _prefetch(
    weighted: WeightedPairs, bases: Bases, last: LastTrees, pairs: Ints, first: int, end: int
) -> float:
    """Read what the scores of ``pairs[first:end]`` need into the processor's cache, all at once.

    Training draws pairs at random, so that it is rarely there. This saves a fifth of the time.

    Returns:
        the sum of what was read, without which the compiler would leave reading out.
    """
    grams, messages, node_start = weighted.grams, weighted.messages, weighted.node_start
    line = 8  # numbers of 64 bits in a line of the cache
    total = 0.0
    for p in pairs[first:end]:
        g, h = weighted.src[p], weighted.tgt[p]
        for x in range(grams.cross_start[p], grams.cross_start[p + 1], line):
            total += grams.cross[x]
        for graph in (g, h):
            for x in range(grams.within_start[graph], grams.within_start[graph + 1], line):
                total += grams.within[x]
            for x in range(messages.message_start[graph], messages.message_start[graph + 1], line):
                total += messages.counts[x] + messages.receivers[x] + messages.senders[x]
        nodes = node_start[g + 1] - node_start[g] + node_start[h + 1] - node_start[h]
        for x in range(bases.start[p], bases.start[p] + nodes, line):
            total += last.parents[x] + last.flows[x] + last.order[x]
    return total
