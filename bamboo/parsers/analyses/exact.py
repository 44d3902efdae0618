"""Exact match: pairs whose graphs have the same triples, by the counts of a metric."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from amr_metrics.types import Bools
from amr_metrics.utils.f1 import COUNTS
from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS, Board
from bamboo.display.shown import Shown
from bamboo.display.table import Table
from bamboo.parsers.analysis import Analysis
from bamboo.parsers.layout import Key, lay_out
from bamboo.parsers.report_data import ReportData
from bamboo.scoring.scored import Scored

EXACT = "exact"  # the name of the column, and of the share


@dataclass(frozen=True)
class Exact(Analysis):
    """The share of pairs whose graphs match completely."""

    option = "exact"
    per_metric = False
    shares = (EXACT,)

    def mark(self, scored: Scored) -> Scored:
        """Add a column that says of which pairs all triples of both graphs match: 1 or 0.

        It is NaN for a pair without a score, and for metrics that count no triples. Counts are
        compared and not the score: the smatch package counts repeated triples in such a way that F1
        can be 1 or more for graphs that differ.
        """
        scores = scored.scores
        column = np.full(len(scored), np.nan)
        if all(name in scores.details for name in COUNTS):
            matched, src, tgt = (np.asarray(scores.details[name], np.float64) for name in COUNTS)
            # Metrics that compare word vectors count parts of triples.
            is_exact = np.isclose(matched, src, 1e-9) & np.isclose(matched, tgt, 1e-9)
            column[scored.present] = is_exact[scored.present]
        return replace(scored, scores=replace(scores, details={**scores.details, EXACT: column}))

    def remark(self, scored: Scored) -> list[str]:
        """Say how many pairs may match completely, with an alignment that may not be the best."""
        details = scored.scores.details
        if EXACT not in details or "optimal" not in details:
            return []
        is_optimal: Bools = details["optimal"].astype(np.bool_)
        # An alignment with which all triples match is the best one.
        undecided = int(np.sum(scored.present & ~is_optimal & (details[EXACT] == 0)))
        if not undecided:
            return []
        return [
            f"exact: {undecided} of {format_count(len(scored), 'pair')} "
            f"{'is' if undecided == 1 else 'are'} "
            "undecided, because the alignment is not proven optimal, and "
            f"{'counts' if undecided == 1 else 'count'} as not exact"
        ]

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return a row per parser and a column per metric, if the first table has no column."""
        corpus = report.board.select(kind=CORPUS)
        board = Board(corpus.select(score=EXACT).scores)  # without differences: nothing is compared
        has_column = not corpus.differences or style.columns == "all" or len(report.metrics) == 1
        if has_column or not board.scores:
            return []
        keys: dict[str, Key] = {"parser": "system"}
        columns = {metric: metric for metric in board.list_names("metric")}
        title, style = "Pairs whose graphs match completely", style._replace(times_100=True)
        return [lay_out(title, board, keys, columns, style, across="metric")]
