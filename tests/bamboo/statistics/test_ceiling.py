"""The human ceiling: by hand, and its interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bamboo.statistics.ceiling import (
    compare_raters,
    describe_gap,
    estimate_ceiling_interval,
    find_ceiling,
)
from bamboo.statistics.resampling import Resampling
from bamboo.statistics.sample import resample

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


def test_an_interval_is_that_of_the_mean_of_the_resampled_values():
    rng = np.random.default_rng(1)
    samples = compare_raters("pearson", rng.normal(size=300) + rng.normal(size=(2, 300)))
    weights = resample(np.random.default_rng([5, 300]), 450, 300)  # more than two blocks
    drawn = [sample.weighted(weights)[:, 0] for sample in samples.values()]
    expected = np.quantile((drawn[0] + drawn[1]) / 2, (0.025, 0.975))
    interval = estimate_ceiling_interval(samples, Resampling(450, 5))
    assert interval == pytest.approx(tuple(expected), abs=1e-14)


def test_why_there_is_no_ceiling():
    raters = np.array([[1.0, 2, 4], [3, 3, 3], [3, 2, 1]])
    assert describe_gap(raters[:1], {}) == "one rater"
    samples = compare_raters("pearson", raters)
    reason = "the ratings of rater 2, or the others' on the same pairs, are all the same"
    assert describe_gap(raters, samples) == reason
    samples = compare_raters("pearson", raters[:2])
    assert describe_gap(raters[:2], samples).startswith("the ratings of rater 1")
    assert np.isnan(estimate_ceiling_interval(samples, Resampling(20))).all()


def test_raters_are_samples_of_units_and_groups():
    samples = compare_raters("pearson", np.arange(8.0).reshape(2, 4) ** 2)
    assert [(s.n_clusters, s.group) for s in samples.values()] == [(4, "raters")] * 2
    clusters = np.array([0, 0, 1, 1])
    (first, _) = compare_raters("pair_accuracy", WORKED[:2, :4], clusters, 2, "mine").values()
    assert (first.pairs_per_unit, first.group, first.n_clusters) == (2, "mine", 2)
