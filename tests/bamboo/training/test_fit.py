"""Trainings of one partition, one after another."""

from dataclasses import replace

import numpy as np
import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.vectors import WordVectors
from bamboo.api.data import resolve_datasets
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.config.requests import resolve_rows
from bamboo.engines import SERIAL, Processes
from bamboo.errors import BambooWarning, ConfigError
from bamboo.progress import Progress
from bamboo.scoring.file_pairs import FilePairs
from bamboo.training.fit import (
    Split,
    StepCounter,
    count_steps,
    describe_borrowed_splits,
    fit,
    learn,
    plan_training,
)
from bamboo.training.loop import TrainingError

SHORT = {"interval": 2, "evaluations": 1, "patience": None, "average": False}
VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0, 1]})


@pytest.fixture
def trainings():
    """Five trainings of WWLK-theta on the sample, two of them equal; by key."""
    (job,), (dataset,) = resolve_rows("wwlk_theta", protocol="paper"), resolve_datasets("sample")
    trainer = {**job.trainer, "schedule": SHORT}
    options = [{}, {"K": 1}, {"seed": 1}, {"K": 1, "seed": 1}, {"K": 1}]
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


def test_trainings_of_one_step_each_are_counted_as_trainings(trainings, tmp_path):
    units = []

    class Units(Progress):
        def begin(self, phase, total, unit=""):
            units.append(unit)
            super().begin(phase, total, unit)

    for evaluations in (1, 2):
        schedule = {**SHORT, "interval": 1, "evaluations": evaluations}
        made = {
            key: replace(training, trainer={**training.trainer, "schedule": schedule})
            for key, training in [*trainings.items()][:2]
        }
        learn(made, tmp_path, SERIAL, Units())
    assert units == ["", "steps"]


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
        ({"optimiser": {}, "schedule": SHORT | {"passes": 2}}, 1),  # not known without the split
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


def quiet(what, total):
    """Receives progress."""


def test_weights_are_read_from_the_cache(trainings, tmp_path, monkeypatch):
    (key, made), *_ = trainings.items()
    assert (made.seed, trainings["row 2", "sample", "main"].seed) == (0, 1)
    first = learn({key: made}, tmp_path, SERIAL, quiet)[key]
    (path,) = tmp_path.glob("*.json")
    assert path.stem == made.key()
    whole = path.read_text("utf-8")
    lines = []

    class Lines(Progress):
        def begin(self, phase, total, unit=""):
            lines.append((phase, total, unit))
            super().begin(phase, total, unit)

    with monkeypatch.context() as patch:
        patch.setattr("bamboo.training.fit.fit", None)  # nothing is learned
        assert learn({key: made}, tmp_path, SERIAL, Lines())[key].values == first.values
    assert lines == [("training", 1, "")]
    path.write_text("{", "utf-8")
    with pytest.warns(BambooWarning, match="are damaged: they are learned again"):
        assert learn({key: made}, tmp_path, SERIAL, Lines())[key].values == first.values
    assert path.read_text("utf-8") == whole
    assert learn({}, tmp_path, SERIAL, Lines()) == {}
    assert lines[1:] == [("training", 1, "")]


def test_occurrences_are_those_of_all_train_pairs(trainings):
    made = next(iter(trainings.values()))
    learned = fit(made, made.read())
    usage = (
        made.read().train.prepare(made.build().initialised(made.read().train.pairs)).pairs.usage()
    )
    assert [*learned.occurrences.values()] == usage.tolist()
    assert learned.start.keys() == learned.values.keys() == learned.occurrences.keys()
    assert learned.source["trainer"] == made.trainer
    assert "others" not in learned.source
    both = replace(made, others=((made.dataset, "arg"),))
    assert [source["partition"] for source in both.source()["others"]] == ["arg"]
    assert both.key() != made.key()
    reordered = replace(made, trainer=dict(reversed(made.trainer.items())))
    assert reordered.key() == made.key()


@pytest.mark.parametrize(
    ("trainer", "others", "error", "message"),
    [
        ({}, False, ConfigError, "expected an optimiser and a schedule, axes"),
        ({"optimiser": {}}, False, ConfigError, "expected an optimiser and a schedule, axes"),
        ({"schedule": SHORT}, False, ConfigError, "expected an optimiser and a schedule, axes"),
        ({"name": "mine"}, True, ConfigError, "trainer mine trains on one data set and partition"),
        ({"correlation": {}}, False, TrainingError, "linear in its parameters"),
        ({"correlation": {}, "damage": {"graphs": 1}}, True, TrainingError, "linear in its par"),
    ],
)
def test_trainers_that_cannot_be_used(trainings, trainer, others, error, message):
    made = next(iter(trainings.values()))
    further = ((made.dataset, "arg"),) if others else ()
    changed = replace(made, trainer=trainer, others=further)
    with pytest.raises(error, match=message):
        fit(changed, changed.read())


def test_a_grid_search_is_one_of_dev(trainings):
    made = next(iter(trainings.values()))
    name = made.build().initialised(made.read().train.pairs).parameters.names[0]
    searched = replace(made, trainer={"axes": {name: [0.25, 0.5]}})
    learned = fit(searched, searched.read())
    assert len(learned.history) == 2
    assert learned.values[name] in (0.25, 0.5)
    assert {k: v for k, v in learned.values.items() if k != name} == {
        k: v for k, v in learned.start.items() if k != name
    }


def test_a_partition_without_a_train_split_is_trained_on_another(trainings, tmp_path):
    made = next(iter(trainings.values()))
    parts = made.dataset.partitions
    parts = {**parts, "reify": replace(parts["reify"], pairs={"dev": 24, "test": 64})}
    dataset = replace(made.dataset, partitions=parts)
    folder = tmp_path / dataset.name / parts["reify"].folder
    row, whole = made.row, "sample reify has no released train split: trained on "
    cells = [Cell(dataset, partition, "test") for partition in ("main", "reify")]
    for built in (None, tmp_path):  # in which there is nothing yet
        assert describe_borrowed_splits([row], cells, built) == [f"{whole}that of main."]
    folder.mkdir(parents=True)
    (folder / "src.train.amr").write_text("")
    assert describe_borrowed_splits([row], cells, tmp_path) == [f"{whole}the one made by build."]
    of_grid = replace(row, trainer={"axes": {}})
    assert describe_borrowed_splits([of_grid], cells, tmp_path) == []
    assert describe_borrowed_splits([of_grid, row], cells, None) == [f"{whole}that of main."]
    train = plan_training(row, dataset, "main", tmp_path).train_cell()
    assert (train.dataset, train.partition, train.split) == (dataset, "main", "train")
    assert plan_training(row, dataset, "reify", None).dev_cell().split == "dev"
