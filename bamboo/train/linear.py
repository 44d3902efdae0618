"""What the trainers of metrics with linear scores share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bamboo.benchmark.protocols import pearson
from bamboo.train.loop import TrainingError
from bamboo.train.losses import Examples
from metrics.parameters import LinearPairs
from metrics.types import Floats, Ints

LEAST_SPREAD = 1e-9  # ratings that differ by less than this are the same


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
class Rows:
    """Pairs as rows of terms, whose products with the parameters are added to `offset`.

    Attributes:
        terms: pairs x parameters.
        offset: the score of a pair if all parameters are 0.
        limits: the metric's range.
        ratings: of the pairs.
    """

    terms: Floats
    offset: float
    limits: tuple[float, float]
    ratings: Floats

    @classmethod
    def of(cls, *examples: Examples) -> Rows:
        """Return the rows of some examples, one after the other."""
        pairs = [part.pairs for part in examples]
        linear = [part for part in pairs if isinstance(part, LinearPairs)]
        return cls(
            _stacked([part.terms() for part in linear]),
            linear[0].offset,
            linear[0].metric.range,
            _stacked([part.ratings for part in examples]),
        )

    def correlation(self, values: Floats, pairs: Ints | slice = slice(None)) -> float:
        """Return Pearson's correlation of scores and ratings; NaN if either is constant."""
        scores = np.clip(self.offset + self.terms[pairs] @ values, *self.limits)
        return pearson(scores, self.ratings[pairs])


def _stacked(parts: Sequence[Floats]) -> Floats:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
