"""Bootstrap intervals, for one cell or jointly for many cells and metrics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from amr_metrics.types import Floats, Ints
from bamboo.statistics.corpus import percentile_interval
from bamboo.statistics.sample import (
    BLOCK,
    Sample,
    consecutive,
    mean_of,
    quantiles,
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
    scores) are ignored.
    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13.

    Args:
        clusters: the number of each pair's cluster, see `Sample`.

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
    size = 2 if statistic == "pair_accuracy" else 1
    clusters = consecutive(len(ratings), size) if clusters is None else clusters
    if len(np.unique(clusters)) < 2:
        return float("nan"), float("nan")
    sample = Sample(statistic, scores[None, :], ratings, clusters)
    values = np.concatenate(
        [
            sample.weighted(resample(rng, min(BLOCK, resamples - start), sample.units))[:, 0]
            for start in range(0, resamples, BLOCK)
        ]
    )
    if np.isnan(sample.values[0]):
        return float("nan"), float("nan")
    return percentile_interval(values)


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
    samples: Mapping[str, Sample], resamples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of the first metric's mean over samples, by `joint_bootstrap`.

    NaN if no resample has a value on every sample.
    """
    means = mean_of(joint_bootstrap(samples, resamples, seed))[:, 0]
    low, high = percentile_bounds(means)
    return float(low), float(high)


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
