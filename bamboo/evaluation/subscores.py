"""The sub-scores of Chinese AMR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bamboo.errors import ConfigError
from bamboo.evaluation.scoring import FileScores
from bamboo.tables.model import Table
from metrics.base import Metric
from metrics.camr import subscore_scorer

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


def subscore_rows(metric: Metric, parsers: Mapping[str, FileScores]) -> list[SubscoreRow]:
    """CA, RA and IC of each parser.

    Raises:
        ConfigError: a metric that is not for Chinese AMR.
    """
    score = subscore_scorer(metric)
    if score is None:
        raise ConfigError(
            "subscores=true needs a metric for Chinese AMR: metric=align_smatch format=camr"
        )
    rows = []
    for parser, files in parsers.items():
        corpus = score(files.scored_pairs()).corpus
        rows += [SubscoreRow(parser, name, scores) for name, scores in corpus.items()]
    return rows


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
