"""The linear assignment problem, which gives the bound of the exact solver."""

from __future__ import annotations

import numpy as np

from amr_metrics.alignment.workspace import Workspace
from amr_metrics.compiled import inner


@inner
def assign(space: Workspace) -> float:
    """Assign each row to at most one column with maximum profit, and compute dual prices.

    The Hungarian method in the form of Jonker and Volgenant (1987): every row first takes its best
    column if that is free, then shortest augmenting paths assign the other rows one by one. Prices
    are never negative, and ``rows[i].price + columns[j].price >= pairs[i * m + j].profit`` holds
    for all allowed pairs at all times. The sum of the prices is therefore an upper bound of every
    assignment, and equals the profit of this one once all rows are assigned. If the work limit is
    reached first, some rows have no partner.

    Reads ``profit``, ``options`` and ``fixed``; writes ``price``, ``partner``, ``owner`` and
    ``mapped``.

    Returns:
        the sum of all prices.
    """
    rows, columns, pairs, options = space.rows, space.columns, space.pairs, space.options
    state = space.state[0]
    n, m = state.n, state.m
    # The primal problem and its dual, with x[p] = 1 if pair p is assigned:
    #     max sum_p profit[p] x[p], each row and column at most once
    #   = min sum_i rows[i].price + sum_j columns[j].price,
    #     with rows[i].price + columns[j].price >= profit[i, j], and prices >= 0.
    # Three invariants make both sides equal in the end: prices are feasible; an assigned pair has
    # the reduced cost 0; a column has a positive price only if it has an owner. A row with a
    # positive price and no partner breaks the fourth condition, until it is augmented.
    for j in range(m):
        columns[j].price = 0.0
        columns[j].owner = -1
    for i in range(n):
        if rows[i].partner >= 0:
            pairs[i * m + rows[i].partner].mapped = False
        best_profit, best = 0.0, -1
        for t in range(i * m, i * m + rows[i].options):
            j = options[t]
            profit = pairs[i * m + j].profit
            # Of columns with equal profits, a free one saves the row an augmenting path.
            if profit > best_profit or (
                profit == best_profit
                and best >= 0
                and columns[best].owner >= 0
                and columns[j].owner < 0
            ):
                best_profit, best = profit, j
        state.work -= rows[i].options
        rows[i].price = best_profit
        rows[i].partner = -1
        if best >= 0 and columns[best].owner < 0:
            rows[i].partner = best
            columns[best].owner = i
    for i in range(n):
        if rows[i].partner < 0 and rows[i].price > 0.0 and state.work > 0:
            _augment(i, space)
    total = 0.0
    # A fixed pair without profit may be left out above. The map of the sub-problem has it.
    for i in range(n):
        total += rows[i].price
        if rows[i].partner < 0 and rows[i].fixed >= 0:
            rows[i].partner = rows[i].fixed
        if rows[i].partner >= 0:
            pairs[i * m + rows[i].partner].mapped = True
    for j in range(m):
        total += columns[j].price
    return total


@inner
def _augment(start: int, space: Workspace) -> None:
    """Assign row `start` along the path of least reduced cost, and update the prices.

    The path ends at a free column, or at a row that gives up its column and stays unassigned.
    """
    rows, columns, pairs, options = space.rows, space.columns, space.pairs, space.options
    queue, state = space.queue, space.state[0]
    m = state.m
    # Dijkstra's algorithm from `start` over the alternating paths row - column - its owner - column
    # and so on. A step from row to column costs its reduced cost, from a column to its owner 0, and
    # to end at a row, which stays without partner, costs the row's price.
    price = 0.0
    for t in range(start * m, start * m + rows[start].options):
        j = options[t]
        price = max(price, pairs[start * m + j].profit - columns[j].price)
    rows[start].price = price
    i, least = start, 0.0
    # The cheapest path so far that ends at a row, and its length.
    last_row, row_distance = start, price
    # queue[:settled] are the columns with final distances, queue[settled:reached] the others.
    settled, reached = 0, 0
    while True:
        base = least + rows[i].price
        for t in range(i * m, i * m + rows[i].options):
            j = options[t]
            # A reduced cost is negative only by rounding.
            distance = max(least, base + columns[j].price - pairs[i * m + j].profit)
            if distance < columns[j].distance:
                if columns[j].distance == np.inf:
                    queue[reached] = j
                    reached += 1
                columns[j].distance = distance
                columns[j].before = i
        state.work -= rows[i].options + reached - settled
        nearest, position, least = -1, -1, np.inf
        for t in range(settled, reached):
            j = queue[t]
            distance = columns[j].distance
            if distance < least or (distance == least and columns[j].owner < 0):
                nearest, position, least = j, t, distance
        if least > row_distance:
            nearest, least = -1, row_distance
            break
        i = columns[nearest].owner
        if i < 0:
            break
        queue[position], queue[settled] = queue[settled], nearest
        settled += 1
        if least + rows[i].price < row_distance:
            last_row, row_distance = i, least + rows[i].price
    # The dual step of the shortest path: the price of a settled column rises by what its distance
    # falls short of the path's length, and that of its row falls by as much. All reduced costs stay
    # at least 0, and those along the path become 0.
    rows[start].price = max(0.0, price - least)
    for t in range(settled):
        j = queue[t]
        change = least - columns[j].distance
        columns[j].price += change
        i = columns[j].owner
        rows[i].price = max(0.0, rows[i].price - change)
    for t in range(reached):
        columns[queue[t]].distance = np.inf
    column = nearest
    if nearest < 0:  # the path ends at `last_row`, whose column becomes free
        if last_row == start:
            return
        column = rows[last_row].partner
        rows[last_row].partner = -1
    i = -1
    while i != start:  # back along the path, each row takes the column after it
        i = columns[column].before
        columns[column].owner = i
        column, rows[i].partner = rows[i].partner, column
