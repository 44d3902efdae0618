"""Bootstrap intervals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bamboo.statistics.bootstrap import (
    estimate,
    joint_bootstrap,
    limited,
    mean_interval,
    percentile_bounds,
    sample_interval,
)
from bamboo.statistics.ratings import STATISTICS
from bamboo.statistics.resampling import quantiles
from bamboo.statistics.sample import Sample, harmonic_mean_of, mean_of, resample
from tests.bamboo.statistics.samples import correlated


@pytest.fixture(autouse=True)
def no_jackknife(monkeypatch):
    """Few pairs have bootstrap intervals, too."""
    monkeypatch.setattr("bamboo.statistics.sample.FEW", 2)


def sample(n, rho, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, rho * x + math.sqrt(1 - rho * rho) * rng.normal(size=n)


def test_pair_accuracy_resamples_altered_and_original_together():
    # 30 couples right, 10 wrong. Resampled couples are binomial: sd sqrt(.75 * .25 / 40) = 0.068.
    scores = np.concatenate([np.tile([0.0, 1.0], 30), np.tile([1.0, 0.0], 10)])
    ratings = np.tile([0.0, 1.0], 40)
    pairs = Sample("pair_accuracy", scores[None], ratings)
    low, high = sample_interval(pairs, np.random.default_rng(0), resamples=5000)
    expected = stats.binom(40, 0.75)
    assert low == pytest.approx(expected.ppf(0.025) / 40, abs=0.026)
    assert high == pytest.approx(expected.ppf(0.975) / 40, abs=0.026)


@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_constant_scores_have_no_interval(statistic):
    # 0.1 is no exact float: around the mean of 20 of them rounding noise remains.
    constant, ratings = np.full(20, 0.1), np.arange(20.0)
    assert constant.mean() != 0.1
    for x, y in ((constant, ratings), (ratings, constant)):
        interval = sample_interval(Sample(statistic, x[None], y), np.random.default_rng(0), 50)
        assert np.isnan(interval).all()


def test_nearly_constant_scores_leave_constant_resamples_out():
    x = np.array([0.1] * 9 + [0.7])
    pairs = Sample("pearson", x[None], np.arange(10.0))
    low, high = sample_interval(pairs, np.random.default_rng(0), 200)
    assert 0 < low <= high <= 1


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_bounds_stay_within_the_range_of_the_values(values):
    low, high = quantiles(np.array(values), [0.025, 0.975])
    assert min(values) <= low <= high <= max(values)


def test_couples_with_ties_are_resampled_together():
    # Three couples: in order, opposite, and a tie of both.
    scores, ratings = np.array([0.9, 0.1, 0.2, 0.8, 0.5, 0.5]), np.array([1.0, 0, 1, 0, 0.5, 0.5])
    sample = Sample("accuracy_with_ties", scores[None], ratings)
    assert sample.n_clusters == 3
    weights = np.array([[1.0, 1, 1], [2, 1, 0], [0, 3, 0], [1, 0, 2]])
    assert sample.weighted(weights)[:, 0].tolist() == [2 / 3, 2 / 3, 0, 1]
    with_options = Sample("accuracy_with_ties(eps=0.85)", scores[None], ratings)
    assert with_options.weighted(weights)[:, 0].tolist() == [1 / 3, 0, 0, 2 / 3]
    # A couple of which a score is missing is left out.
    missing = Sample("accuracy_with_ties", np.where(scores == 0.8, np.nan, scores)[None], ratings)
    assert missing.values.tolist() == [1]
    assert missing.present.tolist() == [1, 1, 0, 0, 1, 1]
    repeated = Sample("accuracy_with_ties", np.tile(scores, 9)[None], np.tile(ratings, 9))
    low, high = sample_interval(repeated, np.random.default_rng(0))
    assert 0 <= low < 2 / 3 < high <= 1


def test_samples_of_a_group_are_drawn_together():
    scores, ratings = correlated(10)
    same = Sample("pearson", scores, ratings, group="sts")
    apart = Sample("pearson", scores, ratings, group="sick")
    drawn = joint_bootstrap({"main": same, "reify": same, "else": apart}, 50)
    assert np.array_equal(drawn["main"], drawn["reify"])
    assert not np.array_equal(drawn["main"], drawn["else"])
    alone = joint_bootstrap({"else": apart}, 50)
    assert np.array_equal(alone["else"], drawn["else"])


def test_an_interval_is_that_of_the_resampled_values():
    scores, ratings = correlated(1, n=12)
    pairs = Sample("pearson", scores, ratings)
    weights = resample(np.random.default_rng(4), 450, 12)  # more than two blocks
    expected = np.quantile(pairs.weighted(weights)[:, 0], (0.025, 0.975))
    interval = sample_interval(pairs, np.random.default_rng(4), 450)
    assert interval == pytest.approx(tuple(expected), abs=1e-14)
    weights = resample(np.random.default_rng(4), 1000, 12)
    expected = np.quantile(pairs.weighted(weights)[:, 0], (0.025, 0.975))
    interval = sample_interval(pairs, np.random.default_rng(4))
    assert interval == pytest.approx(tuple(expected), abs=1e-14)


def test_the_numbers_of_resamples_and_the_seed_that_are_used_without_options():
    samples = {"": Sample("pearson", *correlated(2, n=9))}
    drawn = joint_bootstrap(samples)[""]
    assert drawn.tobytes() == joint_bootstrap(samples, 1000, 0)[""].tobytes()
    expected = np.quantile(drawn[:, 0], (0.025, 0.975))  # of the first metric
    assert mean_interval(samples) == pytest.approx(tuple(expected), abs=1e-14)
    assert mean_interval(samples) != mean_interval(samples, 1000, 1)


def test_an_estimate_by_hand():
    samples = {name: Sample("pearson", *correlated(2, n=9)) for name in "ab"}
    values = np.random.default_rng(0).permutation(np.arange(41.0))
    drawn = {"a": np.append(values, np.nan)[:, None], "b": np.append(values + 2, 5)[:, None]}
    bounds, error = estimate(samples, drawn, mean_of)
    assert bounds == pytest.approx(np.array([[1 + 1, 39 + 1]]))  # of 1 to 41; one has no value
    assert error == pytest.approx(np.sqrt([(41**2 - 1) / 12 * 41 / 40]))
    drawn = {"a": np.array([[0.2], [0.5]]), "b": np.array([[0.3], [0.5]])}
    bounds, error = estimate(samples, drawn, harmonic_mean_of)
    first, second = 2 / (1 / 0.2 + 1 / 0.3), 0.5
    assert error == pytest.approx([(second - first) / math.sqrt(2)])


def test_bounds_of_several_values_and_of_none():
    values = np.stack([np.arange(41.0), np.full(41, np.nan)], axis=1)
    bounds = percentile_bounds(np.stack([values, -values], axis=2))
    assert bounds[0] == pytest.approx(np.array([[1, 39], [-39, -1]]))
    assert np.isnan(bounds[1]).all()
    assert bounds.shape == (2, 2, 2)


@pytest.mark.parametrize(
    ("statistics", "expected"),
    [
        (["pearson", "kendall"], [-1, 1]),
        (["pair_accuracy", "accuracy_with_ties(eps=0.1)"], [0, 1]),
        ([*STATISTICS], [-1, 1]),
        (["pearson", "scipy.stats.kendalltau"], [-3, 4]),
    ],
)
def test_bounds_stay_where_statistics_can_be(statistics, expected):
    scores, ratings = correlated(2, n=8, metrics=1)
    samples = [Sample(statistic, scores, ratings) for statistic in statistics]
    assert limited(np.array([-3.0, 4.0]), samples).tolist() == expected


def test_percentile_intervals_cover_at_their_level():
    rng = np.random.default_rng(9)
    covered = 0
    for k in range(300):
        x = rng.normal(size=100)
        y = 0.6 * x + 0.8 * rng.normal(size=100)  # correlation 0.6
        low, high = sample_interval(Sample("pearson", x[None], y), np.random.default_rng(k), 300)
        covered += low <= 0.6 <= high
    # Binomial(300, .95) has a standard deviation of 3.8; small samples lose a little.
    assert 270 <= covered <= 297


@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_intervals_equal_scipys_percentile_bootstrap(statistic):
    x, y = sample(80, 0.5, seed=1)
    pairs = Sample(statistic, x[None], y)
    low, high = sample_interval(pairs, np.random.default_rng(0), resamples=2000)
    theirs = stats.bootstrap(
        (x, y),
        STATISTICS[statistic],
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    # Two draws of 2,000 resamples of an interval about 0.3 wide.
    assert low == pytest.approx(theirs.low, abs=0.02)
    assert high == pytest.approx(theirs.high, abs=0.02)
