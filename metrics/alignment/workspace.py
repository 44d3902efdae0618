"""The tables the compiled solvers work on, and how a problem gets into them.

Nodes of the first graph are rows, nodes of the second are columns, and the node pair (i, j) of an
n x m problem has the number ``i * m + j``. A match of two edges is worth its weight if both node
pairs it touches are chosen. It has two halves: ``2 * q`` at the pair of the edges' sources and
``2 * q + 1`` at the pair of their targets, so that ``h ^ 1`` is the other half of h.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from metrics.alignment.problem import ProblemBatch
from metrics.compiled import inner
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
    ("best", np.float64),  # value of the best map so far
    ("margin", np.float64),  # a map is better if worth at least this much more
    ("matches", np.int64),
    ("live", np.int64),  # how many matches a better map may use
    ("dead", np.int64),  # how many node pairs no better map uses
    ("work", np.int64),  # elementary steps left
    ("indexed", np.bool_),  # `incident` is filled
]


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
        n, m = batch.sizes.max(0, initial=0)
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


def _table(length: int, fields: list[tuple[str, type]]) -> Table:
    return np.empty(length, np.dtype(fields, align=True)).view(np.recarray)


@inner
def load(
    n: int,
    m: int,
    unary: Floats,
    src_edges: Ints,
    tgt_edges: Ints,
    matches: Ints,
    weights: Floats,
    space: Workspace,
) -> bool:
    """Lay out a problem. A pair with neither weight nor matches is dead from the start.

    The matches of one edge of the first graph at one pair form a group: a map uses at most one of
    them. A match of two self-loops touches one pair only and adds to its unary weight; a
    self-loop and an edge between two nodes cannot both be mapped.

    Returns:
        whether all weights are whole numbers.
    """
    rows, pairs, halves, groups = space.rows, space.pairs, space.halves, space.groups
    whole = True
    for at in range(n * m):
        pairs[at].unary = unary[at]
        pairs[at].alive = unary[at] > 0.0
        pairs[at].chosen = False
        pairs[at].group = -1
        whole = whole and unary[at] == np.floor(unary[at])
    n_matches, n_groups = 0, 0
    for q in range(weights.size):
        a, b, weight = matches[q, 0], matches[q, 1], weights[q]
        whole = whole and weight == np.floor(weight)
        source = src_edges[a, 0] * m + tgt_edges[b, 0]
        target = src_edges[a, 1] * m + tgt_edges[b, 1]
        if src_edges[a, 0] == src_edges[a, 1] or tgt_edges[b, 0] == tgt_edges[b, 1]:
            if source == target:
                pairs[source].unary += weight
                pairs[source].alive = True
            continue
        for side in range(2):
            h, at = 2 * n_matches + side, target if side else source
            group = pairs[at].group
            if group < 0 or groups[group].edge != a:
                group = pairs[at].group = n_groups
                groups[group].edge = a
                pairs[at].alive = True
                n_groups += 1
            halves[h].pair = at
            halves[h].group = group
            halves[h].share = 0.5 * weight
        space.weight[n_matches] = weight
        space.live[n_matches] = n_matches
        n_matches += 1
    for i in range(n):
        options = 0
        for j in range(m):
            if pairs[i * m + j].alive:
                space.options[i * m + options] = j
                options += 1
        rows[i].options = options
        rows[i].partner = rows[i].best = rows[i].taken = -1
    state = space.state[0]
    state.best, state.dead, state.indexed = -1.0, 0, False
    state.matches = state.live = n_matches
    return whole


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
