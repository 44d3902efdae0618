"""Settings of resampling, shared by every command that computes intervals or p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from amr_metrics.types import Floats
from bamboo.errors import ConfigError

Resample = Literal["pairs", "sentences"]  # what is asked for
# What was done: it depends on the number of clusters of each cell, and on whether there are any
# with several pairs.
Method = Literal["pairs", "sentences", "jackknife"]
CLUSTERS = "clusters of pairs that share sentences"
METHODS: dict[Method, str] = {
    "pairs": "bootstrap of pairs",
    "sentences": f"bootstrap of {CLUSTERS}",
    "jackknife": f"over pairs, or {CLUSTERS}",
}
DETECTABLE = 2.8  # standard errors: the quantiles .975 and .8 of the normal distribution, added
MOST = 100_000  # resamples and permutations: their values are held in memory
MOST_COUNTED = 10_000_000  # permutations whose values are only counted
MOST_SEED = 2**64


@dataclass(frozen=True)
class Resampling:
    """How bootstrap intervals are computed.

    Attributes:
        resamples: number of bootstrap resamples.
        seed: of the random numbers.
        resample: what is drawn, and swapped by permutation tests: ``pairs``, or with ``sentences``
            clusters of pairs that share a sentence, directly or through other pairs. If no two
            pairs share one, both are the same.

    Raises:
        ConfigError: a number that is too small, or more resamples than `MOST`.

    >>> Resampling(resamples=0)
    Traceback (most recent call last):
    bamboo.errors.ConfigError: resamples=0: use 1 or more
    """

    resamples: int = 1000
    seed: int = 0
    resample: Resample = field(default="sentences", kw_only=True)

    minimum: ClassVar[int] = 1

    def __post_init__(self) -> None:
        self._check("resamples", self.minimum, MOST)
        self._check("seed", 0, MOST_SEED)

    def _check(self, name: str, minimum: int, maximum: int) -> None:
        if getattr(self, name) < minimum:
            raise ConfigError(f"{name}={getattr(self, name)}: use {minimum} or more")
        if getattr(self, name) > maximum:
            raise ConfigError(f"{name}={getattr(self, name)}: use {maximum:,} or less")


@dataclass(frozen=True)
class SystemTests(Resampling):
    """How systems, such as parsers, are compared with each other.

    Attributes:
        permutations: number of permutations of a test; None for 10,000.
        runs_by_system: the names of the runs of each system; empty if each system is one run. Runs
            are not resampled.
        target_difference: the difference for which the number of pairs is computed; None for no
            number.

    Raises:
        ConfigError: see `Resampling`; or more than `MOST_COUNTED` permutations.
    """

    permutations: int | None = None
    runs_by_system: Mapping[str, Sequence[str]] = field(default_factory=dict, kw_only=True)
    target_difference: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.permutations is not None:
            self._check("permutations", self.minimum, MOST_COUNTED)

    @property
    def number(self) -> int:
        """The number of permutations of a test."""
        return 10_000 if self.permutations is None else self.permutations


@dataclass(frozen=True)
class Significance(Resampling):
    """How metrics are compared with each other.

    Attributes:
        permutations: number of permutations of a test.
        level: p-values below it are significant.

    Raises:
        ConfigError: fewer than 20 resamples or permutations (no p-value would be below 0.05), more
            than `MOST`, a negative seed, or a level that is not between 0 and 1.

    >>> Significance(level=5)
    Traceback (most recent call last):
    bamboo.errors.ConfigError: level=5: use a number between 0 and 1
    """

    permutations: int = 10_000
    level: float = 0.05

    minimum: ClassVar[int] = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("permutations", self.minimum, MOST)
        if not 0 < self.level < 1:
            raise ConfigError(f"level={self.level}: use a number between 0 and 1")


def quantiles(values: Floats, shares: Sequence[float] | Floats) -> Floats:
    """Return quantiles of finite values, which never lie outside their range.

    `numpy.quantile` interpolates, and rounding can take the result past both neighbours.

    >>> quantiles(np.array([0.1, 0.1, 0.1]), (0.025, 0.975)).tolist()
    [0.1, 0.1]
    """
    return np.clip(np.quantile(values, shares), values.min(), values.max())
