"""Intervals and tests: by hand, against scipy, against a plain loop, and their size."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.engines import Engine
from bamboo.errors import StatisticsError
from bamboo.statistics import Sample, joint_bootstrap, mcnemar, perm_both, rank_ranges, williams
from bamboo.statistics.bootstrap import sample_interval
from bamboo.statistics.ratings import STATISTICS
from bamboo.statistics.sample import MEAN, consecutive

TWOS = consecutive(80, 2)  # altered and original pairs


def correlated(seed, n=60, metrics=3, noise=1.0):
    """Scores of a few metrics that share a signal with the ratings."""
    rng = np.random.default_rng(seed)
    ratings = rng.normal(size=n)
    return ratings + noise * rng.normal(size=(metrics, n)), ratings


def couples(seed, n=40, metrics=3):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (metrics, 2 * n)).astype(float)
    return scores, np.tile([0.0, 1.0], n)


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


# --- bootstrap -------------------------------------------------------------------------------


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


# --- permutations ----------------------------------------------------------------------------


def slow_perm_both(statistic, a, b, ratings, swaps):
    """PERM-BOTH as the paper words it, one pair of metrics and one permutation at a time."""
    function = STATISTICS[statistic.rsplit(".", 1)[-1]]
    if statistic != "pair_accuracy":
        a, b = ((x - x.mean()) / x.std() for x in (a, b))
    observed = abs(function(a, ratings) - function(b, ratings))
    extreme = 0
    for swap in swaps:
        new_a, new_b = np.where(swap, b, a), np.where(swap, a, b)
        extreme += abs(function(new_a, ratings) - function(new_b, ratings)) >= observed - 1e-12
    return (extreme + 1) / (len(swaps) + 1)


@pytest.mark.parametrize(
    ("statistic", "clusters"),
    [
        ("pearson", consecutive(80, 1)),
        ("pearson", TWOS),
        ("pair_accuracy", TWOS),
        ("pearson", np.arange(80) % 30),
        ("pair_accuracy", TWOS % 15),
        ("bamboo.statistics.ratings.pearson", np.arange(80) % 30),
    ],
)
def test_all_pairs_at_once_equal_a_plain_loop(statistic, clusters):
    scores, ratings = couples(11)
    sample = Sample(statistic, scores, ratings, clusters, group="g")
    _, p, _ = perm_both({"cell": sample}, 200, seed=3)["cell"]
    rng = np.random.default_rng([3, *b"g"])
    signs = 2.0 * rng.integers(0, 2, (200, sample.n_clusters), dtype=np.int8) - 1
    for i, j in itertools.permutations(range(3), 2):
        swaps = signs[:, clusters] < 0
        expected = slow_perm_both(statistic, scores[i], scores[j], ratings, swaps)
        assert p[i, j] == pytest.approx(expected, abs=1e-12)


def test_equal_metrics_never_differ_significantly():
    scores, ratings = correlated(12)
    scores[1] = 5 + 2 * scores[0]
    difference, p, _ = perm_both({"cell": Sample("pearson", scores, ratings)}, 99)["cell"]
    assert p[0, 1] == 1
    assert np.array_equal(p, p.T)
    assert difference == pytest.approx(-difference.T)


def test_a_clear_difference_has_the_smallest_p():
    rng = np.random.default_rng(13)
    ratings = rng.normal(size=300)
    scores = np.stack([ratings + 0.1 * rng.normal(size=300), rng.normal(size=300)])
    tested = perm_both({"a": Sample("pearson", scores, ratings)}, 999)
    assert tested["a"][1][0, 1] == tested[MEAN][1][0, 1] == 1 / 1000


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "pair_accuracy"])
def test_size_under_the_null(statistic):
    """Two metrics equally good: p < .05 one time in twenty."""
    rng = np.random.default_rng(14)
    repeats, rejected = 300, 0
    for k in range(repeats):
        ratings = np.tile([0.0, 1.0], 30) if statistic == "pair_accuracy" else rng.normal(size=60)
        scores = ratings + 1.5 * rng.normal(size=(2, 60))
        tested = perm_both({"cell": Sample(statistic, scores, ratings)}, 199, seed=k)
        rejected += tested["cell"][1][0, 1] < 0.05
    # Binomial(300, .05): mean 15, standard deviation 3.8. Ties make accuracy conservative.
    assert rejected <= 15 + 3 * 3.8
    assert rejected >= (2 if statistic == "pair_accuracy" else 15 - 3 * 3.8)


def test_size_of_the_mean_over_dependent_cells():
    """Partitions with the same ratings and nearly the same scores: the mean keeps its size."""
    rng = np.random.default_rng(15)
    rejected = 0
    for k in range(200):
        ratings = rng.normal(size=60)
        main = ratings + 1.5 * rng.normal(size=(2, 60))
        reify = main + 0.2 * rng.normal(size=(2, 60))
        cells = {
            name: Sample("pearson", scores, ratings, group="sts")
            for name, scores in (("main", main), ("reify", reify))
        }
        rejected += perm_both(cells, 199, seed=k)[MEAN][1][0, 1] < 0.05
    assert 10 - 3 * 3.1 <= rejected <= 10 + 3 * 3.1


# --- tests with a formula --------------------------------------------------------------------


def test_williams_keeps_its_size():
    rng = np.random.default_rng(16)
    rejected = 0
    for _ in range(1000):
        ratings = rng.normal(size=50)
        a, b = ratings + rng.normal(size=(2, 50))
        r = np.corrcoef([a, b, ratings])
        rejected += williams(r[0, 2], r[1, 2], r[0, 1], 50)[1] < 0.05
    assert 50 - 3 * 6.9 <= rejected <= 50 + 3 * 6.9


def test_williams_is_antisymmetric_and_knows_equal_metrics():
    assert williams(0.5, 0.4, 0.3, 40)[0] == -williams(0.4, 0.5, 0.3, 40)[0]
    assert williams(0.5, 0.5, 1.0, 40)[1] == 1


@pytest.mark.parametrize("arguments", [(0.5, 0.4, 0.3, 3), (1.5, 0.4, 0.3, 30)])
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


# --- ranks -----------------------------------------------------------------------------------


def test_ranks_reach_to_the_metrics_that_do_not_differ_significantly():
    p = np.ones((4, 4))
    for a, b in ((0, 2), (0, 3), (2, 3)):
        p[a, b] = p[b, a] = 0.001
    values = np.array([0.9, 0.8, 0.7, 0.6])
    assert rank_ranges(values, p).tolist() == [[1, 2], [1, 4], [2, 3], [2, 4]]


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_ranks_of_metrics_that_do_not_differ_significantly_overlap(count, seed):
    rng = np.random.default_rng(seed)
    p = rng.choice([0.001, 1.0], (count, count))
    p = np.maximum(p, p.T)
    ranks = rank_ranges(rng.random(count).round(1), p)
    for a, b in zip(*np.nonzero(p == 1), strict=True):
        assert ranks[a, 0] <= ranks[b, 1]
        assert ranks[b, 0] <= ranks[a, 1]


def test_a_metric_without_a_value_has_no_rank():
    values = np.array([0.5, np.nan, 0.7])
    p = np.full((3, 3), np.nan)
    p[0, 2] = p[2, 0] = 0.9
    assert rank_ranges(values, p).tolist() == [[1, 2], [0, 0], [1, 2]]
    assert rank_ranges(np.array([np.nan]), np.ones((1, 1))).tolist() == [[0, 0]]


@given(st.permutations(range(6)), st.integers(0, 2**32 - 1))
def test_ranks_do_not_depend_on_the_order_of_equal_metrics(order, seed):
    rng = np.random.default_rng(seed)
    p = rng.choice([0.001, 1.0], (6, 6))
    p = np.maximum(p, p.T)
    # The order of a sum changes the last digits.
    values = rng.choice([0.1 + 0.2, 0.3, 0.5, np.nan], 6)
    ranks = rank_ranges(values[order], p[np.ix_(order, order)])
    assert ranks.tolist() == rank_ranges(values, p)[order].tolist()


def test_equal_metrics_share_their_places():
    """The third metric is worse than the first, and not than the second, which is as good."""
    p = np.ones((3, 3))
    p[0, 2] = p[2, 0] = 0.001
    assert rank_ranges(np.array([0.3, 0.1 + 0.2, 0.2]), p).tolist() == [[1, 2], [1, 3], [1, 3]]


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


def test_a_function_is_permuted_as_the_correlation_it_computes():
    scores, ratings = correlated(4, n=25)
    scores *= np.array([[1.0], [100.0], [0.01]])  # standardised before they change places
    by_formula, by_function = (
        perm_both({"cell": Sample(name, scores, ratings)}, permutations=50, seed=1)["cell"]
        for name in ("pearson", FUNCTIONS["pearson"])
    )
    assert by_function[0] == pytest.approx(by_formula[0], abs=1e-12)
    assert by_function[1] == pytest.approx(by_formula[1], nan_ok=True)
    assert by_function[1][0, 1] < 1


class Backwards(Engine):
    """Pickles calls and results, as other processes need, and returns the last result first."""

    name = "backwards"
    _executor = _count_workers = _lost = _abandon = None

    def map(self, function, arguments, *, ordered=True):
        calls = [pickle.dumps((function, argument)) for argument in arguments]
        assert len(calls) > 1
        for call in reversed(calls):
            function, argument = pickle.loads(call)
            yield pickle.loads(pickle.dumps(function(*argument)))


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "pair_accuracy"])
def test_permutations_do_not_depend_on_where_they_are_evaluated(statistic):
    rng = np.random.default_rng(4)
    samples = {
        name: Sample(
            statistic, rng.normal(size=(3, size)), rng.normal(size=size), TWOS[:size], group
        )
        for name, size, group in (("a", 34, "x"), ("b", 34, "x"), ("c", 6, ""))
    }
    expected = perm_both(samples, 2_100, seed=5)
    elsewhere = perm_both(samples, 2_100, seed=5, engine=Backwards())
    for name, tested in expected.items():
        for matrix, same in zip(elsewhere[name], tested, strict=True):
            assert matrix.tobytes() == same.tobytes()
