"""Bootstrap intervals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bamboo.statistics.bootstrap import joint_bootstrap, sample_interval
from bamboo.statistics.ratings import STATISTICS
from bamboo.statistics.resampling import quantiles
from bamboo.statistics.sample import Sample
from tests.bamboo.statistics.samples import correlated


@pytest.fixture(autouse=True)
def no_jackknife(monkeypatch):
    """Few pairs have bootstrap intervals, too."""
    monkeypatch.setattr("bamboo.statistics.sample.FEW", 2)


def sample(n, rho, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, rho * x + math.sqrt(1 - rho * rho) * rng.normal(size=n)


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


def test_samples_of_a_group_are_drawn_together():
    scores, ratings = correlated(10)
    same = Sample("pearson", scores, ratings, group="sts")
    apart = Sample("pearson", scores, ratings, group="sick")
    drawn = joint_bootstrap({"main": same, "reify": same, "else": apart}, 50)
    assert np.array_equal(drawn["main"], drawn["reify"])
    assert not np.array_equal(drawn["main"], drawn["else"])
    alone = joint_bootstrap({"else": apart}, 50)
    assert np.array_equal(alone["else"], drawn["else"])
