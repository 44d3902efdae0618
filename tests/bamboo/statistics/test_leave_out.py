"""Intervals of clustered pairs: the choice of the method, the jackknife, and their coverage."""

import numpy as np
import pytest
from scipy import stats

from bamboo.statistics import Sample, jackknife, joint_bootstrap, perm_both
from bamboo.statistics.bootstrap import estimate, mean_interval, sample_interval
from bamboo.statistics.sample import harmonic_mean_of, mean_of


def clustered(rng, sizes, metrics=1, shared=1.0):
    """A sample whose clusters share their ratings and a part of the metrics' errors."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    signal = rng.normal(size=len(sizes))[clusters] + rng.normal(size=len(clusters))
    errors = shared * rng.normal(size=(metrics, len(sizes)))[:, clusters]
    noise = rng.normal(size=(metrics, len(clusters)))
    return Sample("pearson", signal + errors + noise, signal, clusters)


def only(values):
    return values[""]


def test_the_error_of_a_share_is_that_of_a_mean():
    right = np.tile([1, 1, 1, 0, 1], 8)
    scores = np.stack([np.zeros(40), right], axis=1).ravel()
    clusters = np.repeat(np.arange(10), 8)  # four couples each
    cell = Sample("pair_accuracy", scores[None], np.tile([0.0, 1.0], 40), clusters)
    shares = right.reshape(10, 4).mean(axis=1)
    error = shares.std(ddof=1) / np.sqrt(10)
    bounds, jackknifed = jackknife({"": cell}, only)
    assert jackknifed == pytest.approx(error)
    assert bounds[0] == pytest.approx(0.8 + np.array([-1, 1]) * 2.2622 * error, abs=1e-5)


def test_the_jackknife_agrees_with_the_bootstrap_and_adds_up_over_groups():
    rng = np.random.default_rng(1)
    cells = {name: clustered(rng, rng.integers(1, 8, 120), 2) for name in "ab"}
    assert [cell.method for cell in cells.values()] == ["jackknife"] * 2
    drawn = joint_bootstrap(cells, 2000)
    for mean in (mean_of, harmonic_mean_of):
        _, error = jackknife(cells, mean)
        assert error == pytest.approx(mean(drawn).std(axis=0), rel=0.1)
    errors = [jackknife({"": cell}, only)[1] for cell in cells.values()]
    assert jackknife(cells, mean_of)[1] == pytest.approx(np.hypot(*errors) / 2)
    # Partitions with the same pairs are left out together.
    twice = {name: Sample("pearson", *_parts(cells["a"]), group="g") for name in "xy"}
    assert jackknife(twice, mean_of)[1] == pytest.approx(errors[0])
    assert mean_interval(cells) == pytest.approx(tuple(jackknife(cells, mean_of)[0][0]))


def _parts(cell):
    return cell.scores, cell.ratings, cell.clusters


def test_the_method_depends_on_the_clusters():
    rng = np.random.default_rng(2)
    pairs = rng.normal(size=(1, 800)), rng.normal(size=800)
    methods = {
        "pairs": [None, np.arange(800)],
        "sentences": [np.arange(800) // 2, np.maximum(np.arange(800) - 9, 0)],
        "jackknife": [np.arange(800) // 8, np.maximum(np.arange(800) - 99, 0), np.zeros(800, int)],
    }
    by_method = {
        method: [Sample("pearson", *pairs, clusters).method for clusters in every]
        for method, every in methods.items()
    }
    assert by_method == {method: [method] * len(every) for method, every in methods.items()}
    couples = Sample("pearson", *pairs, np.arange(800) // 2, pairs_per_unit=2)
    assert couples.method == "pairs"
    alone, each = (
        sample_interval(
            Sample("pearson", pairs[0][:1], pairs[1], clusters), np.random.default_rng(0), 100
        )
        for clusters in (None, np.arange(800))
    )
    assert alone == each


def test_few_unrelated_pairs_have_the_jackknife_s_interval():
    """Scores 0 1 2 3 and ratings 0 2 1 3: r = .8; without a pair 1/2 13/14 13/14 1/2."""
    cell = Sample("pearson", np.arange(4.0)[None], np.array([0.0, 2, 1, 3]))
    assert (cell.method, cell.is_clustered) == ("jackknife", False)
    assert cell.values == pytest.approx([0.8])
    error = np.sqrt(3 / 4 * 4 * (3 / 14) ** 2)  # their mean is 5/7
    bounds, jackknifed = jackknife({"": cell}, only)
    assert jackknifed == pytest.approx([error])
    assert bounds[0, 0] == pytest.approx(0.8 - 3.182446 * error)  # t of 3 degrees of freedom
    bounds = sample_interval(cell, np.random.default_rng(0))
    assert bounds == pytest.approx((0.8 - 3.182446 * error, 1))


def test_a_share_is_not_negative():
    cell = Sample("pair_accuracy", np.array([[0.0, 1, 1, 0, 1, 0, 1, 0]]), np.tile([0.0, 1.0], 4))
    low, high = sample_interval(cell, np.random.default_rng(0))
    assert (low, high) == (0, 1)  # 1/4 and 3.18 times 1/4 on both sides


def test_a_statistic_sees_the_pairs_in_their_order(monkeypatch):
    """Two scores are tied; the first of them counts. Clusters are not in the order of the pairs."""
    ratings = np.array([1.0, 0.0, 0.0, 0.0])
    clusters = np.array([1, 0, 1, 0])

    def rating_of_the_best(scores, ratings):
        return float(ratings[np.argmax(scores)])

    monkeypatch.setattr("bamboo.statistics.sample.statistic_named", lambda _: rating_of_the_best)
    cell = Sample("own.first", np.array([[3.0, 3.0, 1.0, 2.0]]), ratings, clusters)
    assert cell.values.tolist() == [1]
    assert cell.weighted(np.array([[2.0, 1.0], [1.0, 2.0], [2.0, 0.0]])).tolist() == [[1], [1], [0]]


def test_one_cluster_has_no_interval_and_no_p_value():
    rng = np.random.default_rng(3)
    alone, both = clustered(rng, [9], 2), clustered(rng, [5, 4], 2)
    cells = {"one": alone, "two": both}
    tested = perm_both(cells, 50)
    assert np.isnan(tested["one"][1]).all()
    assert np.isnan(tested["amean"][1]).all()
    assert np.isfinite(tested["two"][1]).all()
    assert np.isnan(estimate({"": alone}, {}, only)[0]).all()
    assert np.isnan(estimate(cells, {}, mean_of)[1]).all()
    assert np.isfinite(alone.values).all()


def test_an_interval_ends_at_the_largest_possible_value():
    ratings = np.repeat([0.0, 1, 2, 3], 3)
    clusters = np.repeat(np.arange(4), 3)
    scores = ratings + 0.2 * np.random.default_rng(0).normal(size=12)
    cell = Sample("pearson", scores[None], ratings, clusters)
    interval = sample_interval(cell, np.random.default_rng(0), 10)
    assert interval[0] < interval[1] == 1


def test_intervals_of_few_clusters_cover():
    """30 uneven clusters; the true correlation is that of a very large sample."""
    sizes = np.array([1] * 10 + [2] * 8 + [4] * 6 + [8] * 4 + [16] * 2)
    rng = np.random.default_rng(4)
    truth = clustered(rng, np.tile(sizes, 2000)).values[0]
    repeats, covered = 400, {"pairs": 0, "jackknife": 0}
    for k in range(repeats):
        cell = clustered(rng, sizes)
        for method, clusters in (("pairs", None), ("jackknife", cell.clusters)):
            drawn = Sample("pearson", cell.scores, cell.ratings, clusters)
            low, high = sample_interval(drawn, np.random.default_rng(k), 200)
            covered[method] += low <= truth <= high
    # Of 380 expected the standard deviation is 4.4.
    assert covered["pairs"] < 0.85 * repeats
    assert 0.91 * repeats < covered["jackknife"] < 0.98 * repeats


@pytest.mark.parametrize("sizes", [[1, 2, 3, 4, 5, 6], [1, 3] * 110])
def test_one_cluster_after_the_other_is_left_out(sizes):
    """A plain loop over the clusters; one without scores is none."""
    scores, ratings, clusters = _parts(clustered(np.random.default_rng(5), sizes, 2))
    scores[0, clusters == 2] = np.nan
    cell = Sample("pearson", scores, ratings, clusters)
    kept = [k for k in range(len(sizes)) if k != 2]
    values = []
    for k in kept:
        rest = ~np.isin(clusters, (k, 2))
        values.append([np.corrcoef(row[rest], ratings[rest])[0, 1] for row in scores])
    deviations = np.array(values) - np.mean(values, axis=0)
    error = np.sqrt((len(kept) - 1) / len(kept) * (deviations**2).sum(axis=0))
    bounds, jackknifed = jackknife({"": cell}, only)
    assert jackknifed == pytest.approx(error)
    weights = np.array(sizes)[kept]
    degrees = weights.sum() ** 2 / (weights**2).sum() - 1
    assert bounds[:, 1] == pytest.approx(cell.values + stats.t.ppf(0.975, degrees) * error)
    assert bounds[:, 0] == pytest.approx(cell.values - stats.t.ppf(0.975, degrees) * error)


def test_degrees_of_freedom_of_two_strata():
    """Welch and Satterthwaite: (v + w)² / (v² / d + w² / e) for their variances v and w."""
    rng = np.random.default_rng(6)
    cells = {name: clustered(rng, sizes) for name, sizes in (("a", [2] * 5), ("b", [1, 2, 3] * 4))}
    v, w = (jackknife({"": cell}, only)[1][0] ** 2 / 4 for cell in cells.values())
    degrees = (v + w) ** 2 / (v**2 / (5 - 1) + w**2 / (24**2 / (4 * 14) - 1))
    bounds, error = jackknife(cells, mean_of)
    assert error == pytest.approx([np.sqrt(v + w)])
    expected = stats.t.ppf(0.975, degrees) * np.sqrt(v + w)
    assert (bounds[0, 1] - bounds[0, 0]) / 2 == pytest.approx(expected)


def test_equal_shares_have_no_error():
    cell = Sample("pair_accuracy", np.tile([0.0, 1.0], (1, 6)), np.tile([0.0, 1.0], 6))
    bounds, error = jackknife({"": cell}, only)
    assert (bounds.tolist(), error.tolist()) == ([[1, 1]], [0])


def test_two_clusters_are_enough():
    """The shares without one of them are 0 and 1: an error of sqrt(1/2 (1/4 + 1/4))."""
    cell = Sample("pair_accuracy", np.array([[0.0, 1, 1, 0]]), np.tile([0.0, 1.0], 2))
    assert jackknife({"": cell}, only)[1] == pytest.approx([0.5])
