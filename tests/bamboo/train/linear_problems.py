"""Pairs with given terms, whose scores are linear in the parameters."""

from dataclasses import dataclass

import numpy as np

from bamboo.train.linear import Split
from bamboo.train.losses import Examples
from metrics.base import Metric, Scores
from metrics.parameters import LinearPairs

TRUTH = np.array([0.3, -0.2, 0.0])


@dataclass(frozen=True)
class Wide(Metric):
    """The range of the scores."""

    @property
    def range(self):
        return -np.inf, np.inf

    def evaluate(self, pairs):
        return Scores(np.zeros(len(pairs)))


class Rows(LinearPairs):
    """Pairs with the given terms."""

    def __init__(self, terms, offset=0.5):
        super().__init__(Wide(), tuple(range(len(terms))))
        object.__setattr__(self, "given", (np.asarray(terms, float), offset))

    @property
    def offset(self):
        return self.given[1]

    def terms(self):
        return self.given[0]


def split(train, dev, name="mine", unit=1):
    return Split(name, Examples(Rows(train[0]), train[1]), Examples(Rows(dev[0]), dev[1]), unit)


def rated(seed, count, truth=TRUTH, noise=0.0):
    rng = np.random.default_rng(seed)
    terms = rng.normal(size=(count, len(truth)))
    return terms, 0.5 + terms @ truth + noise * rng.normal(size=count)
