"""The scores of files by one metric: collected from chunks, with totals, warnings and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamboo.documents import plain
from bamboo.evaluation.scored_chunks import Parts, ScoredChunk
from bamboo.pairs.ids import IdColumn
from bamboo.pairs.problems import OnError, Problem, summary
from bamboo.pairs.reading import join_scores
from bamboo.results.coverage import Coverage
from bamboo.results.table import Table
from metrics.base import Metric, Pair, Scores
from metrics.types import Ints
from metrics.utils.text import proven

SCHEMA = 1
SHOWN = ("precision", "recall", "upper", "optimal")


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

    @property
    def coverage(self) -> Coverage | None:
        """How many nodes have a word vector; None for a metric that uses none."""
        return Coverage.of(self.scores)

    def id(self, k: int) -> str | None:
        """Return the id of pair k, as in `ids`; with numbered graphs, both ids."""
        src, tgt = self.src_ids[k], self.tgt_ids[k]
        if self.index is not None and src is not None and tgt is not None:
            return f"{src} / {tgt}"
        return src if src is not None else tgt

    def warnings(self) -> list[str]:
        """Return warnings about pairs that could not be read or scored."""
        return summary(self.problems, len(self), self.on_error)

    def to_json(self) -> dict[str, Any]:
        """Return the scores as JSON values; null for a missing score."""
        columns = self.columns()
        pairs = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        for k, why in self.problems.items():
            pairs[k]["problem"] = str(why)
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "scores": columns["score"],
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


def score_table(files: FileScores, title: str) -> Table:
    """One row per pair, and the corpus scores in the notes."""
    details = [name for name in SHOWN if name in files.scores.details]
    if "upper" in details and files.scores.details["optimal"].all():
        details.remove("upper")
    columns = files.columns()
    names = ["pair", *files.names(), "score", *details]
    rows = zip(map(str, columns["pair"]), *(columns[name] for name in names[1:]), strict=True)
    return Table(title, tuple(names), tuple(rows), 4, score_notes(files))


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
