"""Encode graphs for alignment metrics as labelled facts about one node or two nodes.

A metric of the Smatch family is fully determined by its facts. Two facts match if their labels are
equal and their nodes are aligned; the weight of a match is the smaller of both weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np

from metrics.alignment.problem import ProblemBatch
from metrics.compiled import compiled
from metrics.graph import Graph
from metrics.types import Floats, Ints

Raw = TypeVar("Raw", bound=Hashable)
flat = chain.from_iterable


class Facts(NamedTuple):
    """The facts of one graph, labels as numbers of a `Vocabulary`.

    Attributes:
        size: number of nodes.
        nodes, labels: one entry per fact about one node.
        sources, targets, edge_labels: one entry per fact about two nodes.
        weights, edge_weights: the weights of the facts; None means 1 each.
    """

    size: int
    nodes: Sequence[int]
    labels: Sequence[int]
    sources: Sequence[int]
    targets: Sequence[int]
    edge_labels: Sequence[int]
    weights: Sequence[float] | None = None
    edge_weights: Sequence[float] | None = None


Encoder = Callable[[Graph], Facts]


class Vocabulary:
    """Numbers labels in the order in which they are first seen.

    >>> vocabulary = Vocabulary()
    >>> concepts = vocabulary.space("instance", str.lower)
    >>> concepts["Dog"], concepts["cat"], concepts["dog"], vocabulary.labels
    (0, 1, 0, [('instance', 'dog'), ('instance', 'cat')])
    """

    def __init__(self) -> None:
        self.labels: list[tuple[str, Hashable]] = []
        self._numbers: dict[tuple[str, Hashable], int] = {}
        self._spaces: dict[str, Space[Any]] = {}

    def number(self, kind: str, value: Hashable) -> int:
        """The number of a label."""
        label = (kind, value)
        number = self._numbers.setdefault(label, len(self.labels))
        if number == len(self.labels):
            self.labels.append(label)
        return number

    def space(self, kind: str, fold: Callable[[Raw], Hashable]) -> Space[Raw]:
        """The mapping from raw values to the numbers of their normalised labels, one per kind."""
        if kind not in self._spaces:
            self._spaces[kind] = Space(self, kind, fold)
        return self._spaces[kind]


class Space(dict[Raw, int]):
    """Maps raw values to label numbers; each raw value is normalised once."""

    def __init__(self, vocabulary: Vocabulary, kind: str, fold: Callable[[Raw], Hashable]) -> None:
        super().__init__()
        self._vocabulary, self._kind, self._fold = vocabulary, kind, fold

    def __missing__(self, raw: Raw) -> int:
        number = self[raw] = self._vocabulary.number(self._kind, self._fold(raw))
        return number

    def numbers(self, raws: Iterable[Raw]) -> Iterable[int]:
        """The numbers of many values."""
        return map(self.__getitem__, raws)


class Kind(NamedTuple):
    """The facts of one kind about one node, for many graphs in order.

    Attributes:
        counts: number of facts of each graph.
        nodes, labels: one entry per fact.
    """

    counts: Sequence[int]
    nodes: Iterable[int]
    labels: Iterable[int]


class Columns(NamedTuple):
    """The facts of many graphs, grouped by kind, each with weight 1.

    Attributes:
        sizes: each graph's number of nodes.
        kinds: facts about one node.
        edge_counts: number of facts about two nodes of each graph.
        sources, targets, edge_labels: one entry per fact about two nodes, for all graphs in order.
    """

    sizes: Sequence[int]
    kinds: Sequence[Kind]
    edge_counts: Sequence[int]
    sources: Iterable[int]
    targets: Iterable[int]
    edge_labels: Iterable[int]


class ColumnEncoder(ABC):
    """An encoder that encodes all graphs in one vectorised pass."""

    @abstractmethod
    def columns(self, graphs: Sequence[Graph]) -> Columns:
        """The facts of all graphs."""

    def __call__(self, graph: Graph) -> Facts:
        """The facts of one graph, in the order of the kinds."""
        columns = self.columns([graph])
        return Facts(
            columns.sizes[0],
            [*flat(kind.nodes for kind in columns.kinds)],
            [*flat(kind.labels for kind in columns.kinds)],
            [*columns.sources],
            [*columns.targets],
            [*columns.edge_labels],
        )


def tabulate(encode: Encoder, graphs: Sequence[Graph]) -> FactTable:
    """Encode a list of graphs and build the table of their facts."""
    if isinstance(encode, ColumnEncoder):
        return FactTable.from_columns(encode.columns(graphs))
    return FactTable.build([encode(graph) for graph in graphs])


@dataclass(frozen=True, eq=False)
class FactTable:
    """The facts of many graphs in flat arrays, repeated facts of a graph removed.

    Attributes:
        sizes: int64 g, numbers of nodes.
        facts: int32 f x 2, (node, label); weights: float64 f; start: int64 g + 1.
        edges: int32 e x 3, (source, target, label); edge_weights; edge_start.
    """

    sizes: Ints
    facts: Ints
    weights: Floats
    start: Ints
    edges: Ints
    edge_weights: Floats
    edge_start: Ints

    def totals(self) -> Floats:
        """The sum of the weights of each graph's facts."""
        sums = [
            np.add.reduceat(np.append(weights, 0.0), start[:-1]) * (np.diff(start) > 0)
            for weights, start in ((self.weights, self.start), (self.edge_weights, self.edge_start))
        ]
        return np.asarray(sums[0] + sums[1], np.float64)

    @classmethod
    def build(cls, graphs: Sequence[Facts]) -> FactTable:
        """Build the table of a list of graphs."""
        counts = [len(facts.labels) for facts in graphs]
        edge_counts = [len(facts.edge_labels) for facts in graphs]
        return cls(
            np.array([facts.size for facts in graphs], np.int64),
            *_distinct(
                _rows(flat([f.nodes for f in graphs]), flat([f.labels for f in graphs])),
                _weights([f.weights for f in graphs], counts),
                _starts(counts),
            ),
            *_distinct(
                _rows(
                    flat([f.sources for f in graphs]),
                    flat([f.targets for f in graphs]),
                    flat([f.edge_labels for f in graphs]),
                ),
                _weights([f.edge_weights for f in graphs], edge_counts),
                _starts(edge_counts),
            ),
        )

    @classmethod
    def from_columns(cls, columns: Columns) -> FactTable:
        """Build the table from facts grouped by kind."""
        sizes = np.array(columns.sizes, np.int64)
        counts = np.array([kind.counts for kind in columns.kinds], np.int64)
        facts = np.concatenate([_rows(kind.nodes, kind.labels) for kind in columns.kinds])
        graph = np.concatenate([np.repeat(np.arange(len(sizes)), row) for row in counts])
        edges = _rows(columns.sources, columns.targets, columns.edge_labels)
        return cls(
            sizes,
            *_distinct(
                facts[np.argsort(graph, kind="stable")],
                np.ones(len(facts)),
                _starts(counts.sum(0)),
            ),
            *_distinct(edges, np.ones(len(edges)), _starts(columns.edge_counts)),
        )


class GradedMatches(NamedTuple):
    """Facts about one node that match although their labels differ.

    Attributes:
        src, tgt: int32, rows of each side's `FactTable.facts`.
        weights: float64, the weight of each match.
        start: int64 p + 1, the matches of each pair.
    """

    src: Ints
    tgt: Ints
    weights: Floats
    start: Ints


def add_graded(
    batch: ProblemBatch, src: FactTable, tgt: FactTable, graded: GradedMatches
) -> ProblemBatch:
    """The problems with graded matches added to their unary weights."""
    unary = batch.unary.copy()
    _add_graded(unary, batch.unary_start, batch.sizes[:, 1].copy(), src.facts, tgt.facts, *graded)
    return replace(batch, unary=unary)


def _rows(*columns: Iterable[int]) -> Ints:
    return np.stack([np.fromiter(column, np.int32) for column in columns], 1)


def _starts(lengths: Sequence[int] | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _weights(parts: Sequence[Sequence[float] | None], lengths: Sequence[int]) -> Floats:
    if all(part is None for part in parts):
        return np.ones(sum(lengths))
    return np.concatenate(
        [np.ones(k) if part is None else part for part, k in zip(parts, lengths, strict=True)]
    ).astype(np.float64)


def problems(src: FactTable, tgt: FactTable) -> ProblemBatch:
    """The alignment problems of graph k of `src` with graph k of `tgt`."""
    n, m = src.sizes, tgt.sizes
    unary_start = _starts(n * m)
    a, b, start = _fits(src.facts[:, 1].copy(), src.start, tgt.facts[:, 1].copy(), tgt.start)
    pair = np.repeat(np.arange(len(n)), np.diff(start))
    unary = np.bincount(
        unary_start[pair] + src.facts[a, 0] * m[pair] + tgt.facts[b, 0],
        np.minimum(src.weights[a], tgt.weights[b]),
        minlength=unary_start[-1],
    ).astype(np.float64, copy=False)
    a, b, start = _fits(
        src.edges[:, 2].copy(), src.edge_start, tgt.edges[:, 2].copy(), tgt.edge_start
    )
    pair = np.repeat(np.arange(len(n)), np.diff(start))
    return ProblemBatch(
        np.column_stack([n, m]),
        unary,
        unary_start,
        np.ascontiguousarray(src.edges[:, :2]),
        src.edge_start,
        np.ascontiguousarray(tgt.edges[:, :2]),
        tgt.edge_start,
        np.stack([a - src.edge_start[pair], b - tgt.edge_start[pair]], 1).astype(np.int32),
        np.minimum(src.edge_weights[a], tgt.edge_weights[b]),
        start,
    )


def _distinct(rows: Ints, weights: Floats, start: Ints) -> tuple[Ints, Floats, Ints]:
    """Remove repeated rows within each group ``start[g]:start[g + 1]``, keeping the first."""
    kept = _drop_repeats(rows, weights, start)
    return rows[:kept], weights[:kept], start


@compiled
def _drop_repeats(rows: Ints, weights: Floats, start: Ints) -> int:
    """Move the distinct rows of each group to the front, in place."""
    kept, last = 0, 0
    for g in range(start.size - 1):
        first, last = last, start[g + 1]
        start[g] = kept
        for r in range(first, last):
            repeated = False
            for other in range(start[g], kept):
                same = True
                for c in range(rows.shape[1]):
                    same = same and rows[other, c] == rows[r, c]
                if same:
                    repeated = True
                    break
            if not repeated:
                for c in range(rows.shape[1]):
                    rows[kept, c] = rows[r, c]
                weights[kept] = weights[r]
                kept += 1
    start[start.size - 1] = kept
    return kept


def _fits(a_labels: Ints, a_start: Ints, b_labels: Ints, b_start: Ints) -> tuple[Ints, Ints, Ints]:
    """Join the labels of each group of `a` with those of the same group of `b`.

    Returns:
        positions in `a` and positions in `b` of equal labels, ordered by group, then by `a`, then
        by `b`, and where each group's start.
    """
    most = max(a_labels.max(initial=-1), b_labels.max(initial=-1))
    head = np.full(most + 1, -1)
    first, after = np.empty(a_labels.size, np.int64), np.empty(b_labels.size, np.int64)
    start = np.zeros(a_start.size, np.int64)
    _chain(a_labels, a_start, b_labels, b_start, head, first, after, start)
    a, b = np.empty(start[-1], np.int64), np.empty(start[-1], np.int64)
    _unchain(first, after, a, b)
    return a, b, start


@compiled
def _chain(
    a_labels: Ints,
    a_start: Ints,
    b_labels: Ints,
    b_start: Ints,
    head: Ints,
    first: Ints,
    after: Ints,
    start: Ints,
) -> None:
    """Link the equal labels of `b` in each group in chains, and count the matches.

    Args:
        head: scratch by label, -1 throughout.
        first: out; where in `b` the chain of each label of `a` starts, or -1.
        after: out; where in `b` each label's chain continues, or -1.
        start: out; where each group's matches start.
    """
    for g in range(a_start.size - 1):
        for b in range(b_start[g + 1] - 1, b_start[g] - 1, -1):
            after[b] = head[b_labels[b]]
            head[b_labels[b]] = b
        fits = start[g]
        for a in range(a_start[g], a_start[g + 1]):
            b = first[a] = head[a_labels[a]]
            while b >= 0:
                fits += 1
                b = after[b]
        start[g + 1] = fits
        for b in range(b_start[g], b_start[g + 1]):
            head[b_labels[b]] = -1


@compiled
def _unchain(first: Ints, after: Ints, a_fits: Ints, b_fits: Ints) -> None:
    """List the matches: each `a` with the members of its chain."""
    at = 0
    for a in range(first.size):
        b = first[a]
        while b >= 0:
            a_fits[at], b_fits[at] = a, b
            at += 1
            b = after[b]


@compiled
def _add_graded(
    unary: Floats,
    unary_start: Ints,
    columns: Ints,
    a_facts: Ints,
    b_facts: Ints,
    a: Ints,
    b: Ints,
    weights: Floats,
    start: Ints,
) -> None:
    for p in range(columns.size):
        for q in range(start[p], start[p + 1]):
            row = unary_start[p] + a_facts[a[q], 0] * columns[p]
            unary[row + b_facts[b[q], 0]] += weights[q]
