"""Corpus scores: confidence intervals, and significance of the difference of two systems.

A corpus score is not the mean of the pairs' scores (micro F1 is a ratio of sums). Each resample is
therefore a new corpus of scored pairs, and the metric computes its corpus score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.f1 import precision_recall_f1
from bamboo.errors import StatisticsError
from bamboo.statistics.families import Family
from bamboo.statistics.sample import quantiles

Statistics = Callable[[Scores], Mapping[str, float]]
# The differences between two systems: (permutations, comparisons, scores), from which pairs are
# swapped in each permutation.
Differences = Callable[[Bools], Floats]

LEVEL = 0.95  # of intervals
SAME = 1e-12  # smaller differences are rounding errors
BLOCK = 4_000_000  # swaps of pairs that are drawn at a time
ROWS = 2_000  # permutations that are evaluated at a time
COUNTS = ("matches", "src_total", "tgt_total")  # columns whose sums give precision, recall and F1
MICRO = ("precision", "recall", "f1")
# Means over pairs, and the columns they are means of, else the score.
MEANS = {"macro_precision": "precision", "macro_recall": "recall", "macro_f1": "", "mean": ""}


def bootstrap_corpus(
    statistics: Statistics, systems: Sequence[Scores], resamples: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """Return every corpus score of every system, on the same resamples of the pairs.

    Returns:
        (resamples, systems) for each score.

    Raises:
        StatisticsError: fewer than two pairs.
    """
    n = len(systems[0].values)
    if n < 2:
        raise StatisticsError(f"intervals need at least two pairs, not {n}")
    rng = np.random.default_rng([seed, n])
    drawn = (rng.integers(0, n, n) for _ in range(resamples))
    # Drawn once per resample: all systems are scored on the same pairs.
    rows = [[statistics(scores.take(d)) for scores in systems] for d in drawn]
    return {
        name: np.array([[values[name] for values in row] for row in rows])
        for name in statistics(systems[0])
    }


def percentile_interval(values: Floats) -> tuple[float, float]:
    """Return the 95 % percentile interval of resampled values; NaN without finite values.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = quantiles(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


class Compared(NamedTuple):
    """Two systems' scores of the same pairs, and which of these count."""

    first: Scores
    second: Scores
    chosen: Bools


def permutation_tests(
    statistics: Statistics,
    compared: Sequence[Compared],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
) -> tuple[list[dict[str, float]], Floats]:
    """Test the differences in some corpus scores, for each comparison.

    Both systems' scores are swapped on each pair with probability 1/2, on the same pairs in all
    comparisons. p = (c + 1) / (n + 1), where c of n permutations give a difference at least as
    large in absolute value.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation).

    Args:
        compared: comparisons on the same pairs.
        names: the corpus scores to test.

    Returns:
        the p-values of each comparison; and those of the first score, corrected for all
        comparisons (`Family`).
    """
    if not compared:
        return [], np.empty(0)
    if _follow_from_sums(statistics, compared, names):
        differences = _differences_of_sums(compared, names)
    else:
        differences = _differences(statistics, compared, names)
    n = len(compared[0].chosen)
    observed = differences(np.zeros((1, n), np.bool_))
    extreme, steps = np.zeros(observed.shape[1:]), np.zeros(len(compared))
    rows = max(min(BLOCK // n, ROWS), 1)
    family = None
    for start in range(0, permutations, rows):
        swapped = rng.integers(2, size=(min(rows, permutations - start), n), dtype=np.bool_)
        drawn = differences(swapped)
        extreme += _are_as_extreme(drawn, observed).sum(axis=0)
        if family is None:
            family = Family(observed[0, :, 0], np.sqrt((drawn[:, :, 0] ** 2).mean(axis=0)))
        steps += family.count(drawn[:, :, 0])
    p = (extreme + 1) / (permutations + 1)
    corrected = np.maximum(family.corrected(steps, permutations), p[:, 0]) if family else p[:, 0]
    return [dict(zip(names, row, strict=True)) for row in p.tolist()], corrected


def share_as_extreme(draws: Floats, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of n draws are at least as large in absolute value."""
    return float((np.sum(_are_as_extreme(draws, observed)) + 1) / (len(draws) + 1))


def _are_as_extreme(draws: Floats, observed: Floats | float) -> Bools:
    return np.abs(draws) >= np.abs(observed) - SAME


def _differences(
    statistics: Statistics, compared: Sequence[Compared], names: Sequence[str]
) -> Differences:
    """Return a function that computes the corpus scores of each permutation."""
    chosen = [
        Compared(one.first.take(one.chosen), one.second.take(one.chosen), one.chosen)
        for one in compared
    ]

    def difference(one: Compared, swapped: Bools) -> list[float]:
        a = statistics(_swapped(one.first, one.second, swapped))
        b = statistics(_swapped(one.second, one.first, swapped))
        return [a[name] - b[name] for name in names]

    return lambda swaps: np.array(
        [[difference(one, row[one.chosen]) for one in chosen] for row in swaps]
    )


def _swapped(a: Scores, b: Scores, swap: Bools) -> Scores:
    return Scores(
        np.where(swap, b.values, a.values),
        {name: np.where(swap, b.details[name], column) for name, column in a.details.items()},
    )


def _differences_of_sums(compared: Sequence[Compared], names: Sequence[str]) -> Differences:
    """Return the same function as `_differences`, for scores that follow from sums of columns.

    The sums after swapping are those before, plus the differences on the pairs that are swapped:
    one matrix product for all permutations and comparisons.
    """
    chosen = [one.chosen for one in compared]
    first = _columns([one.first for one in compared], chosen, names)
    second = _columns([one.second for one in compared], chosen, names)
    gained = {name: second[name] - first[name] for name in first}
    totals = [{name: c.sum(axis=0) for name, c in side.items()} for side in (first, second)]
    pairs = np.sum(chosen, axis=1)

    def differences(swaps: Bools) -> Floats:
        weights = swaps.astype(np.float64)
        # Parsers seldom differ in the number of gold triples.
        none = np.zeros((len(weights), len(compared)))
        moved = {
            name: weights @ column if column.any() else none for name, column in gained.items()
        }
        a = _scores_of_sums({name: totals[0][name] + moved[name] for name in moved}, pairs)
        b = _scores_of_sums({name: totals[1][name] - moved[name] for name in moved}, pairs)
        return np.stack([a[name] - b[name] for name in names], axis=-1)

    return differences


def _columns(
    systems: Sequence[Scores], chosen: Sequence[Bools], names: Sequence[str]
) -> dict[str, Floats]:
    """Return the columns that determine some corpus scores: (pairs, systems) for each.

    Args:
        chosen: the pairs of each system that count; the others become 0.
    """
    counts = COUNTS if any(name in MICRO for name in names) else ()
    columns = {name: [scores.details[name] for scores in systems] for name in counts}
    for mean, name in MEANS.items():
        if mean in names:
            columns[mean] = [scores.details.get(name, scores.values) for scores in systems]
    masks = np.stack(chosen, axis=1)
    return {name: np.where(masks, np.stack(c, axis=1), 0.0) for name, c in columns.items()}


def _scores_of_sums(sums: Mapping[str, Floats], pairs: Ints) -> dict[str, Floats]:
    """Return micro precision, recall and F1, and means over pairs, if there are sums of them."""
    scores = {name: sums[name] / pairs for name in MEANS if name in sums}
    if {*COUNTS} <= sums.keys():
        micro = precision_recall_f1(*(sums[name] for name in COUNTS))
        scores |= zip(MICRO, micro, strict=True)
    return scores


def _follow_from_sums(
    statistics: Statistics, compared: Sequence[Compared], names: Sequence[str]
) -> bool:
    """Check that scores follow from sums of columns; a metric may define others of these names."""
    if not {*names} <= {*MICRO, *MEANS}:
        return False
    for one in compared:
        for scores in (one.first, one.second):
            if any(name in MICRO for name in names) and not {*COUNTS} <= scores.details.keys():
                return False
            columns = _columns([scores], [one.chosen], names)
            sums = {name: column.sum(axis=0) for name, column in columns.items()}
            micro = _scores_of_sums(sums, one.chosen.sum(keepdims=True))
            expected = statistics(scores.take(one.chosen))
            if any(not abs(micro[name][0] - expected[name]) <= SAME for name in names):
                return False
    return True
