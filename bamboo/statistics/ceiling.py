"""The human ceiling: how well each rater agrees with the others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from amr_metrics.types import Floats, Ints
from bamboo.statistics.bootstrap import limited
from bamboo.statistics.corpus import percentile_interval
from bamboo.statistics.leave_out import jackknife
from bamboo.statistics.resampling import Resampling
from bamboo.statistics.sample import BLOCK, Sample, mean_of, method_of, resample


def compare_raters(
    statistic: str,
    raters: Floats,
    clusters: Ints | None = None,
    pairs_per_unit: int = 1,
    group: str = "raters",
) -> dict[str, Sample]:
    """Return the ratings of each rater as scores, and the mean of the others as ratings.

    A pair counts for a rater if it and at least one other rated it.

    Args:
        statistic, clusters, pairs_per_unit, group: as in `Sample`.
        raters: (raters, pairs); NaN where a rater did not rate a pair.

    Raises:
        StatisticsError: a rater shares fewer than two pairs with the others.
    """
    rated = ~np.isnan(raters)
    ratings = np.where(rated, raters, 0.0)
    counts = rated.sum(axis=0) - rated
    with np.errstate(invalid="ignore", divide="ignore"):
        others = np.where(counts > 0, (ratings.sum(axis=0) - ratings) / counts, np.nan)
    return {
        str(k): Sample(statistic, row[None], mean, clusters, group, pairs_per_unit)
        for k, (row, mean) in enumerate(zip(raters, others, strict=True))
    }


def find_ceiling(samples: Mapping[str, Sample]) -> float:
    """Return the mean over raters of the statistic of a rater and the mean of the others.

    It is a lower bound of what a perfect metric can reach, since metrics are compared with the mean
    of all raters. NaN for fewer than two raters, and if the statistic does not exist for one of
    them, as for constant ratings.

    >>> raters = np.array([[1.0, 2, 3, 4, 5], [1, 3, 2, 4, 5], [2, 2, 3, 5, 4]])
    >>> round(find_ceiling(compare_raters("pearson", raters)), 4)  # of .9428, .8547 and .8087
    0.8687
    """
    if len(samples) < 2:
        return float("nan")
    return float(mean_of({name: sample.values for name, sample in samples.items()})[0])


def estimate_ceiling_interval(
    samples: Mapping[str, Sample], resampling: Resampling
) -> tuple[float, float]:
    """Return the 95 % interval of the ceiling, by the draws of clusters that metrics have.

    NaN if there is no ceiling.
    """
    if np.isnan(find_ceiling(samples)):
        return float("nan"), float("nan")
    if method_of(samples.values()) == "jackknife":
        low, high = limited(jackknife(samples, mean_of)[0], samples.values())[0]
        return float(low), float(high)
    first = samples["0"]
    rng = np.random.default_rng([resampling.seed, len(first.ratings)])
    values = []
    for start in range(0, resampling.resamples, BLOCK):
        weights = resample(rng, min(BLOCK, resampling.resamples - start), first.n_clusters)
        values.append(mean_of({k: sample.weighted(weights) for k, sample in samples.items()})[:, 0])
    return percentile_interval(np.concatenate(values))


def describe_gap(raters: Floats, samples: Mapping[str, Sample]) -> str:
    """Say why there is no ceiling."""
    if len(raters) < 2:
        return "one rater"
    constant = [k + 1 for k, sample in enumerate(samples.values()) if np.isnan(sample.values[0])]
    return f"the ratings of rater {constant[0]}, or the others' on the same pairs, are all the same"
