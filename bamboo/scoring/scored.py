"""`Scored`: a metric's scores of some pairs, with what describes the pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.types import Bools, Floats, Ints
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.problems import Problem

NONE = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class PairColumns:
    """What describes pairs: columns with a value for each of them, empty if there are none.

    Attributes:
        numbers: the positions of the pairs, from 0; those of a cell are positions in the benchmark.
        src_ids, tgt_ids: the ``::id`` of both graphs, None without one. If graph k is paired with
            graph k these are one list, of the pairs' ids, or else the names of their files if files
            are paired by name.
        tgt_count: if every graph is paired with every graph, the number of those of tgt; else 0.
        bucket_name, buckets: the heading and the values of `bamboo.parsers.buckets.Grouping`.
        ratings: float64, in 0..1, NaN without one.
        src_flags, tgt_flags: the flags of both graphs as text, None without; no columns if they
            were not looked for.
    """

    numbers: range | Ints = range(0)
    src_ids: Sequence[str | None] = ()
    tgt_ids: Sequence[str | None] = ()
    tgt_count: int = 0
    bucket_name: str = ""
    buckets: Any = ()
    ratings: Floats = field(default_factory=lambda: np.empty(0))
    src_flags: Sequence[str | None] = ()
    tgt_flags: Sequence[str | None] = ()

    @property
    def ids(self) -> Sequence[str | None]:
        """The id of each pair, None without; of pairs of every graph with every graph, both ids."""
        if not self.tgt_count:
            return self.src_ids
        both = zip(self.src_ids, self.tgt_ids, strict=True)
        return [" / ".join(name for name in ids if name is not None) or None for ids in both]

    def to_columns(self) -> dict[str, Any]:
        """Return the columns that tables of parsers have, by their headings.

        If every graph is paired with every graph, these are the numbers of both (from 1) and their
        ids, in place of the pair's id.
        """
        columns: dict[str, Any] = {"pair": self.numbers}
        if self.tgt_count:
            graphs = np.divmod(np.asarray(self.numbers, np.int64), self.tgt_count)
            src, tgt = ((index + 1).astype(np.int32) for index in graphs)
            columns |= {"src": src, "tgt": tgt, "src_id": self.src_ids, "tgt_id": self.tgt_ids}
        else:
            columns["id"] = self.src_ids
        if self.src_flags:
            columns |= {"src_flags": self.src_flags, "tgt_flags": self.tgt_flags}
        return columns | ({self.bucket_name: self.buckets} if self.bucket_name else {})

    @classmethod
    def concatenate(cls, parts: Sequence[PairColumns]) -> PairColumns:
        """Join the columns of consecutive pairs; two that are one list in all parts stay one."""
        names = ["numbers", "src_ids", "buckets", "ratings", "src_flags", "tgt_flags"]
        if any(part.src_ids is not part.tgt_ids for part in parts):
            names.append("tgt_ids")
        joined = {name: _join_columns([getattr(part, name) for part in parts]) for name in names}
        return replace(parts[0], **{"tgt_ids": joined["src_ids"], **joined})


@dataclass(frozen=True, eq=False)
class Scored:
    """A metric's scores of some pairs: of a chunk, of all pairs of two sides, or of a cell.

    Attributes:
        scores: one per pair, with the columns they are computed from; NaN for a missing pair.
        pairs: what describes the pairs.
        problems: which pairs could not be read or scored, and why, by position.
        parts: further scores of the pairs, such as those of aspects, by name; the column ``empty``
            says for which pairs a part occurs in neither graph.
        lowest: the pairs with the lowest scores, by position; as many as requested. A parse that
            counts as empty is the empty graph.
        mistakes: of the parses; None if they were not collected.
        seconds: CPU time spent scoring, without reading.
        wall: elapsed time, by which the number of pairs is chosen that are scored at a time.
        cached: whether an earlier run computed the scores; None if unknown.
    """

    scores: Scores
    pairs: PairColumns = field(default_factory=PairColumns)
    problems: Mapping[int, Problem] = field(default_factory=dict)
    parts: Mapping[str, Scores] = field(default_factory=dict)
    lowest: Mapping[int, Pair] = field(default_factory=dict)
    mistakes: ParserMistakes | None = None
    seconds: float = 0.0
    wall: float = 0.0
    cached: bool | None = None

    def __len__(self) -> int:
        return len(self.scores.values)

    @property
    def present(self) -> Bools:
        """Which pairs have a score."""
        return ~np.isnan(self.scores.values)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of a table with a row per pair; None for a missing score."""
        columns = {**self.pairs.to_columns(), **self.scores.columns()}
        return {name: _list_values(column) for name, column in columns.items()}

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
        mistakes = [chunk.mistakes for chunk in chunks if chunk.mistakes is not None]
        return cls(
            _join_scores([chunk.scores for chunk in chunks]),
            PairColumns.concatenate([chunk.pairs for chunk in chunks]),
            {start + k: why for start, chunk in numbered for k, why in chunk.problems.items()},
            {
                name: _join_scores(
                    [c.parts.get(name, Scores(c.scores.values * np.nan)) for c in chunks]
                )
                for name in names
            },
            {k: pair for _, k, pair in sorted(kept, key=lambda entry: entry[:2])[:lowest]},
            ParserMistakes.concatenate(mistakes) if mistakes else None,
            sum(chunk.seconds for chunk in chunks),
            sum(chunk.wall for chunk in chunks),
        )


def collect_mistakes(parsers: Mapping[str, Scored]) -> dict[str, ParserMistakes]:
    """Return the mistakes of each parser of which they were collected."""
    return {k: one.mistakes for k, one in parsers.items() if one.mistakes is not None}


def place_scores(scores: Scores, positions: Ints, count: int) -> Scores:
    """Return the scores of some pairs as those of `count` pairs, NaN (or False) elsewhere."""
    if np.array_equal(positions, np.arange(count)):
        return scores

    def spread(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        is_flag = values.dtype.kind == "b"
        column = np.zeros(count, np.bool_) if is_flag else np.full(count, np.nan)
        column[positions] = values
        return column

    details = {name: spread(column) for name, column in scores.details.items()}
    return Scores(spread(scores.values), details)


def _list_values(column: Sequence[Any] | np.ndarray[Any, Any]) -> list[Any]:
    """Return the values of a column, with None for NaN."""
    if not isinstance(column, np.ndarray):
        return [*column]
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f" and np.isnan(column).any():
        return [None if value != value else value for value in values]
    return values


def _join_scores(parts: Sequence[Scores]) -> Scores:
    """Join scores; those without any score may lack columns, which are NaN or False there."""
    complete = next((part for part in parts if not np.isnan(part.values).all()), parts[0])
    filled = [
        part
        if part.details.keys() == complete.details.keys()
        else place_scores(complete.take(NONE), NONE, len(part.values))
        for part in parts
    ]
    return Scores.concatenate(filled)


def _join_columns(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], range):
        return range(parts[0].start, parts[-1].stop)
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return [value for part in parts for value in part]
