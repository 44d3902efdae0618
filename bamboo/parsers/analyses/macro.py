"""The macro average of a score over buckets of pairs, such as languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from amr_metrics.base import LazyColumns, Metric, Scores, corpora_scores
from amr_metrics.types import Bools, Floats
from bamboo.board import BUCKET, MACRO, MEAN, NONE, Board, name_kind
from bamboo.display.points import join_names
from bamboo.parsers.systems import STRATUM, Comparison, mark_empty

GROUPS = "groups"  # its score that is the number of buckets in the mean
PAIRS = "pairs"
FEWEST = 5  # pairs of a bucket whose resamples show its uncertainty
GOLD = "gold"  # the column of what gold has, if what is compared of it depends on the parser


def average_groups(f1: Sequence[Floats], gold: Sequence[Floats]) -> dict[str, Floats]:
    """Return the mean F1 of the groups whose gold graphs have something to count.

    A group in which only the parser has nothing counts as 0.

    Args:
        f1: of each group, in any number of corpora.
        gold: what the gold graphs of the group have, such as the number of their triples.

    Returns:
        ``f1``, NaN without a group, and `GROUPS`.

    Source: Zeman et al. (2026), First shared task on UMR parsing, section 4.3; micro_average.pl of
    https://github.com/ufal/umrtools.

    >>> mean = average_groups(np.array([0.5, 0.0, 1.0]), np.array([9, 2, 0]))
    >>> {name: float(value) for name, value in mean.items()}
    {'f1': 0.25, 'groups': 2.0}
    """
    has_gold = np.asarray(gold) > 0
    groups = has_gold.sum(axis=0).astype(np.float64)
    total = np.where(has_gold, np.asarray(f1), 0.0).sum(axis=0)
    empty = np.full(groups.shape, np.nan)
    return {"f1": np.divide(total, groups, out=empty, where=groups > 0), GROUPS: groups}


def compare_means(
    comparison: Comparison,
    aspect: str,
    scores: Mapping[str, Scores],
    buckets: Sequence[Mapping[str, Bools]],
) -> Board:
    """Compute the macro average of each parser over buckets, and compare parsers by it.

    It is defined for metrics with an F1 and counts of what the gold graphs have; the board of
    others is empty. Pairs are resampled within the buckets, and there within those of which gold
    has something to count: so the mean of each resample is over the same buckets.

    Args:
        aspect: the part of the graphs whose scores these are; "" for all of them.
        scores: of each parser, on all pairs.
        buckets: which pairs of each parser are in each bucket.
    """
    metric, first = comparison.metric, next(iter(scores.values())).columns()
    columns = [name for name, column in first.items() if column.dtype.kind in "biuf"]
    gold = [name for name in (GOLD, "tgt_total") if name in columns][:1]
    gold = gold or [name for name in columns if name.endswith("_tgt_total")]
    sums = LazyColumns(columns, lambda name: np.zeros(1))
    if not gold or "f1" not in metric.corpus_of_sums(sums, np.ones(1)):
        return Board()
    means = {
        parser: _split_columns(of_parser, [within[parser] for within in buckets], columns, gold)
        for parser, of_parser in scores.items()
    }
    statistics = partial(_average, metric, len(buckets), columns, gold)
    comparison = comparison._replace(statistics=statistics)
    return comparison.compare(name_kind(MACRO, aspect), {MEAN: means})


def _split_columns(
    scores: Scores, buckets: Sequence[Bools], columns: Sequence[str], gold: Sequence[str]
) -> Scores:
    """Return the scores of all pairs, with the columns of each bucket under names of their own."""
    of_all = scores.columns()
    is_empty = np.ones(len(scores.values), np.bool_)
    has_gold = np.any([of_all[name] > 0 for name in gold], axis=0)
    details: dict[str, Floats] = {STRATUM: has_gold.astype(np.float64)}
    for k, within in enumerate(buckets):
        for name in columns:
            details[_name_column(k, name)] = np.where(within, of_all[name], 0.0)
        details[_name_column(k, PAIRS)] = within.astype(np.float64)
        details[STRATUM] += 2 * (k + 1) * within
        if any(np.nansum(details[_name_column(k, name)]) for name in gold):
            is_empty &= ~within
    return mark_empty(Scores(scores.values, details), is_empty)


def _name_column(bucket: int, name: str) -> str:
    return f"{bucket} {name}"


def _take_column(sums: LazyColumns, bucket: int, name: str) -> Floats:
    return sums[_name_column(bucket, name)]


def _average(
    metric: Metric,
    count: int,
    columns: Sequence[str],
    gold: Sequence[str],
    sums: LazyColumns,
    pairs: Floats,
) -> Mapping[str, Floats]:
    """Return the macro average of corpora, from the sums of the columns of each bucket."""
    f1, totals = [], []
    for k in range(count):
        of_bucket = LazyColumns(columns, partial(_take_column, sums, k))
        of_pairs = corpora_scores(metric, of_bucket, sums[_name_column(k, PAIRS)])["f1"]
        # Where gold has something, but neither side does in what is compared, F1 is 0 and not 1.
        f1.append(of_pairs * (of_bucket["tgt_total"] > 0) if "tgt_total" in columns else of_pairs)
        totals.append(sum((of_bucket[name] for name in gold), np.zeros(np.shape(pairs))))
    return average_groups(f1, totals)


def select_buckets(board: Board, aspect: str = "") -> Board:
    """Return the rows of buckets, those of the macro average last.

    Args:
        aspect: the part of the graphs whose scores to return; "" for all of them.
    """
    return Board.join(board.select(kind=name_kind(kind, aspect)) for kind in (BUCKET, MACRO))


def list_bucketed(board: Board) -> list[str]:
    """Return the aspects of which buckets are scored, first "" for whole graphs."""
    kinds = board.list_names("kind")
    aspects = ["", *board.select(kind="aspect").list_names("part")]
    return [aspect for aspect in aspects if name_kind(BUCKET, aspect) in kinds]


def describe_mean(board: Board) -> list[str]:
    """Say over how many buckets a macro average is the mean, and what its interval lacks.

    Args:
        board: see `select_buckets`.
    """
    groups = sorted({int(row.value) for row in board.scores if row.score == GROUPS and row.pairs})
    if not groups:
        return []
    labels = [part for part in board.list_names("part") if part != MEAN]
    named = [label for label in labels if label != NONE]
    text = f"{MEAN}: mean F1 of {' or '.join(map(str, groups))} of {len(named)} buckets"
    if groups[0] < len(named):
        text += "; gold has nothing of this kind in the others"
    if NONE in labels:
        text += f"; without {NONE}"
    notes = [text + ("; tested by itself" if board.differences else "")]
    few = {r.part: r.pairs for r in board.scores if r.part in named and 0 < r.pairs < FEWEST}
    if few and any(row.part == MEAN and row.interval is not None for row in board.scores):
        listed = join_names([f"{label} ({size})" for label, size in few.items()], None)
        notes.append(
            f"Interval of {MEAN}: pairs are drawn within each bucket, so that it lacks the "
            f"uncertainty of buckets of fewer than {FEWEST} pairs: {listed}"
        )
    return notes
