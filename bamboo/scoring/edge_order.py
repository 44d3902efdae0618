"""Pairs whose score is below 1 only because of the order in which a graph is written."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from amr_metrics.base import Metric
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.text import format_count
from bamboo.scoring.file_pairs import FilePairs

SAME = 1e-9  # a score that is closer to 1 is 1


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
            for field in fields(unordered)  # type: ignore[arg-type]  # metrics are dataclasses
            if getattr(unordered, field.name) != getattr(metric, field.name)
        ]
        self._pairs: list[int] = []

    def add(self, first: int, pairs: FilePairs, scores: Floats) -> None:
        """Count those of the next pairs.

        Args:
            first: the position of the first of them.
            scores: of the metric; NaN for a missing pair.
        """
        below = np.flatnonzero(scores < 1 - SAME)
        if isinstance(pairs.pairs, Pairs):  # few pairs have the same labels: find them first
            below = below[have_same_labels(pairs.pairs)[below]]
        if len(below):
            is_equal = self._unordered.score(pairs.select(below)) >= 1 - SAME
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


def have_same_labels(pairs: Pairs) -> Bools:
    """Return for each pair whether its graphs have equally many of each concept, constant and role.

    Sums of random numbers, one per symbol, are compared: different labels have the same sum with a
    probability of 2 ** -64.
    """
    values = np.random.default_rng(0).integers(
        1 << 64, size=len(pairs.src.symbols), dtype=np.uint64
    )
    src, tgt = _sum_labels(pairs.src, values), _sum_labels(pairs.tgt, values)
    return np.asarray((src[:, pairs.src_index] == tgt[:, pairs.tgt_index]).all(axis=0), np.bool_)


def _sum_labels(corpus: Corpus, values: np.ndarray) -> np.ndarray:
    """Return the sums of the values of each graph's concepts, constants and roles: (4, graphs)."""

    def add_up(symbols: Ints, start: Ints) -> np.ndarray:
        sums = np.concatenate([[np.uint64(0)], np.cumsum(values[symbols])])  # modulo 2 ** 64
        return sums[start[1:]] - sums[start[:-1]]

    return np.stack(
        [
            add_up(corpus.concepts, corpus.node_start),
            add_up(corpus.constants, corpus.attribute_start),
            add_up(corpus.attribute_roles, corpus.attribute_start),
            add_up(corpus.relation_roles, corpus.relation_start),
        ]
    )
