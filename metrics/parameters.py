"""What a metric with numbers to be learned looks like to a trainer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from metrics.base import Metric, Pair
from metrics.errors import OptionError
from metrics.types import Floats, Ints


class Parameters(NamedTuple):
    """Numbers of a metric that may be learned.

    Attributes:
        names: one name each.
        values: float64, their present values.
        lower, upper: float64, the bounds of each, infinite where there are none.
    """

    names: tuple[str, ...]
    values: Floats
    lower: Floats
    upper: Floats

    def checked(self, values: Floats) -> Floats:
        """Other values for these parameters, once they are as many, finite and within bounds.

        Raises:
            OptionError: otherwise; it names the first bad one.
        """
        given = np.asarray(values, np.float64)
        if given.shape != (len(self.names),):
            raise OptionError(f"{len(self.names)} parameters but values of shape {given.shape}")
        good = np.isfinite(given) & (given >= self.lower) & (given <= self.upper)
        if not good.all():
            bad = int(np.argmin(good))
            raise OptionError(
                f"{self.names[bad]}={given[bad]}: must lie in {self.lower[bad]}..{self.upper[bad]}"
            )
        return given


class Parametric(Metric):
    """A metric with parameters.

    A trainer asks for `initialised`, `prepares` the pairs once, and then scores batches of them
    for many values of the parameters.
    """

    @property
    @abstractmethod
    def parameters(self) -> Parameters:
        """Names, values and bounds."""

    @abstractmethod
    def with_parameters(self, values: Floats) -> Self:
        """The metric with other values, in the order of `parameters`.

        Raises:
            OptionError: another number of values, or one out of bounds.
        """

    def initialised(self, pairs: Sequence[Pair]) -> Self:
        """The metric with the parameters that these pairs call for, not yet learned."""
        return self

    def prepare(self, pairs: Sequence[Pair]) -> PreparedPairs:
        """The pairs in the form in which they are scored fastest."""
        return PreparedPairs(self, tuple(pairs))


@dataclass(frozen=True, eq=False)
class PreparedPairs:
    """Pairs ready to be scored for any values of a metric's parameters.

    This plain form scores them anew each time; a metric may have a faster one.
    """

    metric: Parametric
    pairs: tuple[Pair, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def score(self, values: Floats, indices: Ints | None = None) -> Floats:
        """The scores of the pairs at `indices` (all of them if None) for parameter `values`."""
        chosen = self.pairs if indices is None else [self.pairs[int(k)] for k in indices]
        return self.metric.with_parameters(values).score(chosen)

    def usage(self, indices: Ints | None = None) -> Floats:
        """How often each parameter is used by the pairs at `indices`; here once by each pair."""
        count = len(self.pairs) if indices is None else len(indices)
        return np.full(len(self.metric.parameters.names), float(count))
