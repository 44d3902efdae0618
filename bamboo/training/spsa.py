"""SPSA: gradient descent with two evaluations per gradient, for any number of parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.elementary import exp, log
from bamboo.errors import ConfigError

Loss = Callable[[Floats], float]
BLOCK = 1000  # steps whose lengths are computed at a time


@dataclass(frozen=True, kw_only=True)
class SPSA:
    """Simultaneous perturbation stochastic approximation.

    At step t all parameters are changed simultaneously by plus or minus ``c_t``; the difference of
    the two losses, divided by the distance, estimates each parameter's slope:

        g_i = (J(v + c_t d) - J(v - c_t d)) / (2 c_t d_i),    v <- v - a_t clip(s_i g_i)

    with ``a_t = rate / (t + rate_offset) ** rate_decay`` and ``c_t = size / t ** size_decay``.
    Source: Spall (1998), An overview of the simultaneous perturbation method; as used by Opitz,
    Daza and Frank (2021), section 4.3.

    Attributes:
        batch: number of pairs per step, drawn with replacement.
        rate, rate_offset, rate_decay: of the step length a_t.
        size, size_decay: of the perturbation c_t.
        clip: a slope's largest absolute value.
        by_use: s_i is the parameter's share of all uses in the batch; 1 otherwise.

    Raises:
        ConfigError: a size, rate or batch that is not positive.
    """

    batch: int = 16
    rate: float = 0.75
    rate_offset: float = 2.0
    rate_decay: float = 0.5
    size: float = 0.01
    size_decay: float = 0.05
    clip: float = 0.01
    by_use: bool = True

    def __post_init__(self) -> None:
        if self.batch < 2:
            raise ConfigError("trainer.batch: a correlation needs at least 2 pairs")
        for name in ("rate", "size", "clip"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"trainer.{name} must be positive")

    def step(
        self, t: int, values: Floats, loss: Loss, usage: Floats, rng: np.random.Generator
    ) -> tuple[Floats, float]:
        """Return one step from `values`.

        Args:
            t: the step's number, from 1.
            loss: the batch's loss for given values; NaN if it is undefined.
            usage: how often the batch uses each parameter.

        Returns:
            the new values and the mean of both losses; the old values and NaN if either loss is
            NaN.

        >>> rng = np.random.default_rng(0)
        >>> bowl = lambda v: float((v * v).sum())
        >>> values = np.array([1.0, -1.0])
        >>> optimiser = SPSA(clip=10.0, by_use=False, rate=0.1)
        >>> for t in range(1, 400):
        ...     values, _ = optimiser.step(t, values, bowl, np.ones(2), rng)
        >>> bool(bowl(values) < 1e-2)
        True
        """
        change = self.perturbation(t) * (rng.integers(0, 2, len(values)) * 2.0 - 1.0)
        above, below = loss(values + change), loss(values - change)
        if np.isnan(above) or np.isnan(below):
            return values, float("nan")
        with np.errstate(all="ignore"):  # training stops with an error at values that overflow
            slopes = (above - below) / (2 * change)
            total = usage.sum()
            if self.by_use and total > 0:
                slopes = slopes * usage / total
            slopes = np.minimum(np.maximum(slopes, -self.clip), self.clip)
            return values - self.step_length(t) * slopes, (above + below) / 2

    def perturbation(self, t: int) -> float:
        """Return the size ``c_t`` of the perturbation of a step."""
        return _compute_gain(t, self.size, 0.0, self.size_decay)

    def step_length(self, t: int) -> float:
        """Return the step length ``a_t`` of a step."""
        return _compute_gain(t, self.rate, self.rate_offset, self.rate_decay)


def _compute_gain(t: int, scale: float, offset: float, decay: float) -> float:
    """Return ``scale / (t + offset) ** decay``, as Spall's gain sequences are defined."""
    block, place = divmod(t - 1, BLOCK)
    return _compute_gains(block, scale, offset, decay)[place]


@lru_cache(maxsize=4)
def _compute_gains(block: int, scale: float, offset: float, decay: float) -> list[float]:
    """Return the gains of many steps, which takes hardly longer than that of one."""
    steps = np.arange(1.0, BLOCK + 1) + block * BLOCK
    with np.errstate(over="ignore"):
        return cast(list[float], (scale * exp(-decay * log(steps + offset))).tolist())
