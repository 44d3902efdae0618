"""Local search: improve a map by moving one node, or swapping two, at a time."""

from __future__ import annotations

from amr_metrics.alignment.workspace import Workspace
from amr_metrics.compiled import inner

SMALLEST_GAIN = 1e-9


@inner
def climb(space: Workspace) -> float:
    """Improve the current map until no single move or swap improves it, or no work is left.

    Each row in turn takes its best column if that increases the value: a free column (move), or
    that of another row, which gets the row's column in exchange if that pair is allowed (swap).
    `index_halves` must have been called.

    Reads ``partner`` and ``options``; writes ``partner``, ``owner``, ``mapped`` and ``support``.

    Returns:
        the map's value.
    """
    rows, columns, pairs, options = space.rows, space.columns, space.pairs, space.options
    state = space.state[0]
    n, m = state.n, state.m
    # Invariant: support[p] = u[p] + the weights of the matches at p whose other pair is mapped.
    # This is what the map loses if pair p leaves it, or gains if p is added.
    for j in range(m):
        columns[j].owner = -1
    for i in range(n):
        for t in range(i * m, i * m + rows[i].options):
            pair = i * m + options[t]
            pairs[pair].support = pairs[pair].unary
    value = 0.0
    for i in range(n):
        j = rows[i].partner
        if j >= 0:
            value += pairs[i * m + j].support
            _map_row(i, j, space)
    # Each step gains at least `SMALLEST_GAIN`, and the value is bounded: the loop ends. With no
    # gain for n rows in sequence, the map is a local optimum.
    rows_without_gain = 0
    while rows_without_gain < n and state.work > 0:
        for i in range(n):
            if state.work <= 0:
                break
            gain, j = _best_move(i, space)
            rows_without_gain += 1
            if j < 0:
                continue
            rows_without_gain = 0
            value += gain
            current, k = rows[i].partner, columns[j].owner
            if k >= 0:
                _unmap_row(k, space)
            if current >= 0:
                _unmap_row(i, space)
                if k >= 0 and pairs[k * m + current].allowed:
                    _map_row(k, current, space)
            _map_row(i, j, space)
    return value


@inner
def _best_move(i: int, space: Workspace) -> tuple[float, int]:
    """Return the gain of row i's best move or swap, and the column it takes (-1: no move gains)."""
    rows, columns, pairs, options = space.rows, space.columns, space.pairs, space.options
    state = space.state[0]
    m = state.m
    current = rows[i].partner
    current_pair = i * m + current
    loss = pairs[current_pair].support if current >= 0 else 0.0
    best_gain, best = SMALLEST_GAIN, -1
    for t in range(i * m, i * m + rows[i].options):
        if state.work <= 0:
            break
        j = options[t]
        k = columns[j].owner
        if k == i:
            continue
        # Two pairs in one row or column have no match in common, so that the supports of the pairs
        # to add do not contain matches with those to remove.
        gain = pairs[i * m + j].support - loss
        if k >= 0:
            gain -= pairs[k * m + j].support
            if current >= 0:
                # Swap (i, current) and (k, j) for (i, j) and (k, current). A match between the two
                # removed pairs is in the support of both, so it was subtracted twice; one between
                # the two added pairs is in the support of neither.
                gain += _shared_weight(current_pair, k * m + j, space)
                exchanged = k * m + current
                if pairs[exchanged].allowed:
                    gain += pairs[exchanged].support
                    gain += _shared_weight(i * m + j, exchanged, space)
        if gain > best_gain:
            best_gain, best = gain, j
    state.work -= rows[i].options
    return best_gain, best


@inner
def _shared_weight(a: int, b: int, space: Workspace) -> float:
    pairs, halves, incident = space.pairs, space.halves, space.incident
    # The halves of both pairs are in the same order, so that the sum is the same to the last bit.
    if pairs[b + 1].first - pairs[b].first < pairs[a + 1].first - pairs[a].first:
        a, b = b, a
    space.state[0].work -= pairs[a + 1].first - pairs[a].first
    total = 0.0
    for t in range(pairs[a].first, pairs[a + 1].first):
        if halves[incident[t] ^ 1].pair == b:
            total += space.weight[incident[t] >> 1]
    return total


@inner
def _map_row(i: int, j: int, space: Workspace) -> None:
    space.rows[i].partner, space.columns[j].owner = j, i
    _set_mapped(i * space.state[0].m + j, True, space)


@inner
def _unmap_row(i: int, space: Workspace) -> None:
    j = space.rows[i].partner
    space.rows[i].partner = space.columns[j].owner = -1
    _set_mapped(i * space.state[0].m + j, False, space)


@inner
def _set_mapped(pair: int, mapped: bool, space: Workspace) -> None:
    """Add a node pair to the map, or remove it, and update the support of the others."""
    pairs, halves, incident = space.pairs, space.halves, space.incident
    pairs[pair].mapped = mapped
    sign = 1.0 if mapped else -1.0
    space.state[0].work -= pairs[pair + 1].first - pairs[pair].first
    for t in range(pairs[pair].first, pairs[pair + 1].first):
        pairs[halves[incident[t] ^ 1].pair].support += sign * space.weight[incident[t] >> 1]
