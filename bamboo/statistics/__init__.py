"""Confidence intervals and significance tests.

Everything is based on `Sample`: the scores of several metrics on the pairs of one cell. Resampling
(`bootstrap`) and permutation (`permutation`) multiply a matrix of random weights by the sample's
sums, which handles all metrics, and all pairs of metrics, at once.

The names below are imported from their modules when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bamboo.statistics.bootstrap import joint_bootstrap as joint_bootstrap
    from bamboo.statistics.classic import mcnemar as mcnemar
    from bamboo.statistics.classic import williams as williams
    from bamboo.statistics.families import Family as Family
    from bamboo.statistics.leave_out import jackknife as jackknife
    from bamboo.statistics.permutation import perm_both as perm_both
    from bamboo.statistics.ranking import rank_ranges as rank_ranges
    from bamboo.statistics.sample import Sample as Sample

_MODULES = {
    "Family": "families",
    "Sample": "sample",
    "jackknife": "leave_out",
    "joint_bootstrap": "bootstrap",
    "mcnemar": "classic",
    "perm_both": "permutation",
    "rank_ranges": "ranking",
    "williams": "classic",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
