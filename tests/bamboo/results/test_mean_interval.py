"""The interval of the mean over cells."""

from pathlib import Path

import numpy as np
import pytest

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset, Partition
from bamboo.benchmark.protocols import Protocol, kendall
from bamboo.results.evaluate import _mean_interval as mean_interval
from bamboo.results.evaluate import cell_sample
from bamboo.scoring.cache import CellScores
from bamboo.statistics.bootstrap import joint_bootstrap
from bamboo.statistics.resampling import Resampling
from metrics.base import Scores

PEARSON = Protocol("p", {"main": "pearson"}, None)
QUICK = Resampling(resamples=200, seed=3)


def cell(partition, dataset="own"):
    parts = {partition: Partition(folder=partition, pairs={"test": None})}
    home = Path()
    return Cell(
        Dataset(name=dataset, title=dataset, root=home, scale=(0, 1), partitions=parts),
        partition,
        "test",
    )


def cell_scores(noise, ratings, seed=0):
    values = ratings + noise * np.random.default_rng(seed).normal(size=len(ratings))
    return CellScores(Scores(values), ratings, np.arange(len(ratings)), {}, 1.0)


RATINGS = np.linspace(0, 1, 60)


def test_cells_with_the_same_pairs_are_resampled_together():
    scores = cell_scores(0.5, RATINGS)
    alone = mean_interval({cell("main"): scores}, PEARSON, QUICK)
    together = mean_interval({cell("main"): scores, cell("other"): scores}, PEARSON, QUICK)
    assert together == pytest.approx(alone)  # no narrower: the two cells are the same
    apart = mean_interval({cell("main"): scores, cell("main", "b"): scores}, PEARSON, QUICK)
    assert apart[1] - apart[0] < 0.9 * (alone[1] - alone[0])


def test_the_interval_is_that_of_the_mean_of_the_resampled_values():
    scored = {
        cell("main"): cell_scores(0.3, RATINGS, 1),
        cell("other", "b"): cell_scores(0.9, RATINGS[:40], 2),
    }
    samples = {c.column: cell_sample(c, [s.scores.values], s, PEARSON) for c, s in scored.items()}
    drawn = joint_bootstrap(samples, QUICK.resamples, QUICK.seed)
    first, second = (values[:, 0] for values in drawn.values())
    expected = 100 * np.quantile((first + second) / 2, [0.025, 0.975])
    assert mean_interval(scored, PEARSON, QUICK) == pytest.approx(tuple(expected))
    low, high = mean_interval(scored, PEARSON, QUICK)
    assert low < 100 * np.mean([s.values[0] for s in samples.values()]) < high


def test_a_statistic_that_is_called_for_each_resample():
    protocol = Protocol("k", {"main": "kendall"}, None)
    scores = cell_scores(0.5, RATINGS)
    low, high = mean_interval(
        {cell("main"): scores, cell("other"): scores}, protocol, Resampling(resamples=50)
    )
    assert low < 100 * kendall(scores.scores.values, RATINGS) < high


def test_too_few_pairs_have_no_interval():
    scores = {cell("main"): cell_scores(0.5, RATINGS[:1]), cell("b"): cell_scores(0.5, RATINGS)}
    assert np.isnan(mean_interval(scores, PEARSON, QUICK)).all()
