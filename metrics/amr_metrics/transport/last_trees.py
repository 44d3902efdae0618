"""Optimal transport between the nodes of pairs whose costs change a little at a time.

Training scores the same pairs again and again, with edge weights that hardly differ. The tree of
the network simplex that was optimal for a pair the last time is often still optimal, or a pivot or
two from it. This is checked with approximate squares of the distances, which need no square roots,
and without linked lists; only the distances along the tree are computed exactly.

No score depends on the last trees. A tree counts only if every other arc costs more than the prices
at its ends by `UNIQUE`. Then it is the only optimal tree: another flow differs from its flow by
cycles, each with an arc outside the tree, so that it costs at least `UNIQUE` more for each unit
that it moves. The exact method (`amr_metrics.transport.simplex`) stops at a flow that is optimal up
to a tolerance that is far smaller, so it finds this tree, from whichever tree it starts. A pivot
never changes the root, so costs are also added in the same order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.compiled import compiled, inner
from amr_metrics.transport.flow import UNFINISHED, Bases, store
from amr_metrics.transport.propagation import padded, unit_distance
from amr_metrics.transport.simplex import mean_cost, solve_from, units_of
from amr_metrics.types import Floats, Ints

UNIQUE = 1e-6  # far more than all rounding errors, and than the tolerance of the exact method
ERROR = 1e-12  # more than the rounding error of the square of a distance between unit vectors
RANGE = (1e-100, 1e100)  # of squared lengths: products of two do not overflow
PIVOTS = 50  # the most pivots; then the exact method starts again


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
    """Space for values of the nodes of a pair.

    Attributes:
        arcs: the cost of the arc to the parent.
        rows, columns: the prices of rows and columns.
        row_scales, column_scales: 1 and 2 divided by the length of the node's vector, so that the
            squared distance of two vectors scaled to length 1, 2 - 2 cos, is 2 - product * scales.
        marks: 0, except within `_pivot`.
        moved: nodes, within `_pivot`.
    """

    arcs: Floats
    rows: Floats
    columns: Floats
    row_scales: Floats
    column_scales: Floats
    marks: Ints
    moved: Ints


@inner
def cost_from_last(
    products: Floats,
    n: int,
    m: int,
    squares: Floats,
    a: int,
    b: int,
    last: LastTrees,
    at: int,
    values: NodeValues,
) -> float:
    """Return the cost of a pair's optimal flow; NaN if its last tree does not determine it.

    Args:
        products: n x m, inner products, in rows of `padded` length.
        squares: the squared lengths, from position `a` those of src, from `b` those of tgt.
        last, at: the pair's tree starts at position `at`; it is replaced by the optimal one.
        values: space for at least n + m and `padded` values.
    """
    if last.order[at] < 0:
        return np.nan
    width = padded(m)
    for node in range(n + m):
        up = last.parents[at + node]
        if up >= 0:
            i, j = (node, up - n) if node < n else (up, node - n)
            product = products[i * width + j]
            values.arcs[node] = unit_distance(product, squares[a + i], squares[b + j])
    in_range = True
    for i in range(n):
        values.row_scales[i] = 1 / np.sqrt(squares[a + i])
        in_range &= RANGE[0] < squares[a + i] < RANGE[1]
    for j in range(m):
        values.column_scales[j] = 2 / np.sqrt(squares[b + j])
        in_range &= RANGE[0] < squares[b + j] < RANGE[1]
    if not in_range:
        return np.nan
    values.column_scales[m:width] = 0.0
    values.columns[m:width] = -np.inf  # no arc to such a column saves anything
    # The primal simplex method as in `transport.simplex`, from the last tree. The flow on it is
    # feasible, since masses never change; only costs do.
    for _ in range(PIVOTS):
        _set_prices(n, m, last, at, values)
        row, column, unclear = _best_arc(products, n, m, values)
        if row < 0:
            # Optimal. If only the n + m - 1 arcs of the tree are unclear, it is the only such tree.
            return _mean_cost(n, m, last, at, values) if unclear == n + m - 1 else np.nan
        product = products[row * width + column]
        arc = unit_distance(product, squares[a + row], squares[b + column])
        _pivot(row, n + column, arc, n, m, last, at, values)
    return np.nan


@inner
def _set_prices(n: int, m: int, last: LastTrees, at: int, values: NodeValues) -> None:
    """Set the prices so that those at the ends of each arc of the tree add up to its cost.

    With the same rounding as in `amr_metrics.transport.simplex`.
    """
    rows, columns = values.rows, values.columns
    for k in range(at, at + n + m):
        node = last.order[k]
        up = last.parents[at + node]
        if node < n:
            rows[node] = values.arcs[node] - columns[up - n] if up >= 0 else 0.0
        else:
            columns[node - n] = values.arcs[node] - rows[up] if up >= 0 else 0.0


@inner
def _best_arc(products: Floats, n: int, m: int, values: NodeValues) -> tuple[int, int, int]:
    """Return the arc with the lowest negative reduced cost.

    Returns:
        its row, or -1 if there is none; its column; and the number of arcs that do not cost at
        least `UNIQUE` more than the prices at their ends, such as those of the tree.
    """
    # Both tests err to the safe side by `ERROR`, which is more than the error of `square`: an arc
    # that is not unclear certainly costs `UNIQUE` more, and a cheaper one is certainly cheaper.
    width = padded(m)
    columns, column_scales = values.columns, values.column_scales
    best, best_row, best_column, unclear = 0.0, -1, -1, 0
    for i in range(n):
        price, scale, cheaper = values.rows[i], values.row_scales[i], 0
        row = products[i * width : i * width + width]
        for j in range(width):
            # distance > bound is bound < 0 or distance^2 > bound^2: no square root, no branch.
            prices = price + columns[j]
            square = 2 - row[j] * scale * column_scales[j]
            bound = prices + UNIQUE
            unclear += not (bound < 0 or square > bound * bound + ERROR)
            cheaper += prices > 0 and square + ERROR < prices * prices
        if cheaper:
            for j in range(m):
                prices = price + columns[j]
                square = 2 - row[j] * scale * column_scales[j]
                if prices > 0 and square + ERROR < prices * prices:
                    saved = prices - np.sqrt(max(square, 0.0))
                    if saved > best:
                        best, best_row, best_column = saved, i, j
    return best_row, best_column, unclear


@inner
def _mean_cost(n: int, m: int, last: LastTrees, at: int, values: NodeValues) -> float:
    """Return the cost of the tree's flow, summed as in `transport.simplex.mean_cost`."""
    total, mass = 0.0, 0
    for node in range(n + m):
        if last.parents[at + node] >= 0:
            sent = units_of(last.flows[at + node], n)
            total += sent * values.arcs[node]
            mass += sent
    return total / mass


@inner
def _pivot(
    row: int, column: int, arc: float, n: int, m: int, last: LastTrees, at: int, values: NodeValues
) -> None:
    """Add an arc to the tree and remove the arc whose flow becomes 0.

    As in the exact method, but on plain arrays: for graphs as small as AMRs, changing the order of
    all nodes takes less time than building linked lists for the few pivots that are needed.

    Args:
        row, column: the nodes of the arc.
        arc: its cost.
    """
    parents, flows = last.parents[at : at + n + m], last.flows[at : at + n + m]
    order, marks, arcs, moved = last.order[at : at + n + m], values.marks, values.arcs, values.moved
    node = row
    while node >= 0:
        marks[node] = 1
        node = parents[node]
    top = column
    while marks[top] == 0:
        top = parents[top]
    node = row
    while node >= 0:
        marks[node] = 0
        node = parents[node]
    # A row that gives more to the new arc gives less to the column above it, and so on, as in
    # `amr_metrics.transport.simplex`: the arcs whose flow falls are those above rows on the side of
    # `row`, and those above columns on the side of `column`.
    least, leaving, side = np.iinfo(np.int64).max, -1, row
    node = row
    while node != top:
        if node < n and flows[node] < least:
            least, leaving = flows[node], node
        node = parents[node]
    node = column
    while node != top:
        if node >= n and flows[node] < least:
            least, leaving, side = flows[node], node, column
        node = parents[node]
    node = row
    while node != top:
        flows[node] += -least if node < n else least
        node = parents[node]
    node = column
    while node != top:
        flows[node] += -least if node >= n else least
        node = parents[node]
    # The subtree below the leaving arc is attached to the other end of the new arc. In the order,
    # its nodes come last: first those whose parent changes, marked with 2.
    node, above, flow, count = side, row + column - side, least, 0
    while True:
        old_above, old_flow, old_arc = parents[node], flows[node], arcs[node]
        parents[node], flows[node], arcs[node] = above, flow, arc
        marks[node] = 2
        moved[count] = node
        count += 1
        if node == leaving:
            break
        node, above, flow, arc = old_above, node, old_flow, old_arc
    kept = 0
    for k in range(n + m):
        node = order[k]
        if marks[node] == 0:
            up = parents[node]
            if up >= 0 and marks[up]:
                marks[node] = 1
                moved[count] = node
                count += 1
            else:
                order[kept] = node
                kept += 1
    for k in range(count):
        order[kept + k] = moved[k]
        marks[moved[k]] = 0


@compiled
def cost_from_basis(cost: Floats, bases: Bases, last: LastTrees, at: int, work: int) -> float:
    """Return the cost of a pair's optimal flow, found by the exact method from its basis.

    Args:
        cost: n x m, the cost of moving a mass of 1.
        bases, last, at: the pair's trees start at position `at`; its last tree is replaced.
        work: the most steps; the cost is `UNFINISHED` if it takes more.
    """
    n, m = cost.shape
    tree, nodes = bases.scratch, slice(at, at + n + m)
    if not solve_from(cost, bases.parents[nodes], bases.flows[nodes], tree, work):
        last.order[at] = -1
        return UNFINISHED
    store(tree, n, m, last.parents, last.flows, last.order, at)
    return mean_cost(cost, tree)
