"""The interval of the mean over cells."""

from pathlib import Path

import numpy as np
import pytest
from harness import scored_cell

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset, Partition
from bamboo.benchmark.protocols import Protocol
from bamboo.results.evaluate import _estimate_mean_interval as mean_interval
from bamboo.results.evaluate import cell_sample
from bamboo.statistics.bootstrap import joint_bootstrap
from bamboo.statistics.resampling import Resampling

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
    return scored_cell(values, ratings)


RATINGS = np.linspace(0, 1, 60)


def test_the_interval_is_that_of_the_mean_of_the_resampled_values(monkeypatch):
    monkeypatch.setattr("bamboo.statistics.sample.FEW", 2)
    scored = {
        cell("main"): cell_scores(0.3, RATINGS, 1),
        cell("other", "b"): cell_scores(0.9, RATINGS[:40], 2),
    }
    samples = {c.column: cell_sample(c, [s], PEARSON) for c, s in scored.items()}
    drawn = joint_bootstrap(samples, QUICK.resamples, QUICK.seed)
    first, second = (values[:, 0] for values in drawn.values())
    expected = 100 * np.quantile((first + second) / 2, [0.025, 0.975])
    assert mean_interval("mean of 2 cells", scored, PEARSON, QUICK) == pytest.approx(
        tuple(expected)
    )
    low, high = mean_interval("mean of 2 cells", scored, PEARSON, QUICK)
    assert low < 100 * np.mean([s.values[0] for s in samples.values()]) < high
