"""Ridge regression in closed form, for metrics whose scores are linear in their parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from bamboo.benchmark.protocols import pearson
from bamboo.config.weights import Evaluation
from bamboo.errors import ConfigError
from bamboo.train.loop import TrainingError
from bamboo.train.losses import Examples
from metrics.parameters import LinearPairs
from metrics.types import Floats, Ints

LEAST_SPREAD = 1e-9  # ratings that differ by less than this are the same


@dataclass(frozen=True, kw_only=True)
class Ridge:
    """The values of parameters that minimise squared errors plus a penalty.

    The target of a pair is its rating. The penalty is `strength` times the sum of the squared
    parameters, added to the mean squared error of the cells. The strength with the highest mean
    correlation in cross-validation on the train splits is used.

    Source: Hoerl and Kennard (1970), Ridge regression: biased estimation for nonorthogonal
    problems.

    Attributes:
        strengths: the strengths to try.
        folds: number of folds of the cross-validation.
        use_dev: after the strength is chosen, fit on the train and dev splits together.
        couples: the targets on the Arg partition. ``ratings``: 1 for the score of an original pair
            and 0 for that of an altered one. ``differences``: `margin` for the difference of both
            scores.
        margin: the target of differences.

    Raises:
        ConfigError: if an option is out of range.
    """

    strengths: Sequence[float] = (1e-4, 2e-4, 4e-4, 1e-3, 2e-3, 4e-3, 1e-2)
    folds: int = 5
    use_dev: bool = True
    couples: Literal["ratings", "differences"] = "ratings"
    margin: float = 0.3

    def __post_init__(self) -> None:
        if not self.strengths or not all(0 < s < np.inf for s in self.strengths):
            raise ConfigError("trainer.ridge.strengths: expected one or more positive numbers")
        if self.folds < 2:
            raise ConfigError(f"trainer.ridge.folds={self.folds}: use 2 or more")
        if not 0 < self.margin < np.inf:
            raise ConfigError(f"trainer.ridge.margin={self.margin}: must be positive")


@dataclass(frozen=True, eq=False)
class Split:
    """One cell's train and dev splits.

    Attributes:
        name: the cell's name, for messages.
        train, dev: the pairs and their ratings.
        unit: number of consecutive pairs that belong together: 2 for original and altered, else 1.
    """

    name: str
    train: Examples
    dev: Examples
    unit: int


class NormalEquations(NamedTuple):
    """The normal equations of a least-squares problem; several are added up.

    Attributes:
        gram: parameters x parameters, the mean of the products of terms.
        moment: the mean of the products of terms and targets.
    """

    gram: Floats
    moment: Floats

    def solve(self, strength: float) -> Floats:
        """Return the parameters that minimise the penalised squared error."""
        penalty = strength * np.eye(len(self.moment))
        return np.asarray(np.linalg.solve(self.gram + penalty, self.moment))


def fit_ridge(
    splits: Sequence[Split],
    options: Ridge,
    rng: np.random.Generator,
    progress: Callable[[Evaluation, int], None] = lambda evaluation, total: None,
) -> tuple[Floats, list[Evaluation]]:
    """Fit the parameters to the ratings of one or more cells, each with the same total weight.

    Args:
        rng: assigns pairs to folds.

    Returns:
        the values, and one line of history per strength: 1 - the mean correlation in
        cross-validation, the mean correlation on dev without using dev, and the latter for the best
        strength so far.

    Raises:
        TrainingError: if the scores are not linear in the parameters, the ratings of a cell are all
            the same, or it has fewer pairs than folds.
    """
    for split in splits:
        _check(split, options)
    folds = [_folds(split, options, rng) for split in splits]
    trains = [_Rows(split.train, split.unit, options) for split in splits]
    devs = [_Rows(split.dev, split.unit, options) for split in splits]
    whole = _total([cell.problem() for cell in trains])
    without_fold = [
        _total([cell.problem(fold != k) for cell, fold in zip(trains, folds, strict=True)])
        for k in range(options.folds)
    ]
    best, best_strength, best_dev, history = -np.inf, options.strengths[0], np.nan, []
    for number, strength in enumerate(options.strengths, 1):
        held_out = []  # the correlation on each fold of each cell
        for k, problem in enumerate(without_fold):
            values = problem.solve(strength)
            held_out += [
                cell.correlation(values, fold == k)
                for cell, fold in zip(trains, folds, strict=True)
            ]
        validated = float(np.nanmean(held_out)) if np.isfinite(held_out).any() else float("nan")
        values = whole.solve(strength)
        dev = float(np.mean([cell.correlation(values) for cell in devs]))
        if validated > best:
            best, best_strength, best_dev = validated, strength, dev
        history.append(Evaluation(number, 1 - validated, dev, best_dev, 0))
        progress(history[-1], len(options.strengths))
    if not np.isfinite(best):
        raise TrainingError("the scores on the held-out train pairs are all the same")
    if options.use_dev:
        sizes = [(len(split.train.ratings), len(split.dev.ratings)) for split in splits]
        whole = _total(
            [
                _mixed(train.problem(), dev.problem(), n / (n + m))
                for train, dev, (n, m) in zip(trains, devs, sizes, strict=True)
            ]
        )
    return whole.solve(best_strength), history


def bootstrap_spread(
    splits: Sequence[Split],
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
    cells = [_Rows(split.train, split.unit, options) for split in splits]
    fitted = [
        _total([cell.problem(cell.resampled(rng)) for cell in cells]).solve(strength)
        for _ in range(count)
    ]
    return np.asarray(np.std(fitted, axis=0, ddof=1))


class _Rows:
    """The pairs of one split as rows of a least-squares problem ``rows @ values = targets``.

    With ``couples=differences`` there is one row per couple, else one per pair.
    """

    def __init__(self, examples: Examples, unit: int, options: Ridge) -> None:
        assert isinstance(examples.pairs, LinearPairs)
        self.terms, self.offset = examples.pairs.terms(), examples.pairs.offset
        self.low, self.high = examples.pairs.metric.range
        self.ratings, self.unit = examples.ratings, unit
        self.rows, self.targets = self.terms, self.ratings - self.offset
        if unit == 2 and options.couples == "differences":
            self.rows = self.terms[1::2] - self.terms[::2]
            self.targets = np.full(len(self.rows), options.margin)

    def problem(self, pairs: Ints | None = None) -> NormalEquations:
        """Return the problem of all pairs, of those in a mask, or of those at some positions."""
        rows, targets = self.rows, self.targets
        if pairs is not None:
            pairs_per_row = len(self.ratings) // len(self.rows)
            indices = pairs if pairs_per_row == 1 else _per_unit(pairs, pairs_per_row)
            rows, targets = rows[indices], targets[indices]
        return NormalEquations(rows.T @ rows / len(rows), rows.T @ targets / len(rows))

    def correlation(self, values: Floats, pairs: Ints | None = None) -> float:
        """Return Pearson's correlation of scores and ratings; NaN if either is constant."""
        indices = slice(None) if pairs is None else pairs
        scores = np.clip(self.offset + self.terms[indices] @ values, self.low, self.high)
        return pearson(scores, self.ratings[indices])

    def resampled(self, rng: np.random.Generator) -> Ints:
        """Return positions of pairs drawn with replacement, units as a whole."""
        drawn = rng.integers(0, len(self.ratings) // self.unit, len(self.ratings) // self.unit)
        return np.asarray((drawn[:, None] * self.unit + np.arange(self.unit)).ravel())


def _per_unit(pairs: Ints, size: int) -> Ints:
    """Convert a mask or positions of pairs to units of `size` pairs."""
    return pairs[::size] if pairs.dtype == np.bool_ else pairs[::size] // size


def _folds(split: Split, options: Ridge, rng: np.random.Generator) -> Ints:
    units = len(split.train.ratings) // split.unit
    return np.asarray(np.repeat(rng.permutation(units) % options.folds, split.unit))


def _total(problems: Sequence[NormalEquations]) -> NormalEquations:
    count = len(problems)
    return NormalEquations(
        np.sum([problem.gram for problem in problems], axis=0) / count,
        np.sum([problem.moment for problem in problems], axis=0) / count,
    )


def _mixed(first: NormalEquations, second: NormalEquations, share: float) -> NormalEquations:
    return NormalEquations(
        share * first.gram + (1 - share) * second.gram,
        share * first.moment + (1 - share) * second.moment,
    )


def _check(split: Split, options: Ridge) -> None:
    for name, examples in (("train", split.train), ("dev", split.dev)):
        if not isinstance(examples.pairs, LinearPairs):
            raise TrainingError(
                "ridge needs a metric whose scores are linear in its parameters, such as blend: "
                "use another trainer"
            )
        if len(examples.ratings) == 0 or float(np.ptp(examples.ratings)) < LEAST_SPREAD:
            raise TrainingError(
                f"the {name} split of {split.name} cannot be used: its ratings are all the same"
            )
    units = len(split.train.ratings) // split.unit
    if units < options.folds:
        raise TrainingError(
            f"{split.name} has {units} train examples, fewer than the {options.folds} folds of "
            "the cross-validation: lower trainer.ridge.folds"
        )
