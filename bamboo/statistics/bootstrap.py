"""Intervals for one cell, or jointly for many cells and metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from amr_metrics.types import Floats, Ints
from amr_metrics.utils.functions import target_of
from bamboo.statistics.corpus import percentile_interval
from bamboo.statistics.leave_out import Estimate, ValueFunction, jackknife
from bamboo.statistics.ratings import IN_TWOS, STATISTICS, compares_twos
from bamboo.statistics.resampling import quantiles
from bamboo.statistics.sample import (
    BLOCK,
    Sample,
    mean_of,
    method_of,
    random_draws,
    resample,
)


def bootstrap_interval(
    statistic: str,
    scores: Floats,
    ratings: Floats,
    rng: np.random.Generator,
    resamples: int = 1000,
    clusters: Ints | None = None,
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a cell's statistic.

    Pairs, or clusters of them, are drawn with replacement. Resamples without a value (constant
    scores) are ignored. If clusters are few (`FEW`), the interval is that of `jackknife`.
    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13.

    Args:
        clusters: the number of each pair's cluster, see `Sample`.

    Returns:
        the lower and upper bound; NaN if there is no value, or a single unit or cluster.

    Raises:
        StatisticsError: scores that do not fit together, or an infinite one.

    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(0, 1, 50)
    >>> low, high = bootstrap_interval("pearson", x, x + rng.normal(0, 0.1, 50), rng)
    >>> 0.85 < low < high < 1
    True
    """
    if len(ratings) < (4 if compares_twos(statistic) else 2):
        return float("nan"), float("nan")
    return sample_interval(Sample(statistic, scores[None, :], ratings, clusters), rng, resamples)


def sample_interval(
    sample: Sample, rng: np.random.Generator, resamples: int = 1000
) -> tuple[float, float]:
    """Return the 95 % interval of a sample's first metric: see `bootstrap_interval`."""
    if np.isnan(sample.values[0]):
        return float("nan"), float("nan")
    if sample.method == "jackknife":
        bounds = limited(jackknife({"": sample}, lambda values: values[""]).bounds, [sample])
        return float(bounds[0, 0]), float(bounds[0, 1])
    sizes = [min(BLOCK, resamples - start) for start in range(0, resamples, BLOCK)]
    draws = (sample.weighted(resample(rng, size, sample.n_clusters))[:, 0] for size in sizes)
    return percentile_interval(np.concatenate([*draws]))


def joint_bootstrap(
    samples: Mapping[str, Sample], resamples: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """Return every metric's statistic of every sample, on the same resamples.

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
    samples: Mapping[str, Sample],
    resamples: int = 1000,
    seed: int = 0,
    mean: ValueFunction = mean_of,
) -> tuple[float, float]:
    """Return the 95 % interval of the first metric's mean over samples: see `estimate`.

    NaN if no resample has a value on every sample.

    Args:
        mean: `mean_of` or `harmonic_mean_of`.
    """
    few = method_of(samples.values()) == "jackknife"
    drawn = {} if few else joint_bootstrap(samples, resamples, seed)
    low, high = limited(estimate(samples, drawn, mean).bounds, samples.values())[0]
    return float(low), float(high)


def estimate(
    samples: Mapping[str, Sample], drawn: Mapping[str, Floats], function: ValueFunction
) -> Estimate:
    """Return how exact the values are that a function computes from some samples.

    By joint percentile bootstrap, or if clusters are few (`FEW`) by `jackknife`.

    Args:
        samples: those that the function uses.
        drawn: the result of `joint_bootstrap`.
        function: see `jackknife`.
    """
    if method_of(samples.values()) == "jackknife":
        return jackknife(samples, function)
    values = function(drawn)
    error = np.ma.masked_invalid(values).std(axis=0, ddof=1).filled(np.nan)
    return Estimate(percentile_bounds(values), np.asarray(error))


def limited(bounds: Floats, samples: Iterable[Sample]) -> Floats:
    """Return bounds within -1..1 for correlations, 0..1 for shares; Student's t can go beyond."""
    statistics = {target_of(sample.statistic) for sample in samples}
    if not statistics <= {*STATISTICS}:
        return bounds
    return np.clip(bounds, 0.0 if statistics <= {*IN_TWOS} else -1.0, 1.0)


def percentile_bounds(values: Floats) -> Floats:
    """Return the 2.5 and 97.5 % quantiles of resampled values; NaN without finite values.

    Args:
        values: (resamples, ...).

    Returns:
        (..., 2).
    """
    bounds = np.full((*values.shape[1:], 2), np.nan)
    for at in np.ndindex(*values.shape[1:]):
        resampled = values[(slice(None), *at)]
        resampled = resampled[np.isfinite(resampled)]
        if len(resampled):
            bounds[at] = quantiles(resampled, (0.025, 0.975))
    return bounds
