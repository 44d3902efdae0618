"""Bootstrap intervals, for one cell or jointly for many cells and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from bamboo.errors import StatisticsError
from bamboo.statistics.sample import BLOCK, Sample, quantiles, random_draws, resample
from metrics.types import Floats

Method = Literal["percentile", "bca"]


def bootstrap_interval(
    statistic: str,
    scores: Floats,
    ratings: Floats,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
    unit: int | None = None,
    method: Method = "percentile",
) -> tuple[float, float]:
    """Bootstrap interval of a cell's statistic.

    Pairs are drawn with replacement. Resamples without a value (constant scores) are ignored.
    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13; ``bca``,
    bias-corrected and accelerated: Efron (1987), Better bootstrap confidence intervals.

    Args:
        unit: number of consecutive pairs drawn together, 2 where an altered pair is followed by
            its original. By default 2 for ``pair_accuracy``, else 1.

    Returns:
        the lower and upper bound; NaN if there is no value.

    Raises:
        StatisticsError: see `Sample`.

    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(0, 1, 50)
    >>> low, high = bootstrap_interval("pearson", x, x + rng.normal(0, 0.1, 50), rng)
    >>> 0.85 < low < high < 1
    True
    """
    unit = unit or (2 if statistic == "pair_accuracy" else 1)
    if len(ratings) < 2 * unit:
        return float("nan"), float("nan")
    sample = Sample(statistic, scores[None, :], ratings, unit)
    values = np.concatenate(
        [
            sample.weighted(resample(rng, min(BLOCK, resamples - start), sample.units))[:, 0]
            for start in range(0, resamples, BLOCK)
        ]
    )
    return interval(sample, values, level, method)


def interval(
    sample: Sample, values: Floats, level: float = 0.95, method: Method = "percentile"
) -> tuple[float, float]:
    """The interval of the first metric of a sample, from its resampled values.

    Raises:
        StatisticsError: an unknown `method`.
    """
    if method not in ("percentile", "bca"):
        raise StatisticsError(f"method={method!r}: use percentile or bca")
    estimate = float(sample.values[0])
    values = values[np.isfinite(values)]
    if not len(values) or np.isnan(estimate):
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    tails = np.array([tail, 1 - tail])
    if method == "bca" and np.ptp(values):
        tails = _corrected(tails, values, estimate, jackknife(sample))
    low, high = quantiles(values, tails)
    return float(low), float(high)


def _corrected(tails: Floats, values: Floats, estimate: float, left_out: Floats) -> Floats:
    """The tails, corrected for bias and acceleration (Efron 1987, equation 2.3)."""
    from scipy.special import ndtr, ndtri

    # Ties count half; otherwise a discrete statistic would look biased.
    below = np.mean((values < estimate) + 0.5 * (values == estimate))
    edge = 0.5 / len(values)
    bias = ndtri(np.clip(below, edge, 1 - edge))
    skew = np.nanmean(left_out) - left_out[np.isfinite(left_out)]
    spread = float((skew**2).sum()) ** 1.5
    acceleration = float((skew**3).sum()) / (6 * spread) if spread else 0.0
    z = bias + ndtri(tails)
    return np.asarray(ndtr(bias + z / (1 - acceleration * z)))


def jackknife(sample: Sample) -> Floats:
    """The first metric's statistic with each unit left out in turn."""
    parts = []
    for start in range(0, sample.units, BLOCK):
        weights = np.ones((min(BLOCK, sample.units - start), sample.units))
        rows = np.arange(len(weights))
        weights[rows, start + rows] = 0
        parts.append(sample.weighted(weights)[:, 0])
    return np.concatenate(parts)


def joint_bootstrap(
    samples: Mapping[str, Sample], resamples: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """Every metric's statistic of every sample, on the same resamples.

    The transformed partitions of a data set contain the same pairs as Main. Because they are
    resampled jointly, the mean over cells and the difference of two metrics have the right
    variance.

    Returns:
        (resamples, metrics) for each sample.
    """
    parts: dict[str, list[Floats]] = {name: [] for name in samples}
    for block in random_draws(samples, "resample", resamples, seed):
        for name, weights in block.items():
            parts[name].append(samples[name].weighted(weights))
    return {name: np.concatenate(blocks) for name, blocks in parts.items()}


def mean_interval(
    samples: Mapping[str, Sample], resamples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of the first metric's mean over samples, by `joint_bootstrap`.

    NaN if no resample has a value on every sample.
    """
    means = mean_of(joint_bootstrap(samples, resamples, seed))[:, 0]
    return percentile_interval(means)
