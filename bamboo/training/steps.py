"""The steps of a training between two evaluations on dev.

The loss of a batch of pairs is 1 minus Pearson's correlation of its scores with its ratings. SPSA's
steps with WWLK-theta are taken by one kernel: a batch of a few small graphs is scored in less time
than Python takes for a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from amr_metrics.kernels.library import declare_kernel
from amr_metrics.parameters import Parameters, PreparedPairs
from amr_metrics.transport.wwlk_theta import EmbeddedPairs
from amr_metrics.types import Floats, Ints
from bamboo.statistics.ratings import pearson
from bamboo.training.spsa import SPSA, Loss

BLOCK = 128  # NumPy adds up to this many numbers in one pass, in an order that kernels repeat


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
            return float(1 - correlate_rows(scores[None], ratings)[0])

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
    pairs = examples.pairs
    if isinstance(pairs, EmbeddedPairs) and type(optimiser) is SPSA and optimiser.batch <= BLOCK:
        return _run_steps(optimiser, first, count, values, parameters, examples.ratings, pairs, rng)
    new_values, losses = np.empty((count, len(values))), np.empty(count)
    for k in range(count):
        drawn = rng.integers(0, len(pairs), optimiser.batch)
        loss, usage = examples.loss(drawn, parameters), pairs.usage(drawn)
        values, losses[k] = optimiser.step(first + k, values, loss, usage, rng)
        if not np.isfinite(values).all():
            new_values[k] = values
            return Steps(new_values[: k + 1], losses[: k + 1])
        values = new_values[k] = np.minimum(np.maximum(values, parameters.lower), parameters.upper)
    return Steps(new_values, losses)


def _run_steps(
    spsa: SPSA,
    first: int,
    count: int,
    values: Floats,
    parameters: Parameters,
    ratings: Floats,
    pairs: EmbeddedPairs,
    rng: np.random.Generator,
) -> Steps:
    """Take steps like `SPSA.step`, to the last bit."""
    batch, size = spsa.batch, len(values)
    # One call draws the same numbers as two calls per step.
    limits = np.repeat([len(pairs), 2], [batch, size])
    numbers = rng.integers(0, np.broadcast_to(limits, (count, len(limits))))
    drawn, signs = np.ascontiguousarray(numbers[:, :batch]), numbers[:, batch:]
    steps = np.arange(first, first + count, dtype=np.float64)
    sizes, lengths = spsa.perturbation(steps), spsa.step_length(steps)
    rows, new_values, losses = np.empty((2, size)), np.empty((count, size)), np.empty(count)
    steps_taken = np.empty(1, np.int64)
    _take_steps(
        *(count, batch, size, len(pairs), *pairs.context, spsa.by_use, pairs.counts),
        *(np.ascontiguousarray(ratings, np.float64), drawn),
        *(sizes[:, None] * (signs * 2.0 - 1.0), lengths),
        *(spsa.clip, values, parameters.lower, parameters.upper),
        *(np.empty((2, batch)), np.empty((3, batch)), np.empty(batch)),
        *(np.empty(size), np.empty(size), rows, new_values, losses, steps_taken),
    )
    taken = int(steps_taken[0])
    new_values, losses = new_values[:taken], losses[:taken]
    if taken < count and np.isfinite(new_values).all():
        pairs.scores(rows, drawn[taken])  # raises the error
        raise RuntimeError("a pair has an infinite score")
    return Steps(new_values, losses)


_take_steps = declare_kernel("descend")


def correlate_rows(scores: Floats, ratings: Floats) -> Floats:
    """Return `pearson` of each row of scores with the ratings, of at most `BLOCK` pairs."""
    correlations, memory = np.empty(len(scores)), np.empty((3, len(ratings)))
    scores, ratings = (np.ascontiguousarray(part, np.float64) for part in (scores, ratings))
    _correlate_rows(*scores.shape, scores, ratings, memory, correlations)
    return correlations


_correlate_rows = declare_kernel("correlate_rows")
