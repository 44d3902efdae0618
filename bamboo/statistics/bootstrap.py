"""Intervals for one cell, or jointly for many cells and metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.functions import extract_target
from bamboo.statistics.corpus import percentile_interval
from bamboo.statistics.leave_out import ValueFunction, jackknife
from bamboo.statistics.ratings import IN_TWOS, STATISTICS
from bamboo.statistics.resampling import quantiles
from bamboo.statistics.sample import (
    BLOCK,
    Sample,
    mean_of,
    method_of,
    random_draws,
    resample,
)


def sample_interval(
    sample: Sample, rng: np.random.Generator, resamples: int = 1000
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the statistic of a sample's first metric.

    Pairs, or clusters of them, are drawn with replacement. Resamples without a value (constant
    scores) are ignored. If clusters are few (`FEW`), the interval is that of `jackknife`.
    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13.

    Returns:
        the lower and upper bound; NaN if there is no value, or a single cluster.

    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(0, 1, 50)
    >>> sample = Sample("pearson", x[None], x + rng.normal(0, 0.1, 50))
    >>> low, high = sample_interval(sample, rng)
    >>> 0.85 < low < high < 1
    True
    """
    if np.isnan(sample.values[0]):
        return float("nan"), float("nan")
    if sample.method == "jackknife":
        bounds = limited(jackknife({"": sample}, lambda values: values[""])[0], [sample])
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
    low, high = limited(estimate(samples, drawn, mean)[0], samples.values())[0]
    return float(low), float(high)


def estimate(
    samples: Mapping[str, Sample], drawn: Mapping[str, Floats], function: ValueFunction
) -> tuple[Floats, Floats]:
    """Return how exact the values are that a function computes from some samples.

    By joint percentile bootstrap, or if clusters are few (`FEW`) by `jackknife`.

    Args:
        samples: those that the function uses.
        drawn: the result of `joint_bootstrap`.
        function: see `jackknife`.

    Returns:
        95 % intervals (..., 2), and standard errors (...); NaN where they are not known.
    """
    if method_of(samples.values()) == "jackknife":
        return jackknife(samples, function)
    values = function(drawn)
    # Cells and metrics share the resamples, so that their covariance is in the error of a function
    # of several of them. A resample in which one has constant scores, and no value, is left out.
    error = np.ma.masked_invalid(values).std(axis=0, ddof=1).filled(np.nan)
    return percentile_bounds(values), np.asarray(error)


def limited(bounds: Floats, samples: Iterable[Sample]) -> Floats:
    """Return bounds within -1..1 for correlations, 0..1 for shares; Student's t can go beyond."""
    statistics = {extract_target(sample.statistic) for sample in samples}
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
