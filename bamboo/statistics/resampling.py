"""Settings of resampling, shared by every command that computes intervals or p-values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bamboo.errors import ConfigError

MOST = 100_000  # resamples and permutations: their values are held in memory
MOST_SEED = 2**64


@dataclass(frozen=True)
class Resampling:
    """How bootstrap intervals are computed.

    Attributes:
        resamples: number of bootstrap resamples.
        seed: of the random numbers.

    Raises:
        ConfigError: a number that is too small, or more resamples than `MOST`.

    >>> Resampling(resamples=0)
    Traceback (most recent call last):
    bamboo.errors.ConfigError: resamples=0: use 1 or more
    """

    resamples: int = 1000
    seed: int = 0

    minimum: ClassVar[int] = 1

    def __post_init__(self) -> None:
        self._check("resamples", self.minimum, MOST)
        self._check("seed", 0, MOST_SEED)

    def _check(self, name: str, minimum: int, maximum: int) -> None:
        if getattr(self, name) < minimum:
            raise ConfigError(f"{name}={getattr(self, name)}: use {minimum} or more")
        if getattr(self, name) > maximum:
            raise ConfigError(f"{name}={getattr(self, name)}: use {maximum:,} or less")


DEFAULT = Resampling()


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
