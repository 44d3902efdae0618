"""Labelled facts about one node or two nodes, and the alignment problems that they make.

A metric of the Smatch family is fully determined by its facts. Two facts match if their labels are
equal and their nodes are aligned; the weight of a match is the smaller of both weights, or the
product of both counts if repeated facts are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, Self

import numpy as np

from amr_metrics.alignment.workspace import ProblemBatch
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.numbering import allocate_numbers
from amr_metrics.graphs.pairs import Pair, Pairs, distinct_graphs
from amr_metrics.graphs.rows import (
    count_largest_group,
    count_rows,
    list_groups,
    merge_rows,
    per_row,
    select_rows,
    starts,
)
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.arrays import sort_distinct

# Bytes of a node pair and of a match in `problems`, with what is needed to find it, and in the
# memory of a solver.
PAIR_BYTES, NODE_MATCH_BYTES, EDGE_MATCH_BYTES = 80, 80, 200


# The facts of one graph, each with weight 1: the number of nodes, the facts about one node as
# (node, label), and those about two nodes as (source, target, label).
GraphFacts = tuple[int, list[tuple[int, int]], list[tuple[int, int, int]]]
IndexRows = Sequence[tuple[int, ...]]


# (s / sleep-01 :ARG0 (c / cat)) and (d / dog), with the triples of Smatch, give these facts about
# one node and about two. Labels are numbers: 0 TOP sleep-01, 1 TOP dog, 2 instance sleep-01,
# 3 instance cat, 4 instance dog, 5 relation :arg0.
#
#     facts.start  0              3        5        edges.start  0      1  1
#     facts.rows   0 2  1 3  0 0 | 0 4  0 1         edges.rows   0 1 5 |
#                  s 0  c 1  s 2   d 3  d 4                      s c 5
#
# Nodes are counted within their graph, labels in all graphs of both sides.


class Facts(NamedTuple):
    """Facts about one node, or facts about two nodes, of many graphs in order.

    Attributes:
        start: int64 g + 1, where the facts of each graph start.
        rows: int32 f x 2, (node, label), or f x 3, (source, target, label).
        weights: float64 f.
    """

    start: Ints
    rows: Ints
    weights: Floats

    @property
    def labels(self) -> Ints:
        """The label of each fact."""
        return np.ascontiguousarray(self.rows[:, -1])

    def take(self, indices: Ints) -> Facts:
        """Return the facts of the graphs at some positions, in the given order."""
        start, rows = select_rows(self.start, indices)
        return Facts(start, self.rows[rows], self.weights[rows])

    @classmethod
    def of(cls, start: Ints, columns: Sequence[Ints], weights: Floats | None = None) -> Facts:
        """Return the facts with the given columns of rows, each with weight 1 unless given."""
        rows = np.empty((int(start[-1]), len(columns)), np.int32)
        for k, column in enumerate(columns):
            rows[:, k] = column
        return cls(start, rows, np.ones(len(rows)) if weights is None else weights)

    @classmethod
    def collect(cls, rows: Sequence[IndexRows | Ints], width: int, weight: float = 1.0) -> Facts:
        """Return facts that were collected one graph at a time, all with one weight."""
        of_graphs = [np.asarray(of_graph, np.int32).reshape(-1, width) for of_graph in rows]
        joined = np.concatenate([np.empty((0, width), np.int32), *of_graphs])
        return cls(starts(map(len, rows)), joined, np.full(len(joined), weight))

    @classmethod
    def joined(cls, kinds: Sequence[Facts]) -> Facts:
        """Join the facts of several kinds; within a graph, in the order of the kinds."""
        each_start, rows, weights = zip(*kinds, strict=True)
        start, order = merge_rows(*each_start)
        return cls(start, np.concatenate(rows).take(order, axis=0), np.concatenate(weights)[order])

    def distinct(self, counted: bool) -> Facts:
        """Return the first of each graph's equal facts, `counted` with the sum of their weights."""
        start, rows, weights = self.start.copy(), self.rows.copy(), self.weights.copy()
        slots, memory = allocate_numbers(count_largest_group(start))
        kept = _drop_repeats(
            *(len(start) - 1, *rows.shape, slots, counted),
            *(start, rows, weights, memory),
        )
        return Facts(start, rows[:kept], weights[:kept])


@dataclass(frozen=True, eq=False)
class FactTable:
    """The facts of many graphs, each fact of a graph once.

    Attributes:
        sizes: int64 g, numbers of nodes.
        facts: the facts about one node.
        edges: the facts about two nodes.
        counted: whether the weights are the numbers of times that the graph has each fact.
        places: where each node is, as (node, place): only nodes that share a place may be aligned.
            None: all may be.
    """

    sizes: Ints
    facts: Facts
    edges: Facts
    counted: bool = False
    places: Facts | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def match_weight(self) -> np.ufunc:
        """The weight of a match as a function of the weights of both facts."""
        return np.multiply if self.counted else np.minimum

    @cached_property
    def nodes(self) -> tuple[Ints, Ints]:
        """The nodes of each fact, f x 1, and of each edge, e x 2, counted in all graphs."""
        first = starts(self.sizes)[:-1]
        facts, edges = (
            kind.rows[:, :-1] + per_row(first, kind.start)[:, np.newaxis]
            for kind in (self.facts, self.edges)
        )
        return facts, edges

    @cached_property
    def totals(self) -> Floats:
        """The sum of the weights of each graph's facts."""
        # The last entry of `start` is the end: the appended 0 gets a sum of its own, and the last
        # graph is summed like any other. Without facts, `reduceat` returns the next weight, not 0.
        sums = [
            np.add.reduceat(np.append(weights, 0.0), start)[:-1] * (count_rows(start) > 0)
            for start, _, weights in (self.facts, self.edges)
        ]
        return np.asarray(sums[0] + sums[1], np.float64)

    def take(self, indices: Ints) -> FactTable:
        """Return the facts of the graphs at some positions, in the given order."""
        if len(indices) == len(self) and (indices == np.arange(len(self))).all():
            return self
        facts, edges = self.facts.take(indices), self.edges.take(indices)
        places = None if self.places is None else self.places.take(indices)
        return FactTable(self.sizes[indices], facts, edges, self.counted, places)

    @classmethod
    def build(cls, graphs: Sequence[GraphFacts], counted: bool = False) -> FactTable:
        """Return the table of graphs whose facts were collected one graph at a time."""
        sizes, *lists = zip(*graphs, strict=True) if graphs else ((), (), ())
        facts, edges = (
            Facts.collect(rows, width).distinct(counted)
            for width, rows in zip((2, 3), lists, strict=True)
        )
        return cls(np.array(sizes, np.int64), facts, edges, counted)


FactTables = tuple[FactTable, FactTable]  # of src and of tgt


@dataclass(frozen=True, eq=False)
class PairFacts:
    """The facts of pairs of graphs; a graph that occurs in several pairs is encoded once.

    Attributes:
        src, tgt: the facts of the graphs of each side.
        src_index, tgt_index: int64 p, the graphs of each pair.
        labels: the labels of both sides; each is (kind, value).
    """

    src: FactTable
    tgt: FactTable
    src_index: Ints
    tgt_index: Ints
    labels: Labels

    def __len__(self) -> int:
        return len(self.src_index)

    def tables(self, chunk: slice = slice(None)) -> FactTables:
        """Return the facts of a range of pairs: graph k of the first with graph k of the second."""
        return self.src.take(self.src_index[chunk]), self.tgt.take(self.tgt_index[chunk])

    @classmethod
    def of(cls, pairs: Sequence[Pair], encode: Callable[[Corpus, Labels], FactTable]) -> Self:
        """Encode all graphs of a side in one pass."""
        arrays, labels = Pairs.of(pairs).compact(), Labels()
        src = encode(arrays.src, labels)
        tgt = src if arrays.tgt is arrays.src else encode(arrays.tgt, labels)
        return cls(src, tgt, arrays.src_index, arrays.tgt_index, labels)

    @classmethod
    def one_by_one(
        cls, pairs: Sequence[Pair], encode: Callable[[Graph, Labels], GraphFacts]
    ) -> Self:
        """Encode each graph with a function: for graphs that are more than `Corpus` holds."""
        labels = Labels()
        src, src_index = distinct_graphs([pair.src for pair in pairs])
        tgt, tgt_index = distinct_graphs([pair.tgt for pair in pairs])
        return cls(
            FactTable.build([encode(graph, labels) for graph in src]),
            FactTable.build([encode(graph, labels) for graph in tgt]),
            src_index,
            tgt_index,
            labels,
        )


class GradedMatches(NamedTuple):
    """Facts about one node that match although their labels differ.

    Attributes:
        src, tgt: int32, positions in each side's `FactTable.facts`.
        weights: float64, the weight of each match.
        start: int64 p + 1, the matches of each pair.
    """

    src: Ints
    tgt: Ints
    weights: Floats
    start: Ints


class Grading(Protocol):
    """Grades the matches of facts about one node whose labels differ."""

    def matches(self, src: FactTable, tgt: FactTable) -> GradedMatches:
        """Return the graded matches of graph k of `src` with graph k of `tgt`."""


def add_graded(
    batch: ProblemBatch, src: FactTable, tgt: FactTable, graded: GradedMatches
) -> ProblemBatch:
    """Add graded matches to the unary weights of problems."""
    pair = list_groups(graded.start)
    row, column = src.facts.rows[graded.src, 0], tgt.facts.rows[graded.tgt, 0]
    unary = batch.unary.copy()
    cells = batch.unary_start[pair] + row * batch.sizes[pair, 1] + column
    np.add.at(unary, cells, graded.weights)
    return batch._replace(unary=unary)


def problems(src: FactTable, tgt: FactTable) -> ProblemBatch:
    """Return the alignment problems of graph k of `src` with graph k of `tgt`."""
    n, m = src.sizes, tgt.sizes
    unary_start = starts(n * m)
    unary = _weigh_node_pairs(src, tgt, unary_start)
    start, matches, weights = _match_edges(src, tgt)
    if (allowed := find_allowed_pairs(src, tgt)) is not None:
        # A pair without a weight and without a match is not offered to the solver.
        unary *= allowed
        pair = list_groups(start)
        a, b = matches[:, 0] + src.edges.start[pair], matches[:, 1] + tgt.edges.start[pair]
        corner, width = unary_start[pair], m[pair]
        ends = [
            allowed[corner + src.edges.rows[a, end] * width + tgt.edges.rows[b, end]]
            for end in (0, 1)
        ]
        kept = ends[0] & ends[1]
        matches, weights = matches[kept], weights[kept]
        start = starts(np.bincount(pair[kept], minlength=len(n)))
    return ProblemBatch(
        np.column_stack([n, m]),
        unary,
        unary_start,
        np.ascontiguousarray(src.edges.rows[:, :2]),
        src.edges.start,
        np.ascontiguousarray(tgt.edges.rows[:, :2]),
        tgt.edges.start,
        matches,
        weights,
        start,
    )


def find_allowed_pairs(src: FactTable, tgt: FactTable) -> Bools | None:
    """Return which nodes may be aligned, for the pairs of `ProblemBatch.unary`; None for all.

    >>> from dataclasses import replace
    >>> tables = [FactTable.build([(2, [], [])]) for _ in range(2)]
    >>> here = Facts.of(np.array([0, 3]), [np.array([0, 1, 1]), np.array([7, 7, 8])])
    >>> there = Facts.of(np.array([0, 1]), [np.array([1]), np.array([8])])
    >>> src, tgt = (replace(t, places=p) for t, p in zip(tables, (here, there), strict=True))
    >>> find_allowed_pairs(src, tgt).tolist()  # only node 1 of both is in place 8
    [False, False, False, True]
    """
    if src.places is None or tgt.places is None:
        return None
    # The product of the matrices of nodes and places is the number of places that two nodes share.
    allowed = [np.empty(0, np.bool_)]
    for k in range(len(src.sizes)):
        sides = [table.take(np.array([k])) for table in (src, tgt)]
        rows = [side.places.rows for side in sides if side.places is not None]
        numbers = sort_distinct(np.concatenate(rows)[:, 1])
        matrices = [np.zeros((int(side.sizes[0]), len(numbers)), np.float32) for side in sides]
        for matrix, (nodes, places) in zip(matrices, (row.T for row in rows), strict=True):
            matrix[nodes, np.searchsorted(numbers, places)] = 1
        allowed.append((matrices[0] @ matrices[1].T > 0).ravel())
    return np.concatenate(allowed)


def most_matches(src: FactTable, tgt: FactTable) -> Floats:
    """Return an upper bound of the matches of graph k of `src` with graph k of `tgt`.

    >>> twice = FactTable.build([(1, [(0, 5)], [])])
    >>> most_matches(twice, twice).tolist()
    [1.0]
    """
    # Each fact matches at most one other, with the smaller weight. Counts multiply instead: a fact
    # that src has k times and tgt l times matches k l times, at most k times the largest l.
    if not src.counted:
        return np.minimum(src.totals, tgt.totals)
    return np.minimum(src.totals * _find_heaviest(tgt), tgt.totals * _find_heaviest(src))


def _find_heaviest(table: FactTable) -> Floats:
    heaviest = np.ones(len(table.sizes))
    for start, _, weights in (table.facts, table.edges):
        np.maximum.at(heaviest, list_groups(start), weights)
    return heaviest


def problem_bytes(pairs: Ints, nodes: Ints, edges: Ints) -> Ints:
    """Estimate how many bytes it takes to build and solve each problem.

    Args:
        pairs: the number of node pairs.
        nodes, edges: the numbers of matches, see `match_counts`.
    """
    return pairs * PAIR_BYTES + nodes * NODE_MATCH_BYTES + edges * EDGE_MATCH_BYTES


def match_counts(src: FactTable, tgt: FactTable) -> tuple[Ints, Ints]:
    """Count the matches of facts about one node, and of edges, of each pair of graphs."""
    facts, edges = (
        count_rows(_link_labels(a, b)[2])
        for a, b in ((src.facts, tgt.facts), (src.edges, tgt.edges))
    )
    return facts, edges


def _weigh_node_pairs(src: FactTable, tgt: FactTable, unary_start: Ints) -> Floats:
    """Return the weights of pairs of nodes.

    The weight u[i, j] is the sum over pairs of facts with equal labels, about i and about j, of the
    weight of their match. Entry (i, j) of pair p is at ``unary_start[p] + i m + j``.
    """
    a, b = src.facts, tgt.facts
    labels = _count_labels(a, b)
    unary = np.empty(unary_start[-1])
    _weigh(
        *(len(src.sizes), len(a.rows), len(b.rows), labels, len(unary), src.counted),
        *(*a, *b, tgt.sizes, unary_start),
        *(np.empty(labels, np.int64), np.empty(len(b.rows), np.int64), unary),
    )
    return unary


def _match_edges(src: FactTable, tgt: FactTable) -> tuple[Ints, Ints, Floats]:
    """Match the edges of each graph of `src` with those of the same graph of `tgt`.

    Returns:
        where each graph's matches start; the positions of both edges within their graphs, int32
        q x 2, ordered by graph, then by the edge of `src`; and the weights of the matches.
    """
    a, b = src.edges, tgt.edges
    heads, following, start = _link_labels(a, b)
    matches, weights = np.empty((start[-1], 2), np.int32), np.empty(start[-1])
    _list_matches(
        *(len(src.sizes), len(heads), len(following), len(weights), src.counted),
        *(a.start, a.weights, b.start, b.weights, heads, following, matches, weights),
    )
    return start, matches, weights


def _count_labels(a: Facts, b: Facts) -> int:
    """Return a number above all labels."""
    return 1 + max(int(facts.rows[:, -1].max(initial=-1)) for facts in (a, b))


def _link_labels(a: Facts, b: Facts) -> tuple[Ints, Ints, Ints]:
    """Link the facts of `b` with equal labels in each graph in chains, and count the matches.

    Returns:
        where in `b` the chain of each fact of `a` starts, or -1; where in `b` each fact's chain
        continues, or -1; and where each graph's matches start.
    """
    labels = _count_labels(a, b)
    heads, following = (np.empty(len(facts.rows), np.int64) for facts in (a, b))
    start = np.empty(len(a.start), np.int64)
    _link(
        *(len(start) - 1, a.rows.shape[1], len(heads), len(following), labels),
        *(a.start, a.rows, b.start, b.rows),
        *(np.empty((2, labels), np.int64), heads, following, start),
    )
    return heads, following, start


_drop_repeats = declare_kernel("drop_repeats")
_link = declare_kernel("link_labels")
_list_matches = declare_kernel("list_matches")
_weigh = declare_kernel("weigh_node_pairs")
