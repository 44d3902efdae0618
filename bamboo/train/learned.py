"""Metrics with learned weights: from a weights file, from the cache, or trained now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from amr_metrics.parameters import Parametric
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.config.rows import Row
from bamboo.config.weights import Weights, WeightsError, read_weights
from bamboo.engines import Engine
from bamboo.errors import ConfigError
from bamboo.log import warn
from bamboo.progress import OnStep, begin
from bamboo.train.fit import Splits, Training, fit

TrainingKey = tuple[str, str, str]  # metric, data set, partition


def with_weights(row: Row, path: Path) -> Row:
    """Return a metric with the weights of a file.

    Raises:
        WeightsError: not a weights file, or weights of another metric or of other options.
        ConfigError: a metric without parameters.
    """
    if not isinstance(row.metric, Parametric):
        raise ConfigError(f"weights={path}: metric {row.name} has no parameters")
    trained = replace(row, learned=path)
    try:
        trained.on()
    except ConfigError as error:
        raise WeightsError(f"{path} does not fit the metric: {error}") from None
    return trained


def training(row: Row, dataset: Dataset, partition: str, built: Path | None) -> Training:
    """Return the training that a metric's ``trainer`` asks for; its seed is the metric's."""
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
    # Trainings of a partition follow each other, so that each process reads and encodes it once.
    # Equal trainings are done once.
    partitions = list(dict.fromkeys(key[1:] for key in trainings))
    equal: dict[Path, list[TrainingKey]] = {}
    for key in sorted(trainings, key=lambda key: partitions.index(key[1:])):
        equal.setdefault(folder / f"{trainings[key].key()}.json", []).append(key)
    tasks = [(trainings[keys[0]], path) for path, keys in equal.items()]
    if tasks:
        begin(progress, "training", len(tasks))
    weights_of: dict[TrainingKey, Weights] = {}
    for keys, weights in zip(equal.values(), engine.map(_cached_or_fitted, tasks), strict=True):
        weights_of |= dict.fromkeys(keys, weights)
        progress(" ".join(keys[0]), len(tasks))
    _LAST.clear()
    return weights_of


def _cached_or_fitted(training: Training, path: Path) -> Weights:
    if path.exists():
        try:
            return read_weights(path, checksum=True)
        except WeightsError:
            warn([f"the cached weights {path} are damaged: they are learned again"])
    fit(training, _splits(training), path.with_suffix(".checkpoint")).write(path, checksum=True)
    return read_weights(path, checksum=True)


# The splits of the last training in this process, by the digests of their data.
_LAST: dict[tuple[str, str], Splits] = {}


def _splits(training: Training) -> Splits:
    digests = training.train_cell().digest(), training.dev_cell().digest()
    if digests not in _LAST:
        _LAST.clear()
        _LAST[digests] = training.read()
    return _LAST[digests]


def borrowed_splits(rows: Sequence[Row], cells: Sequence[Cell], built: Path | None) -> list[str]:
    """Return a sentence for each cell on which metrics are trained but which has no train split."""
    trained = [
        row
        for row in rows
        if row.needs_training and "axes" not in (row.trainer or ())  # a grid search uses dev only
    ]
    notes = []
    for cell in cells if trained else ():
        train = training(trained[0], cell.dataset, cell.partition, built).train_cell()
        where = f"{cell.dataset.name} {cell.partition} has no released train split"
        if train.partition != cell.partition:
            notes.append(f"{where}: trained on that of {train.partition}.")
        elif train.dataset is not cell.dataset:
            notes.append(f"{where}: trained on the one made by build.")
    return notes
