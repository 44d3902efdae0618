"""Confidence intervals and significance tests.

Everything is based on `Sample`: the scores of several metrics on the pairs of one cell. Resampling
(`bootstrap`) and permutation (`permutation`) multiply a matrix of random weights by the sample's
sums, which handles all metrics, and all pairs of metrics, at once.

The names below are imported from their modules when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bamboo.statistics.bootstrap import (
        estimate,
        joint_bootstrap,
        limited,
        mean_interval,
        sample_interval,
    )
    from bamboo.statistics.classic import mcnemar, williams
    from bamboo.statistics.families import Family
    from bamboo.statistics.leave_out import jackknife
    from bamboo.statistics.permutation import perm_both
    from bamboo.statistics.ranking import rank_ranges
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

_NAMES = {
    "bootstrap": "estimate joint_bootstrap limited mean_interval sample_interval",
    "classic": "mcnemar williams",
    "families": "Family",
    "leave_out": "jackknife",
    "permutation": "perm_both",
    "ranking": "rank_ranges",
    "sample": "MEAN Sample consecutive effective_clusters harmonic_mean_of mean_of method_of "
    "random_draws",
}

__all__ = [
    "MEAN",
    "Family",
    "Sample",
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
    "perm_both",
    "random_draws",
    "rank_ranges",
    "sample_interval",
    "williams",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first used."""
    module = next((module for module, names in _NAMES.items() if name in names.split()), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return value
