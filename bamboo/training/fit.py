"""Train a metric on a partition of a data set; learned weights from a file or from the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.base import Pair
from amr_metrics.errors import PairError
from amr_metrics.parameters import LinearPairs, Parametric
from amr_metrics.types import Floats, Ints
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.benchmark.datasets import Dataset
from bamboo.config.options import build, read_options
from bamboo.config.rows import Row
from bamboo.config.weights import Weights, WeightsError, read_weights
from bamboo.engines import Engine
from bamboo.errors import ConfigError
from bamboo.files import json_text
from bamboo.implementation import implementation
from bamboo.log import warn
from bamboo.progress import OnStep, begin, reach
from bamboo.training.correlation import CellExamples, Correlation, DamagedRows, fit_correlation
from bamboo.training.damage import Damage, amount
from bamboo.training.loop import Grid, OnEvaluation, Schedule, search, train
from bamboo.training.steps import Examples, Optimiser

TrainingKey = tuple[str, str, str]  # metric, data set, partition
FALLBACK = "main"  # used where a partition has no train split, such as PARA's reify
# The splits of the last training in this process, by the digests of their files: the trainings that
# follow on the same partition use the same `Pairs` objects, with what these have encoded.
_LAST: dict[tuple[str, str], Splits] = {}


@dataclass(frozen=True, eq=False)
class Split:
    """The pairs of a train or dev split, without those that are missing.

    Attributes:
        pairs: the pairs.
        ratings: (pairs,), in 0..1.
        numbers: (pairs,), the number of each pair in its file.
    """

    pairs: Sequence[Pair]
    ratings: Floats
    numbers: Ints

    @classmethod
    def of(cls, pair_set: PairSet) -> Split:
        """Return the pairs of a cell, with the ratings and numbers of the same pairs."""
        at = pair_set.pairs.present
        return cls(pair_set.pairs.select(at), pair_set.ratings[at], pair_set.numbers[at])

    def prepare(self, metric: Parametric) -> Examples:
        """Return the pairs, prepared for the metric, and their ratings."""
        return Examples(metric.prepare(self.pairs), self.ratings)


class Splits(NamedTuple):
    """The train split, and the dev split on which values are selected."""

    train: Split
    dev: Split


@dataclass(frozen=True, eq=False)
class Training:
    """A metric to train, the data, and the trainer.

    Attributes:
        row: the metric.
        dataset, partition: where its train and dev splits are.
        trainer: the content of ``conf/trainer/<name>.yaml``.
        seed: of batches, perturbations and folds.
        built: the folder of built partitions, whose train split is used if none was released.
        others: further data sets and partitions, whose pairs are used together with those of this
            one; only with ``trainer=correlation``.
    """

    row: Row
    dataset: Dataset
    partition: str
    trainer: Mapping[str, Any]
    seed: int
    built: Path | None = None
    others: tuple[tuple[Dataset, str], ...] = ()

    @property
    def singles(self) -> list[Training]:
        """A training for each data set and partition by itself; this one comes first."""
        first = replace(self, others=())
        return [first, *(replace(first, dataset=d, partition=p) for d, p in self.others)]

    def train_cell(self) -> Cell:
        """Return the train split: the released one, else the built one, else that of Main."""
        # Training needs a dev split: a partition without one is an error here.
        if "train" in self.dataset.partition(self.partition, "dev").pairs:
            return Cell(self.dataset, self.partition, "train")
        if self.built is not None:
            part = self.dataset.partitions[self.partition]
            if (self.built / self.dataset.name / part.folder / "src.train.amr").is_file():
                dataset = self.dataset.with_built(self.built, [self.partition], "train")
                return Cell(dataset, self.partition, "train")
        return Cell(self.dataset, FALLBACK, "train")

    def dev_cell(self) -> Cell:
        """Return the dev split, which is evaluated during training."""
        return Cell(self.dataset, self.partition, "dev")

    def read(self) -> Splits:
        """Return the train and dev splits."""
        return Splits(Split.of(self.train_cell().load()), Split.of(self.dev_cell().load()))

    def build(self) -> Parametric:
        """Return the metric, untrained.

        Raises:
            ConfigError: if it has no parameters.
        """
        metric = self.row.untrained(self.dataset.name)
        if not isinstance(metric, Parametric):
            raise ConfigError(f"metric {self.row.name} has no parameters to train")
        return metric

    def source(self) -> dict[str, Any]:
        """Return all that the learned weights depend on, except the metric's options.

        That is the content of the files of all splits, the trainer, the seed, and the code and
        packages of the metric and the trainer (`implementation`). Weights in the cache are found by
        a hash of it (`key`): what is not in it must not change them.
        """
        train = self.train_cell()
        return {
            "dataset": self.dataset.name,
            "partition": self.partition,
            "train": f"{train.partition} train",
            "train_digest": train.digest(),
            "dev_digest": self.dev_cell().digest(),
            "trainer": dict(self.trainer),
            "seed": self.seed,
            "implementation": implementation(self.build(), self.trainer),
            **({"others": [single.source() for single in self.singles[1:]]} if self.others else {}),
        }

    def key(self) -> str:
        """Return a hash of the metric with its options and of `source`."""
        text = json_text([self.build().signature, self.source()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def fit(
    training: Training,
    splits: Splits,
    progress: OnEvaluation = lambda evaluation, total: None,
) -> Weights:
    """Return the learned weights of a metric.

    Args:
        splits: the splits of the first data set and partition; those of the others are read.
        progress: called after each evaluation, with the largest number of evaluations.

    Raises:
        ConfigError: a metric without parameters, or an invalid trainer.
        OptionError: a metric that cannot be given its learned parameters by name.
        TrainingError: see `bamboo.training.loop.train`.
        PairError: for a pair that cannot be scored, with its data set, partition and split.
    """
    singles = training.singles
    all_splits = [splits, *(single.read() for single in singles[1:])]
    metric = _initialize_metric(singles, all_splits)
    parameters = metric.parameters
    if not parameters.names:
        raise ConfigError(f"metric {training.row.name} has no parameters to train")
    start = dict(zip(parameters.names, parameters.values.tolist(), strict=True))
    # Fail early if learned weights could not be given back by `with_named`; nothing is kept.
    training.build().with_named(start)
    prepared = [
        _prepare_examples(single, metric, of_single)
        for single, of_single in zip(singles, all_splits, strict=True)
    ]
    examples = prepared[0]
    # From the generator, a trainer draws either damaged graphs or the batches of its steps.
    trainer, rng = training.trainer, np.random.default_rng(training.seed)
    if "correlation" in trainer:
        options = read_options(Correlation, trainer["correlation"], "trainer.correlation")
        damaged = _prepare_damage(metric, all_splits, trainer.get("damage"), rng)
        values, history = fit_correlation(prepared, damaged, parameters.values, options)
    elif training.others:
        raise ConfigError(f"trainer {trainer.get('name')} trains on one data set and partition")
    elif "axes" in trainer:  # a grid search evaluates on dev only
        values, history = search(parameters, examples.dev, _read_grid(trainer), progress)
    else:
        values, history = train(
            parameters,
            examples.train,
            examples.dev,
            _build_optimiser(trainer),
            _read_schedule(trainer),
            rng,
            progress,
        )
    usage = np.sum([of_cell.train.pairs.usage() for of_cell in prepared], axis=0)
    return Weights(
        metric=metric.with_parameters(values).signature,
        source=training.source(),
        start=start,
        values=dict(zip(parameters.names, values.tolist(), strict=True)),
        occurrences=dict(zip(parameters.names, usage.tolist(), strict=True)),
        history=tuple(history),
    )


def _initialize_metric(singles: Sequence[Training], all_splits: Sequence[Splits]) -> Parametric:
    """Return the metric with the initial values that all train pairs require."""
    train_splits = [splits.train for splits in all_splits]
    # A single split is passed on as it is: a `Pairs` object is encoded once for all metrics.
    pairs = (
        train_splits[0].pairs
        if len(train_splits) == 1
        else [pair for split in train_splits for pair in split.pairs]
    )
    cells = [single.train_cell() for single in singles]
    with _locate_errors(singles[0].row.name, [*zip(cells, train_splits, strict=True)]):
        return singles[0].build().initialised(pairs)


def _prepare_examples(training: Training, metric: Parametric, splits: Splits) -> CellExamples:
    """Return the splits of a single data set and partition, prepared for the metric."""
    train_cell, dev_cell = training.train_cell(), training.dev_cell()
    examples = CellExamples(
        str(train_cell), splits.train.prepare(metric), splits.dev.prepare(metric), train_cell.unit
    )
    for cell, split, pairs in (
        (train_cell, splits.train, examples.train.pairs),
        (dev_cell, splits.dev, examples.dev.pairs),
    ):
        if isinstance(pairs, LinearPairs):
            with _locate_errors(training.row.name, [(cell, split)]):
                pairs.terms()  # computed now, so that errors name the cell; the pairs keep them
    return examples


@contextmanager
def _locate_errors(name: str, splits: Sequence[tuple[Cell, Split]]) -> Iterator[None]:
    """Add the cell and the pair's number to an error about the pairs of some splits.

    Args:
        name: of the metric.
        splits: with their cells; `PairError.pair` is a position in the pairs of all of them, one
            split after another.
    """
    try:
        yield
    except PairError as error:
        if error.pair is None:
            raise
        pairs = [(cell, number) for cell, split in splits for number in split.numbers.tolist()]
        cell, number = pairs[error.pair]
        problem = PairError(error.problem, pair=number, argument=error.argument)
        raise PairError(f"{name} on {cell}: {problem}") from None


def _prepare_damage(
    metric: Parametric,
    all_splits: Sequence[Splits],
    config: Mapping[str, Any] | None,
    rng: np.random.Generator,
) -> DamagedRows | None:
    """Return the terms of damaged train graphs; None without damage."""
    if config is None:
        return None
    options = read_options(Damage, config, "trainer.damage")
    graphs = [graph for splits in all_splits for pair in splits.train.pairs for graph in pair]
    pairs = options.pairs(graphs, rng)
    prepared = metric.prepare(pairs)
    if not isinstance(prepared, LinearPairs):
        return None  # nor are the other pairs, for which `fit_correlation` raises an error
    damage = np.array([amount(pair) for pair in pairs])
    return DamagedRows.of(prepared.terms(), damage, options.steps)


def _build_optimiser(trainer: Mapping[str, Any]) -> Optimiser:
    if "optimiser" not in trainer or "schedule" not in trainer:
        raise ConfigError(
            "trainer: expected an optimiser and a schedule, axes for a grid search, or correlation"
        )
    try:
        optimiser: Optimiser = build(trainer["optimiser"])
    except ConfigError as error:
        raise ConfigError(f"trainer.optimiser: {error}") from None
    return optimiser


def plan_training(row: Row, dataset: Dataset, partition: str, built: Path | None) -> Training:
    """Return the training that a metric's ``trainer`` describes; its seed is the metric's."""
    assert row.trainer is not None
    return Training(row, dataset, partition, row.trainer, row.seed or 0, built)


def learn(
    trainings: Mapping[TrainingKey, Training], folder: Path, engine: Engine, progress: OnStep
) -> dict[TrainingKey, Weights]:
    """Return the weights of trainings: cached in `folder`, or learned now.

    Args:
        trainings: by metric, data set and partition.
        engine: where metrics are trained.
    """
    # Trainings on a partition follow each other, so that each process reads and encodes it once.
    # Trainings with the same file in the cache are equal: only the first of them is done.
    partitions = list(dict.fromkeys(key[1:] for key in trainings))  # with their data sets
    equal: dict[Path, list[TrainingKey]] = {}
    for key in sorted(trainings, key=lambda key: partitions.index(key[1:])):
        equal.setdefault(folder / f"{trainings[key].key()}.json", []).append(key)
    # Cached weights take no steps. If no training has more than one, the bar counts trainings.
    steps = {
        path: 0 if path.exists() else count_steps(trainings[keys[0]].trainer)
        for path, keys in equal.items()
    }
    if steps:
        begin(progress, "training", len(steps), "steps" if sum(steps.values()) > len(steps) else "")
    weights_of: dict[TrainingKey, Weights] = {}
    with TemporaryDirectory(prefix="bamboo-") as temporary:
        counter = StepCounter(steps, Path(temporary), progress)
        tasks = [
            (trainings[keys[0]], path, counter.receiver(path, engine))
            for path, keys in equal.items()
        ]
        results = engine.map(_read_or_fit, tasks, waiting=counter.look)
        for (path, keys), weights in zip(equal.items(), results, strict=True):
            weights_of |= dict.fromkeys(keys, weights)
            counter.add(path, steps[path])
            progress(" ".join(keys[0]), len(steps))
    _LAST.clear()
    return weights_of


class StepCounter:
    """Counts the steps of several trainings, some of them in other processes.

    Args:
        steps: the largest number of steps of each training, by the path of its weights.
        folder: where other processes of this machine note their steps, in a file for each training.
        progress: receives the steps, if it is a `Progress`.
    """

    def __init__(self, steps: Mapping[Path, int], folder: Path, progress: OnStep) -> None:
        self.steps, self.folder, self.progress = steps, folder, progress
        self.taken = dict.fromkeys(steps, 0)

    def receiver(self, path: Path, engine: Engine) -> Callable[[int], None]:
        """Return the function that receives the steps of a training where it is made."""
        if engine.in_process:
            return partial(self.add, path)
        return partial(_note_steps, self.folder / path.name)

    def add(self, path: Path, taken: int) -> None:
        """Note how many steps a training has taken."""
        self.taken[path] = max(self.taken[path], min(taken, self.steps[path]))
        reach(self.progress, sum(self.taken.values()), sum(self.steps.values()))

    def look(self) -> None:
        """Look at what other processes have noted."""
        for path in self.steps:
            with suppress(OSError, ValueError):  # no file, or one that is being written
                self.add(path, int((self.folder / path.name).read_text()))


def _note_steps(file: Path, taken: int) -> None:
    with suppress(OSError):  # on another machine there is no such folder
        file.write_text(str(taken))


def count_steps(trainer: Mapping[str, Any]) -> int:
    """Return the largest number of steps that a trainer takes; 1 if it is not known.

    Raises:
        ConfigError: an invalid schedule or grid.
    """
    if "correlation" in trainer:
        return 1
    if "axes" in trainer:
        return _read_grid(trainer).steps
    schedule = _read_schedule(trainer) if "schedule" in trainer else None
    if schedule is None or schedule.passes is not None:  # these depend on the size of the split
        return 1
    return schedule.interval * schedule.evaluations


def _read_grid(trainer: Mapping[str, Any]) -> Grid:
    return read_options(Grid, {"axes": trainer["axes"]}, "trainer")


def _read_schedule(trainer: Mapping[str, Any]) -> Schedule:
    return read_options(Schedule, trainer["schedule"], "trainer.schedule")


def _read_or_fit(training: Training, path: Path, count: Callable[[int], None]) -> Weights:
    if path.exists():
        try:
            return read_weights(path)
        except WeightsError:
            warn([f"the cached weights {path} are damaged: they are learned again"])
    fit(training, _read_splits(training), lambda evaluation, _: count(evaluation.step)).write(path)
    return read_weights(path)  # so that new weights are what later runs read from the cache


def _read_splits(training: Training) -> Splits:
    digests = training.train_cell().digest(), training.dev_cell().digest()
    if digests not in _LAST:
        _LAST.clear()
        _LAST[digests] = training.read()
    return _LAST[digests]


def describe_borrowed_splits(
    rows: Sequence[Row], cells: Sequence[Cell], built: Path | None
) -> list[str]:
    """Return a sentence for each cell on which metrics are trained but which has no train split."""
    trained = [
        row
        for row in rows
        if row.needs_training and "axes" not in (row.trainer or ())  # a grid search uses dev only
    ]
    notes = []
    for cell in cells if trained else ():
        train = plan_training(trained[0], cell.dataset, cell.partition, built).train_cell()
        where = f"{cell.dataset.name} {cell.partition} has no released train split"
        if train.partition != cell.partition:
            notes.append(f"{where}: trained on that of {train.partition}.")
        elif train.dataset is not cell.dataset:
            notes.append(f"{where}: trained on the one made by build.")
    return notes
