"""Confidence intervals and significance tests.

Everything is based on `Sample`: the scores of several metrics on the pairs of one cell. Resampling
(`bootstrap`) and permutation (`permutation`) multiply a matrix of random weights by the sample's
sums, which handles all metrics, and all pairs of metrics, at once.
"""

from bamboo.statistics.bootstrap import (
    bootstrap_interval,
    estimate,
    joint_bootstrap,
    limited,
    mean_interval,
    sample_interval,
)
from bamboo.statistics.classic import Dependent, mcnemar, williams
from bamboo.statistics.families import Family
from bamboo.statistics.jackknife import Estimate, jackknife
from bamboo.statistics.permutation import Permuted, perm_both
from bamboo.statistics.ranking import not_worse_than_best, rank_ranges
from bamboo.statistics.sample import (
    MEAN,
    Sample,
    consecutive,
    effective_clusters,
    harmonic_mean_of,
    mean_of,
    method_of,
    random_draws,
)

__all__ = [
    "MEAN",
    "Dependent",
    "Estimate",
    "Family",
    "Permuted",
    "Sample",
    "bootstrap_interval",
    "consecutive",
    "effective_clusters",
    "estimate",
    "harmonic_mean_of",
    "jackknife",
    "joint_bootstrap",
    "limited",
    "mcnemar",
    "mean_interval",
    "mean_of",
    "method_of",
    "not_worse_than_best",
    "perm_both",
    "random_draws",
    "rank_ranges",
    "sample_interval",
    "williams",
]
