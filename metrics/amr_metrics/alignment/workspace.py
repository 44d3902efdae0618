"""The tables that the compiled solvers work on; loading a problem and reading its best map.

Rows are the nodes of the graph with fewer of them, columns those of the other, and the node pair
(i, j) of an n x m problem has the number ``i * m + j``. A match of two edges adds its weight if
both node pairs it touches are mapped. Match q has two halves: ``2 * q`` at the pair of the edges'
sources and ``2 * q + 1`` at the pair of their targets, so that ``h ^ 1`` is the other half of h.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.compiled import inlined, inner
from amr_metrics.graphs.rows import starts
from amr_metrics.types import Floats, Ints

# An example: src has the edge 0 -> 1, tgt the edges 0 -> 1 and 0 -> 2, all with the same role. With
# n = 2 and m = 3, the pairs are numbered 3 i + j. Match 0 is (0 -> 1, 0 -> 1), match 1 is (0 -> 1,
# 0 -> 2), each with weight 1:
#
#     half       0      1      2      3        0 and 1 belong to match 0, 2 and 3 to match 1
#     pair       0      4      0      5        (0, 0)  (1, 1)  (0, 0)  (1, 2)
#     group      0      1      0      2        pair 0 has one group: only one half of it can count
#     share      1/2    1/2    1/2    1/2      1/2 + 1/2 = the weight of the match
#
#     incident   2  0 | | | |  1 | 3           the halves of pair 0, of pairs 1 to 3, of 4, of 5
#     first      0      2 2 2  2   3   4       of pairs 0 to 6: where each pair's part starts
#
# Options are the columns that a row may still be mapped to. All pairs of another 2 x 3 problem are
# allowed at first; then the pair (0, 0) is dropped:
#
#     options    0 1 2 | 0 1 2       rows.options  3, 3      trail
#     options    2 1 0 | 0 1 2       rows.options  2, 3      trail  0
#
# A dropped column changes places with the last option, so that the options stay the first ones.

StructArray = np.recarray[Any, Any]
StructRow = Any  # one row of a table

ROW = [
    ("price", np.float64),
    ("partner", np.int64),  # the column it is mapped to, or -1
    ("best", np.int64),  # its partner in the best map so far
    ("fixed", np.int64),  # the column it must be mapped to in this sub-problem, or -1
    ("options", np.int64),  # number of columns it may be mapped to
    ("disagreements", np.int64),  # number of disagreeing matches at it
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
    ("slack", np.float64),  # its reduced cost: how far the bound falls if it is mapped
    ("support", np.float64),  # what it adds, or would add, to the current map
    ("group", np.int64),  # the last group created at it
    ("first", np.int64),  # where its halves start in `incident`
    ("allowed", np.bool_),  # whether a better map may use it
    ("mapped", np.bool_),  # whether it is in the current map
]
HALF = [
    ("share", np.float64),  # of the match's weight, which is the sum of both halves' shares
    ("pair", np.int64),
    ("group", np.int64),
]
GROUP = [
    ("top", np.float64),  # the largest share in it
    ("choice", np.int64),  # the half with that share, or -1
    ("edge", np.int64),
]
STEP = [
    ("pair", np.int64),  # fixed in this step of a search
    ("dropped", np.int64),  # numbers of dropped pairs and of active matches before it
    ("active", np.int64),
]
STATE = [
    ("n", np.int64),
    ("m", np.int64),
    ("swapped", np.bool_),  # rows are the nodes of tgt
    ("integral", np.bool_),  # all weights are integers
    ("best", np.float64),  # value of the best map so far
    ("margin", np.float64),  # a map is better if worth at least this much more
    ("matches", np.int64),
    ("active", np.int64),  # number of matches that a better map may use
    ("dropped", np.int64),  # number of node pairs dropped, because no better map uses them
    ("work", np.int64),  # elementary steps left
    ("indexed", np.bool_),  # `index_halves` has filled `incident`
]


class ProblemBatch(NamedTuple):
    """Many problems in flat arrays; problem p has the slices ``start[p]:start[p + 1]``.

    Kernels take a batch as one argument, so that each array has its type, and is in C order.

    Attributes:
        sizes: int64 p x 2, numbers of nodes (n, m).
        unary, unary_start: the n x m weights, row by row; float64 and int64.
        src_edges, src_start, tgt_edges, tgt_start: edge ends; int32 and int64.
        matches, weights, match_start: matching edges and their weights; int32, float64, int64.
    """

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

    def problem(self, p: int) -> AlignmentProblem:
        """Return problem p."""

        def part(start: Ints) -> slice:
            return slice(start[p], start[p + 1])

        return AlignmentProblem(
            self.unary[part(self.unary_start)].reshape(self.sizes[p]),
            self.src_edges[part(self.src_start)],
            self.tgt_edges[part(self.tgt_start)],
            self.matches[part(self.match_start)],
            self.weights[part(self.match_start)],
        )

    @classmethod
    def pack(cls, problems: Sequence[AlignmentProblem]) -> ProblemBatch:
        """Concatenate problems in flat arrays."""

        def rows(parts: Sequence[Ints]) -> Ints:
            return np.concatenate([np.empty((0, 2), np.int32), *parts]).astype(np.int32)

        return cls(
            np.array([p.unary.shape for p in problems], np.int64).reshape(-1, 2),
            np.concatenate([np.empty(0), *[p.unary.ravel() for p in problems]]),
            starts([p.unary.size for p in problems]),
            rows([p.src_edges for p in problems]),
            starts([len(p.src_edges) for p in problems]),
            rows([p.tgt_edges for p in problems]),
            starts([len(p.tgt_edges) for p in problems]),
            rows([p.matches for p in problems]),
            np.concatenate([np.empty(0), *[p.weights for p in problems]]),
            starts([len(p.matches) for p in problems]),
        )


class Workspace(NamedTuple):
    """Arrays large enough for any problem of a batch; each kernel takes them all as one argument.

    Attributes:
        rows, columns, pairs, halves, groups: tables with the fields above; one more pair than
            needed, so that each pair's halves end where the next one's start.
        path: the steps of a search, at most one per row.
        state: a table of one record.
        options: row i may be mapped to the columns
            ``options[i * m : i * m + rows[i].options]``; its dropped columns come after them.
        trail: the dropped pairs, in the order in which they were dropped.
        active: all matches, the active ones first.
        weight: the weight of each match.
        incident: the halves at each pair, pair after pair.
        queue: columns that `assign` has reached; one entry per column.
        twins: for each edge of the tgt graph, the first one with the same ends.
        latest: for each of these first ones, the last match with it or one of its twins.
        slots: a hash table of edges of the tgt graph, see `_find_twins`; of 2^k entries.
    """

    rows: StructArray
    columns: StructArray
    pairs: StructArray
    halves: StructArray
    groups: StructArray
    path: StructArray
    state: StructArray
    options: Ints
    trail: Ints
    active: Ints
    weight: Floats
    incident: Ints
    queue: Ints
    twins: Ints
    latest: Ints
    slots: Ints

    @classmethod
    def allocate(cls, batch: ProblemBatch) -> Workspace:
        """Return a workspace for the problems of a batch."""
        n, m = np.sort(batch.sizes, axis=1).max(0, initial=0)
        pairs = batch.sizes.prod(1).max(initial=0)
        matches = np.diff(batch.match_start).max(initial=0)
        edges = np.diff(batch.tgt_start).max(initial=0)
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
            active=np.empty(matches, np.int64),
            weight=np.empty(matches),
            incident=np.empty(2 * matches, np.int64),
            queue=np.empty(m, np.int64),
            twins=np.empty(edges, np.int64),
            latest=np.empty(edges, np.int64),
            slots=np.empty(2 << int(edges).bit_length(), np.int64),
        )

    @staticmethod
    def memory(pairs: Ints, matches: Ints) -> Ints:
        """Return the bytes for problems with these numbers of node pairs and matches."""
        record = np.dtype(PAIR, align=True).itemsize + 2 * 8
        half = np.dtype(HALF, align=True).itemsize + np.dtype(GROUP, align=True).itemsize + 8
        return pairs * record + matches * (2 * half + 2 * 8)


def _table(length: int, fields: list[Any]) -> StructArray:
    return np.empty(length, np.dtype(fields, align=True)).view(np.recarray)


@inner
def load(p: int, batch: ProblemBatch, space: Workspace) -> None:
    """Load problem p of a batch. Only pairs with a weight or a match are allowed."""
    rows, state = space.rows, space.state[0]
    n, m = batch.sizes[p, 0], batch.sizes[p, 1]
    # The smaller side gives the rows, because `assign` searches a shortest path for each row.
    state.swapped = n > m
    if state.swapped:
        n, m = m, n
    state.n, state.m = n, m
    # Below the value of any map: the first one is kept, even if it is worth 0.
    state.best, state.dropped, state.indexed = -1.0, 0, False
    integral_unary = _load_unary(p, batch, space)
    integral_weights = _load_matches(p, batch, space)
    state.integral = integral_unary and integral_weights
    for i in range(n):
        options = 0
        for j in range(m):
            if space.pairs[i * m + j].allowed:
                space.options[i * m + options] = j
                options += 1
        rows[i].options = options
        rows[i].partner = rows[i].best = rows[i].fixed = -1


@inlined
def _load_unary(p: int, batch: ProblemBatch, space: Workspace) -> bool:
    """Fill in the pairs; returns whether their weights are integers."""
    pairs, state = space.pairs, space.state[0]
    n, m, swapped = state.n, state.m, state.swapped
    integral, first = True, batch.unary_start[p]
    for pair in range(n * m):
        weight = batch.unary[first + (pair % m * n + pair // m if swapped else pair)]
        integral = integral and weight == np.floor(weight)
        pairs[pair].unary = weight
        pairs[pair].allowed = weight > 0.0
        pairs[pair].mapped = False
        pairs[pair].group = -1
    return integral


@inlined
def _load_matches(p: int, batch: ProblemBatch, space: Workspace) -> bool:
    """Fill in the matches; returns whether their weights are integers.

    The matches of one edge of the src graph at one pair form a group; a map uses at most one match
    of a group. For this, matches of one edge that touch the same two pairs (of parallel edges) are
    merged. A match of two self-loops touches only one pair and is added to its unary weight; a
    self-loop cannot be mapped onto an edge between two nodes.
    """
    pairs, halves, groups, state = space.pairs, space.halves, space.groups, space.state[0]
    m, integral, swapped = state.m, True, state.swapped
    matches, n_groups = 0, 0
    edge, edge_first = -1, 0  # the current edge of src, and its first match
    searched, parallel = False, False  # whether parallel edges were searched for, and were found
    for q in range(batch.match_start[p], batch.match_start[p + 1]):
        weight = batch.weights[q]
        if weight == 0.0:
            continue
        integral = integral and weight == np.floor(weight)
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
                pairs[source].allowed = True
            continue
        if a != edge:
            edge, edge_first = a, matches
        groups_before = n_groups
        for side in range(2):
            h, pair = 2 * matches + side, target if side else source
            # Matches are ordered by their src edge, so that this edge has a group at the pair only
            # if the pair's last group is of this edge.
            group = pairs[pair].group
            if group < 0 or groups[group].edge != a:
                group = pairs[pair].group = n_groups
                groups[group].edge = a
                pairs[pair].allowed = True
                n_groups += 1
            halves[h].pair = pair
            halves[h].group = group
            halves[h].share = 0.5 * weight
        space.weight[matches] = weight
        space.active[matches] = matches
        # Until `index_halves` fills it, `incident` holds the tgt edge of each match.
        space.incident[matches] = b - batch.tgt_start[p]
        # Two matches of one src edge that touch the same pairs are in the same two groups. Parallel
        # edges are rare, so they are searched for only after a match without a new group.
        if groups_before == n_groups:
            if not searched:
                searched, parallel = True, _find_twins(p, batch, space)
                if parallel:
                    for q_before in range(edge_first, matches):
                        space.latest[space.twins[space.incident[q_before]]] = q_before
            if parallel:
                twin_match = space.latest[space.twins[space.incident[matches]]]
                if twin_match >= edge_first:  # otherwise it is of a former src edge
                    _merge(twin_match, matches, halves, space.weight)
                    continue
        if parallel:
            space.latest[space.twins[space.incident[matches]]] = matches
        matches += 1
    state.matches = state.active = matches
    return integral


@inner
def _find_twins(p: int, batch: ProblemBatch, space: Workspace) -> bool:
    """Fill in `twins`, and `latest` with -1; returns whether the tgt graph has parallel edges.

    `slots` is a hash table with linear probing that contains the first edge of each pair of ends;
    the part of it that is used is at least twice as long as there are edges.
    """
    start, twins, slots = batch.tgt_start[p], space.twins, space.slots
    count = batch.tgt_start[p + 1] - start
    size = 2
    while size < 2 * count:
        size *= 2
    for k in range(size):
        slots[k] = -1
    parallel = False
    for b in range(count):
        s, t = np.int64(batch.tgt_edges[start + b, 0]), np.int64(batch.tgt_edges[start + b, 1])
        code = s * 1000003 + t
        slot = (code ^ (code >> 15)) & (size - 1)
        while slots[slot] >= 0:
            stored = start + slots[slot]
            if batch.tgt_edges[stored, 0] == s and batch.tgt_edges[stored, 1] == t:
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = b
        else:
            parallel = True
        twins[b] = slots[slot]
        space.latest[b] = -1
    return parallel


@inner
def _merge(q: int, last: int, halves: StructArray, weight: Floats) -> None:
    weight[q] += weight[last]
    halves[2 * q].share += halves[2 * last].share
    halves[2 * q + 1].share += halves[2 * last + 1].share


@inner
def unload(first: int, mapping: Ints, space: Workspace) -> float:
    """Write the best map to ``mapping[first:]``, without the pairs that add nothing to its value.

    Returns:
        the map's value.
    """
    rows, pairs, halves, state = space.rows, space.pairs, space.halves, space.state[0]
    for i in range(state.n):
        if rows[i].partner >= 0:
            pairs[i * state.m + rows[i].partner].mapped = False
    for i in range(state.n):
        if rows[i].best >= 0:
            pairs[i * state.m + rows[i].best].mapped = True
    # All matches count here, also those that were dropped as useless for a better map.
    value = 0.0
    for q in range(state.matches):
        a, b = halves[2 * q].pair, halves[2 * q + 1].pair
        if pairs[a].mapped and pairs[b].mapped:
            value += space.weight[q]
            _write(a, first, mapping, state)
            _write(b, first, mapping, state)
    for i in range(state.n):
        pair = i * state.m + rows[i].best
        if rows[i].best >= 0 and pairs[pair].unary > 0.0:
            value += pairs[pair].unary
            _write(pair, first, mapping, state)
    return value


@inner
def _write(pair: int, first: int, mapping: Ints, state: StructRow) -> None:
    """Map the nodes of a pair onto each other in ``mapping[first:]``."""
    i, j = pair // state.m, pair % state.m
    if state.swapped:
        mapping[first + j] = i
    else:
        mapping[first + i] = j


@inner
def index_halves(space: Workspace) -> None:
    """Fill `incident`, unless this problem's halves are already in it."""
    pairs, halves, state = space.pairs, space.halves, space.state[0]
    if state.indexed:
        return
    state.indexed = True
    n_pairs = state.n * state.m
    for pair in range(n_pairs):
        pairs[pair].first = 0
    for h in range(2 * state.matches):
        pairs[halves[h].pair].first += 1
    # A counting sort: `first` is where a pair's halves end, and moves to their start as the next
    # loop writes them from the back. So the halves of each pair are in descending order.
    last = 0
    for pair in range(n_pairs + 1):
        last += pairs[pair].first if pair < n_pairs else 0
        pairs[pair].first = last
    for h in range(2 * state.matches):
        pair = halves[h].pair
        pairs[pair].first -= 1
        space.incident[pairs[pair].first] = h
