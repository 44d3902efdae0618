"""Ridge regression in closed form, for metrics whose scores are linear in their parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bamboo.config.weights import Evaluation
from bamboo.errors import ConfigError
from bamboo.train.linear import Rows, Split
from bamboo.train.loop import TrainingError
from metrics.types import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class Ridge:
    """The values of parameters that minimise squared errors plus a penalty.

    The target of a pair is its rating, on Arg 1 for an original pair and 0 for an altered one. The
    penalty is `strength` times the sum of the squared parameters, added to the mean squared error.
    The strength with the highest mean correlation in cross-validation on the train split is used.

    Source: Hoerl and Kennard (1970), Ridge regression: biased estimation for nonorthogonal
    problems.

    Attributes:
        strengths: the strengths to try.
        folds: number of folds of the cross-validation.
        use_dev: after the strength is chosen, fit on the train and dev splits together.

    Raises:
        ConfigError: if an option is out of range.
    """

    strengths: Sequence[float] = (1e-4, 2e-4, 4e-4, 1e-3, 2e-3, 4e-3, 1e-2)
    folds: int = 5
    use_dev: bool = True

    def __post_init__(self) -> None:
        if not self.strengths or not all(0 < s < np.inf for s in self.strengths):
            raise ConfigError("trainer.ridge.strengths: expected one or more positive numbers")
        if self.folds < 2:
            raise ConfigError(f"trainer.ridge.folds={self.folds}: use 2 or more")


class NormalEquations(NamedTuple):
    """The normal equations of a least-squares problem.

    Attributes:
        gram: parameters x parameters, the mean of the products of terms.
        moment: the mean of the products of terms and targets.
    """

    gram: Floats
    moment: Floats

    @classmethod
    def of(cls, rows: Rows, pairs: Ints | slice = slice(None)) -> NormalEquations:
        """Return the problem whose targets are the ratings of some pairs."""
        terms, targets = rows.terms[pairs], rows.ratings[pairs] - rows.offset
        return cls(terms.T @ terms / len(terms), terms.T @ targets / len(terms))

    def solve(self, strength: float) -> Floats:
        """Return the parameters that minimise the penalised squared error."""
        penalty = strength * np.eye(len(self.moment))
        return np.asarray(np.linalg.solve(self.gram + penalty, self.moment))


def fit_ridge(
    split: Split,
    options: Ridge,
    rng: np.random.Generator,
    progress: Callable[[Evaluation, int], None] = lambda evaluation, total: None,
) -> tuple[Floats, list[Evaluation]]:
    """Fit the parameters to the ratings of a cell.

    Args:
        rng: assigns pairs to folds.

    Returns:
        the values, and one line of history per strength: 1 - the mean correlation in
        cross-validation, the correlation on dev without using dev, and the latter for the best
        strength so far.

    Raises:
        TrainingError: if the scores are not linear in the parameters, the ratings are all the
            same, or there are fewer pairs than folds.
    """
    split.check()
    units = len(split.train.ratings) // split.unit
    if units < options.folds:
        raise TrainingError(
            f"{split.name} has {units} train examples, fewer than the {options.folds} folds of "
            "the cross-validation: lower trainer.ridge.folds"
        )
    fold = np.repeat(rng.permutation(units) % options.folds, split.unit)
    train, dev = Rows.of(split.train), Rows.of(split.dev)
    whole = NormalEquations.of(train)
    without_fold = [NormalEquations.of(train, fold != k) for k in range(options.folds)]
    best, best_strength, best_dev, history = -np.inf, options.strengths[0], np.nan, []
    for number, strength in enumerate(options.strengths, 1):
        held_out = [
            train.correlation(problem.solve(strength), fold == k)
            for k, problem in enumerate(without_fold)
        ]
        validated = float(np.nanmean(held_out)) if np.isfinite(held_out).any() else float("nan")
        on_dev = dev.correlation(whole.solve(strength))
        if validated > best:
            best, best_strength, best_dev = validated, strength, on_dev
        history.append(Evaluation(number, 1 - validated, on_dev, best_dev, 0))
        progress(history[-1], len(options.strengths))
    if not np.isfinite(best):
        raise TrainingError("the scores on the held-out train pairs are all the same")
    if options.use_dev:
        whole = NormalEquations.of(Rows.of(split.train, split.dev))
    return whole.solve(best_strength), history


def bootstrap_spread(
    split: Split,
    options: Ridge,
    history: Sequence[Evaluation],
    rng: np.random.Generator,
    count: int,
) -> Floats:
    """Return the standard deviation of each parameter over bootstrap samples of the train pairs.

    Args:
        history: as returned by `fit_ridge`: the strength with the lowest loss is used.
        count: the number of samples; pairs of a unit are drawn together.
    """
    strength = options.strengths[int(np.nanargmin([line.loss for line in history]))]
    rows, units = Rows.of(split.train), len(split.train.ratings) // split.unit
    fitted = []
    for _ in range(count):
        drawn = rng.integers(0, units, units)
        pairs = (drawn[:, None] * split.unit + np.arange(split.unit)).ravel()
        fitted.append(NormalEquations.of(rows, pairs).solve(strength))
    return np.asarray(np.std(fitted, axis=0, ddof=1))
