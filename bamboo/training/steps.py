"""The steps of a training between two evaluations on dev.

The loss of a batch of pairs is 1 minus Pearson's correlation of its scores with its ratings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from amr_metrics.kernels.library import declare_kernel
from amr_metrics.parameters import Parameters, PreparedPairs
from amr_metrics.types import Floats, Ints
from bamboo.statistics.ratings import pearson
from bamboo.training.spsa import Loss


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
            return 1 - correlate(self.pairs.score(inside, drawn), ratings)

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
        """Return one step; see `bamboo.training.spsa.SPSA.step`."""
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
    pairs, new_values, losses = examples.pairs, np.empty((count, len(values))), np.empty(count)
    for k in range(count):
        drawn = rng.integers(0, len(pairs), optimiser.batch)
        loss, usage = examples.loss(drawn, parameters), pairs.usage(drawn)
        values, losses[k] = optimiser.step(first + k, values, loss, usage, rng)
        if not np.isfinite(values).all():
            new_values[k] = values
            return Steps(new_values[: k + 1], losses[: k + 1])
        values = new_values[k] = np.minimum(np.maximum(values, parameters.lower), parameters.upper)
    return Steps(new_values, losses)


def correlate(scores: Floats, ratings: Floats) -> float:
    """Return `pearson` of scores and ratings, to the last bit; faster for a batch."""
    scores, ratings = (np.ascontiguousarray(part, np.float64) for part in (scores, ratings))
    return float(_correlate(len(scores), scores, ratings, np.empty((3, len(ratings)))))


_correlate = declare_kernel("correlate")
