"""The steps of a training between two evaluations on dev.

The loss of a batch of pairs is 1 minus Pearson's correlation of its scores with its ratings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from amr_metrics.compiled import compiled
from amr_metrics.parameters import Parameters, PreparedPairs
from amr_metrics.types import Floats, Ints
from bamboo.benchmark.statistic import ROUNDING, pearson
from bamboo.train.spsa import Loss

BLOCK = 128  # NumPy adds up to this many numbers in one pass, which `_sum` does in the same order


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs prepared for scoring, and their ratings."""

    pairs: PreparedPairs
    ratings: Floats

    def correlation(self, values: Floats) -> float:
        """Return Pearson's correlation of all scores and ratings; NaN if either is constant."""
        return pearson(self.pairs.score(values), self.ratings)

    def loss(self, drawn: Ints, parameters: Parameters) -> Loss:
        """Return the loss of some pairs as a function of the parameters; NaN if it is undefined.

        Args:
            drawn: the positions of the pairs.
            parameters: for their bounds: values outside are moved to the nearest bound.
        """
        ratings = self.ratings[drawn]

        def loss(values: Floats) -> float:
            inside = np.minimum(np.maximum(values, parameters.lower), parameters.upper)
            scores = self.pairs.score(inside, drawn)
            if len(drawn) > BLOCK:
                return 1 - pearson(scores, ratings)
            return float(1 - correlations_of(scores[None], ratings)[0])

        return loss


class Optimiser(Protocol):
    """The interface of an optimiser."""

    @property
    def batch(self) -> int:
        """Number of pairs per step."""
        ...

    def step(
        self, t: int, values: Floats, loss: Loss, usage: Floats, rng: np.random.Generator
    ) -> tuple[Floats, float]:
        """Return one step; see `bamboo.train.spsa.SPSA.step`."""
        ...


class Steps(NamedTuple):
    """Consecutive steps, up to the first whose values are not finite.

    Attributes:
        values: the values after each step, steps x parameters.
        losses: the loss of each batch; NaN if it was skipped.
    """

    values: Floats
    losses: Floats


def take_steps(
    optimiser: Optimiser,
    first: int,
    count: int,
    values: Floats,
    parameters: Parameters,
    examples: Examples,
    rng: np.random.Generator,
) -> Steps:
    """Take `count` steps from `values`, each with a random batch of the examples.

    Args:
        first: the number of the first step, from 1.
        parameters: for their bounds: values outside are moved to the nearest bound.

    Raises:
        PairError: for a pair that cannot be scored.
    """
    new_values, losses = np.empty((count, len(values))), np.empty(count)
    for k in range(count):
        drawn = rng.integers(0, len(examples.pairs), optimiser.batch)
        loss, usage = examples.loss(drawn, parameters), examples.pairs.usage(drawn)
        values, losses[k] = optimiser.step(first + k, values, loss, usage, rng)
        if not np.isfinite(values).all():
            new_values[k] = values
            return Steps(new_values[: k + 1], losses[: k + 1])
        values = new_values[k] = np.minimum(np.maximum(values, parameters.lower), parameters.upper)
    return Steps(new_values, losses)


@compiled
def correlations_of(scores: Floats, ratings: Floats) -> Floats:
    """Return `pearson` of each row of scores with the ratings, of at most `BLOCK` pairs."""
    rows, count = scores.shape
    out = np.full(rows, np.nan)
    y, x = np.empty(count), np.empty(count)
    yy = _deviations(ratings, y)
    if count < 2 or np.isnan(yy):
        return out
    for row in range(rows):
        xx = _deviations(scores[row], x)
        if not np.isnan(xx):
            out[row] = min(max(np.dot(x, y) / np.sqrt(xx * yy), -1.0), 1.0)
    return out


@compiled
def _deviations(values: Floats, out: Floats) -> float:
    """Return the deviations from the mean of rescaled values, and the sum of their squares.

    NaN for values that `pearson` takes to be constant, or that are not finite.
    """
    count, largest = values.size, 0.0
    for value in values:
        if not np.isfinite(value):
            return np.nan
        largest = max(largest, abs(value))
    # Scaling by a power of two is exact, and keeps squares from overflow and underflow.
    exponent = -math.frexp(largest)[1]
    low, high = np.inf, -np.inf
    for k in range(count):
        out[k] = math.ldexp(values[k], exponent)
        low, high = min(low, out[k]), max(high, out[k])
    if not high > low:
        return np.nan
    mean = _sum(out) / count
    for k in range(count):
        out[k] -= mean
    squares: float = np.dot(out, out)
    if not np.sqrt(squares / count) > ROUNDING * max(-low, high):
        return np.nan
    return squares


@compiled
def _sum(values: Floats) -> float:
    """Return the sum of at most `BLOCK` numbers, added in the same order as by NumPy."""
    if values.size < 8:
        few = 0.0
        for value in values:
            few += value
        return few
    parts = values[:8].copy()  # NumPy's pairwise sum adds every eighth number to one of 8 sums
    end = values.size - values.size % 8
    for k in range(8, end):
        parts[k % 8] += values[k]
    total: float = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + (
        (parts[4] + parts[5]) + (parts[6] + parts[7])
    )
    for k in range(end, values.size):
        total += values[k]
    return total
