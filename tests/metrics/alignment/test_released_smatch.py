"""Smatch on the released data: every pair proven, the published cells, an independent solver."""

import numpy as np
import pytest
from released import released

from metrics import Smatch
from metrics.alignment.exact import Exact
from metrics.alignment.facts import Vocabulary, problems
from metrics.alignment.hillclimb import HillClimb
from metrics.alignment.milp import Milp

DATASETS = {"sts": 1379, "sick": 4927, "para": 1725}
PEARSON = {
    "main": (58.52, 59.72, 41.36),
    "reify": (57.95, 61.80, 39.66),
    "syno": (56.23, 57.38, 39.61),
    "role_confusion": (48.05, 70.54, 24.72),
}
ACCURACY = {"sts": 89.87, "sick": 98.32, "para": 88.31}
CELLS = [(dataset, partition) for partition in PEARSON for dataset in DATASETS]


@pytest.fixture(scope="module")
def data(shared):
    return shared / "bamboo-amr-benchmark"


@pytest.mark.parametrize(("dataset", "partition"), CELLS)
def test_every_pair_is_proven_and_the_cell_is_the_published_one(data, dataset, partition):
    pairs, ratings = released(data, dataset, partition)
    found = Smatch().evaluate(pairs)
    assert found.details["optimal"].all()
    assert found.details["upper_bound"].tolist() == found.details["matches"].tolist()
    pearson = 100 * np.corrcoef(found.values, ratings)[0, 1]
    published = PEARSON[partition][list(DATASETS).index(dataset)]
    assert pearson == pytest.approx(published, abs=0.05)
    if partition == "role_confusion":
        altered, original = found.values[::2], found.values[1::2]
        assert 100 * (original > altered).mean() == pytest.approx(ACCURACY[dataset], abs=0.05)
    else:
        assert len(pairs) == DATASETS[dataset]


def batch_of(data, dataset, partition, count=None):
    pairs, _ = released(data, dataset, partition)
    if count is not None:
        rng = np.random.default_rng(len(pairs))
        pairs = [pairs[k] for k in rng.choice(len(pairs), count, replace=False)]
    return problems(*Smatch().tables(pairs, Vocabulary()))


@pytest.mark.parametrize(("dataset", "partition"), CELLS)
def test_milp_agrees(data, dataset, partition):
    batch = batch_of(data, dataset, partition, 8)
    exact, milp = Exact().solve_batch(batch), Milp().solve_batch(batch)
    assert exact.value.tolist() == milp.value.tolist()
    assert milp.upper_bound.tolist() == milp.value.tolist()


@pytest.mark.parametrize(("dataset", "partition"), [("sts", "main"), ("para", "reify")])
def test_hill_climbing_stays_below_and_near(data, dataset, partition):
    batch = batch_of(data, dataset, partition)
    exact, climbed = Exact().solve_batch(batch), HillClimb().solve_batch(batch)
    assert (climbed.value <= exact.value).all()
    assert (climbed.upper_bound >= exact.value).all()
    assert climbed.value.sum() > 0.98 * exact.value.sum()


def test_bounds_hold_when_the_search_is_cut_short(data):
    batch = batch_of(data, "para", "reify")
    best = Exact().solve_batch(batch).value
    for cut in (Exact(node_limit=0, root_rounds=3), Exact(work_limit=0), Exact(work_limit=3000)):
        answer = cut.solve_batch(batch)
        assert (answer.value <= best).all()
        assert (answer.upper_bound >= best).all()
        assert (answer.optimal == (answer.upper_bound == answer.value)).all()
        assert (answer.value[answer.optimal] == best[answer.optimal]).all()
        assert not answer.optimal.all()


def test_real_weights_are_proven_too(data):
    batch = batch_of(data, "para", "reify", 300)
    rng = np.random.default_rng(0)
    batch.unary[:] += rng.random(batch.unary.size) * (rng.random(batch.unary.size) < 0.15)
    answer = Exact().solve_batch(batch)
    assert answer.optimal.all()
    for p in range(12):
        assert answer.value[p] == pytest.approx(Milp().solve(batch[p]).value, abs=1e-6)
