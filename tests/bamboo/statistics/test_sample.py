"""Samples: values and weighted values, against the statistics of repeated pairs."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.errors import StatisticsError
from bamboo.statistics import Sample, joint_bootstrap, perm_both
from bamboo.statistics.ratings import STATISTICS
from bamboo.statistics.sample import (
    consecutive,
    correlation,
    harmonic_mean_of,
    mean_of,
    method_of,
    random_draws,
    resample,
    standardize_rows,
)
from tests.bamboo.statistics.samples import TWOS, assert_uniform, correlated, couples

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


def test_rounding_errors_of_scores_and_ratings_change_no_rank():
    """Also in resamples, and where a pair without a score lies between two others."""
    scores, ratings = (np.round(values, 1) for values in correlated(2, n=40))
    rng = np.random.default_rng(0)
    weights = resample(rng, 20, 40)
    noisy = [values * (1 + 1e-14 * rng.normal(size=values.shape)) for values in (scores, ratings)]
    noisy[0][1, 5] = scores[1, 5] = np.nan
    expected = Sample("spearman", scores, ratings).weighted(weights)
    assert (Sample("spearman", *noisy).weighted(weights) == expected).all()


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
        ("pearson", np.zeros(4), np.zeros(4), "4 scores per metric for 4 ratings"),
        ("accuracy_with_ties", np.zeros((1, 3)), np.zeros(3), "3 pairs cannot be grouped in twos"),
        ("pearson", np.full((1, 2), np.nan), np.zeros(2), "0 of 2 units have a score"),
        ("pair_accuracy", np.array([[0.0, 1, 0, np.nan]]), np.zeros(4), "1 of 2 units has a score"),
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


def test_sums_of_clusters_by_hand():
    # Standardised: the scores 1 2 3 4 less 2.5, over sqrt(5) / 2; the last pair lacks one.
    scores = np.array([[1.0, 2, 3, 4, np.nan]])
    cell = Sample("pearson", scores, np.array([2.0, 1, 1, 2, 9]), np.array([1, 0, 0, 1, 2]))
    x, y = np.array([-3, -1, 1, 3]) / np.sqrt(5), np.array([1, -1, -1, 1])
    columns = np.stack([np.ones(4), y, y * y, x, x * x, x * y], axis=1)
    expected = [columns[[1, 2]].sum(axis=0), columns[[0, 3]].sum(axis=0), np.zeros(6)]
    assert cell.sums == pytest.approx(np.array(expected), abs=1e-15)
    assert (cell.sizes.tolist(), cell.n_clusters) == ([2, 2, 0], 3)
    whole = Sample("pearson", scores, np.arange(5.0), np.zeros(5, int))
    assert (whole.sizes.tolist(), whole.n_clusters) == ([4], 1)
    right = np.array([[0.1, 0.2, 0.3, 0.2, 0.5, np.nan]])
    twos = Sample("pair_accuracy", right, np.tile([0.0, 1.0], 3), np.array([0, 0, 1, 1, 1, 1]))
    assert twos.sums.tolist() == [[1, 1], [1, 0]]
    assert twos.present.tolist() == [1, 1, 1, 1, 0, 0]


def test_standardized_rows_by_hand():
    present = np.array([1.0, 1, 0, 1])
    values = np.array([[1.0, 3, 9, 5], [4, 4, 1, 4], [0.7, 0.7, 1, 0.7], [np.nan] * 4])
    rows = standardize_rows(values, present)
    assert rows[0] == pytest.approx([-2 / np.sqrt(8 / 3), 0, 0, 2 / np.sqrt(8 / 3)])
    assert not rows[1:3].any()  # the mean of three times 0.7 is not exactly 0.7
    # Standard deviations of 2**-44 and 2**-43, or .6e-13 and 1.1e-13, of the largest value.
    steps = np.array([[1, 1 + 2**-43, 1, 1 + 2**-43], [1, 1 + 2**-42, 1, 1 + 2**-42]])
    assert standardize_rows(steps, np.ones(4)).any(axis=1).tolist() == [False, True]


def test_a_correlation_from_means_by_hand():
    # Of x 0 0 1 and y 0 1 1: means 1/3 and 2/3, of squares the same, of products 1/3.
    expected = (1 / 3 - 2 / 9) / np.sqrt((1 / 3 - 1 / 9) * (2 / 3 - 4 / 9))
    means = [np.array([mean]) for mean in (1 / 3, 1 / 3, 1 / 3, 2 / 3, 2 / 3)]
    assert correlation(*means) == pytest.approx([expected])
    zero, one = np.zeros(1), np.ones(1)
    for flat, exists in ((0.9e-12, False), (1.1e-12, True)):
        small = np.array([flat])
        assert np.isfinite(correlation(zero, small, zero, zero, one)).all() == exists
        assert np.isfinite(correlation(zero, one, zero, zero, small)).all() == exists
    assert correlation(zero, one, 1.5 * one, zero, one).tolist() == [1]
    assert correlation(zero, one, -1.5 * one, zero, one).tolist() == [-1]


def test_means_over_samples_by_hand():
    columns = {"a": np.array([0.2, 0.5, np.nan, 0.0]), "b": np.array([0.6, 0.25, 0.5, 0.5])}
    assert mean_of(columns) == pytest.approx([0.4, 0.375, np.nan, 0.25], nan_ok=True)
    harmonic = [2 / (1 / 0.2 + 1 / 0.6), 2 / (1 / 0.5 + 1 / 0.25), np.nan, np.nan]
    assert harmonic_mean_of(columns) == pytest.approx(harmonic, nan_ok=True)


def test_methods_by_the_number_of_clusters():
    scores, ratings = np.random.default_rng(0).normal(size=(2, 201))
    few, many = (Sample("pearson", scores[None, :n], ratings[:n]) for n in (199, 200))
    twos = Sample("pearson", np.tile(scores, 2)[None], np.tile(ratings, 2), np.arange(402) // 2)
    assert [s.method for s in (few, many, twos)] == ["jackknife", "pairs", "sentences"]
    assert method_of([many, twos, few]) == method_of([few, twos]) == "jackknife"
    assert method_of([twos, many]) == "sentences"
    assert method_of([many, many]) == "pairs"


def test_every_unit_and_sign_is_drawn_equally_often():
    drawn = resample(np.random.default_rng(0), 4000, 5)
    assert (drawn.sum(axis=1) == 5).all()
    assert_uniform(drawn.sum(axis=0), 4000)
    assert (drawn == 0).mean() == pytest.approx((4 / 5) ** 5, abs=0.02)  # left out of all five
    cell = {"": Sample("pearson", *correlated(1, n=5))}
    signs = np.concatenate([block[""] for block in random_draws(cell, "swap", 4000, 0)])
    assert signs.shape == (4000, 5)
    patterns = ((signs + 1) / 2) @ 2 ** np.arange(5)
    assert_uniform(np.bincount(patterns.astype(int), minlength=32), 4000 / 32)


def test_a_seed_gives_the_draws_that_it_gave():
    cell = {"x": Sample("pearson", *correlated(1, n=4), group="g")}
    (drawn,) = random_draws(cell, "resample", 3, 5)
    assert drawn["x"].tolist() == [[1, 0, 1, 2], [2, 0, 1, 1], [0, 2, 1, 1]]
    (drawn,) = random_draws(cell, "swap", 3, 5)
    assert drawn["x"].tolist() == [[1, 1, -1, 1], [-1, -1, 1, 1], [1, -1, 1, 1]]
    blocks = [*random_draws(cell, "swap", 450, 5)]
    assert [len(block["x"]) for block in blocks] == [200, 200, 50]
    assert blocks[0]["x"][:3].tolist() == drawn["x"].tolist()


def test_a_sample_is_pickled_without_what_is_computed():
    cell = Sample("pearson", *correlated(1, n=4), np.array([0, 0, 1, 1]), "g", 2)
    assert len(cell.values) == 3
    copy = pickle.loads(pickle.dumps(cell))
    assert "values" not in vars(copy)
    assert (copy.group, copy.pairs_per_unit, copy.n_clusters) == ("g", 2, 2)
