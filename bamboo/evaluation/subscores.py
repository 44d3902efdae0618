"""The sub-scores of Chinese AMR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bamboo.errors import ConfigError
from bamboo.evaluation.scoring import FileScores
from bamboo.tables.model import Table
from metrics.base import Metric, Pair, Scores
from metrics.camr.subscores import corpus_subscore, subscore_scorer

PREFIX = "subscore "  # of the names of sub-scores among the parts of scores
MEANINGS = {
    "CA": "concept alignment",
    "RA": "relation alignment",
    "IC": "implicit concepts",
}


@dataclass(frozen=True)
class SubscoreRow:
    """A parser's precision, recall and F1 of one sub-score, over all its pairs."""

    parser: str
    name: str
    corpus: Mapping[str, float]


def subscore_parts(metric: Metric) -> Callable[[Sequence[Pair]], dict[str, Scores]]:
    """A function that computes CA, RA and IC of pairs, as further scores.

    Raises:
        ConfigError: a metric that is not for Chinese AMR.
    """
    score = subscore_scorer(metric)
    if score is None:
        raise ConfigError(
            "subscores=true needs a metric for Chinese AMR: metric=align_smatch format=camr"
        )

    def parts(pairs: Sequence[Pair]) -> dict[str, Scores]:
        return {f"{PREFIX}{name}": scores for name, scores in score(pairs).sentences.items()}

    return parts


def subscore_rows(parsers: Mapping[str, FileScores]) -> list[SubscoreRow]:
    """CA, RA and IC of each parser, whose scores have them as parts (`subscore_parts`)."""
    return [
        SubscoreRow(parser, name.removeprefix(PREFIX), corpus_subscore(scores))
        for parser, files in parsers.items()
        for name, scores in files.parts.items()
        if name.startswith(PREFIX)
    ]


def subscore_table(rows: Sequence[SubscoreRow]) -> Table:
    """One row per parser and sub-score."""
    return Table(
        "Sub-scores",
        ("parser", "sub-score", "", "precision", "recall", "f1"),
        tuple(
            (
                r.parser,
                r.name,
                MEANINGS[r.name],
                r.corpus["precision"],
                r.corpus["recall"],
                r.corpus["f1"],
            )
            for r in rows
        ),
        4,
    )
