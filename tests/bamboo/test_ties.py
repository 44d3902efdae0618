"""Ties: by hand, and as ranks of scores with rounding errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bamboo.ties import TIE, are_tied, number_ranks


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([], []),
        ([3.0], [0]),
        ([0.3, 0.1 + 0.2, 0.5], [0, 0, 1]),
        ([1.0, 1 + 0.9e-9, 1 + 1.8e-9], [0, 0, 0]),  # each is tied with the next
        ([1.0, 1 + 1.1e-9, 1 + 2.2e-9], [0, 1, 2]),
        ([0.0, 5e-17, 1.1e-16, 0.5], [0, 0, 0, 1]),  # rounding errors of numbers about 1
        ([0.0, 5e-17, 1.1e-16], [0, 1, 2]),  # numbers of this size
        ([-5e-17, 5e-17, -1.0], [1, 1, 0]),
        ([1.0, np.inf, 2.0], [0, 2, 1]),
        ([np.inf, -np.inf, np.inf, -np.inf], [1, 0, 1, 0]),
        ([np.nan, 2.0, np.nan, 1.0], [2, 1, 3, 0]),
        ([1e308, -1e308, 1e308], [1, 0, 1]),
        ([5e-324, 0.0, 1e-323], [1, 0, 2]),
    ],
)
def test_ranks_by_hand(values, numbers):
    assert number_ranks(np.array(values, np.float64)).tolist() == numbers


@given(arrays(np.int64, st.integers(1, 30), elements=st.integers(-8, 8)), st.integers(0, 99))
def test_rounding_errors_change_no_rank(values, seed):
    """Ranks are those of the values without errors, whatever their scale."""
    rng = np.random.default_rng(seed)
    noisy = values * (1 + rng.uniform(-1, 1, len(values)) * TIE / 3)
    noisy += rng.uniform(-1, 1, len(values)) * TIE / 100 * np.abs(values).max()
    expected = np.unique(values, return_inverse=True)[1]
    for scale in (1e-200, 1, 1e5):
        assert number_ranks(noisy * scale).tolist() == expected.tolist()


@given(st.floats(allow_nan=False), st.floats(-3e-9, 3e-9))
def test_two_values_are_tied_in_either_order(a, share):
    b = a * (1 + share)
    assert are_tied(a, b) == are_tied(b, a)
    if np.isfinite([a, b]).all() and abs(a) > 1e-300:
        assert are_tied(a, b) or abs(share) > 0.99e-9
        assert not (are_tied(a, b) and abs(share) > 1.01e-9)
