"""Metrics with parameters: values by name, for fixed parameters and for those of training pairs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from amr_metrics.base import Scores
from amr_metrics.errors import OptionError
from amr_metrics.parameters import Parameters, Parametric
from amr_metrics.transport.wwlk_theta import WWLKTheta


class Constant(Parametric):
    """Scores every pair 1; its parameters are those of `named`, between 0 and 9."""

    @property
    def parameters(self):
        names, values = tuple(sorted(self.named)), np.array([*self.named.values()])
        return Parameters(names, values, np.zeros(len(names)), np.full(len(names), 9.0))

    def evaluate(self, pairs):
        return Scores(np.ones(len(pairs)))


@dataclass(frozen=True, kw_only=True)
class Fixed(Constant):
    low: float = 0.25
    high: float = 0.75

    @property
    def named(self):
        return {"high": self.high, "low": self.low}

    def with_parameters(self, values):
        high, low = self.parameters.checked(values)
        return replace(self, high=float(high), low=float(low))


@dataclass(frozen=True, kw_only=True)
class ByRole(Constant):
    """One weight per role; the other mapping is no place for weights."""

    synonyms: Mapping[str, str] = field(default_factory=lambda: {"big": "large"})
    by_role: Mapping[str, float] = field(default_factory=dict)

    @property
    def named(self):
        return dict(sorted(self.by_role.items()))

    def with_parameters(self, values):
        checked = self.parameters.checked(values).tolist()
        return replace(self, by_role=dict(zip(self.parameters.names, checked, strict=True)))


@dataclass(frozen=True, kw_only=True)
class InTuples(Constant):
    roles: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def named(self):
        return dict(zip(self.roles, self.weights, strict=True))

    def with_parameters(self, values):
        return replace(self, weights=tuple(self.parameters.checked(values)))


def test_named_values_replace_those_of_fixed_parameters():
    assert Fixed().with_named({"low": 0.5}) == Fixed(low=0.5, high=0.75)
    with pytest.raises(OptionError, match="'middle' is not a parameter of Fixed; use one of high"):
        Fixed().with_named({"middle": 0.5})


def test_new_parameters_are_added_to_the_option_that_holds_them():
    trained = ByRole().with_named({":mod": 0.5, ":ARG0": 2.0})
    assert trained == ByRole(by_role={":mod": 0.5, ":ARG0": 2.0})
    assert trained.parameters.names == (":ARG0", ":mod")
    assert trained.with_named({":mod": 1.0, ":time": 3.0}).named == {
        ":ARG0": 2.0,
        ":mod": 1.0,
        ":time": 3.0,
    }


def test_weights_are_replaced_as_a_whole():
    theta = WWLKTheta(weights={":arg0": 1.0, ":arg1": 2.0})
    assert theta.with_named({":arg0": 3.0}).weights == {":arg0": 3.0}


def test_new_parameters_are_within_their_bounds():
    with pytest.raises(OptionError, match=r":mod=-1.0: must lie in 0.0..9.0"):
        ByRole().with_named({":mod": -1.0})


def test_parameters_without_an_option_for_them_are_refused_with_a_way_out():
    with pytest.raises(OptionError, match=r"':mod' is not a parameter of InTuples.*with_named"):
        InTuples().with_named({":mod": 0.5})
