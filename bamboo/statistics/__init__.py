"""Confidence intervals and significance tests.

Everything is based on `Sample`: the scores of several metrics on the pairs of one cell. Resampling
(`bootstrap`) and permutation (`permutation`) multiply a matrix of random weights by the sample's
sums, which handles all metrics, and all pairs of metrics, at once.
"""

from bamboo.statistics.bootstrap import (
    bootstrap_interval,
    joint_bootstrap,
    mean_interval,
    percentile_bounds,
)
from bamboo.statistics.classic import Dependent, holm, mcnemar, williams
from bamboo.statistics.permutation import Permuted, perm_both
from bamboo.statistics.ranking import not_worse_than_best, rank_ranges
from bamboo.statistics.sample import MEAN, Sample, consecutive, mean_of, random_draws

__all__ = [
    "MEAN",
    "Dependent",
    "Permuted",
    "Sample",
    "bootstrap_interval",
    "consecutive",
    "holm",
    "joint_bootstrap",
    "mcnemar",
    "mean_interval",
    "mean_of",
    "not_worse_than_best",
    "percentile_bounds",
    "perm_both",
    "random_draws",
    "rank_ranges",
    "williams",
]
