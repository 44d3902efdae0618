"""The linear assignment kernel under the exact solver's bound."""

from __future__ import annotations

import numpy as np

from metrics.alignment.workspace import Record, Table
from metrics.compiled import inner
from metrics.types import Ints


@inner
def assign(
    n: int,
    m: int,
    rows: Table,
    columns: Table,
    pairs: Table,
    options: Ints,
    queue: Ints,
    state: Record,
) -> float:
    """Maximum-profit assignment of rows to distinct columns, each to one at most, with its prices.

    The Hungarian method as Jonker and Volgenant arrange it: every row first takes its best column
    if that is free, then shortest augmenting paths place the others one by one. Prices are never
    negative, and ``rows[i].price + columns[j].price >= pairs[i * m + j].profit`` for all options at
    all times; their sum therefore bounds every assignment, and once all rows are placed it is the
    profit of this one. If the work runs out before, some rows stay without a partner.

    Reads ``profit``, ``options`` and ``taken``; writes ``price``, ``partner``, ``owner`` and
    ``chosen``.

    Returns:
        the sum of all prices.
    """
    for j in range(m):
        columns[j].price = 0.0
        columns[j].owner = -1
    for i in range(n):
        if rows[i].partner >= 0:
            pairs[i * m + rows[i].partner].chosen = False
        best, at = 0.0, -1
        for t in range(i * m, i * m + rows[i].options):
            j = options[t]
            profit = pairs[i * m + j].profit
            if profit > best or (
                profit == best and at >= 0 and columns[at].owner >= 0 and columns[j].owner < 0
            ):
                best, at = profit, j
        state.work -= rows[i].options
        rows[i].price = best
        rows[i].partner = -1
        if at >= 0 and columns[at].owner < 0:
            rows[i].partner = at
            columns[at].owner = i
    for i in range(n):
        if rows[i].partner < 0 and rows[i].price > 0.0 and state.work > 0:
            _place(i, m, rows, columns, pairs, options, queue, state)
    total = 0.0
    for i in range(n):
        total += rows[i].price
        if rows[i].partner < 0 and rows[i].taken >= 0:
            rows[i].partner = rows[i].taken
        if rows[i].partner >= 0:
            pairs[i * m + rows[i].partner].chosen = True
    for j in range(m):
        total += columns[j].price
    return total


@inner
def _place(
    start: int,
    m: int,
    rows: Table,
    columns: Table,
    pairs: Table,
    options: Ints,
    queue: Ints,
    state: Record,
) -> None:
    """Place row `start` along the shortest path, by reduced cost, and move the prices.

    The path ends at a free column, or at a row that gives its column up and stays alone.
    """
    price = 0.0
    for t in range(start * m, start * m + rows[start].options):
        j = options[t]
        price = max(price, pairs[start * m + j].profit - columns[j].price)
    rows[start].price = price
    i, least = start, 0.0
    loser, end = start, price
    settled, reached = 0, 0
    while True:
        base = least + rows[i].price
        for t in range(i * m, i * m + rows[i].options):
            j = options[t]
            # A reduced cost is never negative but for rounding.
            distance = max(least, base + columns[j].price - pairs[i * m + j].profit)
            if distance < columns[j].distance:
                if columns[j].distance == np.inf:
                    queue[reached] = j
                    reached += 1
                columns[j].distance = distance
                columns[j].before = i
        state.work -= rows[i].options + reached - settled
        at, where, least = -1, -1, np.inf
        for t in range(settled, reached):
            j = queue[t]
            distance = columns[j].distance
            if distance < least or (distance == least and columns[j].owner < 0):
                at, where, least = j, t, distance
        if least > end:
            at, least = -1, end
            break
        i = columns[at].owner
        if i < 0:
            break
        queue[where], queue[settled] = queue[settled], at
        settled += 1
        if least + rows[i].price < end:
            loser, end = i, least + rows[i].price
    rows[start].price = max(0.0, price - least)
    for t in range(settled):
        j = queue[t]
        shift = least - columns[j].distance
        columns[j].price += shift
        i = columns[j].owner
        rows[i].price = max(0.0, rows[i].price - shift)
    for t in range(reached):
        columns[queue[t]].distance = np.inf
    if at < 0:
        if loser == start:
            return
        at = rows[loser].partner
        rows[loser].partner = -1
    i = -1
    while i != start:
        i = columns[at].before
        columns[at].owner = i
        at, rows[i].partner = rows[i].partner, at
