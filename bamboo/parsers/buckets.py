"""Scores of buckets of pairs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.types import Bools
from amr_metrics.utils.f1 import COUNTS
from bamboo.board import BUCKET, NONE, Board, name_kind
from bamboo.parsers.macro import compare_means
from bamboo.parsers.parts import ASPECT, parts_with
from bamboo.parsers.systems import EMPTY, compare_systems, corpus_statistics
from bamboo.scoring.buckets import SIZE, Grouping, find_members
from bamboo.scoring.scored import PairColumns, Scored
from bamboo.statistics.resampling import SystemTests


def compare_buckets(
    name: str,
    metric: Metric,
    parsers: Mapping[str, Scored],
    grouping: Grouping,
    tests: SystemTests,
    ci: bool = False,
) -> Board:
    """Compute the corpus scores of each bucket and their mean, and compare parsers on them.

    The same for each part of the score of documents. The mean is over buckets with a name,
    if there are several.

    Args:
        name: of the metric.
        parsers: the scores of each parser; the column of pairs with the grouping's name has the
            buckets.

    Raises:
        ConfigError: no pair has a bucket, or there are more than `MOST`.
    """
    members = find_members(parsers, grouping)
    named = [within for label, within in members.items() if label != NONE]
    aspects = {"": {parser: scored.scores for parser, scored in parsers.items()}}
    aspects |= parts_with(ASPECT, parsers) if metric.reads_documents else {}
    boards = []
    for aspect, scores in aspects.items():
        parts = {
            label: {parser: _restrict(s, within[parser]) for parser, s in scores.items()}
            for label, within in members.items()
        }
        kind = name_kind(BUCKET, aspect)
        boards.append(compare_systems(name, kind, corpus_statistics(metric), parts, tests, ci))
        if len(named) > 1 and not grouping.is_size:
            boards.append(compare_means(name, metric, aspect, scores, named, tests, ci))
    return Board.join(boards)


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
