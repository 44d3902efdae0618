"""What an alignment metric sees of a graph: labelled facts about one node, and about two.

A metric of the Smatch family is fully told by its facts. Two facts match when their labels are
equal (and their nodes are mapped onto each other); a match is worth the smaller of both weights.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from metrics.alignment.problem import ProblemBatch
from metrics.compiled import compiled
from metrics.graph import Graph
from metrics.types import Floats, Ints

Raw = TypeVar("Raw", bound=Hashable)


class Facts(NamedTuple):
    """The facts of one graph, labels as numbers of a `Vocabulary`.

    Attributes:
        size: number of nodes.
        nodes, labels: one entry a fact about one node.
        sources, targets, edge_labels: one entry a fact about two nodes.
        weights, edge_weights: the facts' weights; None stands for 1 each.
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

    def number(self, kind: str, value: Hashable) -> int:
        """The number of a label."""
        label = (kind, value)
        found = self._numbers.setdefault(label, len(self.labels))
        if found == len(self.labels):
            self.labels.append(label)
        return found

    def space(self, kind: str, fold: Callable[[Raw], Hashable]) -> Space[Raw]:
        """A look-up from raw values to the number of their folded label."""
        return Space(self, kind, fold)


class Space(dict[Raw, int]):
    """Raw values to label numbers; each raw value is folded once."""

    def __init__(self, vocabulary: Vocabulary, kind: str, fold: Callable[[Raw], Hashable]) -> None:
        super().__init__()
        self._vocabulary, self._kind, self._fold = vocabulary, kind, fold

    def __missing__(self, raw: Raw) -> int:
        number = self[raw] = self._vocabulary.number(self._kind, self._fold(raw))
        return number


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
        """The summed weight of each graph's facts."""
        sums = [
            np.add.reduceat(np.append(weights, 0.0), start[:-1]) * (np.diff(start) > 0)
            for weights, start in ((self.weights, self.start), (self.edge_weights, self.edge_start))
        ]
        return np.asarray(sums[0] + sums[1], np.float64)

    @classmethod
    def build(cls, graphs: Sequence[Facts]) -> FactTable:
        """The table of a list of graphs."""
        nodes: list[int] = []
        labels: list[int] = []
        sources: list[int] = []
        targets: list[int] = []
        edge_labels: list[int] = []
        for facts in graphs:
            nodes += facts.nodes
            labels += facts.labels
            sources += facts.sources
            targets += facts.targets
            edge_labels += facts.edge_labels
        return cls(
            np.array([facts.size for facts in graphs], np.int64),
            *_distinct(
                np.array([nodes, labels], np.int32).T.copy(),
                _weights([f.weights for f in graphs], [len(f.labels) for f in graphs]),
                _starts([len(f.labels) for f in graphs]),
            ),
            *_distinct(
                np.array([sources, targets, edge_labels], np.int32).T.copy(),
                _weights([f.edge_weights for f in graphs], [len(f.edge_labels) for f in graphs]),
                _starts([len(f.edge_labels) for f in graphs]),
            ),
        )


class GradedMatches(NamedTuple):
    """Facts about one node that match although their labels differ.

    Attributes:
        src, tgt: int32, rows of each side's `FactTable.facts`.
        weights: float64, what each match is worth.
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


def _starts(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _weights(parts: Sequence[Sequence[float] | None], lengths: Sequence[int]) -> Floats:
    if all(part is None for part in parts):
        return np.ones(sum(lengths))
    return np.concatenate(
        [np.ones(k) if part is None else part for part, k in zip(parts, lengths, strict=True)]
    ).astype(np.float64)


def problems(src: FactTable, tgt: FactTable) -> ProblemBatch:
    """The alignment problems of graph k of `src` with graph k of `tgt`."""
    arrays = _build(
        src.sizes,
        src.facts,
        src.weights,
        src.start,
        src.edges,
        src.edge_weights,
        src.edge_start,
        tgt.sizes,
        tgt.facts,
        tgt.weights,
        tgt.start,
        tgt.edges,
        tgt.edge_weights,
        tgt.edge_start,
    )
    unary, unary_start, matches, weights, match_start = arrays
    return ProblemBatch(
        np.column_stack([src.sizes, tgt.sizes]),
        unary,
        unary_start,
        np.ascontiguousarray(src.edges[:, :2]),
        src.edge_start,
        np.ascontiguousarray(tgt.edges[:, :2]),
        tgt.edge_start,
        matches,
        weights,
        match_start,
    )


@compiled
def _distinct(rows: Ints, weights: Floats, start: Ints) -> tuple[Ints, Floats, Ints]:
    """Rows without the repeats inside each group ``start[g]:start[g + 1]``, first ones kept."""
    kept = 0
    width = rows.shape[1]
    out, out_weights, out_start = rows.copy(), weights.copy(), start.copy()
    for g in range(start.size - 1):
        out_start[g] = kept
        for r in range(start[g], start[g + 1]):
            repeated = False
            for other in range(out_start[g], kept):
                same = True
                for c in range(width):
                    if out[other, c] != rows[r, c]:
                        same = False
                        break
                if same:
                    repeated = True
                    break
            if not repeated:
                for c in range(width):
                    out[kept, c] = rows[r, c]
                out_weights[kept] = weights[r]
                kept += 1
    out_start[start.size - 1] = kept
    return out[:kept], out_weights[:kept], out_start


@compiled
def _build(
    a_sizes: Ints,
    a_facts: Ints,
    a_weights: Floats,
    a_start: Ints,
    a_edges: Ints,
    a_edge_weights: Floats,
    a_edge_start: Ints,
    b_sizes: Ints,
    b_facts: Ints,
    b_weights: Floats,
    b_start: Ints,
    b_edges: Ints,
    b_edge_weights: Floats,
    b_edge_start: Ints,
) -> tuple[Floats, Ints, Ints, Floats, Ints]:
    """Join the facts of each pair on their labels."""
    pairs = a_sizes.size
    unary_start, match_start = np.zeros(pairs + 1, np.int64), np.zeros(pairs + 1, np.int64)
    for p in range(pairs):
        unary_start[p + 1] = unary_start[p] + a_sizes[p] * b_sizes[p]
        count = 0
        for a in range(a_edge_start[p], a_edge_start[p + 1]):
            for b in range(b_edge_start[p], b_edge_start[p + 1]):
                count += a_edges[a, 2] == b_edges[b, 2]
        match_start[p + 1] = match_start[p] + count
    unary = np.zeros(unary_start[pairs])
    matches, weights = np.empty((match_start[pairs], 2), np.int32), np.empty(match_start[pairs])
    for p in range(pairs):
        for a in range(a_start[p], a_start[p + 1]):
            row = unary_start[p] + a_facts[a, 0] * b_sizes[p]
            for b in range(b_start[p], b_start[p + 1]):
                if a_facts[a, 1] == b_facts[b, 1]:
                    unary[row + b_facts[b, 0]] += min(a_weights[a], b_weights[b])
        at = match_start[p]
        for a in range(a_edge_start[p], a_edge_start[p + 1]):
            for b in range(b_edge_start[p], b_edge_start[p + 1]):
                if a_edges[a, 2] == b_edges[b, 2]:
                    matches[at, 0] = a - a_edge_start[p]
                    matches[at, 1] = b - b_edge_start[p]
                    weights[at] = min(a_edge_weights[a], b_edge_weights[b])
                    at += 1
    return unary, unary_start, matches, weights, match_start


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
