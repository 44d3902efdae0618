"""The loss of a batch of pairs: 1 minus Pearson's correlation of its scores with its ratings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from amr_metrics.compiled import compiled
from amr_metrics.parameters import Parameters, PreparedPairs
from amr_metrics.types import Floats, Ints
from bamboo.benchmark.protocols import ROUNDING, pearson

Loss = Callable[[Floats], float]
BLOCK = 128  # NumPy adds up to this many numbers in one pass, which `_sum` does in the same order


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs prepared for scoring, and their ratings."""

    pairs: PreparedPairs
    ratings: Floats

    def correlation(self, values: Floats) -> float:
        """Return Pearson's correlation of all scores and ratings; NaN if either is constant."""
        return pearson(self.pairs.score(values), self.ratings)


@dataclass(frozen=True, eq=False)
class BatchLoss:
    """The loss of the pairs at some positions, as a function of the parameters.

    Attributes:
        examples: the pairs and ratings.
        drawn: the positions.
        parameters: for their bounds: values outside are moved to the nearest bound.
    """

    examples: Examples
    drawn: Ints
    parameters: Parameters

    def __call__(self, values: Floats) -> float:
        """Return the loss for some values of the parameters; NaN if it is undefined."""
        return float(self.of_rows(values[None])[0])

    def of_rows(self, rows: Floats) -> Floats:
        """Return the losses for several values of the parameters, one in each row."""
        inside = np.minimum(np.maximum(rows, self.parameters.lower), self.parameters.upper)
        return 1 - correlations(self.examples.pairs.scores(inside, self.drawn), self._ratings)

    @cached_property
    def _ratings(self) -> Floats:
        return self.examples.ratings[self.drawn]


def losses(loss: Loss, rows: Floats) -> Floats:
    """Return the losses for several values of the parameters; at once if that is possible."""
    if isinstance(loss, BatchLoss):
        return loss.of_rows(rows)
    return np.array([loss(values) for values in rows])


def correlations(scores: Floats, ratings: Floats) -> Floats:
    """Return `pearson` of each row of scores with the ratings, faster for small batches.

    >>> correlations(np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]), np.array([0.0, 2.0, 1.0]))
    array([0.5, nan])
    """
    if len(ratings) > BLOCK:
        return np.array([pearson(row, ratings) for row in scores])
    return np.asarray(correlations_of(scores, np.ascontiguousarray(ratings, np.float64)))


@compiled
def correlations_of(scores: Floats, ratings: Floats) -> Floats:
    """Return the same as `correlations`, for at most `BLOCK` pairs."""
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
