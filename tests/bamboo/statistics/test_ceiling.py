"""The human ceiling: by hand, and its interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bamboo.statistics.ceiling import compare_raters, estimate_ceiling_interval, find_ceiling
from bamboo.statistics.resampling import Resampling

WORKED = np.array([[1.0, 2, 3, 4, 5], [1, 3, 2, 4, 5], [2, 2, 3, 5, 4]])


def ceiling(raters):
    return find_ceiling(compare_raters("pearson", np.array(raters, np.float64)))


def test_the_worked_example():
    """Each rater against the mean of the other two: .9428, .8547 and .8087."""
    samples = compare_raters("pearson", WORKED)
    of_raters = [float(sample.values[0]) for sample in samples.values()]
    assert of_raters == pytest.approx([0.9428, 0.8547, 0.8087], abs=5e-5)
    assert find_ceiling(samples) == pytest.approx(0.8687, abs=5e-5)


def test_two_raters_have_their_correlation():
    assert ceiling(WORKED[:2]) == pytest.approx(stats.pearsonr(*WORKED[:2]).statistic)


def test_missing_ratings_by_hand():
    """Rater 1 has pairs 0, 1, 2 with another rating, rater 2 pairs 0, 1 and rater 3 pairs 0, 2."""
    nan = np.nan
    raters = np.array([[1.0, 2, 3, 4], [1, 3, nan, nan], [2, nan, 1, nan]])
    first = stats.pearsonr([1, 2, 3], [1.5, 3, 1]).statistic
    second = stats.pearsonr([1, 3], [1.5, 2]).statistic
    third = stats.pearsonr([2, 1], [1, 3]).statistic
    assert ceiling(raters) == pytest.approx((first + second + third) / 3)


def test_no_ceiling_for_one_rater_or_constant_ratings():
    assert np.isnan(ceiling(WORKED[:2] * [[1], [0]]))
    assert np.isnan(find_ceiling({}))


@given(st.integers(0, 9))
def test_an_order_of_raters_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    raters = rng.normal(size=(4, 20))
    assert ceiling(raters) == pytest.approx(ceiling(rng.permutation(raters)))


def test_the_interval_contains_the_ceiling_and_depends_on_the_clusters():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=600)
    raters = truth + rng.normal(size=(3, 600))
    pairs, clustered = (
        compare_raters("pearson", raters, clusters) for clusters in (None, np.arange(600) // 2)
    )
    low, high = estimate_ceiling_interval(pairs, Resampling(300, 0))
    assert low < find_ceiling(pairs) < high
    assert (low, high) != estimate_ceiling_interval(clustered, Resampling(300, 0))
    assert (low, high) == estimate_ceiling_interval(pairs, Resampling(300, 0))
    # Few clusters: the jackknife.
    few = compare_raters("pearson", raters[:, :30])
    low, high = estimate_ceiling_interval(few, Resampling(300, 0))
    assert -1 <= low < find_ceiling(few) < high <= 1
