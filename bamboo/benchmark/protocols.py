"""Statistics that compare scores with ratings: one per cell, and means over all twelve cells."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bamboo.errors import ConfigError, unknown
from metrics.types import Bools, Floats

Statistic = Callable[[Floats, Floats], float]


ROUNDING = 1e-13  # a standard deviation below this share of the largest value is rounding error
TIE = 1e-9  # scores that differ by less than this share of the larger one are tied


def rescaled(values: Floats) -> Floats:
    """Each row times a power of two, so that its largest absolute value lies in 0.5..1.

    Scaling by a power of two is exact, so a scale-invariant statistic does not change in any
    bit, while sums of squares neither overflow nor underflow. Zeros stay zeros.

    >>> rescaled(np.array([3.0, -6.0])).tolist()
    [0.375, -0.75]
    """
    largest = np.abs(values).max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.ldexp(values, -np.frexp(largest)[1]))


def pearson(scores: Floats, ratings: Floats) -> float:
    """Pearson's correlation in -1..1, of values of any magnitude.

    NaN if either side is constant up to rounding, has a non-finite value, or has fewer than two
    values.

    >>> round(pearson(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 1.0])), 12)
    0.5
    """
    if len(scores) < 2 or not (np.isfinite(scores).all() and np.isfinite(ratings).all()):
        return float("nan")
    x, y = rescaled(scores), rescaled(ratings)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    x_deviations, y_deviations = x - x.mean(), y - y.mean()
    xx, yy = x_deviations @ x_deviations, y_deviations @ y_deviations
    if not (_varies(x, xx) and _varies(y, yy)):
        return float("nan")
    return float(np.clip(x_deviations @ y_deviations / np.sqrt(xx * yy), -1, 1))


def _varies(values: Floats, squares: float) -> bool:
    """Whether values differ by more than rounding, given the sum of their squared deviations."""
    return bool(np.sqrt(squares / len(values)) > ROUNDING * np.abs(values).max())


def spearman(scores: Floats, ratings: Floats) -> float:
    """Spearman's rank correlation in -1..1, ties at their mean rank; NaN as in `pearson`.

    >>> spearman(np.array([1.0, 10.0, 100.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    return pearson(ranks(scores), ranks(ratings))


def original_is_higher(scores: Floats) -> Bools:
    """Whether the original scores strictly higher than the altered one, for (altered, original).

    Scores that differ by less than `TIE` of the larger one are tied, and a tie counts as not
    higher: many graphs differ only in what a metric does not see, and then have scores that are
    equal up to rounding, of which either may be larger.

    Args:
        scores: those of altered and original in turn, along the last axis.

    >>> original_is_higher(np.array([0.5, 0.9, 0.7, 0.7, 0.3, 0.1 + 0.2])).tolist()
    [True, False, False]
    """
    altered, original = scores[..., 0::2], scores[..., 1::2]
    with np.errstate(over="ignore", invalid="ignore"):
        tied = np.abs(original - altered) < TIE * np.maximum(np.abs(original), np.abs(altered))
    return np.asarray((original > altered) & ~tied)


def pair_accuracy(scores: Floats, ratings: Floats) -> float:
    """Share of (altered, original) pairs in which the original scores strictly higher.

    Scores that are equal up to rounding are tied, see `original_is_higher`.

    >>> pair_accuracy(np.array([0.5, 0.9, 0.7, 0.7]), np.array([0.0, 1.0, 0.0, 1.0]))  # a tie
    0.5
    """
    if len(scores) < 2:
        return float("nan")
    return float(np.mean(original_is_higher(scores)))


PAIR_ACCURACY = "pair_accuracy"  # computed from two consecutive pairs: altered and original
STATISTICS: Mapping[str, Statistic] = {
    "pearson": pearson,
    "spearman": spearman,
    PAIR_ACCURACY: pair_accuracy,
}


def statistic_named(name: str) -> Statistic:
    """The statistic with a name in `STATISTICS`, or the Python function ``module.function``.

    A function receives scores and ratings (float64, one per pair, in the same order) and returns
    a number, NaN where the statistic is not defined.

    Raises:
        ConfigError: an unknown name, or a function that cannot be imported.

    >>> statistic_named("spearman") is spearman
    True
    >>> statistic_named("scipy.stats.kendalltau").__name__
    'kendalltau'
    """
    if name in STATISTICS:
        return STATISTICS[name]
    if "." not in name:
        raise ConfigError(
            f"{unknown('statistic', name, STATISTICS)}. "
            "A Python function is written as module.function"
        )
    try:
        function = pkgutil.resolve_name(name)
    except Exception as error:  # importing a module may raise anything
        raise ConfigError(f"statistic {name}: {error}") from None
    if not callable(function):
        raise ConfigError(f"statistic {name}: expected a function, not a {type(function).__name__}")
    return function  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Published:
    """Values published under a protocol.

    Attributes:
        file: below ``data/published``, with the published rows (`bamboo.benchmark.published`).
        statistic: of each partition, as in the publication; cells that are computed with another
            one have no published value.
    """

    file: str
    statistic: Mapping[str, str]


@dataclass(frozen=True)
class Protocol:
    """A protocol, as described in ``conf/protocol/<name>.yaml``.

    Attributes:
        name: its name.
        statistic: the statistic of each partition, see `statistic_named`.
        published: the published values, or None.
    """

    name: str
    statistic: Mapping[str, str]
    published: Published | None

    def __post_init__(self) -> None:
        for name in self.statistic.values():
            statistic_named(name)
        if "main" not in self.statistic:
            raise ConfigError(f"protocol {self.name}: statistic.main=... is required")

    def of(self, partition: str) -> str:
        """The statistic of a partition; by default that of main."""
        return self.statistic.get(partition, self.statistic["main"])


def amean(values: Sequence[float]) -> float:
    """Arithmetic mean."""
    return float(np.mean(values))


def hmean(values: Sequence[float]) -> float:
    """Harmonic mean; NaN unless all values are positive.

    >>> hmean([1.0, 2.0])  # 2 / (1/1 + 1/2)
    1.3333333333333333
    """
    # Not scipy.stats.hmean: every run over all cells needs it, and scipy.stats takes 0.6 seconds to
    # import. It also rounds the last digit of a quarter of all means the other way.
    if min(values) <= 0:
        return float("nan")
    return float(len(values) / np.sum(1 / np.asarray(values)))


def ranks(values: Floats) -> Floats:
    """Ranks from 0, ties at their mean rank; all NaN if any value is NaN.

    >>> ranks(np.array([0.5, 0.25, 0.5])).tolist()
    [1.5, 0.0, 1.5]
    """
    from scipy.stats import rankdata  # takes 0.6 seconds, and is not needed for Pearson

    # From 0, since correlations of other ranks would differ in their last digits.
    return np.asarray(rankdata(values) - 1)
