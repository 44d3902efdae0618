"""Pairs whose score is below 1 only because of the order in which a graph is written."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from amr_metrics.base import Metric
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import select_group_rows
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.text import format_count
from bamboo.scoring.file_pairs import FilePairs
from bamboo.ties import TIE


class OrderCount:
    """Counts pairs that score 1 as soon as the order of edges is irrelevant, chunk by chunk.

    Args:
        name: of the metric; "" if it is the only one.
        metric: its options.
        unordered: its variant for which the order is irrelevant (`Metric.without_order`).
    """

    def __init__(self, name: str, metric: Metric, unordered: Metric) -> None:
        self._unordered = unordered
        self._options = [
            f"metric.{name}{'.' if name else ''}{field.name}={getattr(unordered, field.name)}"
            for field in fields(unordered)
            if getattr(unordered, field.name) != getattr(metric, field.name)
        ]
        self._pairs: list[int] = []

    def add(self, first: int, pairs: FilePairs, scores: Floats) -> None:
        """Count those of the next pairs.

        Args:
            first: the position of the first of them.
            scores: of the metric; NaN for a missing pair.
        """
        below: Ints = np.flatnonzero(scores < 1 - TIE)
        if isinstance(pairs.pairs, Pairs):  # few pairs have the same labels: find them first
            below = _select_same_labels(pairs.pairs, below)
        if len(below):
            is_equal = self._unordered.score(pairs.select(below)) >= 1 - TIE
            self._pairs += (first + below[is_equal]).tolist()

    def notes(self) -> list[str]:
        """Return a note if there are such pairs."""
        if not self._pairs:
            return []
        count = format_count(len(self._pairs), "pair differs", "pairs differ")
        return [
            f"{count} only in the order of edges (the first: pair {self._pairs[0]}), on which this "
            f"variant of the metric depends: {' '.join(self._options)} gives 1"
        ]


def _select_same_labels(pairs: Pairs, positions: Ints) -> Ints:
    """Select the pairs whose graphs have the same concepts, constants and roles, equally often.

    Sums of random numbers, one per symbol, are compared: different labels have the same sum with a
    probability of 2 ** -64.
    """
    values = np.random.default_rng(0).integers(1 << 64, size=len(pairs.src.symbols), dtype="u8")
    src, tgt = _list_labels(pairs.src), _list_labels(pairs.tgt)
    for (src_labels, src_start), (tgt_labels, tgt_start) in zip(src, tgt, strict=True):
        a, b = pairs.src_index[positions], pairs.tgt_index[positions]
        has_same_size = np.diff(src_start)[a] == np.diff(tgt_start)[b]
        a, b, positions = a[has_same_size], b[has_same_size], positions[has_same_size]
        sums = _sum_groups(values, src_labels, src_start, a)
        positions = positions[sums == _sum_groups(values, tgt_labels, tgt_start, b)]
    return positions


def _list_labels(corpus: Corpus) -> list[tuple[Ints, Ints]]:
    """Return each kind of label of the graphs: symbols, and where those of each graph start."""
    return [
        (corpus.concepts, corpus.node_start),
        (corpus.relation_roles, corpus.relation_start),
        (corpus.constants, corpus.attribute_start),
        (corpus.attribute_roles, corpus.attribute_start),
    ]


def _sum_groups(values: Ints, symbols: Ints, start: Ints, groups: Ints) -> Ints:
    """Return the sum of the values of each group's symbols, modulo 2 ** 64."""
    selected = select_group_rows(start, groups)
    sums = np.zeros(len(selected.rows) + 1, np.uint64)
    np.cumsum(values[symbols[selected.rows]], out=sums[1:])
    return np.asarray(sums[selected.start[1:]] - sums[selected.start[:-1]])
