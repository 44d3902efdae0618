"""Trainings of one partition, one after another."""

from dataclasses import replace

import numpy as np
import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.vectors import WordVectors
from bamboo.benchmark.cells import PairSet
from bamboo.engines import SERIAL, Processes
from bamboo.errors import ConfigError
from bamboo.progress import Progress
from bamboo.scoring.file_pairs import FilePairs
from bamboo.train.fit import Split, StepCounter, count_steps, learn, plan_training
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
        made[row.name, "sample", "main"] = plan_training(row, dataset, "main", None)
    return made


def test_sharing_does_not_change_the_weights(trainings, tmp_path):
    together = learn(trainings, tmp_path / "a", SERIAL, lambda what, total: None)
    for key in [*trainings][::2]:
        alone = learn({key: trainings[key]}, tmp_path / key[0], SERIAL, lambda what, total: None)[
            key
        ]
        assert alone.values == together[key].values
        assert str(alone.history) == str(together[key].history)  # the first loss is NaN


def test_steps_are_counted(trainings, tmp_path):
    lines = []

    class Lines(Progress):
        def reach(self, count, amount):
            super().reach(count, amount)
            lines.append(str(self).partition(",")[0])

    longer = {**SHORT, "evaluations": 2}
    for key, made in trainings.items():
        trainings[key] = replace(made, trainer={**made.trainer, "schedule": longer})
    learn(trainings, tmp_path, SERIAL, Lines())
    # Four different trainings of two evaluations, after two steps each.
    assert list(dict.fromkeys(lines)) == [f"training: {k} of 16 steps" for k in range(2, 17, 2)]


def test_steps_in_other_processes_are_noted_in_files(tmp_path):
    progress, weights = Progress(), [tmp_path / "a.json", tmp_path / "b.json"]
    progress.begin("training", 2, "steps")
    counter = StepCounter(dict.fromkeys(weights, 100), tmp_path, progress)
    for path, taken in zip(weights, (50, 25), strict=True):
        counter.receiver(path, Processes(jobs=2))(taken)
    counter.look()
    assert str(progress).startswith("training: 75 of 200 steps, about ")
    counter.add(weights[0], 100)  # it stopped early
    counter.look()
    assert str(progress).startswith("training: 125 of 200 steps, about ")


@pytest.mark.parametrize(
    ("trainer", "steps"),
    [
        ({"optimiser": {}, "schedule": SHORT | {"evaluations": 3}}, 6),
        ({"axes": {"tau": [0.1, 0.2, 0.3], "tau_sense": [0.1, 0.2]}}, 6),
        ({"correlation": {}}, 1),
        ({}, 1),
    ],
)
def test_the_number_of_steps_of_a_trainer(trainer, steps):
    assert count_steps(trainer) == steps


def test_a_schedule_of_no_steps():
    with pytest.raises(ConfigError, match="at least 1"):
        count_steps({"schedule": SHORT | {"interval": 0}})


def test_a_metric_prepares_pairs_as_documented():
    class Documented:
        def prepare(self, pairs):
            return [*pairs, "prepared"]

    split = Split(["a"], np.ones(1), np.arange(1))
    assert split.prepare(Documented()).pairs == ["a", "prepared"]


def test_missing_pairs_have_no_ratings():
    cat, dog = (Pair(graph, graph) for graph in map(parse_graph, ("(c / cat)", "(d / dog)")))
    pairs = FilePairs.of([cat, None, dog])
    split = Split.of(PairSet(pairs, np.array([0.1, 0.5, 0.9]), np.array([7, 8, 9]), {}))
    assert [*split.pairs] == [cat, dog]
    assert (split.ratings.tolist(), split.numbers.tolist()) == ([0.1, 0.9], [7, 9])
