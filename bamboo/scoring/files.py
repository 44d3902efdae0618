"""Score files of graphs, some pairs at a time: only numbers and ids of all pairs are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.types import Ints
from bamboo.engines import SERIAL, Engine
from bamboo.pairs.chunks import GraphSource, PairChunk, limited, pair_chunks
from bamboo.pairs.ids import IdCheck, Ids, pair_ids
from bamboo.pairs.notation import PENMAN, Notation
from bamboo.pairs.problems import OnError, Problem, combined, summary
from bamboo.pairs.roles import RoleCount
from bamboo.pairs.sentence_order import SentenceCheck
from bamboo.scoring.pipeline import (
    ChunkScores,
    Parts,
    PartScorer,
    Scorers,
    Task,
    chunk_size,
    join_scores,
    prepared,
    score_tasks,
)


@dataclass(frozen=True, eq=False)
class ScoredChunk:
    """The scores of some consecutive pairs.

    Attributes:
        first: the position of the first of them.
        scores: one per pair; NaN for a missing pair.
        problems: which pairs could not be read or scored, and why, by position in the chunk.
        src_ids, tgt_ids: the ``::id`` of each graph; None without one.
        index: the positions of the graphs, counted from 0, if pair k is not graph k of both.
        parts: further scores, of the pairs that have a score.
        lowest: the pairs with the lowest scores, by position in the chunk; as many as requested.
            A parse that counts as empty is the empty graph.
    """

    first: int
    scores: Scores
    problems: Mapping[int, Problem]
    src_ids: Sequence[str | None]
    tgt_ids: Sequence[str | None]
    index: tuple[Ints, Ints] | None
    parts: Parts
    lowest: Mapping[int, Pair]

    @classmethod
    def of(cls, chunk: PairChunk, scored: ChunkScores) -> ScoredChunk:
        """Join the scores of pairs with their ids, and the problems of reading and scoring."""
        return cls(
            chunk.first,
            scored.scores,
            combined(chunk.problems, scored.problems),
            chunk.src_ids,
            chunk.tgt_ids,
            chunk.index,
            scored.parts,
            scored.lowest,
        )

    def __len__(self) -> int:
        return len(self.scores.values)

    @property
    def ids(self) -> list[str | None]:
        """The source graph's id, else the target's, else None."""
        return pair_ids(self.src_ids, self.tgt_ids)

    def names(self) -> dict[str, Sequence[Any]]:
        """Return columns that name the pairs: the id, or the graphs' numbers (from 1) and ids."""
        if self.index is None:
            return {"id": self.ids}
        src, tgt = (index + 1 for index in self.index)
        columns = {"src": src.tolist(), "tgt": tgt.tolist()}
        return {**columns, "src_id": [*self.src_ids], "tgt_id": [*self.tgt_ids]}

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the columns of a file with a row per pair; None for a missing score."""
        values = {"score": self.scores.values, **self.scores.details}
        return {
            "pair": range(self.first, self.first + len(self)),
            **self.names(),
            **{name: cells(column) for name, column in values.items()},
        }

    def problem_texts(self) -> list[str | None]:
        """Return the text of each pair's problem; None without."""
        return [str(self.problems[k]) if k in self.problems else None for k in range(len(self))]


def cells(column: np.ndarray[Any, Any]) -> list[Any]:
    """Return the values of a column, with None for NaN."""
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f" and np.isnan(column).any():
        return [None if value != value else value for value in values]
    return values


@dataclass(frozen=True, eq=False)
class FileScores(ScoredChunk):
    """The scores of all pairs of two files' graphs.

    Attributes:
        corpus: corpus scores, over the pairs that have a score.
        signature: the metric's signature.
        on_error: how pairs that could not be read or scored were treated.
    """

    corpus: Mapping[str, float]
    signature: str
    on_error: OnError

    def id(self, k: int) -> str | None:
        """Return the id of pair k, as in `ids`; with numbered graphs, both ids."""
        src, tgt = self.src_ids[k], self.tgt_ids[k]
        if self.index is not None and src is not None and tgt is not None:
            return f"{src} / {tgt}"
        return src if src is not None else tgt

    def warnings(self) -> list[str]:
        """Return warnings about pairs that could not be read or scored."""
        return summary(self.problems, len(self), self.on_error)


class _Collector:
    """Merges the scores of consecutive chunks; the graphs of at most `lowest` pairs are kept."""

    def __init__(self, metric: Metric, on_error: OnError, lowest: int = 0) -> None:
        self._metric, self._on_error, self._count = metric, on_error, lowest
        self._scores: list[Scores] = []
        self._parts: list[Parts] = []
        self._problems: dict[int, Problem] = {}
        self._ids: tuple[list[str | None], list[str | None]] = [], []
        self._index: list[tuple[Ints, Ints]] = []
        self._lowest: list[tuple[float, int, Pair]] = []

    def add(self, chunk: ScoredChunk) -> None:
        """Add the next chunk."""
        self._scores.append(chunk.scores)
        self._parts.append(chunk.parts)
        self._problems |= {chunk.first + k: why for k, why in chunk.problems.items()}
        self._ids[0].extend(chunk.src_ids)
        self._ids[1].extend(chunk.tgt_ids)
        if chunk.index is not None:
            src, tgt = (index.astype(np.int32) for index in chunk.index)
            self._index.append((src, tgt))
        for k, pair in chunk.lowest.items():
            self._lowest.append((float(chunk.scores.values[k]), chunk.first + k, pair))
        self._lowest = sorted(self._lowest, key=lambda entry: entry[:2])[: self._count]

    def result(self) -> FileScores:
        """Return the scores of all pairs."""
        scores = join_scores(self._scores)
        scored = ~np.isnan(scores.values)
        corpus: Mapping[str, float] = {}
        if scored.any():
            corpus = self._metric.corpus(scores if scored.all() else scores.take(scored))
        index = None
        if self._index:
            src, tgt = zip(*self._index, strict=True)
            index = np.concatenate(src), np.concatenate(tgt)
        # A chunk in which no pair has a score has no parts.
        parts = [parts for parts in self._parts if parts]
        names = parts[0] if parts else {}
        return FileScores(
            first=0,
            scores=scores,
            problems=self._problems,
            src_ids=self._ids[0],
            tgt_ids=self._ids[1],
            index=index,
            parts={name: join_scores([part[name] for part in parts]) for name in names},
            lowest={position: pair for _, position, pair in self._lowest},
            corpus=corpus,
            signature=self._metric.signature,
            on_error=self._on_error,
        )


@dataclass(frozen=True, kw_only=True)
class PairsOfFiles:
    """Which pairs of two sides are scored, and how they are read.

    Attributes:
        src, tgt: for each side a file, a folder, a pattern or ``-`` (`bamboo.pairs.inputs`), or
            graphs in memory.
        notation: the notation of both sides.
        on_error: how to treat a pair that cannot be read or scored. ``stop``: raise an error;
            ``nan``: it is missing; ``zero``: it counts as an empty parse (see `read_pairs` and
            `score_pairs`).
        ids: ``warn`` or ``check`` that both graphs of a pair have the same ``::id`` (`IdCheck`)
            and, without ids, that sentences are in the same order (`SentenceCheck`); ``match``:
            pair the graphs with the same id; ``ignore`` ids and sentences.
        every: score every graph of `src` with every graph of `tgt`, not graph k with graph k.
        limit: only so many of the first pairs; None for all.
    """

    src: Path | GraphSource
    tgt: Path | GraphSource
    notation: Notation = PENMAN
    on_error: OnError = "stop"
    ids: Ids = "warn"
    every: bool = False
    limit: int | None = None

    def score(
        self,
        metrics: Mapping[str, Metric],
        score_parts: Mapping[str, PartScorer] | None = None,
        lowest: int = 0,
        write: Callable[[Mapping[str, ScoredChunk]], None] = lambda chunks: None,
        engine: Engine = SERIAL,
        build: Callable[[], Scorers] | None = None,
    ) -> tuple[dict[str, FileScores], list[str], list[str]]:
        """Score the pairs with each metric; they are read once.

        Args:
            score_parts: computes further scores, for some of the metrics.
            lowest: of how many pairs with the lowest scores to keep the graphs.
            write: called with the scores of each chunk, by metric.
            engine: where pairs are scored; they are read here.
            build: returns `metrics` and `score_parts` in another process; None to send them, if
                they can be pickled.

        Returns:
            the scores by metric, warnings about ids, and notes on the files.

        Raises:
            GraphError: a file, or a graph of it, that cannot be read.
            DataError: see `pair_chunks`, `IdCheck` and `SentenceCheck`.
            PairError: a pair that cannot be scored; it names the files.
        """
        sides = self._sides()
        src, tgt = (str(side.name) for side in sides)
        ids = IdCheck(src, tgt, strict=self.ids == "check")
        sentences, roles = SentenceCheck(src, tgt), RoleCount(src, tgt)
        collectors = {
            name: _Collector(metric, self.on_error, lowest) for name, metric in metrics.items()
        }
        if build is None or engine.in_process:
            build = partial(Scorers, metrics, score_parts or {})
        scorers = prepared(engine, build)
        names = dict.fromkeys(metrics, f"{src} and {tgt}")
        chunks = self._chunks(sides, chunk_size(engine))

        def tasks() -> Iterator[Task[PairChunk]]:
            for chunk in chunks:
                if not self.every and self.ids in ("warn", "check"):
                    ids.add(chunk.src_ids, chunk.tgt_ids, chunk.problems)
                    sentences.add(chunk.first, chunk.pairs, chunk.src_ids, chunk.tgt_ids)
                if not self.every:
                    roles.add(chunk.pairs)
                numbers = chunk.first + np.arange(len(chunk))
                yield Task(chunk, scorers, chunk.pairs, numbers, names)

        for chunk, by_metric in score_tasks(tasks(), self.on_error, engine, lowest):
            scored = {name: ScoredChunk.of(chunk, scores) for name, scores in by_metric.items()}
            for name, collector in collectors.items():
                collector.add(scored[name])
            write(scored)
        results = {name: collector.result() for name, collector in collectors.items()}
        notes = list(dict.fromkeys(note for side in sides for note in side.notes))
        # Graphs made by a program seldom have ids: that is no reason for a warning.
        warnings = [] if any(side.is_anonymous for side in sides) else ids.warnings()
        return results, warnings, [*notes, *roles.notes()]

    def chunks(self, size: int) -> Iterator[PairChunk]:
        """Yield the pairs again, `size` at a time."""
        return self._chunks(self._sides(), size)

    def _sides(self) -> list[GraphSource]:
        return [
            GraphSource(side, self.notation, self.on_error) if isinstance(side, Path) else side
            for side in (self.src, self.tgt)
        ]

    def _chunks(self, sides: Sequence[GraphSource], size: int) -> Iterator[PairChunk]:
        src, tgt = sides
        chunks = pair_chunks(src, tgt, self.every, match=self.ids == "match", size=size)
        return limited(chunks, self.limit)
