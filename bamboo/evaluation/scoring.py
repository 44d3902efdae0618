"""Score files of graphs, some pairs at a time: only numbers and ids of all pairs are kept."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bamboo.documents import plain
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError
from bamboo.pairs.chunks import CHUNK, FileSide, MemorySide, PairChunk, pair_chunks
from bamboo.pairs.ids import IdCheck, IdColumn, Ids, pair_ids
from bamboo.pairs.notation import PENMAN, Notation
from bamboo.pairs.problems import OnError, Problem, combined, summary
from bamboo.pairs.reading import empty_parse, join_scores, score_pairs
from bamboo.running.coverage import Coverage
from bamboo.tables.model import Table
from metrics.base import Metric, Pair, Scores
from metrics.errors import MetricError, PairError
from metrics.types import Ints
from metrics.wording import proven

SCHEMA = 1
SHOWN = ("precision", "recall", "upper", "optimal")

# Further scores of pairs, such as those of aspects, by name.
Parts = Mapping[str, Scores]
PartScorer = Callable[[Sequence[Pair]], Parts]

SMALLER_CHUNK = 2_500  # pairs that are scored at a time in one of several processes


class Scorers(NamedTuple):
    """What scores pairs: metrics by name, and functions for further scores of some of them."""

    metrics: Mapping[str, Metric]
    parts: Mapping[str, PartScorer] = MappingProxyType({})


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

    @property
    def ids(self) -> list[str | None]:
        """The id of each pair's first graph, or else that of its second; None without."""
        return pair_ids(self.src_ids, self.tgt_ids)


def score_chunk(
    metric: Metric,
    chunk: PairChunk,
    on_error: OnError,
    score_parts: PartScorer | None = None,
    lowest: int = 0,
) -> ScoredChunk:
    """Score some pairs. The result does not depend on how pairs are divided into chunks.

    Args:
        on_error: see `score_files`.
        score_parts: computes further scores.
        lowest: of how many pairs with the lowest scores to keep the graphs.

    Raises:
        PairError: a pair that cannot be scored (``on_error="stop"``), with its position among all
            pairs.
    """
    try:
        scores, unscored = score_pairs(metric, chunk.pairs, on_error)
    except PairError as error:
        raise error.numbered(chunk.first + np.arange(len(chunk))) from None
    problems = combined(chunk.problems, unscored)
    without_parse = {
        k: Pair(empty_parse(pair.tgt), pair.tgt)
        for k, problem in problems.items()
        if problem.counted_as == "empty" and (pair := chunk.pairs[k]) is not None
    }
    pairs = chunk.pairs.with_replaced(without_parse) if without_parse else chunk.pairs
    parts: Parts = {}
    scored = np.flatnonzero(~np.isnan(scores.values))
    if score_parts is not None and len(scored):
        try:
            parts = score_parts(pairs.select(scored))
        except PairError as error:
            raise error.numbered(chunk.first + scored) from None
    order = scored[np.argsort(scores.values[scored], kind="stable")][:lowest]
    kept = {k: pair for k in order.tolist() if (pair := pairs[k]) is not None}
    return ScoredChunk(
        chunk.first, scores, problems, chunk.src_ids, chunk.tgt_ids, chunk.index, parts, kept
    )


@dataclass(frozen=True, eq=False)
class FileScores:
    """The scores of two files' graphs.

    Attributes:
        scores: one per pair; NaN for a missing pair.
        problems: which pairs could not be read or scored, and why, by position.
        corpus: corpus scores, over the pairs that have a score.
        signature: the metric's signature.
        on_error: how pairs that could not be read or scored were treated.
        src_ids, tgt_ids: the ``::id`` of each graph; None without one.
        index: the positions of the graphs, counted from 0, if pair k is not graph k of both.
        parts: further scores, such as those of aspects, of the pairs that have a score.
        lowest: the pairs with the lowest scores, lowest first, ties in file order: as many as
            requested.
    """

    scores: Scores
    problems: Mapping[int, Problem]
    corpus: Mapping[str, float]
    signature: str
    on_error: OnError
    src_ids: Sequence[str | None]
    tgt_ids: Sequence[str | None]
    index: tuple[Ints, Ints] | None = None
    parts: Parts = field(default_factory=dict)
    lowest: Mapping[int, Pair] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.scores.values)

    @property
    def coverage(self) -> Coverage | None:
        """How many nodes have a word vector; None for a metric that uses none."""
        return Coverage.of(self.scores)

    def ids(self) -> list[str | None]:
        """The ``::id`` of each pair's first graph, or else that of its second; None without."""
        return pair_ids(self.src_ids, self.tgt_ids)

    def id(self, k: int) -> str | None:
        """The id of pair k, as in `ids`; with numbered graphs, both ids."""
        own, other = self.src_ids[k], self.tgt_ids[k]
        if self.index is not None and own is not None and other is not None:
            return f"{own} / {other}"
        return own if own is not None else other

    def warnings(self) -> list[str]:
        """Warnings about pairs that could not be read or scored."""
        return summary(self.problems, len(self), self.on_error)

    def names(self) -> dict[str, Sequence[Any]]:
        """Columns that name the pairs: the id, or the graphs' numbers (from 1) and ids."""
        if self.index is None:
            return {"id": self.ids()}
        src, tgt = (index + 1 for index in self.index)
        columns = {"src": src.tolist(), "tgt": tgt.tolist()}
        return {**columns, "src_id": [*self.src_ids], "tgt_id": [*self.tgt_ids]}

    def to_json(self) -> dict[str, Any]:
        """The scores as JSON values; null for a missing score."""
        values = plain(self.scores.values)
        details = {name: plain(column) for name, column in self.scores.details.items()}
        columns = {**self.names(), "score": values, **details}
        pairs = [
            {"pair": k, **dict(zip(columns, row, strict=True))}
            for k, row in enumerate(zip(*columns.values(), strict=True))
        ]
        for k, why in self.problems.items():
            pairs[k]["problem"] = str(why)
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "scores": values,
            "pairs": pairs,
            "corpus": plain(self.corpus),
            "on_error": self.on_error,
            "problems": [{"pair": k, **why.to_json()} for k, why in self.problems.items()],
            **({} if self.coverage is None else {"coverage": self.coverage.to_json()}),
        }


class Collector:
    """Merges the scores of consecutive chunks; the graphs of at most `lowest` pairs are kept."""

    def __init__(self, metric: Metric, on_error: OnError, lowest: int = 0) -> None:
        self._metric, self._on_error, self._count = metric, on_error, lowest
        self._scores: list[Scores] = []
        self._parts: list[Parts] = []
        self._problems: dict[int, Problem] = {}
        self._ids = IdColumn(), IdColumn()
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
        """The scores of all pairs."""
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
            scores,
            self._problems,
            corpus,
            self._metric.signature,
            self._on_error,
            *self._ids,
            index,
            {name: join_scores([part[name] for part in parts]) for name in names},
            {position: pair for _, position, pair in self._lowest},
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
        ids: ``warn`` or ``check`` that both graphs of a pair have the same ``::id`` (`IdCheck`);
            ``match``: pair the graphs with the same id; ``ignore`` the ids.
        choice: which pairs, if not graph k with graph k (see `pair_chunks`).
    """

    src: Path | MemorySide
    tgt: Path | MemorySide
    notation: Notation = PENMAN
    on_error: OnError = "stop"
    ids: Ids = "warn"
    choice: Path | None = None

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
            DataError: see `pair_chunks` and `IdCheck`.
            PairError: a pair that cannot be scored; it names the files.
        """
        sides = [
            side if isinstance(side, MemorySide) else FileSide(side, self.notation, self.on_error)
            for side in (self.src, self.tgt)
        ]
        src, tgt = (str(side.name) for side in sides)
        check = None
        if self.choice is None and self.ids in ("warn", "check"):
            check = IdCheck(src, tgt, strict=self.ids == "check")
        collectors = {
            name: Collector(metric, self.on_error, lowest) for name, metric in metrics.items()
        }
        given = Scorers(metrics, score_parts or {})
        if engine.in_process:
            function: Callable[..., dict[str, ScoredChunk]] = _score_chunks
            scorers: Scorers | bytes = given
            size = CHUNK
        else:
            function = _score_elsewhere
            scorers = _pickled(given if build is None else build)
            size = SMALLER_CHUNK

        def tasks() -> Iterator[tuple[object, ...]]:
            match, where = self.ids == "match", f"{src} and {tgt}"
            for chunk in pair_chunks(sides[0], sides[1], self.choice, match=match, size=size):
                if check is not None:
                    check.add(chunk.src_ids, chunk.tgt_ids, chunk.problems)
                yield scorers, chunk, self.on_error, lowest, where

        for scored in engine.map(function, tasks()):
            for name, collector in collectors.items():
                collector.add(scored[name])
            write(scored)
        results = {name: collector.result() for name, collector in collectors.items()}
        notes = list(dict.fromkeys(note for side in sides for note in side.notes))
        return results, [] if check is None else check.warnings(), notes


def _pickled(scorers: Scorers | Callable[[], Scorers]) -> bytes:
    """Scorers for other processes.

    Raises:
        ConfigError: an object that cannot be sent.
    """
    try:
        return pickle.dumps(scorers)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"the metric cannot be sent to other processes ({error}): use engine=serial"
        ) from None


def _score_chunks(
    scorers: Scorers, chunk: PairChunk, on_error: OnError, lowest: int, where: str
) -> dict[str, ScoredChunk]:
    """The scores of some pairs by metric; `where` names the files in errors."""
    try:
        return {
            name: score_chunk(metric, chunk, on_error, scorers.parts.get(name), lowest)
            for name, metric in scorers.metrics.items()
        }
    except MetricError as error:
        raise PairError(f"{where}: {error}", argument=error.argument) from None


def _score_elsewhere(
    scorers: bytes, chunk: PairChunk, on_error: OnError, lowest: int, where: str
) -> dict[str, ScoredChunk]:
    """`_score_chunks` in another process."""
    built = _unpickled_scorers(scorers, tuple(sys.path))
    return _score_chunks(built, chunk, on_error, lowest, where)


@lru_cache(maxsize=4)
def _unpickled_scorers(scorers: bytes, path: Sequence[str]) -> Scorers:
    """The scorers, built once for all chunks.

    Args:
        path: the search path for modules, on which classes of the user's own depend.
    """
    content = pickle.loads(scorers)
    built: Scorers = content if isinstance(content, Scorers) else content()
    return built


def score_files(
    metric: Metric,
    src: Path,
    tgt: Path,
    notation: Notation = PENMAN,
    on_error: OnError = "stop",
    ids: Ids = "warn",
    lowest: int = 0,
) -> FileScores:
    """Score graph k of `src` with graph k of `tgt`; see `PairsOfFiles.score`."""
    pairs = PairsOfFiles(src=src, tgt=tgt, notation=notation, on_error=on_error, ids=ids)
    (scores,) = pairs.score({"": metric}, lowest=lowest)[0].values()
    return scores


def score_table(files: FileScores, title: str) -> Table:
    """One row per pair, and the corpus scores in the notes."""
    details = [name for name in SHOWN if name in files.scores.details]
    if "upper" in details and files.scores.details["optimal"].all():
        details.remove("upper")
    names = files.names()
    columns = [plain(files.scores.values), *(plain(files.scores.details[n]) for n in details)]
    rows = [(str(k), *row) for k, row in enumerate(zip(*names.values(), *columns, strict=True))]
    headings = ("pair", *names, "score", *details)
    return Table(title, headings, tuple(rows), 4, score_notes(files))


def score_notes(files: FileScores) -> tuple[str, ...]:
    """The corpus scores, whether the alignments are proven optimal, and pairs with a problem."""
    notes = [f"corpus {name}: {value:.4f}" for name, value in files.corpus.items()]
    if (proven := optimality_note(files)) is not None:
        notes.append(proven)
    counted = {"missing": "is missing", "empty": "counts as an empty parse"}
    notes += [f"pair {k} {counted[why.counted_as]}: {why}" for k, why in files.problems.items()]
    return tuple(notes)


def optimality_note(files: FileScores) -> str | None:
    """Whether the alignments are proven optimal; None for a metric without that column."""
    if "optimal" not in files.scores.details:
        return None
    optimal = files.scores.details["optimal"][~np.isnan(files.scores.values)]
    return proven(int(np.sum(~optimal)), len(optimal))
