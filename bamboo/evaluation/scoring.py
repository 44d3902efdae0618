"""Score two files of graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.documents import plain
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.ids import check_ids
from bamboo.pairs.problems import OnError, Problem, combined, summary
from bamboo.pairs.reading import PENMAN, Notation, empty_parse, read_pairs, score_pairs
from bamboo.running.coverage import Coverage
from bamboo.tables.model import Table
from metrics.base import Metric, Pair, Scores
from metrics.errors import MetricError, PairError

SCHEMA = 1
SHOWN = ("precision", "recall", "upper", "optimal")
Ids = Literal["check", "ignore"]


@dataclass(frozen=True, eq=False)
class FileScores:
    """The scores of two files' graphs.

    Attributes:
        pairs: the graphs, in file order; None where one cannot be read. A parse that counts as
            empty is the empty graph.
        scores: one per pair; NaN for a missing pair.
        problems: which pairs could not be read or scored, and why, by position.
        corpus: corpus scores, over the pairs that have a score.
        signature: the metric's signature.
        on_error: how pairs that could not be read or scored were treated.
    """

    pairs: Sequence[Pair | None]
    scores: Scores
    problems: Mapping[int, Problem]
    corpus: Mapping[str, float]
    signature: str
    on_error: OnError = "stop"

    @property
    def coverage(self) -> Coverage | None:
        """How many nodes have a word vector; None for a metric that uses none."""
        return Coverage.of(self.scores)

    def scored_pairs(self) -> Sequence[Pair]:
        """The pairs that have a score."""
        scored = ~np.isnan(self.scores.values)
        return FilePairs.of(self.pairs).select(np.flatnonzero(scored))

    def ids(self) -> list[str | None]:
        """The ``::id`` of each pair's first graph, or else that of its second; None without."""
        pairs = FilePairs.of(self.pairs)
        both = zip(pairs.ids(0), pairs.ids(1), strict=True)
        return [own if own is not None else other for own, other in both]

    def warnings(self) -> list[str]:
        """Warnings about pairs that could not be read or scored."""
        return summary(self.problems, len(self.pairs), self.on_error)

    def to_json(self) -> dict[str, Any]:
        """The scores as JSON values; null for a missing score."""
        values = plain(self.scores.values)
        details = {name: plain(column) for name, column in self.scores.details.items()}
        pairs = [
            {"pair": k, "id": id, "score": value, **{name: v[k] for name, v in details.items()}}
            for k, (id, value) in enumerate(zip(self.ids(), values, strict=True))
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


def score_files(
    metric: Metric,
    src: Path,
    tgt: Path,
    notation: Notation = PENMAN,
    on_error: OnError = "stop",
    ids: Ids = "check",
) -> FileScores:
    """Score graph k of `src` with graph k of `tgt`.

    Args:
        notation: the notation of both files.
        on_error: how to treat a pair that cannot be read or scored. ``stop``: raise an error;
            ``nan``: it is missing; ``zero``: it counts as an empty parse (see `read_pairs` and
            `score_pairs`).
        ids: ``check`` that both graphs of a pair have the same ``::id``, or ``ignore`` them.

    Raises:
        GraphError: a file, or a graph of it, that cannot be read.
        DataError: files of different lengths, or ids that do not match (`check_ids`).
        PairError: a pair that cannot be scored; it names the files.
    """
    pairs, problems = read_pairs(src, tgt, notation, on_error)
    if ids == "check":
        check_ids(pairs, src, tgt)
    try:
        scores, unscored = score_pairs(metric, pairs, on_error)
    except MetricError as error:
        raise PairError(f"{src} and {tgt}: {error}", argument=error.argument) from None
    scored = ~np.isnan(scores.values)
    corpus = metric.corpus(scores.take(scored)) if scored.any() else {}
    problems = combined(problems, unscored)
    without_parse = {
        k: Pair(empty_parse(pair.tgt), pair.tgt)
        for k, problem in problems.items()
        if problem.counted_as == "empty" and (pair := pairs[k]) is not None
    }
    pairs = pairs.with_replaced(without_parse)
    return FileScores(pairs, scores, problems, corpus, metric.signature, on_error)


def score_table(files: FileScores, title: str) -> Table:
    """One row per pair, and the corpus scores in the notes."""
    details = [name for name in SHOWN if name in files.scores.details]
    if "upper" in details and files.scores.details["optimal"].all():
        details.remove("upper")
    columns = [plain(files.scores.details[name]) for name in details]
    rows = [
        (str(k), id, value, *(column[k] for column in columns))
        for k, (id, value) in enumerate(zip(files.ids(), plain(files.scores.values), strict=True))
    ]
    return Table(title, ("pair", "id", "score", *details), tuple(rows), 4, score_notes(files))


def score_notes(files: FileScores) -> tuple[str, ...]:
    """The corpus scores, whether the alignments are proven optimal, and pairs with a problem."""
    notes = [f"corpus {name}: {value:.4f}" for name, value in files.corpus.items()]
    if "optimal" in files.scores.details:
        optimal = files.scores.details["optimal"][~np.isnan(files.scores.values)]
        unproven = int(np.sum(~optimal))
        notes.append(
            f"{unproven} of {len(optimal)} alignments are NOT proven optimal"
            if unproven
            else f"all {len(optimal)} alignments are proven optimal"
        )
    counted = {"missing": "is missing", "empty": "counts as an empty parse"}
    notes += [f"pair {k} {counted[why.counted_as]}: {why}" for k, why in files.problems.items()]
    return tuple(notes)
