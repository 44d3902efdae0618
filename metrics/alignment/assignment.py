"""The linear assignment kernel under the exact solver's bound."""

from __future__ import annotations

import numpy as np

from metrics.compiled import compiled
from metrics.types import Bools, Floats, Ints


@compiled
def assign(
    profit: Floats, row_price: Floats, column_price: Floats, partner: Ints, owner: Ints
) -> float:
    """Maximum-profit assignment of all rows to distinct columns, with its prices.

    Jonker and Volgenant's method: rows first take their best column, two rounds of bidding
    settle most conflicts, and shortest augmenting paths place the rows that are left.

    Args:
        profit: n x m, n <= m.
        row_price, column_price: out; ``row_price[i] + column_price[j] >= profit[i, j]``, with
            equality on assigned pairs, and a price of 0 for columns left over.
        partner: out; each row's column.
        owner: out; each column's row, -1 for columns left over.

    Returns:
        The assignment's profit, which is also the sum of all prices.
    """
    n, m = profit.shape
    waiting = np.empty(n, np.int64)
    n_waiting = 0
    for j in range(m):
        column_price[j] = 0.0
        owner[j] = -1
    for i in range(n):
        best, at = profit[i, 0], 0
        for j in range(1, m):
            p = profit[i, j]
            if p > best or (p == best and owner[at] >= 0 and owner[j] < 0):
                best, at = p, j
        row_price[i] = best
        if owner[at] < 0:
            owner[at], partner[i] = i, at
        else:
            partner[i] = -1
            waiting[n_waiting] = i
            n_waiting += 1
    for _ in range(2):
        if n_waiting == 0:
            break
        turn, still = 0, 0
        bids = 0
        while turn < n_waiting and bids < 4 * n:
            bids += 1
            i = waiting[turn]
            turn += 1
            first, second, at, other = -np.inf, -np.inf, -1, -1
            for j in range(m):
                p = profit[i, j] - column_price[j]
                if p > second:
                    if p > first:
                        second, other = first, at
                        first, at = p, j
                    else:
                        second, other = p, j
            if m == 1:
                second = first
            holder = owner[at]
            if first > second:
                column_price[at] += first - second
            elif holder >= 0 and other >= 0:
                at = other
                holder = owner[at]
            row_price[i] = second
            owner[at], partner[i] = i, at
            if holder >= 0:
                partner[holder] = -1
                if first > second:
                    turn -= 1
                    waiting[turn] = holder
                else:
                    waiting[still] = holder
                    still += 1
        while turn < n_waiting:
            waiting[still] = waiting[turn]
            still += 1
            turn += 1
        n_waiting = still
    if n_waiting:
        distance = np.empty(m)
        before = np.empty(m, np.int64)
        done = np.empty(m, np.bool_)
        for w in range(n_waiting):
            _augment(
                waiting[w], profit, row_price, column_price, partner, owner, distance, before, done
            )
    total = 0.0
    for i in range(n):
        total += profit[i, partner[i]]
    return total


@compiled
def _augment(
    start: int,
    profit: Floats,
    row_price: Floats,
    column_price: Floats,
    partner: Ints,
    owner: Ints,
    distance: Floats,
    before: Ints,
    done: Bools,
) -> None:
    """Place row `start` along the shortest path to a free column and move the prices."""
    m = profit.shape[1]
    best = -np.inf
    for j in range(m):
        best = max(best, profit[start, j] - column_price[j])
    row_price[start] = best
    for j in range(m):
        distance[j] = best + column_price[j] - profit[start, j]
        before[j] = start
        done[j] = False
    while True:
        at, least = -1, np.inf
        for j in range(m):
            if not done[j] and (
                distance[j] < least or (distance[j] == least and owner[j] < 0 and owner[at] >= 0)
            ):
                at, least = j, distance[j]
        if owner[at] < 0:
            break
        done[at] = True
        i = owner[at]
        base = least + row_price[i]
        for j in range(m):
            if not done[j]:
                through = base + column_price[j] - profit[i, j]
                if through < distance[j]:
                    distance[j] = through
                    before[j] = i
    row_price[start] -= least
    for j in range(m):
        if done[j]:
            column_price[j] += least - distance[j]
            row_price[owner[j]] -= least - distance[j]
    while True:
        i = before[at]
        owner[at] = i
        partner[i], at = at, partner[i]
        if i == start:
            break
