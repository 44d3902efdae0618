"""Local search: better one map by moving one node, or swapping two, at a time."""

from __future__ import annotations

from metrics.alignment.workspace import Record, Table
from metrics.compiled import inner
from metrics.types import Floats, Ints

SMALLEST_GAIN = 1e-9


@inner
def climb(
    n: int,
    m: int,
    rows: Table,
    columns: Table,
    pairs: Table,
    halves: Table,
    options: Ints,
    incident: Ints,
    weight: Floats,
    state: Record,
) -> float:
    """Turn the present map into one that no single move or swap betters.

    Each row in turn takes its best column if that gains: a free one (move), or another row's,
    which gets the row's own column in exchange if it may take it (swap). Needs `index_halves`.

    Reads ``partner`` and ``options``; writes ``partner``, ``owner``, ``chosen`` and ``support``.

    Returns:
        the map's value.
    """
    for j in range(m):
        columns[j].owner = -1
    for i in range(n):
        for t in range(i * m, i * m + rows[i].options):
            at = i * m + options[t]
            pairs[at].support = pairs[at].unary
    value = 0.0
    for i in range(n):
        j = rows[i].partner
        if j >= 0:
            value += pairs[i * m + j].support
            _join(i, j, m, rows, columns, pairs, halves, incident, weight)
    quiet = 0
    while quiet < n and state.work > 0:
        for i in range(n):
            gain, j = _best_move(
                i, m, rows, columns, pairs, halves, options, incident, weight, state
            )
            quiet += 1
            if j < 0:
                continue
            quiet = 0
            value += gain
            own, k = rows[i].partner, columns[j].owner
            if k >= 0:
                _part(k, m, rows, columns, pairs, halves, incident, weight)
            if own >= 0:
                _part(i, m, rows, columns, pairs, halves, incident, weight)
                if k >= 0 and pairs[k * m + own].alive:
                    _join(k, own, m, rows, columns, pairs, halves, incident, weight)
            _join(i, j, m, rows, columns, pairs, halves, incident, weight)
    return value


@inner
def _best_move(
    i: int,
    m: int,
    rows: Table,
    columns: Table,
    pairs: Table,
    halves: Table,
    options: Ints,
    incident: Ints,
    weight: Floats,
    state: Record,
) -> tuple[float, int]:
    """What row i gains by its best move or swap, and the column it goes to (-1: stay)."""
    own = rows[i].partner
    at_own = i * m + own
    loss = pairs[at_own].support if own >= 0 else 0.0
    most, to = SMALLEST_GAIN, -1
    for t in range(i * m, i * m + rows[i].options):
        j = options[t]
        k = columns[j].owner
        if k == i:
            continue
        gain = pairs[i * m + j].support - loss
        if k >= 0:
            gain -= pairs[k * m + j].support
            if own >= 0:
                # Of two pairs that leave (or come) together, both count their joint matches.
                gain += _joint(at_own, k * m + j, pairs, halves, incident, weight)
                at = k * m + own
                if pairs[at].alive:
                    gain += pairs[at].support
                    gain += _joint(i * m + j, at, pairs, halves, incident, weight)
        if gain > most:
            most, to = gain, j
    state.work -= rows[i].options
    return most, to


@inner
def _joint(a: int, b: int, pairs: Table, halves: Table, incident: Ints, weight: Floats) -> float:
    """The weight of the matches that touch both node pairs."""
    total = 0.0
    for t in range(pairs[a].first, pairs[a + 1].first):
        if halves[incident[t] ^ 1].pair == b:
            total += weight[incident[t] >> 1]
    return total


@inner
def _join(
    i: int,
    j: int,
    m: int,
    rows: Table,
    columns: Table,
    pairs: Table,
    halves: Table,
    incident: Ints,
    weight: Floats,
) -> None:
    """Map row i to column j."""
    rows[i].partner, columns[j].owner = j, i
    pairs[i * m + j].chosen = True
    _support_others(i * m + j, 1.0, pairs, halves, incident, weight)


@inner
def _part(
    i: int,
    m: int,
    rows: Table,
    columns: Table,
    pairs: Table,
    halves: Table,
    incident: Ints,
    weight: Floats,
) -> None:
    """Take row i from its column."""
    j = rows[i].partner
    rows[i].partner = columns[j].owner = -1
    pairs[i * m + j].chosen = False
    _support_others(i * m + j, -1.0, pairs, halves, incident, weight)


@inner
def _support_others(
    at: int, sign: float, pairs: Table, halves: Table, incident: Ints, weight: Floats
) -> None:
    """Add the weight of each match at a pair to (or take it from) its other pair's support."""
    for t in range(pairs[at].first, pairs[at + 1].first):
        pairs[halves[incident[t] ^ 1].pair].support += sign * weight[incident[t] >> 1]
