"""Williams' and McNemar's tests."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bamboo.errors import StatisticsError
from bamboo.statistics import mcnemar, williams


def test_williams_keeps_its_size():
    rng = np.random.default_rng(16)
    rejected = 0
    for _ in range(1000):
        ratings = rng.normal(size=50)
        a, b = ratings + rng.normal(size=(2, 50))
        r = np.corrcoef([a, b, ratings])
        rejected += williams(r[0, 2], r[1, 2], r[0, 1], 50)[1] < 0.05
    assert 50 - 3 * 6.9 <= rejected <= 50 + 3 * 6.9


def test_ratings_that_are_the_difference_of_two_metrics():
    """Of a 1 -1 0 and b 0 -1 1 it is 1 0 -1: r is .5, -.5 and between a and b .5."""
    assert williams(0.5, -0.5, 0.5, 20) == (math.inf, 0)
    assert williams(-0.5, 0.5, 0.5, 20) == (-math.inf, 0)
    assert williams(0.5, -0.5, -1.0, 20) == (0, 1)  # of opposite scores it says nothing


def test_williams_is_antisymmetric_and_knows_equal_metrics():
    assert williams(0.5, 0.4, 0.3, 40)[0] == -williams(0.4, 0.5, 0.3, 40)[0]
    assert williams(0.5, 0.5, 1.0, 40)[1] == 1


@pytest.mark.parametrize(
    "arguments",
    [(0.5, 0.4, 0.3, 3), (1.1, 0.4, 0.3, 30), (0.5, -1.1, 0.3, 30), (0.5, 0.4, 1.1, 30)],
)
def test_williams_refuses(arguments):
    with pytest.raises(StatisticsError):
        williams(*arguments)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_sign_test(a, b):
    import scipy.stats

    expected = scipy.stats.binomtest(a, a + b).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(expected, rel=1e-12)


def test_mcnemar_refuses_negative_counts():
    with pytest.raises(StatisticsError):
        mcnemar(-1, 3)


@pytest.mark.parametrize(
    ("r_ay", "r_by", "r_ab", "n"),
    [(0.4, 0.6, 0.3, 4), (-0.2, 0.5, -0.7, 30), (1.0, 0.5, 0.5, 9), (-1.0, 0.5, -0.5, 9)],
)
def test_williams_equals_its_formula(r_ay, r_by, r_ab, n):
    """Steiger (1980), equation 7, with the determinant of the matrix of correlations."""
    determinant = np.linalg.det([[1, r_ay, r_by], [r_ay, 1, r_ab], [r_by, r_ab, 1]])
    mean = (r_ay + r_by) / 2
    below = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_ab) ** 3
    expected = (r_ay - r_by) * math.sqrt((n - 1) * (1 + r_ab) / below)
    t, p = williams(r_ay, r_by, r_ab, n)
    assert t == pytest.approx(expected)
    assert p == pytest.approx(2 * stats.t.sf(abs(expected), n - 3))
