"""How scores are held against ratings: one statistic a cell, and means over all twelve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bamboo.errors import ConfigError, unknown
from metrics.types import Floats

Statistic = Callable[[Floats, Floats], float]


def pearson(scores: Floats, ratings: Floats) -> float:
    """Pearson's correlation in -1..1; NaN if either side is constant or shorter than two.

    >>> round(pearson(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 1.0])), 12)
    0.5
    """
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(ratings) == 0:
        return float("nan")
    x, y = scores - scores.mean(), ratings - ratings.mean()
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def spearman(scores: Floats, ratings: Floats) -> float:
    """Spearman's rank correlation in -1..1, ties at their mean rank; NaN as in `pearson`.

    >>> spearman(np.array([1.0, 10.0, 100.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    return pearson(ranks(scores), ranks(ratings))


def pair_accuracy(scores: Floats, ratings: Floats) -> float:
    """Share of (altered, original) couples in which the original scores strictly higher.

    >>> pair_accuracy(np.array([0.5, 0.9, 0.7, 0.7]), np.array([0.0, 1.0, 0.0, 1.0]))  # a tie
    0.5
    """
    if len(scores) < 2:
        return float("nan")
    return float(np.mean(scores[1::2] > scores[0::2]))


COUPLES = "pair_accuracy"  # rests on couples of pairs
STATISTICS: Mapping[str, Statistic] = {
    "pearson": pearson,
    "spearman": spearman,
    COUPLES: pair_accuracy,
}


@dataclass(frozen=True)
class Published:
    """Values published under a protocol.

    Attributes:
        file: below ``data/published``, with the published rows (`bamboo.published`).
        statistic: of each partition, as in the publication; cells that are computed with another
            one have no published value.
    """

    file: str
    statistic: Mapping[str, str]


@dataclass(frozen=True)
class Protocol:
    """What ``conf/protocol/<name>.yaml`` says.

    Attributes:
        name: its name.
        statistic: the statistic of each partition.
        published: the published values, or None.
    """

    name: str
    statistic: Mapping[str, str]
    published: Published | None

    def __post_init__(self) -> None:
        for name in self.statistic.values():
            if name not in STATISTICS:
                raise ConfigError(unknown("statistic", name, STATISTICS))
        if "main" not in self.statistic:
            raise ConfigError(f"protocol {self.name}: statistic.main=... is needed")

    def of(self, partition: str) -> str:
        """The statistic of a partition; that of main unless it has one of its own."""
        return self.statistic.get(partition, self.statistic["main"])


def amean(values: Sequence[float]) -> float:
    """Arithmetic mean."""
    return float(np.mean(values))


def hmean(values: Sequence[float]) -> float:
    """Harmonic mean; NaN unless all values are positive.

    >>> hmean([1.0, 2.0])  # 2 / (1/1 + 1/2)
    1.3333333333333333
    """
    if min(values) <= 0:
        return float("nan")
    return float(len(values) / np.sum(1 / np.asarray(values)))


def ranks(values: Floats) -> Floats:
    """Ranks from 0, equal values at their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts) - 1
    return np.asarray((last - (counts - 1) / 2)[inverse])
