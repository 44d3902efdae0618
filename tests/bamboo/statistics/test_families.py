"""P-values corrected for a family of tests: by definition, and the family-wise error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.statistics import Family, Sample, perm_both
from bamboo.statistics.families import correct_holm
from tests.bamboo.statistics.samples import step_down


def corrected(observed, draws):
    family = Family(observed, draws.std(axis=0))
    return family.corrected(family.count(draws[:30]) + family.count(draws[30:]), len(draws))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_steps_compare_with_the_largest_of_what_is_left(count, seed):
    rng = np.random.default_rng(seed)
    draws, observed = rng.normal(size=(50, count)), 2 * rng.normal(size=count)
    p = corrected(observed, draws)
    assert p == pytest.approx(step_down(observed, draws, draws.std(axis=0)))


def test_the_same_test_twice_is_corrected_for_once():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(200, 1))
    alone = corrected(np.array([2.0]), draws)[0]
    twice = corrected(np.array([2.0, 200.0]), draws * [[1, 100]])
    assert twice == pytest.approx([alone, alone])


def test_a_difference_that_does_not_exist_is_not_tested():
    draws = np.random.default_rng(1).normal(size=(60, 3))
    draws[5, 1] = np.nan
    p = corrected(np.array([1.5, np.nan, 0.1]), draws)
    assert np.isnan(p).tolist() == [False, True, False]
    assert p[[0, 2]] == pytest.approx(corrected(np.array([1.5, 0.1]), draws[:, [0, 2]]))
    family = Family(np.zeros(2), np.zeros(2))  # metrics with the same scores
    assert family.corrected(family.count(np.zeros((9, 2))), 9).tolist() == [1, 1]


def holm(p):
    order = np.argsort(p)
    steps = np.minimum(p[order] * np.arange(len(p), 0, -1), 1)
    corrected = np.empty(len(p))
    corrected[order] = np.maximum.accumulate(steps)
    return corrected


@pytest.mark.parametrize("better", [0, 1])
def test_the_family_wise_error_is_kept_and_more_is_found_than_by_holm(better):
    """Five equally good metrics whose errors resemble each other, and perhaps a better one."""
    rng = np.random.default_rng(2)
    repeats, wrong, significant = 300, 0, np.zeros(2)
    upper = np.triu_indices(5 + better, 1)
    is_null = upper[0] >= better
    for k in range(repeats):
        ratings = rng.normal(size=60)
        errors = rng.normal(size=60) + 0.8 * rng.normal(size=(5 + better, 60))
        errors[:better] *= 0.75
        tested = perm_both({"": Sample("pearson", ratings + errors, ratings)}, 199, seed=k)[""]
        p, adjusted = (matrix[upper] for matrix in tested[1:])
        assert (adjusted >= p).all()
        wrong += bool((adjusted[is_null] < 0.05).any())
        significant += (adjusted[~is_null] < 0.05).sum(), (holm(p)[~is_null] < 0.05).sum()
    assert 0.02 * repeats < wrong < 0.08 * repeats  # the standard deviation of .05 is .0126
    assert significant[0] > 1.05 * significant[1] or not better


def test_holm_by_hand():
    # Of four tests: 4 * .01, 3 * .02, then 2 * .025 is less than the one before; .7 alone.
    p = np.array([0.7, 0.01, np.nan, 0.025, 0.02])
    assert correct_holm(p) == pytest.approx([0.7, 0.04, np.nan, 0.06, 0.06], nan_ok=True)
    assert correct_holm(np.array([0.6, 0.6])).tolist() == [1, 1]
    assert correct_holm(np.array([np.nan])) == pytest.approx([np.nan], nan_ok=True)


def test_rounding_does_not_decide():
    """Ratios that agree to nine digits are equal; differences without any variance have none."""
    family = Family(np.array([1.0]), np.array([1.0]))
    assert family.count(np.array([[1 - 0.9e-9], [1 - 1.5e-9], [-1.0]])).tolist() == [2]
    for scale, tested in ((0.5e-9, False), (1.5e-9, True)):
        family = Family(np.array([1.0]), np.array([scale]))
        assert family.count(np.zeros((7, 1))).tolist() == [0 if tested else 7]
