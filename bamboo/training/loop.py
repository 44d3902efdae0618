"""The training loop, which evaluates on dev and selects the best values, and grid search."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from amr_metrics.parameters import Parameters
from amr_metrics.types import Floats
from bamboo.config.weights import Evaluation
from bamboo.errors import BambooError, ConfigError, describe_unknown
from bamboo.statistics.ratings import pearson
from bamboo.training.steps import Examples, Optimiser, take_steps

OnEvaluation = Callable[[Evaluation, int], None]


class TrainingError(BambooError):
    """Training that cannot start or has diverged."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long to train.

    Attributes:
        interval: number of steps between two evaluations on dev.
        evaluations: maximum number of evaluations.
        patience: the number of evaluations without an improvement after which training stops;
            None never stops early.
        average: evaluate and keep the mean of the iterates since the last evaluation (Polyak and
            Juditsky 1992) instead of the last one.
        passes: number of passes over the train split, which determines the number of steps in place
            of `interval`: every split is used equally often, whatever its size. Dev is evaluated
            `evaluations` times, at equal distances.

    Raises:
        ConfigError: a number below 1, or passes that are not positive.
    """

    interval: int = 350
    evaluations: int = 25
    patience: int | None = None
    average: bool = False
    passes: float | None = None

    def __post_init__(self) -> None:
        if min(self.interval, self.evaluations, 1 if self.patience is None else self.patience) < 1:
            raise ConfigError("trainer: interval, evaluations and patience are at least 1")
        if self.passes is not None and not 0 < self.passes < math.inf:
            raise ConfigError("trainer: passes must be positive")

    def count_steps(self, pairs: int, batch: int) -> int:
        """Return the largest number of steps, for a train split of some pairs.

        >>> Schedule(interval=10, evaluations=3).count_steps(474, batch=16)
        30
        >>> Schedule(passes=2).count_steps(474, batch=16)  # 2 * 474 / 16, rounded down
        59
        """
        if self.passes is None:
            return self.interval * self.evaluations
        return max(int(self.passes * pairs / batch), 1)


def train(
    parameters: Parameters,
    examples: Examples,
    dev: Examples,
    optimiser: Optimiser,
    schedule: Schedule,
    rng: np.random.Generator,
    progress: OnEvaluation = lambda evaluation, total: None,
) -> tuple[Floats, list[Evaluation]]:
    """Fit parameters so that scores correlate with ratings.

    The loss of a batch is 1 minus Pearson's correlation. Of all evaluated values, including the
    initial ones, those with the highest correlation on dev are returned.

    Args:
        parameters: names, initial values and bounds.

    Returns:
        the best values and the history; its first line is the untrained metric.

    Raises:
        TrainingError: constant ratings or scores on dev, or values that are no longer finite.
    """
    step, values = 0, parameters.values
    best, best_values = dev.correlation(values), values
    if np.isnan(best):
        raise TrainingError("the dev split cannot be used: its ratings or scores are all the same")
    history = [Evaluation(0, float("nan"), best, best, 0)]
    last_step = schedule.count_steps(len(examples.pairs), optimiser.batch)
    interval = math.ceil(last_step / schedule.evaluations)
    while step < last_step and not _is_out_of_patience(history, schedule):
        count = min(interval, last_step - step)
        steps = take_steps(optimiser, step + 1, count, values, parameters, examples, rng)
        step, values = step + len(steps.values), steps.values[-1]
        if not np.isfinite(values).all():
            raise TrainingError(
                f"training diverged at step {step}: lower trainer.rate. The last good "
                f"values, of step {history[-1].step}, score {best:.4f} on dev"
            )
        total = np.add.accumulate(steps.values)[-1]  # from first to last, however many parameters
        candidate = total / count if schedule.average else values
        reached = dev.correlation(candidate)
        if reached > best:
            best, best_values = reached, candidate
        losses = steps.losses[~np.isnan(steps.losses)]
        mean = float(np.mean(losses)) if len(losses) else float("nan")
        skipped = len(steps.losses) - len(losses)
        history.append(Evaluation(step, mean, reached, best, skipped))
        progress(history[-1], schedule.evaluations)
    return best_values, history


def _is_out_of_patience(history: Sequence[Evaluation], schedule: Schedule) -> bool:
    if schedule.patience is None:
        return False
    since = [line.best for line in history[-schedule.patience - 1 :]]
    return len(since) > schedule.patience and since[0] == since[-1]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The values to try for each parameter, by name; other parameters keep their values."""

    axes: Mapping[str, Sequence[float]]

    @property
    def steps(self) -> int:
        """The number of combinations."""
        return math.prod(map(len, self.axes.values()))


def search(
    parameters: Parameters,
    dev: Examples,
    grid: Grid,
    progress: OnEvaluation = lambda evaluation, total: None,
) -> tuple[Floats, list[Evaluation]]:
    """Return the values with the highest Pearson correlation on dev, and the history of all tried.

    Of several best ones, the first is returned.

    Args:
        grid: the values, which are tried in all combinations.
        progress: called for each combination in order, with their number.

    Raises:
        ConfigError: an unknown parameter.
        TrainingError: no values give a correlation.
    """
    for name in grid.axes:
        if name not in parameters.names:
            raise ConfigError(describe_unknown("parameter", name, parameters.names))
    combinations = np.array([*itertools.product(*grid.axes.values())])
    points = np.tile(parameters.values, (len(combinations), 1))
    points[:, [parameters.names.index(name) for name in grid.axes]] = combinations
    best, best_values, history = -np.inf, parameters.values, []
    for number, (values, row) in enumerate(zip(points, dev.pairs.each(points), strict=True), 1):
        reached = pearson(row, dev.ratings)
        if reached > best:
            best, best_values = reached, values
        history.append(Evaluation(number, 1 - reached, reached, best, 0))
        progress(history[-1], len(points))
    if not np.isfinite(best):
        raise TrainingError("the dev split cannot be used: its ratings or scores are all the same")
    return best_values, history
