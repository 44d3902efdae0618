"""The steps of a training between two evaluations on dev.

SPSA's steps are compiled where the metric's scores can be (`amr_metrics.parameters.ScoringKernel`):
a batch of a few small graphs is scored in less time than Python takes for a step.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, Protocol

import numpy as np

from amr_metrics.compiled import compiled
from amr_metrics.parameters import Parameters, ScoringKernel
from amr_metrics.types import Floats, Ints
from bamboo.train.losses import BLOCK, BatchLoss, Examples, Loss, correlations_of
from bamboo.train.spsa import SPSA, moved

MAX_STEPS = 10_000  # in one call of compiled code, which cannot be interrupted


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
    kernel = examples.pairs.kernel()
    if kernel is None or type(optimiser) is not SPSA or optimiser.batch > BLOCK:
        return _python_steps(optimiser, first, count, values, parameters, examples, rng)
    parts: list[Steps] = []
    for start in range(0, count, MAX_STEPS):
        size = min(count - start, MAX_STEPS)
        parts.append(
            _compiled_steps(
                optimiser, first + start, size, values, parameters, examples, kernel, rng
            )
        )
        values = parts[-1].values[-1]
        if not np.isfinite(values).all():
            break
    return Steps(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _python_steps(
    optimiser: Optimiser,
    first: int,
    count: int,
    values: Floats,
    parameters: Parameters,
    examples: Examples,
    rng: np.random.Generator,
) -> Steps:
    new_values, losses = np.empty((count, len(values))), np.empty(count)
    for k in range(count):
        drawn = rng.integers(0, len(examples.pairs), optimiser.batch)
        loss, usage = BatchLoss(examples, drawn, parameters), examples.pairs.usage(drawn)
        values, losses[k] = optimiser.step(first + k, values, loss, usage, rng)
        if not np.isfinite(values).all():
            new_values[k] = values
            return Steps(new_values[: k + 1], losses[: k + 1])
        values = new_values[k] = np.minimum(np.maximum(values, parameters.lower), parameters.upper)
    return Steps(new_values, losses)


def _compiled_steps(
    spsa: SPSA,
    first: int,
    count: int,
    values: Floats,
    parameters: Parameters,
    examples: Examples,
    kernel: ScoringKernel,
    rng: np.random.Generator,
) -> Steps:
    # One call draws the same numbers as two calls per step.
    limits = np.repeat([len(examples.pairs), 2], [spsa.batch, len(values)])
    numbers = rng.integers(0, np.broadcast_to(limits, (count, len(limits))))
    drawn, signs = np.split(numbers, [spsa.batch], axis=1)
    steps = range(first, first + count)
    sizes = np.array([spsa.perturbation(t) for t in steps])
    new_values, losses, failed = _descent(kernel.scores)(
        kernel.context,
        kernel.counts if spsa.by_use else np.zeros((0, 0)),
        examples.ratings,
        np.ascontiguousarray(drawn),
        sizes[:, None] * (signs * 2.0 - 1.0),
        np.array([spsa.step_length(t) for t in steps]),
        spsa.clip,
        values,
        parameters.lower,
        parameters.upper,
    )
    if failed.size:
        examples.pairs.scores(failed, drawn[len(new_values)])  # raises the error
        raise RuntimeError("a pair has an infinite score")
    return Steps(new_values, losses)


@functools.cache
def _descent(scores_of_rows: Any) -> Any:
    """Return the kernel for steps with a metric's scores."""

    @compiled
    def descend(
        context: Any,
        counts: Floats,
        all_ratings: Floats,
        drawn: Ints,
        changes: Floats,
        lengths: Floats,
        clip: float,
        values: Floats,
        lower: Floats,
        upper: Floats,
    ) -> tuple[Floats, Floats, Floats]:
        """Take steps; see `bamboo.train.spsa.SPSA.step`.

        Args:
            counts: how often each pair uses each parameter; empty for slopes that are not scaled.
            drawn: the batches, steps x pairs.
            changes: the perturbations, steps x parameters.
            lengths: the step lengths.

        Returns:
            the values and losses of `Steps`; and if a score was infinite, the values of the
            parameters for which it was, one set in each row.
        """
        after, losses = np.empty((len(drawn), values.size)), np.empty(len(drawn))
        rows, ratings = np.empty((2, values.size)), np.empty(drawn.shape[1])
        usage = np.zeros(counts.shape[1])
        for step in range(len(drawn)):
            change = changes[step]
            for k in range(values.size):
                above, below = values[k] + change[k], values[k] - change[k]
                rows[0, k] = min(max(above, lower[k]), upper[k])
                rows[1, k] = min(max(below, lower[k]), upper[k])
            scores = scores_of_rows(context, rows, drawn[step])
            usage[:] = 0.0
            for k in range(ratings.size):
                if np.isinf(scores[0, k]) or np.isinf(scores[1, k]):
                    return after[:step], losses[:step], rows
                ratings[k] = all_ratings[drawn[step, k]]
                for j in range(usage.size):
                    usage[j] += counts[drawn[step, k], j]
            above, below = 1 - correlations_of(scores, ratings)
            losses[step] = (above + below) / 2
            if not np.isnan(losses[step]):
                used = usage if usage.sum() > 0 else usage[:0]
                values = moved(values, above - below, 2 * change, used, lengths[step], clip)
                if not np.isfinite(values).all():
                    after[step] = values
                    return after[: step + 1], losses[: step + 1], np.empty((0, 0))
            for k in range(values.size):
                after[step, k] = min(max(values[k], lower[k]), upper[k])
            values = after[step]
        return after, losses, np.empty((0, 0))

    return descend
