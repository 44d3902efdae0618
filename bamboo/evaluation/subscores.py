"""The sub-scores of Chinese AMR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bamboo.documents import plain
from bamboo.errors import ConfigError
from bamboo.evaluation.aspect_tests import (
    COLUMNS,
    VersusBest,
    compare_aspects,
    notes_on_tests,
    versus_best,
)
from bamboo.evaluation.aspects import AspectPlan
from bamboo.evaluation.file_scores import FileScores
from bamboo.evaluation.scored_chunks import Parts, PartScorer
from bamboo.results.table import Table
from bamboo.statistics.resampling import Resampling
from metrics.aspects import AspectScores
from metrics.base import Metric, Pair, Scores
from metrics.camr import micro_scores, subscore_scorer

PREFIX = "subscore "  # of the names of sub-scores among the parts of scores
MEANINGS = {
    "CA": "concept alignment",
    "RA": "relation alignment",
    "IC": "implicit concepts",
}


@dataclass(frozen=True)
class SubscoreRow:
    """A parser's precision, recall and F1 of one sub-score, over all its pairs.

    Attributes:
        versus_best: the comparison with the best parser on the sub-score; None with a single
            parser.
    """

    parser: str
    name: str
    corpus: Mapping[str, float]
    versus_best: VersusBest | None = None

    def to_json(self) -> dict[str, Any]:
        """The scores, and the comparison with the best parser, as JSON values."""
        versus = {} if self.versus_best is None else self.versus_best.to_json()
        return {**plain(self.corpus), **versus}


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


def part_scorer(metric: Metric, plan: AspectPlan | None, subscores: bool) -> PartScorer | None:
    """A function that computes the scores of aspects and sub-scores; None if there are none."""
    scorers: list[PartScorer] = [] if plan is None else [plan.parts]
    scorers += [subscore_parts(metric)] if subscores else []

    def parts(pairs: Sequence[Pair]) -> Parts:
        return {name: scores for score in scorers for name, scores in score(pairs).items()}

    return parts if scorers else None


def subscore_rows(parsers: Mapping[str, FileScores], resampling: Resampling) -> list[SubscoreRow]:
    """CA, RA and IC of each parser. Several parsers are compared.

    Args:
        parsers: the scores, with `subscore_parts` as parts.
        resampling: how to compute p-values.
    """
    scores = {parser: _subscores(files.parts) for parser, files in parsers.items()}
    rows = [
        SubscoreRow(parser, one.aspect, micro_scores(one.scores))
        for parser, of_parser in scores.items()
        for one in of_parser
    ]
    if not rows or len(parsers) < 2:
        return rows
    comparisons = compare_aspects(
        micro_scores,
        scores,
        {name: ~np.isnan(files.scores.values) for name, files in parsers.items()},
        resampling,
    )
    f1: dict[str, dict[str, float]] = {}
    for row in rows:
        f1.setdefault(row.name, {})[row.parser] = row.corpus["f1"]
    versus = versus_best(f1, comparisons, resampling)
    return [replace(row, versus_best=versus.get((row.name, row.parser))) for row in rows]


def _subscores(parts: Mapping[str, Scores]) -> list[AspectScores]:
    """The sub-scores among further scores; a pair without items on both sides is empty."""
    return [
        AspectScores(
            name.removeprefix(PREFIX),
            scores,
            (scores.details["src_total"] + scores.details["tgt_total"]) == 0,
        )
        for name, scores in parts.items()
        if name.startswith(PREFIX)
    ]


def subscore_table(rows: Sequence[SubscoreRow]) -> Table:
    """One row per parser and sub-score."""
    several = len({row.parser for row in rows}) > 1
    cells = []
    for row in rows:
        line: list[Any] = [row.parser, row.name, MEANINGS[row.name]]
        line += [row.corpus[name] for name in ("precision", "recall", "f1")]
        if several:
            line += (None, None, None, "") if row.versus_best is None else row.versus_best.cells()
        cells.append(tuple(line))
    columns = ("parser", "sub-score", "", "precision", "recall", "f1")
    notes = notes_on_tests([row.versus_best for row in rows if row.versus_best], "sub-score")
    return Table(
        "Sub-scores", (*columns, *(COLUMNS if several else ())), tuple(cells), 4, tuple(notes)
    )
