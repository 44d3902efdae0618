"""One linear model for several cells and for damaged graphs: the highest mean correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from amr_metrics.parameters import LinearPairs
from amr_metrics.types import Floats
from bamboo.config.weights import Evaluation
from bamboo.errors import ConfigError
from bamboo.training.loop import TrainingError
from bamboo.training.steps import Examples

MOST_STEPS = 5000
LEAST_SPREAD = 1e-9  # ratings that differ by less than this are the same


@dataclass(frozen=True, eq=False)
class CellExamples:
    """The train and dev splits of one data set and partition, prepared for a metric.

    Attributes:
        name: the name of the train cell, for messages.
        train, dev: the pairs and their ratings.
        unit: number of consecutive pairs that belong together: 2 for original and altered, else 1.
    """

    name: str
    train: Examples
    dev: Examples
    unit: int

    def check(self) -> None:
        """Check that a linear model can be fitted to the ratings.

        Raises:
            TrainingError: if the scores are not linear in the parameters, or the ratings of a
                split are all the same.
        """
        for name, examples in (("train", self.train), ("dev", self.dev)):
            if not isinstance(examples.pairs, LinearPairs):
                raise TrainingError(
                    "this trainer needs a metric whose scores are linear in its parameters, such "
                    "as blend: use another trainer"
                )
            if len(examples.ratings) == 0 or float(np.ptp(examples.ratings)) < LEAST_SPREAD:
                raise TrainingError(
                    f"the {name} split of {self.name} cannot be used: its ratings are all the same"
                )


@dataclass(frozen=True, eq=False)
class LinearTerms:
    """Pairs as rows of terms, whose products with the parameters are added to `offset`.

    Attributes:
        terms: pairs x parameters.
        offset: the score of a pair if all parameters are 0.
        ratings: of the pairs.
    """

    terms: Floats
    offset: float
    ratings: Floats

    @classmethod
    def of(cls, *examples: Examples) -> LinearTerms:
        """Return the rows of some examples, one after the other."""
        pairs = [part.pairs for part in examples]
        linear = [part for part in pairs if isinstance(part, LinearPairs)]
        return cls(
            np.concatenate([part.terms() for part in linear]),
            linear[0].offset,
            np.concatenate([part.ratings for part in examples]),
        )


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """The values of parameters that agree most with ratings and with damage.

    They maximise the mean over cells of Pearson's correlation of scores and ratings, plus
    `damage_weight` times the cosine of the decrease of scores and the increase of damage from one
    graph to the next of a chain (`bamboo.training.damage`), minus `penalty` |w|^2 / w'Gw, where w
    are the parameters and G is the mean covariance of the terms. On Arg, whose labels are not
    ratings, `arg_weight` times the mean of the differences of original and altered pair, divided
    by their root mean square, takes the place of the correlation.

    All of these do not depend on the scale of the scores, which is then fitted to the ratings by
    least squares.

    Attributes:
        arg_weight: the weight of an Arg partition.
        damage_weight: the weight of damage.
        penalty: the weight of the penalty.
        use_dev: fit on the train and dev splits together.

    Raises:
        ConfigError: if an option is out of range.
    """

    arg_weight: float = 0.3
    damage_weight: float = 2.0
    penalty: float = 1e-5
    use_dev: bool = True

    def __post_init__(self) -> None:
        for name in ("arg_weight", "damage_weight", "penalty"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ConfigError(
                    f"trainer.correlation.{name}={getattr(self, name)}: use 0 or more"
                )


class Cosine(NamedTuple):
    """A correlation or cosine as a function of parameters w: moment'w / sqrt(w'gram w).

    Attributes:
        weight: its weight in the objective.
        moment: parameters.
        gram: parameters x parameters.
    """

    weight: float
    moment: Floats
    gram: Floats

    @classmethod
    def of(cls, weight: float, rows: Floats, targets: Floats) -> Cosine:
        """Return the cosine of ``rows @ w`` and targets."""
        moment = rows.T @ targets / len(rows) / np.sqrt(np.mean(targets**2))
        return cls(weight, moment, rows.T @ rows / len(rows))

    def value_and_gradient(self, values: Floats) -> tuple[float, Floats]:
        """Return the weighted cosine and its gradient."""
        image = self.gram @ values
        length = np.sqrt(values @ image)
        cosine = float(self.moment @ values / length)
        gradient = self.moment / length - cosine * image / length**2
        return self.weight * cosine, self.weight * gradient


def fit_correlation(
    cells: Sequence[CellExamples], damage: DamagedRows | None, start: Floats, options: Correlation
) -> tuple[Floats, list[Evaluation]]:
    """Fit the parameters to the ratings of one or more cells, and to damage.

    Args:
        damage: the terms of damaged graphs; None for none.
        start: where the search starts.

    Returns:
        the values, and one line of history: the number of iterations, 1 - the mean correlation on
        train, and the mean correlation on dev without using dev.

    Raises:
        TrainingError: if the scores are not linear in the parameters, the ratings of a cell are all
            the same, or all cells are of Arg.
    """
    for cell in cells:
        cell.check()
    if all(cell.unit == 2 for cell in cells):
        raise TrainingError("trainer=correlation needs a partition with ratings, besides Arg")
    train = [LinearTerms.of(cell.train) for cell in cells]
    values, steps = _find_maximum(cells, train, damage, start, options)
    on_train = float(np.mean([cell.train.correlation(values) for cell in cells]))
    dev = float(np.mean([cell.dev.correlation(values) for cell in cells]))
    if options.use_dev:
        both = [LinearTerms.of(cell.train, cell.dev) for cell in cells]
        values, steps = _find_maximum(cells, both, damage, values, options)
    return values, [Evaluation(steps, 1 - on_train, dev, dev, 0)]


class DamagedRows(NamedTuple):
    """How much the terms and the damage grow from each graph of a chain to the next.

    Attributes:
        terms: float64, steps x parameters.
        damage: float64, the share of triples.
    """

    terms: Floats
    damage: Floats

    @classmethod
    def of(cls, terms: Floats, damage: Floats, chain_length: int) -> DamagedRows:
        """Return the growth from terms and damage of chains, which start with a whole graph."""

        def growth(values: Floats) -> Floats:
            before = np.roll(values, 1, axis=0)
            before[::chain_length] = 0.0  # of the whole graph: no difference, no damage
            return values - before

        return cls(growth(terms), growth(damage))


def _find_maximum(
    cells: Sequence[CellExamples],
    rows_of_cells: Sequence[LinearTerms],
    damage: DamagedRows | None,
    start: Floats,
    options: Correlation,
) -> tuple[Floats, int]:
    """Return the parameters with the highest objective, and the number of iterations."""
    from scipy.optimize import minimize  # slow to import

    cosines, rated = [], []
    for cell, rows in zip(cells, rows_of_cells, strict=True):
        if cell.unit == 2:
            altered, original = rows.terms[::2], rows.terms[1::2]
            weight, differences = options.arg_weight, original - altered
            cosines.append(Cosine.of(weight / len(cells), differences, np.ones(len(differences))))
        else:
            centred = rows.terms - rows.terms.mean(axis=0)
            ratings = rows.ratings - rows.ratings.mean()
            cosines.append(Cosine.of(1 / len(cells), centred, ratings))
            rated.append(rows)
    covariance = np.mean(
        [c.gram for c, cell in zip(cosines, cells, strict=True) if cell.unit == 1], 0
    )
    if damage is not None:
        cosines.append(Cosine.of(options.damage_weight, -damage.terms, damage.damage))

    def loss(values: Floats) -> tuple[float, Floats]:
        image = covariance @ values
        length, size = values @ image, values @ values
        total = options.penalty * size / length
        gradient = options.penalty * 2 * (values - size / length * image) / length
        for cosine in cosines:
            value, slope = cosine.value_and_gradient(values)
            total, gradient = total - value, gradient - slope
        return float(total), gradient

    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MOST_STEPS})
    return optimum.x * _scale(rated, optimum.x), int(optimum.nit)


def _scale(rows_of_cells: Sequence[LinearTerms], values: Floats) -> float:
    """Return the factor with the least squared error, where every cell has the same weight."""
    products, squares = [], []
    for rows in rows_of_cells:
        added = rows.terms @ values
        products.append(np.mean(added * (rows.ratings - rows.offset)))
        squares.append(np.mean(added**2))
    return float(np.sum(products) / np.sum(squares))
