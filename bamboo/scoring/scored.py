"""`Scored`: a metric's scores of some pairs, with what describes the pairs; joined as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.types import Bools, Floats, Ints
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.problems import Problem

NONE = np.empty(0, np.int64)
BLOCK = 10_000  # names that are iterated over at a time
SLACK = 8  # a column grows by at least this part of it, so that it is seldom moved


@dataclass(frozen=True, eq=False)
class Names(Sequence[str | None]):
    """Texts, or None, as one string: an id of 15 characters takes 20 bytes, in a list of `str` 72.

    Attributes:
        text: the texts, one after the other.
        ends: where each of them ends, in the smallest type that holds the length of `text`.
        absent: which of them are None.
    """

    text: str
    ends: np.ndarray[tuple[int], np.dtype[np.unsignedinteger]]
    absent: Bools

    @classmethod
    def of(cls, names: Iterable[str | None]) -> Names:
        """Return names without a `str` for each.

        >>> [*Names.of(["a", None, "", "bc"])]
        ['a', None, '', 'bc']
        """
        texts = [*names]
        absent = np.array([name is None for name in texts], np.bool_)
        lengths = np.array([0 if name is None else len(name) for name in texts], np.int64)
        text = "".join(filter(None, texts))
        return cls(text, np.cumsum(lengths).astype(np.min_scalar_type(len(text))), absent)

    @classmethod
    def concatenate(cls, parts: Sequence[Names]) -> Names:
        """Join names."""
        text = "".join(part.text for part in parts)
        ends = np.empty(sum(map(len, parts)), np.min_scalar_type(len(text)))
        first = start = 0
        for part in parts:
            ends[first : first + len(part)] = part.ends
            ends[first : first + len(part)] += start
            first, start = first + len(part), start + len(part.text)
        return cls(text, ends, np.concatenate([part.absent for part in parts]))

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, k: int) -> str | None: ...
    @overload
    def __getitem__(self, k: slice) -> list[str | None]: ...
    def __getitem__(self, k: int | slice) -> str | list[str | None] | None:
        if isinstance(k, slice):
            return [self[at] for at in range(len(self))[k]]
        at = range(len(self))[k]
        start = int(self.ends[at - 1]) if at else 0
        return None if self.absent[at] else self.text[start : int(self.ends[at])]

    def __eq__(self, other: object) -> bool:
        """Return whether the names are equal, however they are stored."""
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[str | None]:
        start = 0
        for k in range(0, len(self), BLOCK):
            ends, absent = self.ends[k : k + BLOCK].tolist(), self.absent[k : k + BLOCK].tolist()
            for end, is_absent in zip(ends, absent, strict=True):
                yield None if is_absent else self.text[start:end]
                start = end


@dataclass(frozen=True, eq=False)
class PairColumns:
    """What describes pairs: columns with a value for each of them, empty if there are none.

    Attributes:
        numbers: the positions of the pairs, from 0; those of a cell are positions in the benchmark.
        src_ids, tgt_ids: the ``::id`` of both graphs, None without one. If graph k is paired with
            graph k these are one list, of the pairs' ids, or else the names of their files if files
            are paired by name.
        tgt_count: if every graph is paired with every graph, the number of those of tgt; else 0.
        bucket_name, buckets: the heading and the values of `bamboo.scoring.buckets.Grouping`.
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

    def shrink(self) -> PairColumns:
        """Return the same columns with ids that take little memory."""
        src_ids = Names.of(self.src_ids)
        tgt_ids = src_ids if self.tgt_ids is self.src_ids else Names.of(self.tgt_ids)
        return replace(self, src_ids=src_ids, tgt_ids=tgt_ids)

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
        return metric.corpus(select_pairs(self.scores, present)) if present.any() else {}


class GrowingColumn:
    """A column that is extended in place; its type changes as in `np.concatenate`."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self._values = np.array(values)
        self._count = len(self._values)

    def add(self, values: np.ndarray[Any, Any]) -> None:
        """Add the values of the next pairs."""
        dtype = np.result_type(self._values.dtype, values.dtype)
        if dtype != self._values.dtype:
            self._values = self._values.astype(dtype)
        end = self._count + len(values)
        if end > len(self._values):
            self._resize(end + end // SLACK)
        self._values[self._count : end] = values
        self._count = end

    def finish(self) -> np.ndarray[Any, Any]:
        """Return the values; nothing can be added afterwards."""
        self._resize(self._count)
        return self._values

    def _resize(self, count: int) -> None:
        # Without the check: there is no other reference to the values before `finish` returns them.
        self._values.resize((count, *self._values.shape[1:]), refcheck=False)


class GrowingScores:
    """The scores of consecutive pairs.

    Chunks without any score may lack columns, which are NaN or False there: the columns are those
    of the first chunk that has a score.
    """

    def __init__(self) -> None:
        self._waiting: list[Scores] = []  # chunks before the columns are known
        self._empty: Scores | None = None  # the columns, without pairs
        self._values = GrowingColumn(np.empty(0))
        self._details: dict[str, GrowingColumn] = {}

    def add(self, scores: Scores) -> None:
        """Add the scores of the next pairs."""
        self._waiting.append(scores)
        if self._empty is None and not np.isnan(scores.values).all():
            self._empty = scores.take(NONE)
        if self._empty is not None:
            self._append(self._empty)

    def finish(self) -> Scores:
        """Return the scores of all pairs; nothing can be added afterwards."""
        if self._waiting:  # no pair has a score
            self._append(self._waiting[0].take(NONE))
        details = {name: column.finish() for name, column in self._details.items()}
        return Scores(self._values.finish(), details)

    def _append(self, empty: Scores) -> None:
        """Add the chunks that waited to the columns."""
        for scores in self._waiting:
            if scores.details.keys() != empty.details.keys():
                scores = place_scores(empty, NONE, len(scores.values))
            self._values.add(scores.values)
            for name, values in scores.details.items():
                if name in self._details:
                    self._details[name].add(values)
                else:
                    self._details[name] = GrowingColumn(values)
        self._waiting.clear()


class GrowingScored:
    """A metric's scores of consecutive pairs, with their parts, problems and mistakes.

    Args:
        lowest: of how many pairs to keep the graphs.
    """

    def __init__(self, lowest: int = 0) -> None:
        self._count = 0
        self._scores = GrowingScores()
        self._parts: dict[str, GrowingScores] = {}
        self._problems: dict[int, Problem] = {}
        self._most = lowest
        self._lowest: list[tuple[float, int, Pair]] = []
        self._mistakes: list[ParserMistakes] = []
        self._seconds = self._wall = 0.0

    def add(self, chunk: Scored) -> None:
        """Add the scores of the next pairs."""
        start, values = self._count, chunk.scores.values
        self._count += len(chunk)
        self._scores.add(chunk.scores)
        for name in chunk.parts:
            if name not in self._parts:
                self._parts[name] = GrowingScores()
                self._parts[name].add(Scores(np.full(start, np.nan)))
        for name, part in self._parts.items():
            part.add(chunk.parts.get(name, Scores(np.full(len(chunk), np.nan))))
        self._problems |= {start + k: why for k, why in chunk.problems.items()}
        self._lowest += [(float(values[k]), start + k, pair) for k, pair in chunk.lowest.items()]
        self._lowest = sorted(self._lowest, key=lambda entry: entry[:2])[: self._most]
        if chunk.mistakes is not None:
            self._mistakes.append(chunk.mistakes)
        self._seconds += chunk.seconds
        self._wall += chunk.wall

    def finish(self, pairs: PairColumns) -> Scored:
        """Return the scores of all pairs; nothing can be added afterwards.

        Args:
            pairs: what describes all pairs.
        """
        return Scored(
            self._scores.finish(),
            pairs,
            self._problems,
            {name: part.finish() for name, part in self._parts.items()},
            {k: pair for _, k, pair in self._lowest},
            ParserMistakes.concatenate(self._mistakes) if self._mistakes else None,
            self._seconds,
            self._wall,
        )


def collect_mistakes(parsers: Mapping[str, Scored]) -> dict[str, ParserMistakes]:
    """Return the mistakes of each parser of which they were collected."""
    return {k: one.mistakes for k, one in parsers.items() if one.mistakes is not None}


def select_pairs(scores: Scores, chosen: Bools) -> Scores:
    """Return the scores of some pairs; no copy if these are all."""
    return scores if chosen.all() else scores.take(chosen)


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


def _join_columns(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], range):
        return range(parts[0].start, parts[-1].stop)
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    if isinstance(parts[0], Names):
        return Names.concatenate(parts)
    return [value for part in parts for value in part]
