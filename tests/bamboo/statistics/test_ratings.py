"""Statistics of scores and ratings: by hand, and against SciPy."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bamboo.errors import ConfigError, StatisticsError
from bamboo.statistics.ratings import (
    accuracy_with_ties,
    amean,
    calibrate_ties,
    hmean,
    kendall,
    original_is_higher,
    pair_accuracy,
    pearson,
    ranks,
    scale_rows,
    spearman,
    statistic_named,
)

# Few distinct values, so that ties are common.
columns = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.9]), min_size=n, max_size=n)] * 2
    )
)


def array(*values):
    return np.array(values, dtype=np.float64)


def test_pearson_by_hand():
    # Means 2 and 3: deviations -1 0 1 and -2 1 1.
    assert pearson(array(1, 2, 3), array(1, 4, 4)) == pytest.approx(
        (-1 * -2 + 0 * 1 + 1 * 1) / math.sqrt((1 + 0 + 1) * (4 + 1 + 1))
    )


def test_spearman_by_hand_with_a_tie():
    # Ranks 1 2 3 and 1 2.5 2.5: deviations -1 0 1 and -1 .5 .5.
    assert spearman(array(1, 2, 30), array(1, 4, 4)) == pytest.approx(
        (-1 * -1 + 0 * 0.5 + 1 * 0.5) / math.sqrt((1 + 0 + 1) * (1 + 0.25 + 0.25))
    )


@given(columns)
def test_correlations_equal_scipy(both):
    x, y = map(np.array, both)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_kendall_by_hand_with_a_tie():
    # Pairs of positions: 3 concordant of (12 13 23) without the tie of 2 and 3 in y, so 2 - 0;
    # tau-b divides by sqrt(3 * (3 - 1)).
    assert kendall(array(1, 2, 3), array(1, 2, 2)) == pytest.approx(2 / math.sqrt(3 * 2))
    assert kendall(array(1, 2, 3), array(3, 2, 1)) == -1


@given(columns)
def test_kendall_equals_a_count_of_pairs(both):
    x, y = map(np.array, both)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    i, j = np.triu_indices(len(x), 1)
    dx, dy = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    expected = (dx * dy).sum() / math.sqrt((dx != 0).sum() * (dy != 0).sum())
    assert kendall(x, y) == pytest.approx(expected, abs=1e-12)


@given(columns)
def test_ranks_are_mean_positions_among_the_sorted_values(both):
    values = both[0]
    ordered = sorted(values)
    expected = [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]
    assert ranks(np.array(values)).tolist() == expected


@pytest.mark.parametrize("statistic", [spearman, kendall])
def test_scores_that_differ_by_rounding_alone_are_tied(statistic):
    ratings = array(1, 2, 3, 4)
    expected = statistic(array(0.3, 0.3, 0.5, 0.4), ratings)
    assert statistic(array(0.1 + 0.2, 0.3, 0.5, 0.4), ratings) == expected
    assert math.isnan(statistic(array(1, 1 + 1e-15, 1 - 1e-15, 1), ratings))
    assert math.isnan(statistic(ratings, array(0, 0, 0, 0)))


def test_ranks_of_values_that_are_not_finite():
    assert spearman(array(1, math.inf, 2), array(1, 3, 2)) == 1
    assert math.isnan(spearman(array(1, math.nan, 2), array(1, 3, 2)))


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=12))
def test_the_harmonic_mean_equals_scipys(values):
    assert hmean(values) == pytest.approx(stats.hmean(values), rel=1e-14)


@pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
@pytest.mark.parametrize(
    ("x", "y"),
    [([], []), ([1.0], [1.0]), ([0.1] * 7, [*range(7)]), ([*range(7)], [0.1] * 7)],
)
def test_a_correlation_that_does_not_exist_is_nan(statistic, x, y):
    assert math.isnan(statistic(np.array(x, float), np.array(y, float)))


# Multiples of 1/8 far from constant: scaling by a power of ten rounds them by one part in 10^16.
grids = st.integers(3, 20).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.integers(-40, 40).map(lambda k: k / 8), min_size=n, max_size=n)] * 2
    )
)
powers = st.integers(-300, 300)


@pytest.mark.parametrize("statistic", [pearson, spearman])
@given(both=grids, a=powers, b=powers)
def test_correlations_do_not_depend_on_the_scale(statistic, both, a, b):
    x, y = map(np.array, both)
    expected = statistic(x, y)
    with np.errstate(all="raise", under="ignore"):
        scaled = statistic(x * 10.0**a, y * 10.0**b)
    assert scaled == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert math.isnan(scaled) or -1 <= scaled <= 1


@given(st.lists(st.floats(allow_nan=True), min_size=0, max_size=8), st.integers(0, 10**6))
def test_any_numbers_give_a_correlation_or_nan(values, seed):
    x = np.array(values)
    y = np.random.default_rng(seed).normal(size=len(x))
    with np.errstate(all="raise", under="ignore"):
        for value in (pearson(x, y), pearson(y, x), pearson(x, x)):
            assert math.isnan(value) or -1 <= value <= 1


def test_values_whose_range_overflows():
    # Largest less smallest is no finite number. Deviations -1 1 0 and -1 0 1 give 1/2.
    assert pearson(array(-1e308, 1e308, 0), array(0, 1, 2)) == pytest.approx(1 / 2)


def test_values_that_differ_by_rounding_alone_are_constant():
    assert math.isnan(pearson(array(0.3, 0.1 + 0.2, 0.3), array(0, 1, 0)))
    assert math.isnan(pearson(array(0, 1, 0), 1e200 * array(0.3, 0.1 + 0.2, 0.3)))


def test_pair_accuracy_by_hand():
    # (altered, original): right, tie (wrong), wrong, right.
    scores = array(0.1, 0.2, 0.5, 0.5, 0.9, 0.8, 0.0, 1.0)
    assert pair_accuracy(scores, array(*[0, 1] * 4)) == 2 / 4
    assert math.isnan(pair_accuracy(array(), array()))


def test_accuracy_with_ties_by_hand():
    # In order, opposite, only people tie, only the metric does, both do.
    ratings = array(1, 0, 0, 1, 0.5, 0.5, 1, 0, 0.5, 0.5)
    scores = array(0.9, 0.1, 0.6, 0.4, 0.3, 0.25, 0.3, 0.1 + 0.2, 0.7, 0.7)
    assert accuracy_with_ties(scores, ratings) == 2 / 5
    assert accuracy_with_ties(scores, ratings, eps=0.06) == 3 / 5  # the third is a tie
    assert accuracy_with_ties(scores, ratings, eps=0.9) == 2 / 5
    assert calibrate_ties(scores, ratings) == 0.3 - 0.25
    assert math.isnan(accuracy_with_ties(array(), array()))
    with pytest.raises(StatisticsError, match="3 pairs cannot be grouped in twos"):
        accuracy_with_ties(scores[:3], ratings[:3])


def test_accuracy_with_ties_is_a_name_with_options():
    ratings, scores = array(1, 0, 0.5, 0.5), array(0.9, 0.1, 0.3, 0.2)
    assert statistic_named("accuracy_with_ties")(scores, ratings) == 1 / 2
    assert statistic_named("accuracy_with_ties(eps=0.15)")(scores, ratings) == 1
    with pytest.raises(ConfigError, match="accuracy_with_ties"):
        statistic_named("accuracy_with_ties(eps)")
    with pytest.raises(ConfigError, match=r"unknown statistic 'acuracy_with_ties\(eps=0.1\)'"):
        statistic_named("acuracy_with_ties(eps=0.1)")


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2), st.integers(0, 2)),
        min_size=1,
        max_size=12,
    )
)
def test_no_other_tie_is_better_than_the_calibrated_one(couples):
    scores = np.array([couple[:2] for couple in couples], float).ravel()
    ratings = np.array([couple[2:] for couple in couples], float).ravel()
    best = calibrate_ties(scores, ratings)
    reached = accuracy_with_ties(scores, ratings, best)
    for eps in range(10):
        accuracy = accuracy_with_ties(scores, ratings, eps)
        assert accuracy <= reached
        assert (
            accuracy < reached or eps >= best or eps not in {0, *np.abs(scores[::2] - scores[1::2])}
        )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20))
def test_without_ties_of_people_it_is_the_pair_accuracy(couples):
    scores = np.array(couples, float).ravel()
    ratings = np.array([0.0, 1.0] * len(couples))
    assert accuracy_with_ties(scores, ratings) == pair_accuracy(scores, ratings)


def test_ties_do_not_depend_on_the_scale_of_scores():
    altered = np.array([0.2, 0.3, 0.3, 0.5, -0.5])
    original = np.array([0.4, 0.3, 0.1 + 0.2, 0.4, 0.5])
    scores = np.stack([altered, original], axis=1).ravel()
    for power in (-900, 0, 900):
        scaled = np.ldexp(scores, power)
        assert original_is_higher(scaled).tolist() == [True, False, False, False, True]
    assert original_is_higher(np.stack([scores, -scores])).shape == (2, 5)


def test_means_by_hand():
    assert amean([50, 60, 40]) == (50 + 60 + 40) / 3
    assert hmean([50, 60, 40]) == pytest.approx(3 / (1 / 50 + 1 / 60 + 1 / 40))
    assert math.isnan(hmean([50, 0, 40]))
    assert math.isnan(hmean([50, -1, 40]))


def test_where_rounding_ends():
    """Deviations of 1e-13 of the largest value, and differences of 1e-9 of the larger score."""
    for step, exists in ((1.5e-13, False), (2.5e-13, True)):  # a standard deviation of half of it
        x = array(1, 1 + step, 1, 1 + step)
        assert math.isnan(pearson(x, array(0, 1, 0, 2))) != exists
        assert math.isnan(pearson(array(0, 1, 0, 2), x)) != exists
    assert original_is_higher(array(1, 1 + 0.9e-9, 1, 1 + 1.1e-9)).tolist() == [False, True]
    assert original_is_higher(array(-1, -1 + 0.9e-9, -1, -1 + 1.1e-9)).tolist() == [False, True]
    assert original_is_higher(array(1e9 - 1, 1e9)).tolist() == [True]  # 1e-9 of it, and not less
    ratings = array(0.5, 0.5)
    assert accuracy_with_ties(array(1, 1 + 0.9e-9), ratings) == 1
    assert accuracy_with_ties(array(1, 1 + 1.1e-9), ratings) == 0


@pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
def test_two_pairs_have_a_correlation(statistic):
    assert statistic(array(1, 2), array(3, 5)) == pytest.approx(1)
    assert statistic(array(1, 2), array(5, 3)) == pytest.approx(-1)
    for other in (np.nan, np.inf) if statistic is not spearman else (np.nan,):
        assert math.isnan(statistic(array(1, 2, other), array(3, 5, 4)))
        assert math.isnan(statistic(array(3, 5, 4), array(1, 2, other)))


def test_one_couple_has_an_accuracy():
    assert pair_accuracy(array(0.1, 0.2), array(0, 1)) == 1
    assert accuracy_with_ties(array(0.2, 0.1), array(1, 0)) == 1
    assert math.isnan(pair_accuracy(array(0.1), array(0)))
    assert math.isnan(accuracy_with_ties(array(0.1), array(0)))


def test_rows_are_scaled_exactly():
    assert scale_rows(np.array([[3.0, -6.0], [0.0, 0.0], [0.25, 0.1]])).tolist() == [
        [3 / 8, -6 / 8],
        [0, 0],
        [1 / 2, 0.2],
    ]
    assert scale_rows(np.zeros((2, 0))).shape == (2, 0)
