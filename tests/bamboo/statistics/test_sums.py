"""Sums with whole-number weights: against fractions, and in any order."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bamboo.statistics.sums import Addends

# Of the usual size, and up to the largest and down to the smallest ones.
NUMBERS = st.one_of(
    st.floats(-1, 1), st.floats(-1e300, 1e300), st.sampled_from([0.0, 5e-324, -1e-310, 1e305])
)


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 30)), min_size=1, max_size=40))
def test_sums_are_those_of_fractions(rows):
    """Equal to the exact sum up to its own rounding, and to numbers far below the largest one."""
    column, weights = np.array(rows, np.float64).T
    total = max(weights.sum(), 1)
    exact = sum(Fraction(value) * int(times) for value, times in rows)
    value = float(Addends.of(column, total).sum(weights[None])[0])
    largest = Fraction(float(np.abs(column).max()))
    assert abs(Fraction(value) - exact) <= abs(exact) / 2**52 + largest / 2**70 + Fraction(5e-324)


@given(
    st.lists(st.tuples(NUMBERS, st.integers(-9, 9)), min_size=2, max_size=60),
    st.integers(2, 12),
    st.randoms(),
)
def test_neither_the_order_of_rows_nor_the_place_of_a_column_matters(rows, copies, random):
    column, weights = np.array(rows, np.float64).T
    total = max(np.abs(weights).sum(), 1)
    order = random.sample(range(len(rows)), len(rows))
    alone = Addends.of(column, total).sum(weights[None])
    columns = np.tile(column[order, None], copies)
    columns = np.insert(columns, 1, np.arange(len(rows)), axis=1)  # another one between them
    together = np.delete(Addends.of(columns, total).sum(weights[None, order]), 1, axis=1)
    assert together.tobytes() == np.tile(alone, copies).tobytes()


def test_what_one_power_of_two_rounds_off_is_kept():
    """Without the large number, the small ones differ: 2**-50 is below the precision of 2**10."""
    column = np.array([2.0**10, 1.0, 1.0 + 2**-50])
    weights = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert Addends.of(column, 1000).sum(weights).tolist() == [1.0, 1.0 + 2**-50, 2.0**10]


def test_a_sum_of_nothing_is_not_negative():
    sums = Addends.of(np.array([-1.0, -2.0]), 2).sum(np.zeros((1, 2)))
    assert not np.signbit(sums[0])


def test_whole_numbers_and_flags_have_one_addend():
    """Counts are summed as they are."""
    for column in (np.array([3, 0, 70_000]), np.array([True, False, True])):
        addends = Addends.of(column, 100)
        assert addends.high.tolist() == column.tolist()
        assert not addends.low.any()


def test_values_that_are_not_finite_stay_so():
    columns = np.array([[1.0, 1.0, np.inf], [2.0, np.nan, 0.1], [3.0, 0.25, 0.1]])
    addends = Addends.of(columns, 3)
    np.testing.assert_array_equal(addends.sum(np.ones((1, 3))), [[6, np.nan, np.inf]])
