"""The training loop: batches, evaluation on dev, selection of the best values, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from amr_metrics.parameters import Parameters
from amr_metrics.types import Floats
from bamboo.config.weights import Evaluation, read_evaluation
from bamboo.errors import BambooError, ConfigError
from bamboo.files import load_text, plain, sealed, unsealed, write_text
from bamboo.train.losses import Examples
from bamboo.train.steps import Optimiser, take_steps

SAVE_AFTER = 1.0  # seconds of training between two checkpoints, if evaluations are that frequent


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

    Raises:
        ConfigError: a number below 1.
    """

    interval: int = 350
    evaluations: int = 25
    patience: int | None = None
    average: bool = False

    def __post_init__(self) -> None:
        if min(self.interval, self.evaluations, 1 if self.patience is None else self.patience) < 1:
            raise ConfigError("trainer: interval, evaluations and patience are at least 1")


@dataclass
class State:
    """The state of a training, as saved in a checkpoint."""

    step: int
    values: Floats
    best_values: Floats
    best: float
    history: list[Evaluation]
    rng: np.random.Generator


def train(
    parameters: Parameters,
    examples: Examples,
    dev: Examples,
    optimiser: Optimiser,
    schedule: Schedule,
    rng: np.random.Generator,
    checkpoint: Path | None = None,
    identity: str = "",
    progress: Callable[[Evaluation, int], None] = lambda evaluation, total: None,
) -> tuple[Floats, list[Evaluation]]:
    """Fit parameters so that scores correlate with ratings.

    The loss of a batch is 1 minus Pearson's correlation. Of all evaluated values, including the
    initial ones, those with the highest correlation on dev are returned.

    Args:
        parameters: names, initial values and bounds.
        checkpoint: a file that is resumed from if it exists, and removed when training ends. It is
            written at the first evaluation after each `SAVE_AFTER` seconds.
        identity: identifies the training; a checkpoint of another training is rejected.

    Returns:
        the best values and the history; its first line is the untrained metric.

    Raises:
        TrainingError: constant ratings or scores on dev, values that are no longer finite, or a
            checkpoint that is damaged or belongs to another training.
    """
    state = _resume(checkpoint, identity, parameters)
    if state is None:
        start = dev.correlation(parameters.values)
        if np.isnan(start):
            raise TrainingError(
                "the dev split cannot be used: its ratings or scores are all the same"
            )
        first = Evaluation(0, float("nan"), start, start, 0)
        state = State(0, parameters.values, parameters.values, start, [first], rng)
    saved = time.monotonic()
    while len(state.history) <= schedule.evaluations and not _out_of_patience(state, schedule):
        _advance(state, parameters, examples, dev, optimiser, schedule)
        progress(state.history[-1], schedule.evaluations)
        if checkpoint is not None and time.monotonic() - saved >= SAVE_AFTER:
            _save(checkpoint, identity, state)
            saved = time.monotonic()
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return state.best_values, state.history


def _out_of_patience(state: State, schedule: Schedule) -> bool:
    if schedule.patience is None:
        return False
    since = [line.best for line in state.history[-schedule.patience - 1 :]]
    return len(since) > schedule.patience and since[0] == since[-1]


def _advance(
    state: State,
    parameters: Parameters,
    examples: Examples,
    dev: Examples,
    optimiser: Optimiser,
    schedule: Schedule,
) -> None:
    first = state.step + 1
    steps = take_steps(
        optimiser, first, schedule.interval, state.values, parameters, examples, state.rng
    )
    state.step += len(steps.values)
    if not np.isfinite(steps.values[-1]).all():
        raise TrainingError(
            f"training diverged at step {state.step}: lower trainer.rate. The last good "
            f"values, of step {state.history[-1].step}, score {state.best:.4f} on dev"
        )
    state.values = steps.values[-1]
    total = np.add.accumulate(steps.values)[-1]  # from first to last, however many parameters
    candidate = total / schedule.interval if schedule.average else state.values
    reached = dev.correlation(candidate)
    if reached > state.best:
        state.best, state.best_values = reached, candidate
    losses = steps.losses[~np.isnan(steps.losses)]
    mean = float(np.mean(losses)) if len(losses) else float("nan")
    skipped = len(steps.losses) - len(losses)
    state.history.append(Evaluation(state.step, mean, reached, state.best, skipped))


def _save(path: Path, identity: str, state: State) -> None:
    document = {
        "identity": identity,
        "step": state.step,
        "values": state.values.tolist(),
        "best_values": state.best_values.tolist(),
        "best": state.best,
        "history": [plain(line._asdict()) for line in state.history],
        "rng": state.rng.bit_generator.state,
    }
    write_text(path, sealed(document))


def _resume(path: Path | None, identity: str, parameters: Parameters) -> State | None:
    """Return the state in a checkpoint, or None if there is no checkpoint.

    Raises:
        TrainingError: a checkpoint that is damaged or belongs to another training. The file is not
            changed.
    """
    if path is None:
        return None
    try:
        document = unsealed(load_text(path))
        if document["identity"] != identity:
            raise ValueError("it belongs to another training")
        rng = np.random.default_rng()
        rng.bit_generator.state = document["rng"]
        state = State(
            document["step"],
            np.array(document["values"]),
            np.array(document["best_values"]),
            document["best"],
            [read_evaluation(line) for line in document["history"]],
            rng,
        )
        if len(state.values) != len(parameters.names):
            raise ValueError("it has a different number of values")
    except FileNotFoundError:  # no checkpoint, or another process has just finished this training
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TrainingError(
            f"the checkpoint {path} cannot be resumed ({error}): delete it to train "
            "from the beginning"
        ) from None
    return state
