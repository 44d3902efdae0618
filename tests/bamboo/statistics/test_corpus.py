"""Corpus scores, their resamples and permutations: by hand, and one after the other."""

import numpy as np
import pytest
from harness import counts

from amr_metrics import SmatchPP
from amr_metrics.base import Scores
from bamboo.errors import StatisticsError
from bamboo.parsers.systems import corpus_statistics
from bamboo.statistics.corpus import (
    Compared,
    bootstrap_corpus,
    corpus_scores,
    draw_resamples,
    is_as_extreme,
    percentile_interval,
    permutation_tests,
    score_corpora,
    score_resamples,
    share_as_extreme,
)
from tests.bamboo.statistics.samples import assert_uniform, step_down


def test_micro_and_macro_by_hand():
    scores = corpus_scores(corpus_statistics(SmatchPP()), counts([1, 8], [2, 8], [4, 8]))
    assert scores == {
        "precision": 9 / 10,
        "recall": 9 / 12,
        "f1": 2 * 9 / (10 + 12),
        "macro_precision": (1 / 2 + 1) / 2,
        "macro_recall": (1 / 4 + 1) / 2,
        "macro_f1": (2 * 1 / (2 + 4) + 1) / 2,
    }


def test_all_systems_share_the_resampled_pairs():
    statistics = corpus_statistics(SmatchPP())
    a = counts([1, 4, 8], [8, 8, 8], [8, 8, 8])
    drawn = bootstrap_corpus(statistics, [a, a], 50, 3, ["f1"])
    np.testing.assert_array_equal(drawn["f1"][:, 0], drawn["f1"][:, 1])
    assert {round(24 * f1) for f1 in drawn["f1"][:, 0]} <= {
        i + j + k for i in (1, 4, 8) for j in (1, 4, 8) for k in (1, 4, 8)
    }
    with pytest.raises(StatisticsError, match="two pairs"):
        bootstrap_corpus(statistics, [a.take(np.array([0]))], 50, 3, ["f1"])


@pytest.mark.parametrize("copies", range(2, 13))
def test_identical_systems_do_not_differ_at_all(copies):
    """Also in columns that are not whole numbers, such as the scores of pairs."""
    rng = np.random.default_rng(copies)
    one, other = (Scores(rng.random(40)) for _ in range(2))
    systems = [*[one] * (copies - 1), other, Scores(one.values.copy())]
    same = [*range(copies - 1), copies]

    def statistics(sums, pairs):
        return {"mean": sums["score"] / pairs}

    drawn = bootstrap_corpus(statistics, systems, 100, 3, ["mean"])["mean"]
    assert (drawn[:, same] == drawn[:, :1]).all()
    compared = [Compared(systems[0], system, np.ones(40, np.bool_)) for system in systems]
    tested, _ = permutation_tests(statistics, compared, ["mean"], 99, rng)
    assert [tested[k]["mean"] for k in same] == [1] * copies


def test_resamples_are_drawn_within_strata():
    strata = np.array([2, 0, 1, 0, 2, 2])
    counts = np.concatenate([*draw_resamples(6, 4000, 3, strata)])
    for k in range(3):
        of_stratum = counts[:, strata == k]
        assert (of_stratum.sum(axis=1) == of_stratum.shape[1]).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.05)
    np.testing.assert_allclose(
        counts.var(axis=0), [2 / 3, 1 / 2, 0, 1 / 2, 2 / 3, 2 / 3], atol=0.05
    )


def test_intervals_have_their_nominal_coverage():
    rng = np.random.default_rng(5)
    statistics = corpus_statistics(SmatchPP())
    truth, inside = 0.6, 0
    for seed in range(100):
        scores = counts(rng.binomial(20, truth, 80), np.full(80, 20), np.full(80, 20))
        drawn = bootstrap_corpus(statistics, [scores], 200, seed, ["f1"])
        low, high = percentile_interval(drawn["f1"][:, 0])
        inside += low <= truth <= high
    assert 88 <= inside <= 100


def test_p_values_of_two_pairs_by_hand():
    size = np.full(2, 10)
    a, b = counts([9, 5], size, size), counts([3, 5], size, size)
    (p,) = p_values([Compared(a, b, np.ones(2, bool))], ["f1"])
    assert p["f1"] == 1  # swapped or not, the difference is 6 of 20 triples
    c = counts([3, 4], size, size)  # 9 + 5 and 3 + 4: without a swap, or with two, 7 more matches
    (p,) = p_values([Compared(a, c, np.ones(2, bool))], ["f1"])
    assert p["f1"] == pytest.approx(0.5, abs=0.03)


def p_values(compared, names, statistics=None, permutations=2000, seed=7):
    rng = np.random.default_rng(seed)
    statistics = statistics or corpus_statistics(SmatchPP())
    return permutation_tests(statistics, compared, names, permutations, rng)[0]


def test_sums_of_counts_give_the_same_p_values_as_one_permutation_after_the_other():
    rng = np.random.default_rng(4)
    size, gold = rng.integers(5, 12, 40), rng.integers(5, 12, 40)
    systems = [counts(rng.integers(0, 6, 40), size + k, gold) for k in range(3)]
    systems[2].details["src_total"][:] = systems[1].details["src_total"]
    counting = np.arange(40) % 7 > 0
    compared = [Compared(systems[i], systems[j], counting) for i, j in ((0, 1), (0, 2), (1, 2))]
    statistics = corpus_statistics(SmatchPP())
    names = [*corpus_scores(statistics, systems[0])]

    def difference(pair, swap):
        swapped = [
            Scores(
                np.where(swap, b.values, a.values),
                {key: np.where(swap, b.details[key], a.details[key]) for key in a.details},
            ).take(counting)
            for a, b in ((pair.first, pair.second), (pair.second, pair.first))
        ]
        first, second = (corpus_scores(statistics, scores) for scores in swapped)
        return np.array([first[name] - second[name] for name in names])

    swaps = np.random.default_rng(7).integers(2, size=(300, 40), dtype=np.bool_)
    fast = p_values(compared, names, permutations=300)
    for pair, p in zip(compared, fast, strict=True):
        observed = np.abs(difference(pair, np.zeros(40, bool))) - 1e-12
        extreme = sum(np.abs(difference(pair, swap)) >= observed for swap in swaps)
        assert [*p.values()] == ((extreme + 1) / 301).tolist()
    assert len({p for of_pair in fast for p in of_pair.values()}) > 10
    assert p_values(compared, names, permutations=400)[0] != fast[0]
    assert p_values(compared, names, permutations=300) == fast


def test_columns_that_no_corpus_score_uses_may_be_text():
    size = np.full(2, 10)
    scores = counts([9, 5], size, size), counts([3, 4], size, size)
    labelled = [Scores(x.values, {**x.details, "label": np.array(["a", "b"])}) for x in scores]
    counting = np.ones(2, bool)
    assert p_values([Compared(*labelled, counting)], ["f1"]) == p_values(
        [Compared(*scores, counting)], ["f1"]
    )


def share(sums, pairs):
    """Two corpus scores: a ratio of sums, and the mean of a column."""
    return {"share": sums["right"] / sums["all"], "mean": sums["right"] / pairs}


def shares(right, total):
    right = np.array(right, float)
    return Scores(right, {"right": right, "all": np.array(total, float)})


def test_scores_of_corpora_and_resamples_by_hand():
    first, second = shares([1, 2, 3], [2, 4, 6]), shares([0, 5, 1], [5, 5, 5])
    assert corpus_scores(share, second) == {"share": 6 / 15, "mean": 6 / 3}
    assert corpus_scores(share, first.take(np.array([], int))) == {}
    both = score_corpora(share, [first, second])
    assert {name: values.tolist() for name, values in both.items()} == {
        "share": [6 / 12, 6 / 15],
        "mean": [2, 2],
    }
    assert score_corpora(share, [first, first.take(np.array([], int))]) == {}
    drawn = score_resamples(share, second, np.array([[1.0, 1, 1], [0, 2, 1], [3, 0, 0]]))
    assert drawn["share"].tolist() == [6 / 15, 11 / 15, 0]
    assert drawn["mean"].tolist() == [6 / 3, 11 / 3, 0]


def test_the_bootstrap_scores_the_pairs_that_are_drawn():
    systems = [shares([1, 0], [2, 4]), shares([0, 5], [5, 6])]
    drawn = bootstrap_corpus(share, systems, 40, 3, ["mean"])
    (counts,) = draw_resamples(2, 40, 3)
    for k, system in enumerate(systems):
        pairs = [np.repeat([0, 1], row.astype(int)) for row in counts]
        expected = [system.values[rows].mean() for rows in pairs]
        assert drawn["mean"][:, k].tolist() == expected
    assert list(drawn) == ["mean"]
    assert bootstrap_corpus(share, systems[:1], 40, 3, ["mean"])["mean"].shape == (40, 1)


def test_every_pair_is_drawn_equally_often():
    (counts,) = draw_resamples(5, 4000, 0)
    assert (counts.sum(axis=1) == 5).all()
    assert_uniform(counts.sum(axis=0), 4000)
    strata = np.array([1, 0, 1, 0, 1])
    (counts,) = draw_resamples(5, 4000, 0, strata)
    assert_uniform(counts[:, strata == 0].sum(axis=0), 4000)
    assert_uniform(counts[:, strata == 1].sum(axis=0), 4000)


def test_a_seed_gives_the_resamples_that_it_gave(monkeypatch):
    expected = [[1, 1, 1, 1], [3, 0, 1, 0], [1, 1, 2, 0], [1, 0, 1, 2], [0, 1, 2, 1]]
    (drawn,) = draw_resamples(4, 5, 3)
    assert drawn.tolist() == expected
    (again,) = draw_resamples(4, 5, 3)
    assert again is drawn  # for the parts of a corpus
    (within,) = draw_resamples(4, 5, 3, np.array([1, 0, 1, 1]))
    assert within.tolist() == [[1, 1, 1, 1], [2, 1, 1, 0], [2, 1, 0, 1], [1, 1, 1, 1], [1, 1, 0, 2]]
    for block, rows in ((20, [5]), (8, [2, 2, 1]), (3, [1] * 5)):
        monkeypatch.setattr("bamboo.statistics.corpus.BLOCK", block)
        blocks = [*draw_resamples(4, 5, 3)]
        assert [len(counts) for counts in blocks] == rows
        assert np.concatenate(blocks).tolist() == expected
        assert (blocks[0] is drawn) == (rows == [5])


def test_resamples_of_four_numbers_of_pairs_are_kept():
    def draw(n):
        (drawn,) = draw_resamples(n, 2, 9)
        return drawn

    first = [draw(n) for n in (2, 3, 4, 5)]
    assert all(draw(n) is drawn for n, drawn in zip((2, 3, 4, 5), first, strict=True))
    draw(6)
    assert draw(5) is first[3]
    assert draw(2) is not first[0]
    assert draw(2).tolist() == first[0].tolist()


def test_percentiles_by_hand():
    # Of 0 to 40 the quantiles .025 and .975 are 0.025 * 40 and 0.975 * 40.
    values = np.random.default_rng(0).permutation(np.arange(41.0))
    assert percentile_interval(values) == pytest.approx((1, 39), abs=1e-12)
    assert percentile_interval(np.array([np.nan, 7.0, np.inf])) == (7, 7)
    assert np.isnan(percentile_interval(np.array([np.nan]))).all()


def test_shares_as_extreme_by_hand():
    draws = np.array([1.0, -2.0, 0.5, 1 - 0.9e-12, 1 - 1.5e-12])
    assert is_as_extreme(draws, -1.0).tolist() == [True, True, False, True, False]
    assert is_as_extreme(np.zeros(1), 1e-12).tolist() == [True]
    assert share_as_extreme(draws, -1.0) == (3 + 1) / (5 + 1)


@pytest.mark.parametrize("rows", [2000, 7, 1])
def test_corrected_p_values_of_systems(monkeypatch, rows):
    """By definition; the scales are those of the first block of permutations."""
    rng = np.random.default_rng(0)
    size = np.full(12, 9)
    systems = [shares(rng.integers(0, 9, 12), size) for _ in range(3)]
    pairs = ((0, 1), (0, 2), (1, 2))
    compared = [Compared(systems[i], systems[j], np.ones(12, bool)) for i, j in pairs]
    if rows > 1:
        monkeypatch.setattr("bamboo.statistics.corpus.ROWS", rows)
    else:
        monkeypatch.setattr("bamboo.statistics.corpus.BLOCK", 5)  # less than a row
    blocks = [min(rows, 60 - start) for start in range(0, 60, rows)]
    rng = np.random.default_rng(1)
    swaps = np.concatenate([rng.integers(2, size=(size, 12), dtype=np.bool_) for size in blocks])
    gains = np.stack([systems[i].values - systems[j].values for i, j in pairs], axis=1)
    observed, draws = gains.sum(axis=0), (1 - 2.0 * swaps) @ gains
    scale = np.sqrt((draws[: blocks[0]] ** 2).mean(axis=0))

    def statistics(sums, pairs):
        return {"share": sums["right"] / sums["all"], "size": sums["all"] / pairs}

    tested, corrected = permutation_tests(
        statistics, compared, ["share", "size"], 60, np.random.default_rng(1)
    )
    p = ((np.abs(draws) >= np.abs(observed) - 1e-9).sum(axis=0) + 1) / 61
    assert [of_pair["share"] for of_pair in tested] == p.tolist()
    assert [of_pair["size"] for of_pair in tested] == [1, 1, 1]
    assert corrected == pytest.approx(np.maximum(step_down(observed, draws, scale), p))
    nothing, corrected = permutation_tests(share, [], ["share"], 60, rng)
    assert (nothing, corrected.tolist()) == ([], [])
    tested, corrected = permutation_tests(share, compared[:1], ["share"], 0, rng)
    assert (tested, corrected.tolist()) == ([{"share": 1}], [1])  # (0 + 1) / (0 + 1)


def test_a_seed_gives_the_p_values_that_it_gave():
    systems = shares([1, 7, 5], [9, 9, 9]), shares([3, 2, 4], [9, 9, 9])
    compared = [Compared(*systems, np.ones(3, bool))]
    tested, _ = permutation_tests(share, compared, ["share"], 4500, np.random.default_rng(2))
    assert round(4501 * tested[0]["share"]) == 3345
