"""Samples: values and weighted values, against the statistics of repeated pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.errors import StatisticsError
from bamboo.statistics import Sample, joint_bootstrap, perm_both
from bamboo.statistics.ratings import STATISTICS
from bamboo.statistics.sample import consecutive
from tests.bamboo.statistics.samples import TWOS, correlated, couples

# --- samples ---------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", STATISTICS)
def test_values_equal_the_protocols_statistics(statistic):
    scores, ratings = couples(1)
    values = Sample(statistic, scores, ratings, TWOS[:80]).values
    assert values == pytest.approx(
        [STATISTICS[statistic](row, ratings) for row in scores], abs=1e-12
    )


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("unit", [1, 2])
def test_weights_repeat_units(statistic, unit):
    if (statistic, unit) == ("pair_accuracy", 1):
        unit = 2
    scores, ratings = couples(2, n=12)
    drawn = np.array([3, 3, 0, 7, 11, 5, 5, 5, 2])
    if unit == 1:
        drawn = np.arange(24)[::2]
    weights = np.bincount(drawn, minlength=24 // unit)[None, :].astype(float)
    items = (drawn[:, None] * unit + np.arange(unit)).ravel()
    expected = [STATISTICS[statistic](row[items], ratings[items]) for row in scores]
    values = Sample(statistic, scores, ratings, consecutive(24, unit)).weighted(weights)[0]
    assert values == pytest.approx(expected, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("statistic", [*STATISTICS, "bamboo.statistics.ratings.pearson"])
@given(st.data())
def test_every_draw_contains_whole_clusters(statistic, data):
    """Clusters of couples, drawn as often as the weights say, with all their pairs."""
    numbers = data.draw(st.lists(st.integers(0, 4), min_size=12, max_size=12))
    clusters = np.repeat(np.unique([0, 1, *numbers], return_inverse=True)[1], 2)
    scores, ratings = couples(2, n=14)
    count = int(clusters.max()) + 1
    drawn = data.draw(st.lists(st.integers(0, count - 1), min_size=count, max_size=count))
    items = np.concatenate([np.flatnonzero(clusters == cluster) for cluster in drawn])
    function = STATISTICS[statistic.rsplit(".", 1)[-1]]
    expected = [function(row[items], ratings[items]) for row in scores]
    weights = np.bincount(drawn, minlength=count)[None, :].astype(float)
    values = Sample(statistic, scores, ratings, clusters).weighted(weights)[0]
    assert values == pytest.approx(expected, abs=1e-10, nan_ok=True)


def test_a_pair_without_a_score_is_excluded_for_all_metrics():
    scores, ratings = correlated(3)
    scores[1, 7] = np.nan
    without = np.delete(scores, 7, axis=1), np.delete(ratings, 7)
    assert Sample("pearson", scores, ratings).values == pytest.approx(
        Sample("pearson", *without).values
    )


def test_constant_scores_have_no_correlation():
    scores, ratings = correlated(4)
    scores[1] = 0.1
    values = Sample("pearson", scores, ratings).values
    assert np.isnan(values).tolist() == [False, True, False]
    p = perm_both({"cell": Sample("pearson", scores, ratings)}, 100)["cell"][1]
    assert np.isnan(p[1]).all()
    assert np.isfinite(p[0, 2])


def test_offsets_and_scales_do_not_matter():
    scores, ratings = correlated(5)
    far = Sample("pearson", 1e6 + 1e-3 * scores, ratings).values
    assert far == pytest.approx(Sample("pearson", scores, ratings).values, abs=1e-6)


@given(st.integers(-300, 300), st.integers(-300, 300), st.integers(0, 5))
def test_no_statistic_depends_on_the_magnitude_of_scores_or_ratings(a, b, seed):
    scores, ratings = (np.round(values, 2) for values in correlated(seed, n=30))
    plain = {"cell": Sample("pearson", scores, ratings)}
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        scaled = {"cell": Sample("pearson", scores * 10.0**a, ratings * 10.0**b)}
        assert scaled["cell"].values == pytest.approx(plain["cell"].values, abs=1e-12)
        drawn = [joint_bootstrap(sample, 20)["cell"] for sample in (scaled, plain)]
        tested = [perm_both(sample, 50)["cell"][1] for sample in (scaled, plain)]
    assert drawn[0] == pytest.approx(drawn[1], abs=1e-9)
    assert np.array_equal(*tested, equal_nan=True)


def test_correlations_of_linear_scores_are_never_beyond_one():
    for seed in range(5):
        ratings = np.round(np.random.default_rng(seed).random(7) ** 6, 3)
        cell = Sample("pearson", np.stack([0.3 * ratings + 0.1, 7 - ratings / 3]), ratings)
        drawn = joint_bootstrap({"cell": cell}, 200)["cell"]
        assert np.nanmax(np.abs([*drawn, cell.values])) <= 1


@pytest.mark.parametrize(
    ("statistic", "scores", "ratings", "message"),
    [
        ("pearson", np.zeros((1, 4)), np.zeros(5), "one score per pair"),
        ("pair_accuracy", np.zeros((1, 5)), np.zeros(5), "grouped in twos"),
        ("pearson", np.array([[1.0, np.nan, np.nan]]), np.zeros(3), "1 of 3 units"),
        ("pearson", np.array([[1.0, np.inf, 2.0]]), np.zeros(3), "infinite"),
        ("pearson", np.zeros((1, 1)), np.zeros(1), "at least two"),
    ],
)
def test_bad_scores_are_refused(statistic, scores, ratings, message):
    with pytest.raises(StatisticsError, match=message):
        Sample(statistic, scores, ratings)


# --- statistics of the user's own ------------------------------------------------------------

# The same statistics by the path for functions, which knows none of the formulas above.
FUNCTIONS = {name: f"{function.__module__}.{name}" for name, function in STATISTICS.items()}


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_function_equals_its_vectorised_form(statistic):
    scores, ratings = couples(3, n=15)
    scores[1, 4:6] = np.nan  # altered and original: a function does not know that they are a pair
    weights = np.random.default_rng(0).integers(0, 3, (20, 15)).astype(float)
    by_formula, by_function = (
        Sample(name, scores, ratings, TWOS[:30]) for name in (statistic, FUNCTIONS[statistic])
    )
    assert by_function.weighted(weights) == pytest.approx(
        by_formula.weighted(weights), abs=1e-12, nan_ok=True
    )
