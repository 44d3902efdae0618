"""PERM-BOTH: against a plain loop, and its size."""

import itertools
import pickle

import numpy as np
import pytest
from scipy import stats

from bamboo.engines import Engine
from bamboo.statistics import Sample, joint_bootstrap, perm_both
from bamboo.statistics.ratings import STATISTICS
from bamboo.statistics.sample import MEAN, consecutive
from tests.bamboo.statistics.samples import TWOS, correlated, couples, step_down


def slow_perm_both(statistic, a, b, ratings, swaps):
    """PERM-BOTH as the paper words it, one pair of metrics and one permutation at a time."""
    function = STATISTICS[statistic.rsplit(".", 1)[-1]]
    if statistic == "spearman":
        a, b, ratings = (stats.rankdata(x) for x in (a, b, ratings))
        function = STATISTICS["pearson"]  # of ranks that change places
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
        ("spearman", TWOS),
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


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "pair_accuracy"])
@pytest.mark.parametrize("copies", range(2, 13))
def test_copies_of_a_metric_do_not_differ_at_all(statistic, copies):
    """Whatever their place among the columns, and on every processor."""
    scores, ratings = correlated(13, n=300, metrics=2)
    rows = np.concatenate([np.repeat(scores[:1], copies - 1, axis=0), scores[1:], scores[:1]])
    sample = Sample(statistic, rows, ratings)
    same = [*range(copies - 1), copies]
    drawn = joint_bootstrap({"cell": sample}, 100)["cell"]
    for values in (sample.values[None], drawn):
        assert (values[:, same] == values[:, :1]).all()
    difference, p, _ = perm_both({"cell": sample}, 50)["cell"]
    assert not difference[np.ix_(same, same)].any()
    assert (p[np.ix_(same, same)] == 1).all()


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


def test_a_function_is_permuted_as_the_correlation_it_computes():
    scores, ratings = correlated(4, n=25)
    scores *= np.array([[1.0], [100.0], [0.01]])  # standardised before they change places
    by_formula, by_function = (
        perm_both({"cell": Sample(name, scores, ratings)}, permutations=50, seed=1)["cell"]
        for name in ("pearson", "bamboo.statistics.ratings.pearson")
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


def test_corrected_p_values_and_those_of_the_mean():
    """By definition; the first 1,000 permutations, five blocks of 200, give the scales."""
    samples = {
        name: Sample("pair_accuracy", *couples(seed, n=12, metrics=5), group=name)
        for seed, name in enumerate("ab")
    }
    draws = []
    for name, sample in samples.items():
        right = (sample.scores[:, 1::2] > sample.scores[:, ::2]).astype(float)
        rng = np.random.default_rng([8, *name.encode()])
        signs = 2.0 * rng.integers(0, 2, (1300, 12), dtype=np.int8) - 1
        gains = right[:, None] - right[None, :]  # of each metric over each other one
        draws.append(np.tensordot(signs, gains, (1, 2)) / 12)
    draws.append((draws[0] + draws[1]) / 2)
    upper = np.triu_indices(5, 1)
    tested = perm_both(samples, 1300, seed=8)
    assert list(tested) == ["a", "b", MEAN]
    for drawn, (observed, p, adjusted) in zip(draws, tested.values(), strict=True):
        expected = ((np.abs(drawn) >= np.abs(observed) - 1e-12).sum(axis=0) + 1) / 1301
        assert p == pytest.approx(expected)
        scale = np.sqrt((drawn[:1000] ** 2).sum(axis=0))
        corrected = step_down(observed[upper], drawn[(slice(None), *upper)], scale[upper])
        assert adjusted[upper] == pytest.approx(np.maximum(corrected, p[upper]))
        assert np.array_equal(adjusted, adjusted.T)
    assert tested[MEAN][0] == pytest.approx((tested["a"][0] + tested["b"][0]) / 2)


def test_what_is_used_without_options():
    samples = {"": Sample("pearson", *correlated(3, n=6))}
    defaults, given = perm_both(samples), perm_both(samples, 10_000, 0)
    assert [x.tobytes() for x in defaults[""]] == [x.tobytes() for x in given[""]]
    assert (perm_both(samples, 10_000, 1)[""][1] != given[""][1]).any()


def test_two_clusters_are_enough_and_one_is_not():
    scores, ratings = correlated(2, n=6, metrics=2)
    clusters = np.array([0, 0, 0, 1, 1, 1])
    two = Sample("pearson", scores, ratings, clusters)
    assert np.isfinite(perm_both({"": two}, 50)[""][1]).all()
    scores[0, 3:] = np.nan  # what is left is one cluster
    for part in perm_both({"": Sample("pearson", scores, ratings, clusters)}, 50).values():
        assert np.isnan(part[1]).all()
