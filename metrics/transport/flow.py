"""Optimal transport between two sets of nodes, each of which shares a mass of 1 evenly."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from metrics.compiled import compiled
from metrics.types import Bools, Floats, Ints

Form = Literal["symmetric", "precision", "recall"]
FORMS = ("symmetric", "precision", "recall")
TransportSolver = Literal["compiled", "pot"]
SOLVERS = ("compiled", "pot")


class CostBatch(NamedTuple):
    """Cost matrices of many pairs in flat arrays.

    Attributes:
        sizes: int64 p x 2, numbers of nodes (n, m).
        costs, start: the n x m matrices, row by row; pair p's is ``costs[start[p]:start[p + 1]]``.
    """

    sizes: Ints
    costs: Floats
    start: Ints


def flow(cost: Floats, form: Form = "symmetric") -> Floats:
    """The cheapest way to move the mass of the rows to the columns.

    Args:
        cost: n x m, the cost of moving a mass of 1 from row to column.
        form: ``symmetric``: each row gives 1/n and each column takes 1/m. ``precision``: each
            row gives 1/n, to whatever column is cheapest. ``recall``: each column takes 1/m,
            from whatever row is cheapest.

    Returns:
        n x m, the mass that goes from each row to each column; it sums to 1.

    >>> flow(np.array([[0.0, 1.0], [1.0, 0.5], [0.2, 0.2]])).round(3).tolist()
    [[0.333, 0.0], [0.0, 0.333], [0.167, 0.167]]
    """
    n, m = cost.shape
    if form == "precision":
        return _nearest(cost)
    if form == "recall":
        return np.ascontiguousarray(_nearest(np.ascontiguousarray(cost.T)).T)
    return np.asarray(optimal_units(np.ascontiguousarray(cost)) / np.lcm(n, m))


def least_costs(
    batch: CostBatch, form: Form = "symmetric", solver: TransportSolver = "compiled"
) -> Floats:
    """What the cheapest flow of each pair costs; forms as in `flow`.

    Between two sides without nodes nothing moves; if one of them has none, the mass of the other
    is lost at a cost of 1.

    Args:
        batch: the cost matrices.
        form: which masses are prescribed.
        solver: ``compiled``, or ``pot`` for the network simplex of Python Optimal Transport.
    """
    least = _least_costs(batch, FORMS.index(form), solver == "compiled")
    if form == "symmetric" and solver == "pot":
        import ot

        for p, (n, m) in enumerate(batch.sizes):
            if n and m:
                cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape(n, m)
                least[p] = ot.emd2([], [], cost)
    return least


@compiled
def _nearest(cost: Floats) -> Floats:
    n, m = cost.shape
    moved = np.zeros((n, m))
    for i in range(n):
        moved[i, np.argmin(cost[i])] = 1.0 / n
    return moved


@compiled
def _least_costs(batch: CostBatch, form: int, transport: bool) -> Floats:
    out = np.empty(len(batch.sizes))
    for p in range(len(batch.sizes)):
        n, m = batch.sizes[p]
        if n == 0 or m == 0:
            out[p] = int(n != m)
            continue
        cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape((n, m))
        total, mass = 0.0, 0
        if form == 1:
            mass = n
            for i in range(n):
                total += cost[i].min()
        elif form == 2:
            mass = m
            for j in range(m):
                total += cost[:, j].min()
        elif transport:
            units = optimal_units(cost)
            for i in range(n):
                for j in range(m):
                    total += units[i, j] * cost[i, j]
                    mass += units[i, j]
        out[p] = total / max(mass, 1)
    return out


class Tree(NamedTuple):
    """A tree of shortest paths from one row.

    Attributes:
        distance: float64 m, to each column; giver: int64 m, the row before it.
        row_distance: float64 n, to each row; source: int64 n, the column before it.
        row_done: bool n, whether the tree holds the row.
        columns: int64 m, those that the tree does not hold yet, then those that it does.
    """

    distance: Floats
    giver: Ints
    row_distance: Floats
    source: Ints
    row_done: Bools
    columns: Ints


@compiled
def optimal_units(cost: Floats) -> Ints:
    """The cheapest flow in whole units of 1 / lcm(n, m).

    Successive shortest paths. Prices of rows and columns keep all reduced costs
    ``cost - row_price - column_price`` at 0 or above, and those of what is sent at 0; so what has
    been sent at any time is sent at the least cost.
    """
    n, m = cost.shape
    common = np.gcd(n, m)
    left = np.full(n, m // common, np.int64)
    room = np.full(m, n // common, np.int64)
    sent = np.zeros((m, n), np.int64)
    row_price, column_price = np.empty(n), np.empty(m)
    _send_cheapest(cost, left, room, sent, row_price, column_price)
    tree = Tree(
        np.empty(m),
        np.empty(m, np.int64),
        np.empty(n),
        np.empty(n, np.int64),
        np.empty(n, np.bool_),
        np.empty(m, np.int64),
    )
    for row in range(n):
        while left[row]:
            _send_along_tree(row, cost, left, room, sent, row_price, column_price, tree)
    return sent.T


@compiled
def _send_cheapest(
    cost: Floats, left: Ints, room: Ints, sent: Ints, row_price: Floats, column_price: Floats
) -> None:
    """The first prices, and what rows can send to columns that are cheapest for both."""
    n, m = cost.shape
    for j in range(m):
        column_price[j] = cost[0, j]
    for i in range(1, n):
        for j in range(m):
            column_price[j] = min(column_price[j], cost[i, j])
    for i in range(n):
        row_price[i] = np.inf
        for j in range(m):
            row_price[i] = min(row_price[i], cost[i, j] - column_price[j])
        for j in range(m):
            if left[i] and room[j] and cost[i, j] - column_price[j] <= row_price[i]:
                units = min(left[i], room[j])
                sent[j, i] = units
                left[i] -= units
                room[j] -= units


@compiled
def _send_along_tree(
    start: int,
    cost: Floats,
    left: Ints,
    room: Ints,
    sent: Ints,
    row_price: Floats,
    column_price: Floats,
    tree: Tree,
) -> None:
    """Send what row `start` has left along the shortest paths, as long as their tree stands.

    A path may lead back from a column to a row that sends to it, which then sends less. The tree
    grows by Dijkstra's method; it falls when one of its rows sends nothing back any more.
    """
    n, m = cost.shape
    tree.row_done[:] = False
    tree.row_done[start] = True
    tree.row_distance[start] = 0.0
    for j in range(m):
        tree.distance[j] = max(cost[start, j] - column_price[j] - row_price[start], 0.0)
        tree.giver[j] = start
        tree.columns[j] = j
    n_open, stands = m, True
    while True:
        at = 0
        for k in range(1, n_open):
            here, best = tree.columns[k], tree.columns[at]
            if tree.distance[here] < tree.distance[best] or (
                tree.distance[here] == tree.distance[best] and room[here] and not room[best]
            ):
                at = k
        column = tree.columns[at]
        least = tree.distance[column]
        if room[column]:
            stands = _push(start, column, left, room, sent, tree)
            if left[start] == 0 or not stands:
                break
        n_open -= 1
        tree.columns[at], tree.columns[n_open] = tree.columns[n_open], column
        for i in range(n):
            if sent[column, i] and not tree.row_done[i]:
                tree.row_done[i] = True
                tree.row_distance[i] = least
                tree.source[i] = column
                base = least - row_price[i]
                for k in range(n_open):
                    j = tree.columns[k]
                    through = max(cost[i, j] - column_price[j] + base, least)
                    if through < tree.distance[j]:
                        tree.distance[j] = through
                        tree.giver[j] = i
    for i in range(n):
        if tree.row_done[i]:
            row_price[i] += least - tree.row_distance[i]
    for k in range(n_open, m):
        j = tree.columns[k]
        column_price[j] -= least - tree.distance[j]


@compiled
def _push(start: int, end: int, left: Ints, room: Ints, sent: Ints, tree: Tree) -> bool:
    """Send as much as the path from row `start` to column `end` takes.

    Returns:
        whether every row on it still sends something back.
    """
    units = min(left[start], room[end])
    i = tree.giver[end]
    while i != start:
        units = min(units, sent[tree.source[i], i])
        i = tree.giver[tree.source[i]]
    left[start] -= units
    room[end] -= units
    stands = True
    i = tree.giver[end]
    sent[end, i] += units
    while i != start:
        j = tree.source[i]
        sent[j, i] -= units
        stands = stands and sent[j, i] > 0
        i = tree.giver[j]
        sent[j, i] += units
    return stands
