"""Corpus scores and intervals from sums over pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bamboo.errors import ConfigError
from bamboo.evaluation.sums import Sums
from bamboo.evaluation.systems import corpus_statistics
from bamboo.statistics.corpus import bootstrap_corpus, percentile_interval
from metrics import Pair, Smatch
from metrics.base import Metric, Scores
from metrics.features.rematch import Rematch
from metrics.features.sema import Sema
from metrics.features.sembleu import SemBleu
from metrics.features.wlk import Wlk
from tests.strategies import graphs

METRICS: tuple[Metric, ...] = (Smatch(), Sema(), SemBleu(), Rematch(), Wlk())
RNG = np.random.default_rng


def test_sums_by_hand() -> None:
    scores = Scores(
        np.array([0.5, 1.0]), {"matches": np.array([1, 3]), "good": np.array([1, 0]) > 0}
    )
    sums = Sums.of(scores, 0, RNG(0))
    assert dict(zip(sums.columns, sums.totals.tolist(), strict=True)) == {
        " count": 2,
        " value": 1.5,
        "matches": 4,
    }
    assert sums.flags == {"good": False}
    twice = Sums.added([sums, sums])
    assert (twice.count, twice.totals.tolist()) == (4, [4, 3, 8])


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)
@settings(max_examples=25, deadline=None)  # kernels are compiled in the first
@given(data=st.data())
def test_corpus_scores_follow_from_the_sums_of_any_division(
    metric: Metric, data: st.DataObject
) -> None:
    pairs = data.draw(st.lists(st.builds(Pair, graphs(), graphs()), min_size=1, max_size=6))
    cut = data.draw(st.integers(0, len(pairs)))
    scores = metric.evaluate(pairs)
    statistics = corpus_statistics(metric)
    at = np.arange(len(pairs))
    parts = [Sums.of(scores.take(at[part]), 0, RNG(0)) for part in (slice(cut), slice(cut, None))]
    found = Sums.added(parts).corpus(statistics)
    assert found == pytest.approx(statistics(scores), abs=1e-12)
    Sums.of(scores, 0, RNG(0)).check(statistics, scores, "any")


def test_intervals_are_close_to_those_of_resampled_pairs() -> None:
    rng = RNG(1)
    src, tgt = rng.integers(3, 30, (2, 600))
    matches = rng.binomial(np.minimum(src, tgt), 0.7)
    scores = Scores(
        2 * matches / (src + tgt),
        {
            "matches": matches,
            "src_total": src,
            "tgt_total": tgt,
            "precision": matches / src,
            "recall": matches / tgt,
            "optimal": np.ones(600, bool),
        },
    )
    statistics = corpus_statistics(Smatch())
    parts = [Sums.of(scores.take(np.arange(k, k + 200)), 2_000, RNG(k)) for k in (0, 200, 400)]
    found = Sums.added(parts).intervals(statistics)
    drawn = bootstrap_corpus(statistics, [scores], 2_000)
    for name in ("f1", "precision", "recall", "macro_f1"):
        expected = percentile_interval(drawn[name][:, 0])
        width = expected[1] - expected[0]
        assert found[name] == pytest.approx(expected, abs=0.12 * width)


class Median(Metric):
    """A metric whose corpus score is not a function of sums."""

    def evaluate(self, pairs):  # type: ignore[no-untyped-def]
        return Scores(np.array([0.0] * len(pairs)))

    def corpus(self, scores: Scores) -> dict[str, float]:
        return {"median": float(np.median(scores.values))}


def test_a_corpus_score_that_does_not_follow_from_sums() -> None:
    scores = Scores(np.array([0.0, 0.1, 0.9]))
    with pytest.raises(ConfigError, match="metric mine: the corpus score median does not follow"):
        Sums.of(scores, 0, RNG(0)).check(corpus_statistics(Median()), scores, "mine")
