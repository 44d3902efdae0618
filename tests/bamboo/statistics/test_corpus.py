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
    percentile_interval,
    permutation_tests,
)


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
