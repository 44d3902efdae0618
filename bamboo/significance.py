"""How sure a number is: bootstrap intervals."""

from __future__ import annotations

import numpy as np

from bamboo.protocols import spearman
from metrics.types import Floats

BLOCK = 200  # resamples computed at a time


def bootstrap_interval(
    statistic: str,
    scores: Floats,
    ratings: Floats,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
) -> tuple[float, float]:
    """Percentile bootstrap interval of a cell's statistic.

    Pairs are drawn with replacement; for ``pair_accuracy`` couples of altered and original are.
    Resamples without a value (constant scores) are left out.
    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13.

    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(0, 1, 50)
    >>> low, high = bootstrap_interval("pearson", x, x + rng.normal(0, 0.1, 50), rng)
    >>> 0.85 < low < high < 1
    True
    """
    values = _resampled(statistic, scores, ratings, rng, resamples)
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _resampled(
    statistic: str, scores: Floats, ratings: Floats, rng: np.random.Generator, resamples: int
) -> Floats:
    """The statistic of each resample."""
    n = len(scores) // 2 if statistic == "pair_accuracy" else len(scores)
    values = []
    for start in range(0, resamples, BLOCK):
        drawn = rng.integers(0, n, (min(BLOCK, resamples - start), n))
        if statistic == "pearson":
            values.append(_pearson_rows(scores[drawn], ratings[drawn]))
        elif statistic == "pair_accuracy":
            values.append((scores[1::2] > scores[0::2])[drawn].mean(axis=1))
        else:
            values.append(np.array([spearman(scores[d], ratings[d]) for d in drawn]))
    return np.concatenate(values)


def _pearson_rows(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation of each row; NaN for a row that is constant on either side."""
    flat = (np.ptp(x, axis=1) == 0) | (np.ptp(y, axis=1) == 0)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.where(flat, np.nan, r)
