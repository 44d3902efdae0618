"""The tables the compiled solvers work on, and how a problem gets into them.

Rows are the nodes of the graph with fewer of them, columns those of the other, and the node pair
(i, j) of an n x m problem has the number ``i * m + j``. A match of two edges is worth its weight
if both node pairs it touches are chosen. It has two halves: ``2 * q`` at the pair of the edges'
sources and ``2 * q + 1`` at the pair of their targets, so that ``h ^ 1`` is the other half of h.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from metrics.alignment.problem import ProblemBatch
from metrics.compiled import inlined, inner
from metrics.types import Floats, Ints

Table = np.recarray[Any, Any]
Record = Any  # one row of a table

ROW = [
    ("price", np.float64),
    ("partner", np.int64),  # the column it is mapped to, or -1
    ("best", np.int64),  # the same in the best map so far
    ("taken", np.int64),  # the column it must take in this sub-problem, or -1
    ("options", np.int64),  # how many columns it may take
    ("disagreements", np.int64),
]
COLUMN = [
    ("price", np.float64),
    ("distance", np.float64),  # of the shortest path to it, infinite outside a search
    ("owner", np.int64),  # the row mapped to it, or -1
    ("before", np.int64),  # the row before it on that path
]
PAIR = [
    ("unary", np.float64),
    ("profit", np.float64),  # its weight in the assignment problem
    ("slack", np.float64),  # what choosing it costs against the bound
    ("support", np.float64),  # what it adds, or would add, to the present map
    ("group", np.int64),  # the last group opened at it
    ("first", np.int64),  # where its halves start in `incident`
    ("alive", np.bool_),  # a better map may use it
    ("chosen", np.bool_),  # in the present map
]
HALF = [
    ("share", np.float64),  # of the match's weight; those of both halves add up to it
    ("pair", np.int64),
    ("group", np.int64),
]
GROUP = [
    ("top", np.float64),  # the largest share in it
    ("choice", np.int64),  # the half of that share, or -1
    ("edge", np.int64),
]
STEP = [
    ("pair", np.int64),  # taken in this step of a search
    ("dead", np.int64),  # numbers of dead pairs and live matches before it
    ("live", np.int64),
]
STATE = [
    ("n", np.int64),
    ("m", np.int64),
    ("swapped", np.bool_),  # rows are the nodes of tgt
    ("whole", np.bool_),  # all weights are whole numbers
    ("best", np.float64),  # value of the best map so far
    ("margin", np.float64),  # a map is better if worth at least this much more
    ("matches", np.int64),
    ("live", np.int64),  # how many matches a better map may use
    ("dead", np.int64),  # how many node pairs no better map uses
    ("work", np.int64),  # elementary steps left
    ("indexed", np.bool_),  # `incident` is filled
]


class BatchArrays(NamedTuple):
    """The arrays of a `ProblemBatch`, each of the one type that kernels are compiled for."""

    sizes: Ints
    unary: Floats
    unary_start: Ints
    src_edges: Ints
    src_start: Ints
    tgt_edges: Ints
    tgt_start: Ints
    matches: Ints
    weights: Floats
    match_start: Ints

    @classmethod
    def of(cls, batch: ProblemBatch) -> BatchArrays:
        """The arrays of a batch, copied only where they must be."""
        types: dict[str, Any] = {"unary": np.float64, "weights": np.float64}
        types |= dict.fromkeys(("src_edges", "tgt_edges", "matches"), np.int32)
        return cls(
            *(
                np.require(getattr(batch, name), types.get(name, np.int64), ["C", "W"])
                for name in cls._fields
            )
        )


class Workspace(NamedTuple):
    """Room for any problem of a batch.

    Attributes:
        rows, columns, pairs, halves, groups: tables of the fields above; one more pair than
            needed, so that each pair's halves end where the next one's start.
        path: the steps of a search, one a row at most.
        state: a table of one record.
        options: row i may take the columns ``options[i * m : i * m + rows[i].options]``.
        trail: the dead pairs in the order in which they died.
        live: all matches, the live ones in front.
        weight: of each match.
        incident: the halves at each pair, pair after pair.
        queue: scratch, one entry a column.
    """

    rows: Table
    columns: Table
    pairs: Table
    halves: Table
    groups: Table
    path: Table
    state: Table
    options: Ints
    trail: Ints
    live: Ints
    weight: Floats
    incident: Ints
    queue: Ints

    @classmethod
    def allocate(cls, batch: ProblemBatch) -> Workspace:
        """A workspace for the problems of a batch."""
        n, m = np.sort(batch.sizes, axis=1).max(0, initial=0)
        pairs = batch.sizes.prod(1).max(initial=0)
        matches = np.diff(batch.match_start).max(initial=0)
        columns = _table(m, COLUMN)
        columns.distance = np.inf
        return cls(
            rows=_table(n, ROW),
            columns=columns,
            pairs=_table(pairs + 1, PAIR),
            halves=_table(2 * matches, HALF),
            groups=_table(2 * matches, GROUP),
            path=_table(n, STEP),
            state=_table(1, STATE),
            options=np.empty(pairs, np.int64),
            trail=np.empty(pairs, np.int64),
            live=np.empty(matches, np.int64),
            weight=np.empty(matches),
            incident=np.empty(2 * matches, np.int64),
            queue=np.empty(m, np.int64),
        )


def _table(length: int, fields: list[Any]) -> Table:
    return np.empty(length, np.dtype(fields, align=True)).view(np.recarray)


@inner
def load(p: int, batch: BatchArrays, space: Workspace) -> None:
    """Lay out problem p of a batch. A pair with neither weight nor matches is left out."""
    rows, state = space.rows, space.state[0]
    n, m = batch.sizes[p, 0], batch.sizes[p, 1]
    state.swapped = n > m
    if state.swapped:
        n, m = m, n
    state.n, state.m = n, m
    state.best, state.dead, state.indexed = -1.0, 0, False
    whole_unary = _load_unary(batch.unary_start[p], batch.unary, n, m, space.pairs, state)
    whole_weights = _load_matches(p, m, batch, space)
    state.whole = whole_unary and whole_weights
    for i in range(n):
        options = 0
        for j in range(m):
            if space.pairs[i * m + j].alive:
                space.options[i * m + options] = j
                options += 1
        rows[i].options = options
        rows[i].partner = rows[i].best = rows[i].taken = -1


@inlined
def _load_unary(first: int, unary: Floats, n: int, m: int, pairs: Table, state: Record) -> bool:
    """Fill in the pairs; returns whether their weights are whole numbers."""
    whole, swapped = True, state.swapped
    for at in range(n * m):
        weight = unary[first + (at % m * n + at // m if swapped else at)]
        whole = whole and weight == np.floor(weight)
        pairs[at].unary = weight
        pairs[at].alive = weight > 0.0
        pairs[at].chosen = False
        pairs[at].group = -1
    return whole


@inlined
def _load_matches(p: int, m: int, batch: BatchArrays, space: Workspace) -> bool:
    """Fill in the matches; returns whether their weights are whole numbers.

    The matches of one edge of the src graph at one pair form a group: a map uses at most one of
    them. To that end matches of one edge that touch the same two pairs (those of parallel edges)
    become one. A match of two self-loops touches one pair only and adds to its unary weight; a
    self-loop and an edge between two nodes cannot both be mapped.
    """
    pairs, halves, groups, state = space.pairs, space.halves, space.groups, space.state[0]
    whole, swapped = True, state.swapped
    matches, n_groups, edge, first = 0, 0, -1, 0
    for q in range(batch.match_start[p], batch.match_start[p + 1]):
        weight = batch.weights[q]
        if weight == 0.0:
            continue
        whole = whole and weight == np.floor(weight)
        a = batch.src_start[p] + batch.matches[q, 0]
        b = batch.tgt_start[p] + batch.matches[q, 1]
        i, k = batch.src_edges[a, 0], batch.src_edges[a, 1]
        j, l = batch.tgt_edges[b, 0], batch.tgt_edges[b, 1]
        source, target = i * m + j, k * m + l
        if swapped:
            source, target = j * m + i, l * m + k
        if i == k or j == l:
            if source == target:
                pairs[source].unary += weight
                pairs[source].alive = True
            continue
        if a != edge:
            edge, first = a, matches
        opened = n_groups
        for side in range(2):
            h, at = 2 * matches + side, target if side else source
            group = pairs[at].group
            if group < 0 or groups[group].edge != a:
                group = pairs[at].group = n_groups
                groups[group].edge = a
                pairs[at].alive = True
                n_groups += 1
            halves[h].pair = at
            halves[h].group = group
            halves[h].share = 0.5 * weight
        space.weight[matches] = weight
        space.live[matches] = matches
        if opened < n_groups or not _merge(first, matches, halves, space.weight):
            matches += 1
    state.matches = state.live = matches
    return whole


@inner
def _merge(first: int, last: int, halves: Table, weight: Floats) -> bool:
    """Add match `last` to one at the same pairs, from `first` on; returns whether there is one."""
    for q in range(first, last):
        if (
            halves[2 * q].pair == halves[2 * last].pair
            and halves[2 * q + 1].pair == halves[2 * last + 1].pair
        ):
            weight[q] += weight[last]
            halves[2 * q].share += halves[2 * last].share
            halves[2 * q + 1].share += halves[2 * last + 1].share
            return True
    return False


@inner
def unload(first: int, mapping: Ints, space: Workspace) -> float:
    """Write the best map into ``mapping[first:]``, without pairs that add nothing to it.

    Returns:
        its value.
    """
    rows, pairs, halves, state = space.rows, space.pairs, space.halves, space.state[0]
    for i in range(state.n):
        if rows[i].partner >= 0:
            pairs[i * state.m + rows[i].partner].chosen = False
    for i in range(state.n):
        if rows[i].best >= 0:
            pairs[i * state.m + rows[i].best].chosen = True
    value = 0.0
    for q in range(state.matches):
        a, b = halves[2 * q].pair, halves[2 * q + 1].pair
        if pairs[a].chosen and pairs[b].chosen:
            value += space.weight[q]
            _write(a, first, mapping, state)
            _write(b, first, mapping, state)
    for i in range(state.n):
        at = i * state.m + rows[i].best
        if rows[i].best >= 0 and pairs[at].unary > 0.0:
            value += pairs[at].unary
            _write(at, first, mapping, state)
    return value


@inner
def _write(at: int, first: int, mapping: Ints, state: Record) -> None:
    """Map the nodes of a pair onto each other in ``mapping[first:]``."""
    i, j = at // state.m, at % state.m
    if state.swapped:
        mapping[first + j] = i
    else:
        mapping[first + i] = j


@inner
def index_halves(n_pairs: int, pairs: Table, halves: Table, incident: Ints, state: Record) -> None:
    """Fill `incident`, unless it is."""
    if state.indexed:
        return
    state.indexed = True
    for at in range(n_pairs):
        pairs[at].first = 0
    for h in range(2 * state.matches):
        pairs[halves[h].pair].first += 1
    last = 0
    for at in range(n_pairs + 1):
        last += pairs[at].first if at < n_pairs else 0
        pairs[at].first = last
    for h in range(2 * state.matches):
        at = halves[h].pair
        pairs[at].first -= 1
        incident[pairs[at].first] = h
