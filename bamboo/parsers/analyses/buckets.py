"""Scores of buckets of pairs: by a line of metadata, by a file, or by the number of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.types import Bools
from amr_metrics.utils.f1 import COUNTS
from bamboo.board import BUCKET, NONE, Board, name_kind
from bamboo.display.shown import Shown
from bamboo.display.table import Table
from bamboo.parsers.analyses.aspects import ASPECT, parts_with
from bamboo.parsers.analyses.macro import (
    compare_means,
    describe_mean,
    list_bucketed,
    select_buckets,
)
from bamboo.parsers.analysis import Analysis, Needs, find_analysis
from bamboo.parsers.layout import tabulate_parts
from bamboo.parsers.report_data import ReportData
from bamboo.parsers.systems import EMPTY, Comparison
from bamboo.scoring.buckets import SIZE, Grouping, find_members
from bamboo.scoring.chunks import PairChunk
from bamboo.scoring.scored import PairColumns, Scored


@dataclass(frozen=True)
class Buckets(Analysis):
    """The scores of buckets of pairs.

    Attributes:
        by: how pairs are divided, as `score` has it, see `Grouping`.
        grouping: the same.

    Raises:
        ConfigError: an empty name.
        DataError: a file that cannot be read.
    """

    option = "by"
    on_pages = True
    in_order = "groups graph k of src with graph k of tgt"

    by: str | Path
    grouping: Grouping = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "grouping", Grouping.of(self.by))

    @property
    def needs(self) -> Needs:
        """What it needs, with the buckets in messages."""
        return super().needs._replace(option=f"by={self.by}")

    def look(self, parser: str, read: PairChunk, chunk: PairChunk) -> PairChunk:
        """Return the pairs with their buckets."""
        buckets = self.grouping.column(chunk.pairs, chunk.columns.ids, chunk.file)
        return replace(chunk, bucket_name=self.grouping.name, buckets=buckets)

    def compare(self, comparison: Comparison, parsers: Mapping[str, Scored]) -> Board:
        """Compute the corpus scores of each bucket and their mean, and compare parsers on them.

        The same for each part of the score of documents. The mean is over buckets with a name,
        if there are several.

        Raises:
            ConfigError: no pair has a bucket, or there are more than `MOST`.
        """
        members = find_members(parsers, self.grouping)
        named = [within for label, within in members.items() if label != NONE]
        aspects = {"": {parser: scored.scores for parser, scored in parsers.items()}}
        if comparison.metric.reads_documents:
            aspects |= parts_with(ASPECT, parsers)
        boards = []
        for aspect, scores in aspects.items():
            parts = {
                label: {parser: _restrict(s, within[parser]) for parser, s in scores.items()}
                for label, within in members.items()
            }
            boards.append(comparison.compare(name_kind(BUCKET, aspect), parts))
            if len(named) > 1 and not self.grouping.is_size:
                boards.append(compare_means(comparison, aspect, scores, named))
        return Board.join(boards)

    def list_settings(self, metric: str) -> list[str]:
        """Return what the buckets are."""
        return [f"by={self.grouping.name}"]

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return a table for each bucketed part, with a row per bucket, or per parser."""
        tables = []
        for aspect in list_bucketed(report.board):
            title = f"By {self.grouping.name}{', ' if aspect else ''}{aspect}{suffix}"
            board = select_buckets(report.board, aspect)
            notes, number = describe_mean(board), report.tests.number
            tables.append(tabulate_parts(board, "bucket", title, notes, number, style))
        return tables


def name_buckets(analyses: Iterable[Analysis]) -> str | None:
    """Return what the buckets are; None without."""
    buckets = find_analysis(analyses, Buckets)
    return None if buckets is None else buckets.grouping.name


def _restrict(scores: Scores, within: Bools) -> Scores:
    """Return scores of which only some pairs count; none if both sides have nothing to count."""
    empty = ~within
    if EMPTY in scores.details:
        empty = empty | scores.details[EMPTY]
    totals = [scores.details[name] for name in COUNTS[1:] if name in scores.details]
    if totals and not any(np.nansum(total[~empty]) for total in totals):
        empty = np.ones_like(empty)
    return Scores(scores.values, {**scores.details, EMPTY: empty})


def list_buckets(pairs: PairColumns) -> list[str]:
    """Return the name of the bucket of each pair; none of sizes, and if there are no buckets."""
    labels = [] if pairs.bucket_name == SIZE else pairs.buckets
    return [NONE if label is None else label for label in labels]
