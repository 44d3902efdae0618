"""The exponential function and the logarithm, against decimal numbers of 50 digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.utils.elementary import LN2_HIGH, LN2_LOW, exp, log

# Of any size, and where the reduction to small arguments changes.
ARGUMENTS = st.one_of(
    st.floats(-708, 709), st.integers(-2000, 2000).map(lambda k: k * math.log(2) / 2)
).filter(lambda x: abs(x) < 708)
POSITIVE = st.one_of(st.floats(5e-324, 1.7e308), st.floats(0.4, 2.6), st.floats(1 - 1e-9, 1 + 1e-9))


def count_units(value, exact):
    """The difference in units in the last place of the exact value."""
    return abs(Decimal(float(value)) - exact) / Decimal(math.ulp(float(exact)))


@given(ARGUMENTS)
def test_powers_of_e_are_within_a_unit_in_the_last_place(x):
    with localcontext(prec=50):
        assert count_units(exp(x), Decimal(x).exp()) <= 1
    assert exp(np.array([0.5, x]))[1] == exp(x)


@given(POSITIVE)
def test_logarithms_are_within_a_unit_in_the_last_place(x):
    with localcontext(prec=50):
        exact = Decimal(x).ln()
        assert x == 1 or count_units(log(x), exact) <= 1
    assert log(np.array([0.5, x]))[1] == log(x)


def test_values_without_rounding():
    assert (exp(0.0), log(1.0), exp(-1e9), exp(-np.inf)) == (1, 0, 0, 0)
    assert log(2.0**40) == 40 * math.log(2)
    assert log(np.array([1, 2, 4])).tolist() == [0, math.log(2), 2 * math.log(2)]


def test_the_smallest_results_are_rounded_to_multiples_of_the_smallest_number():
    for x in (-710.0, -730.5, -744.4):
        assert exp(x) == pytest.approx(math.exp(x), rel=0, abs=5e-324)


def test_the_two_parts_of_log_2():
    with localcontext(prec=50):
        rest = Decimal(2).ln() - Decimal(LN2_HIGH)
        assert float(rest) == LN2_LOW
    assert (LN2_HIGH * 1074).hex() == (int(LN2_HIGH * 2**40) * 1074 / 2**40).hex()
