"""How sure a number is, and which differences are real.

Everything rests on one value, `Sample`: the scores of several metrics on the pairs of one cell.
Resampling (`bootstrap`) and permuting (`permutation`) are products of a matrix of draws with the
sample's sums, so that all metrics, and all pairs of metrics, are done at once.
"""

from bamboo.statistics.bootstrap import bootstrap_interval, joint_bootstrap
from bamboo.statistics.classic import Dependent, holm, mcnemar, williams
from bamboo.statistics.clusters import best_cluster, clusters
from bamboo.statistics.permutation import Permuted, perm_both
from bamboo.statistics.sample import MEAN, Sample, mean_of, random_draws

__all__ = [
    "MEAN",
    "Dependent",
    "Permuted",
    "Sample",
    "best_cluster",
    "bootstrap_interval",
    "clusters",
    "holm",
    "joint_bootstrap",
    "mcnemar",
    "mean_of",
    "perm_both",
    "random_draws",
    "williams",
]
