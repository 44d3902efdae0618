"""Trainings of one partition, one after another."""

from dataclasses import replace

import pytest

from amr_metrics.vectors import WordVectors
from bamboo.engines import SERIAL
from bamboo.train.fit import learn, training
from tests.configured import configured

SHORT = {"interval": 2, "evaluations": 1, "patience": None, "average": False}
VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0, 1]})


@pytest.fixture
def trainings():
    """Five trainings of WWLK-theta on the sample, two of them equal; by key."""
    request = configured("run", ["metric=wwlk_theta", "data=sample"])
    (job,) = request.rows
    trainer = {**job.trainer, "schedule": SHORT}
    options = [{}, {"K": 1}, {"seed": 1}, {"K": 1, "seed": 1}, {"K": 1}]
    dataset = request.data[0]
    made = {}
    for k, changed in enumerate(options):
        metric = replace(job.metric, vectors=VECTORS, **changed)
        row = replace(job, name=f"row {k}", metric=metric, trainer=trainer)
        made[row.name, "sample", "main"] = training(row, dataset, "main", None)
    return made


def test_sharing_does_not_change_the_weights(trainings, tmp_path):
    together = learn(trainings, tmp_path / "a", SERIAL, lambda what, total: None)
    for key in [*trainings][::2]:
        alone = learn({key: trainings[key]}, tmp_path / key[0], SERIAL, lambda what, total: None)[
            key
        ]
        assert alone.values == together[key].values
        assert str(alone.history) == str(together[key].history)  # the first loss is NaN
