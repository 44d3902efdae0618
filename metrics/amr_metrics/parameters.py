"""The interface between metrics with learnable parameters and trainers."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import OptionError
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.types import Floats, Ints


class Parameters(NamedTuple):
    """Learnable parameters of a metric.

    Attributes:
        names: the name of each parameter.
        values: float64, the current values.
        lower, upper: float64, the bounds of each parameter; infinite if it has none.
    """

    names: tuple[str, ...]
    values: Floats
    lower: Floats
    upper: Floats

    @classmethod
    def unbounded(cls, values: Mapping[str, float]) -> Parameters:
        """Return parameters without bounds."""
        bound = np.full(len(values), np.inf)
        return cls(tuple(values), np.array([*values.values()], np.float64), -bound, bound)

    def checked(self, values: Floats) -> Floats:
        """Check that values for these parameters match in number, are finite and within bounds.

        Raises:
            OptionError: if a check fails; it names the first bad value.
        """
        array = np.asarray(values, np.float64)
        if array.shape != (len(self.names),):
            raise OptionError(f"{len(self.names)} parameters but values of shape {array.shape}")
        good = np.isfinite(array) & (array >= self.lower) & (array <= self.upper)
        if not good.all():
            bad = int(np.argmin(good))
            raise OptionError(
                f"{self.names[bad]}={array[bad]}: must lie in {self.lower[bad]}..{self.upper[bad]}"
            )
        return array


class Parametric(Metric):
    """A metric with parameters. A subclass defines `parameters` and `with_parameters`.

    A trainer calls `initialised`, then `prepare` once for all pairs, and then scores batches of
    the prepared pairs for many values of the parameters.
    """

    @property
    @abstractmethod
    def parameters(self) -> Parameters:
        """Names, values and bounds."""

    @abstractmethod
    def with_parameters(self, values: Floats) -> Self:
        """Return the metric with other values, in the order of `parameters`.

        Raises:
            OptionError: if the number of values is wrong, or a value is out of bounds.
        """

    def with_named(self, values: Mapping[str, float]) -> Self:
        """Return the metric with the learned values of a trainer, which names every parameter.

        By default, a parameter without a new value keeps its own. One that the metric does not have
        yet, such as the weight of a role of the training pairs, is added to the option that maps
        the names of the parameters to their values. An override may drop the parameters that
        `values` does not name, see `WithWeights`.

        Raises:
            OptionError: if a name is unknown, or a value is out of bounds.
        """
        metric, names = self, self.parameters.names
        if new := {name: value for name, value in values.items() if name not in names}:
            metric = self._add_parameters(new)
        parameters = metric.parameters
        named = dict(zip(parameters.names, parameters.values.tolist(), strict=True)) | dict(values)
        return metric.with_parameters(np.array([named[name] for name in parameters.names]))

    def _add_parameters(self, values: Mapping[str, float]) -> Self:
        """Return the metric with further parameters.

        They are added to the constructor's option that is a mapping from the names of the
        parameters to their values, recognised by its keys.

        Raises:
            OptionError: if there is no such option; it names the first of the parameters.
        """
        names = self.parameters.names
        for field in dataclasses.fields(self):
            option = getattr(self, field.name)
            if field.init and isinstance(option, Mapping) and option.keys() == set(names):
                changed = dataclasses.replace(self, **{field.name: {**option, **values}})
                # A metric without parameters may have several empty mappings: try each.
                if set(changed.parameters.names) == {*names, *values}:
                    return changed
        raise OptionError(
            f"{next(iter(values))!r} is not a parameter of {type(self).__name__}; "
            + (
                f"use one of {', '.join(names)}"
                if names
                else "it has none without training pairs, and no option that maps the names of "
                "parameters to values, such as weights: add one, or define with_named "
                "(docs/extend/trainable-metric.md)"
            )
        )

    def initialised(self, pairs: Sequence[Pair]) -> Self:
        """Return the metric with initial values of the parameters that these pairs require."""
        return self

    def prepare(self, pairs: Sequence[Pair]) -> PreparedPairs:
        """Return the pairs in the form in which they are scored fastest."""
        return PreparedPairs(self, tuple(pairs))


class WithWeights(Parametric):
    """A metric whose parameters are its field `weights`: numbers by name, without bounds.

    All methods follow from the field; the constructor of the subclass checks the weights.
    """

    if TYPE_CHECKING:  # a field of each subclass, in the order of its own options

        @property
        def weights(self) -> Mapping[str, float]:
            """The weights."""

    @property
    def parameters(self) -> Parameters:
        """The weights, without bounds."""
        return Parameters.unbounded(self.weights)

    def with_parameters(self, values: Floats) -> Self:
        """Return the metric with other weights for the same names."""
        parameters = self.parameters
        checked = parameters.checked(values).tolist()
        return self.with_named(dict(zip(parameters.names, checked, strict=True)))

    def with_named(self, values: Mapping[str, float]) -> Self:
        """Return the metric with these weights and no others.

        Training may start from other names than the metric has (the knots of a `Blend` depend on
        the training pairs), and weights that were not trained would change the scores.
        """
        return dataclasses.replace(self, **{"weights": dict(values)})


@dataclass(frozen=True, eq=False)
class PreparedPairs:
    """Pairs ready to be scored for any values of a metric's parameters.

    This default implementation scores them from scratch each time; a metric may have a faster one.
    """

    metric: Parametric
    pairs: Sequence[Pair]

    def __len__(self) -> int:
        return len(self.pairs)

    def score(self, values: Floats, indices: Ints | None = None) -> Floats:
        """Return the scores of pairs for some values of the parameters.

        Args:
            values: in the order of `Parametric.parameters`.
            indices: positions of the pairs, which may repeat; not a mask. None: all pairs.
        """
        pairs: Sequence[Pair] = self.pairs
        if indices is not None:
            if isinstance(pairs, Pairs):
                pairs = pairs.take(np.asarray(indices, np.int64))
            else:
                pairs = [pairs[int(k)] for k in indices]
        return self.metric.with_parameters(values).score(pairs)

    def scores(self, rows: Floats, indices: Ints | None = None) -> Floats:
        """Return the scores for several values of the parameters, one in each row: rows x pairs."""
        return np.array([self.score(values, indices) for values in rows])

    def each(self, rows: Floats) -> Iterator[Floats]:
        """Iterate over the rows of `scores`.

        By default, each row is computed when it is requested, so that progress can be shown. A
        metric that scores several rows faster together computes all of them first.
        """
        return (self.score(values) for values in rows)

    def usage(self, indices: Ints | None = None) -> Floats:
        """Return how often the pairs at `indices` use each parameter, as floats.

        The metric decides what a use is: for the weight of a role, an edge with the role. Trainers
        may scale steps by it. By default, each pair uses each parameter once.
        """
        count = len(self.pairs) if indices is None else len(indices)
        return np.full(len(self.metric.parameters.names), float(count))


@dataclass(frozen=True, eq=False)
class LinearPairs(PreparedPairs, ABC):
    """Pairs whose scores are f(offset + terms @ values) with an increasing function f.

    Their trainers use the sums alone, and need not know f, such as a limit to 0..1.
    """

    @abstractmethod
    def terms(self) -> Floats:
        """Return what one unit of each parameter adds to each sum, pairs x parameters."""

    @property
    @abstractmethod
    def offset(self) -> float:
        """The sum of a pair if all parameters are 0."""
