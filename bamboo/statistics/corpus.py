"""Corpus scores: confidence intervals, and significance of the difference of two systems.

A corpus score is not the mean of the pairs' scores (micro F1 is a ratio of sums). Each resample is
therefore a new corpus of scored pairs, and the metric computes its corpus score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bamboo.errors import StatisticsError
from bamboo.statistics.sample import quantiles
from metrics.base import Scores
from metrics.types import Bools, Floats

Statistics = Callable[[Scores], Mapping[str, float]]

LEVEL = 0.95  # of intervals
SAME = 1e-12  # smaller differences are rounding errors


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


def permute_corpus(
    statistics: Statistics, a: Scores, b: Scores, permutations: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """Swap two systems' scores on each pair with probability 1/2; return the differences.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation).
    """
    n = len(a.values)
    rng = np.random.default_rng([seed, n, 1])
    rows = []
    for _ in range(permutations):
        swap = rng.random(n) < 0.5
        first, second = statistics(_swapped(a, b, swap)), statistics(_swapped(b, a, swap))
        rows.append({name: value - second[name] for name, value in first.items()})
    return {name: np.array([row[name] for row in rows]) for name in statistics(a)}


def share_as_extreme(draws: Floats, observed: float) -> float:
    """Return the p-value (c + 1) / (n + 1), where c of n draws are at least as large as observed.

    Values are compared without their sign: the test is two-sided.
    """
    return float((np.sum(np.abs(draws) >= abs(observed) - SAME) + 1) / (len(draws) + 1))


def _swapped(a: Scores, b: Scores, swap: Bools) -> Scores:
    return Scores(
        np.where(swap, b.values, a.values),
        {name: np.where(swap, b.details[name], column) for name, column in a.details.items()},
    )
