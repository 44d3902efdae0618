"""`Scored`: a metric's scores of some pairs, with what describes the pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.types import Bools, Ints
from bamboo.scoring.problems import Problem

NONE = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Scored:
    """A metric's scores of some pairs: of a chunk, of all pairs of two sides, or of a cell.

    Attributes:
        scores: one per pair, with the columns they are computed from; NaN for a missing pair.
        pairs: columns that describe the pairs. Of two sides: ``id``; or, if pair k is not graph k
            of both, ``src`` and ``tgt`` (the graphs' numbers, from 1), ``src_id`` and ``tgt_id``.
            Of a cell: ``number`` and ``rating``, as in `bamboo.benchmark.cells.PairSet`.
        problems: which pairs could not be read or scored, and why, by position.
        parts: further scores of the pairs, such as those of aspects, by name; the column ``empty``
            says for which pairs a part occurs in neither graph.
        lowest: the pairs with the lowest scores, by position; as many as requested. A parse that
            counts as empty is the empty graph.
        seconds: time spent scoring, without reading.
        cached: whether an earlier run computed the scores; None if unknown.
    """

    scores: Scores
    pairs: Mapping[str, Any] = field(default_factory=dict)
    problems: Mapping[int, Problem] = field(default_factory=dict)
    parts: Mapping[str, Scores] = field(default_factory=dict)
    lowest: Mapping[int, Pair] = field(default_factory=dict)
    seconds: float = 0.0
    cached: bool | None = None

    def __len__(self) -> int:
        return len(self.scores.values)

    @property
    def present(self) -> Bools:
        """Which pairs have a score."""
        return ~np.isnan(self.scores.values)

    @property
    def ids(self) -> Sequence[str | None]:
        """The id of each pair, None without; with numbered graphs, the ids of both."""
        if "src_id" not in self.pairs:
            ids: Sequence[str | None] = self.pairs["id"]
            return ids
        both = zip(self.pairs["src_id"], self.pairs["tgt_id"], strict=True)
        return [" / ".join(name for name in ids if name is not None) or None for ids in both]

    def columns(self, first: int = 0) -> dict[str, Sequence[Any]]:
        """Return the columns of a table with a row per pair; None for a missing score.

        Args:
            first: the position of the first pair.
        """
        values = {**self.pairs, **self.scores.columns()}
        return {
            "pair": range(first, first + len(self)),
            **{name: _plain(column) for name, column in values.items()},
        }

    def problem_texts(self) -> list[str | None]:
        """Return the text of each pair's problem; None without."""
        return [str(self.problems[k]) if k in self.problems else None for k in range(len(self))]

    def corpus(self, metric: Metric) -> Mapping[str, float]:
        """Return the metric's corpus scores, over the pairs that have a score."""
        present = self.present
        if not present.any():
            return {}
        return metric.corpus(self.scores if present.all() else self.scores.take(present))

    @classmethod
    def concatenate(cls, chunks: Sequence[Scored], lowest: int = 0) -> Scored:
        """Join the scores of consecutive pairs.

        Args:
            lowest: of how many pairs to keep the graphs.
        """
        starts = np.cumsum([0, *map(len, chunks)]).tolist()
        numbered = list(zip(starts, chunks, strict=False))
        kept = [
            (float(chunk.scores.values[k]), start + k, pair)
            for start, chunk in numbered
            for k, pair in chunk.lowest.items()
        ]
        names = dict.fromkeys(name for chunk in chunks for name in chunk.parts)
        return cls(
            _joined([chunk.scores for chunk in chunks]),
            {name: _joined_column([c.pairs[name] for c in chunks]) for name in chunks[0].pairs},
            {start + k: why for start, chunk in numbered for k, why in chunk.problems.items()},
            {
                name: _joined([c.parts.get(name, _missing(len(c))) for c in chunks])
                for name in names
            },
            {k: pair for _, k, pair in sorted(kept, key=lambda entry: entry[:2])[:lowest]},
            sum(chunk.seconds for chunk in chunks),
        )


def over_all(scores: Scores, positions: Ints, count: int) -> Scores:
    """Return the scores of some pairs as those of `count` pairs, NaN (or False) elsewhere."""
    if np.array_equal(positions, np.arange(count)):
        return scores
    return Scores(
        _over_all(scores.values, positions, count),
        {name: _over_all(column, positions, count) for name, column in scores.details.items()},
    )


def _over_all(values: np.ndarray[Any, Any], positions: Ints, count: int) -> np.ndarray[Any, Any]:
    missing = {"b": False, "O": None}.get(values.dtype.kind, np.nan)
    kind = values.dtype if values.dtype.kind in "bO" else np.float64
    full = np.full((count, *values.shape[1:]), missing, kind)
    full[positions] = values
    return full


def _plain(column: Sequence[Any] | np.ndarray[Any, Any]) -> list[Any]:
    """Return the values of a column, with None for NaN."""
    if not isinstance(column, np.ndarray):
        return [*column]
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f" and np.isnan(column).any():
        return [None if value != value else value for value in values]
    return values


def _missing(count: int) -> Scores:
    return Scores(np.full(count, np.nan))


def _joined(parts: Sequence[Scores]) -> Scores:
    """Join scores; those without any score may lack columns, which are NaN or False there."""
    complete = next((part for part in parts if not np.isnan(part.values).all()), parts[0])
    filled = [
        part
        if part.details.keys() == complete.details.keys()
        else over_all(complete.take(NONE), NONE, len(part.values))
        for part in parts
    ]
    return Scores.concatenate(filled)


def _joined_column(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return [value for part in parts for value in part]
