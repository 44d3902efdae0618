"""Train a metric on a partition of a data set."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.base import Pair
from amr_metrics.errors import PairError
from amr_metrics.parameters import LinearPairs, Parametric
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.benchmark.datasets import Dataset
from bamboo.config.implementation import implementation
from bamboo.config.options import build, read_options
from bamboo.config.rows import Row
from bamboo.config.weights import Evaluation, Weights
from bamboo.errors import ConfigError
from bamboo.files import json_text
from bamboo.pairs.file_pairs import FilePairs
from bamboo.train.correlation import Correlation, DamagedRows, Split, fit_correlation
from bamboo.train.damage import Damage, amount
from bamboo.train.grid import Grid, search
from bamboo.train.loop import Schedule, train
from bamboo.train.losses import Examples
from bamboo.train.steps import Optimiser

FALLBACK = "main"  # used where a partition has no train split, such as PARA's reify
OnEvaluation = Callable[[Evaluation, int], None]


@dataclass(frozen=True, eq=False)
class Splits:
    """The train split, and the dev split on which values are selected."""

    train: PairSet
    dev: PairSet

    @cached_property
    def pairs(self) -> Mapping[str, Sequence[Pair]]:
        """The pairs of each split, without those that are missing."""
        sides = {"train": self.train, "dev": self.dev}
        return {name: present_pairs(pair_set) for name, pair_set in sides.items()}

    def examples(self, metric: Parametric) -> tuple[Examples, Examples]:
        """Return the pairs of both splits, prepared for the metric, and their ratings."""
        prepared = {name: metric.prepare(pairs) for name, pairs in self.pairs.items()}
        return (
            Examples(prepared["train"], self.train.ratings),
            Examples(prepared["dev"], self.dev.ratings),
        )


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
            one; only for trainers that can do so.
    """

    row: Row
    dataset: Dataset
    partition: str
    trainer: Mapping[str, Any]
    seed: int
    built: Path | None = None
    others: tuple[tuple[Dataset, str], ...] = ()

    @property
    def cells(self) -> list[Training]:
        """This training and one for each of the other data sets and partitions."""
        first = replace(self, others=())
        return [first, *(replace(first, dataset=d, partition=p) for d, p in self.others)]

    def train_cell(self) -> Cell:
        """Return the train split: the released one, else the built one, else that of Main."""
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
        return Splits(self.train_cell().load(), self.dev_cell().load())

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
        """Return all that the result depends on, except the metric's options."""
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
            **({"others": [cell.source() for cell in self.cells[1:]]} if self.others else {}),
        }

    def key(self) -> str:
        """Return a hash of everything the result depends on."""
        parts = json_text([self.build().signature, self.source()], sort_keys=True)
        return hashlib.sha256(parts.encode()).hexdigest()


def fit(
    training: Training,
    splits: Splits,
    checkpoint: Path | None = None,
    progress: OnEvaluation = lambda evaluation, total: None,
) -> Weights:
    """Train.

    Raises:
        ConfigError: a metric without parameters, or an invalid trainer.
        TrainingError: see `bamboo.train.loop.train`.
        PairError: for a pair that cannot be scored, with its data set, partition and split.
    """
    cells = [splits, *(cell.read() for cell in training.cells[1:])]
    metric = _initialised(training, cells)
    parameters = metric.parameters
    if not parameters.names:
        raise ConfigError(f"metric {training.row.name} has no parameters to train")
    prepared = [cell.examples(metric) for cell in cells]
    for cell, pair_sets, (train_examples, dev_examples) in zip(
        training.cells, cells, prepared, strict=True
    ):
        _compute_terms(training.row.name, cell.train_cell(), pair_sets.train, train_examples)
        _compute_terms(training.row.name, cell.dev_cell(), pair_sets.dev, dev_examples)
    examples, dev = prepared[0]
    trainer, rng = training.trainer, np.random.default_rng(training.seed)
    parts = [
        Split(str(cell.train_cell()), *both, cell.train_cell().unit)
        for cell, both in zip(training.cells, prepared, strict=True)
    ]
    if "correlation" in trainer:
        agreement = read_options(Correlation, trainer["correlation"], "trainer.correlation")
        damaged = _damaged(metric, cells, trainer.get("damage"), rng)
        values, history = fit_correlation(parts, damaged, parameters.values, agreement)
    elif training.others:
        raise ConfigError(f"trainer {trainer.get('name')} trains on one data set and partition")
    elif "axes" in trainer:
        grid = read_options(Grid, {"axes": trainer["axes"]}, "trainer")
        values, history = search(parameters, dev, grid, progress)
    else:
        values, history = train(
            parameters,
            examples,
            dev,
            _optimiser(trainer),
            read_options(Schedule, trainer["schedule"], "trainer.schedule"),
            rng,
            checkpoint,
            training.key(),
            progress,
        )
    usage = np.sum([train_split.pairs.usage() for train_split, _ in prepared], axis=0)
    return Weights(
        metric.with_parameters(values).signature,
        training.source(),
        dict(zip(parameters.names, parameters.values.tolist(), strict=True)),
        dict(zip(parameters.names, values.tolist(), strict=True)),
        dict(zip(parameters.names, usage.tolist(), strict=True)),
        tuple(history),
    )


def _initialised(training: Training, cells: Sequence[Splits]) -> Parametric:
    """Return the metric with the initial values that the train pairs of all cells require."""
    splits = [cell.pairs["train"] for cell in cells]
    # A single split is passed on as it is: a `Pairs` object is encoded once for all metrics.
    pairs = splits[0] if len(splits) == 1 else [pair for split in splits for pair in split]
    try:
        return training.build().initialised(pairs)
    except PairError as error:
        if error.pair is None:
            raise
        start = np.cumsum([0, *map(len, splits)])
        k = int(np.searchsorted(start, error.pair, side="right")) - 1
        cell = training.cells[k].train_cell()
        position = error.pair - int(start[k])
        raise _located(error, training.row.name, cell, cells[k].train, position) from None


def _damaged(
    metric: Parametric,
    cells: Sequence[Splits],
    config: Mapping[str, Any] | None,
    rng: np.random.Generator,
) -> DamagedRows | None:
    """Return the terms of damaged train graphs; None without damage."""
    if config is None:
        return None
    options = read_options(Damage, config, "trainer.damage")
    graphs = [graph for cell in cells for pair in cell.pairs["train"] for graph in pair]
    pairs = options.pairs(graphs, rng)
    prepared = metric.prepare(pairs)
    if not isinstance(prepared, LinearPairs):
        return None  # fit_correlation says what is wrong
    damage = np.array([amount(pair) for pair in pairs])
    return DamagedRows.of(prepared.terms(), damage, options.steps)


def _compute_terms(name: str, cell: Cell, pair_set: PairSet, examples: Examples) -> None:
    """Compute and cache the terms of pairs with linear scores, to report errors with the cell."""
    if isinstance(examples.pairs, LinearPairs):
        try:
            examples.pairs.terms()
        except PairError as error:
            if error.pair is None:
                raise
            raise _located(error, name, cell, pair_set, error.pair) from None


def _located(
    error: PairError, name: str, cell: Cell, pair_set: PairSet, position: int
) -> PairError:
    """Return the error with its cell and the number of the pair at a position."""
    number = int(pair_set.numbers[FilePairs.of(pair_set.pairs).present[position]])
    problem = PairError(error.problem, pair=number, argument=error.argument)
    return PairError(f"{name} on {cell}: {problem}")


def present_pairs(pair_set: PairSet) -> Sequence[Pair]:
    """Return the pairs that are not missing."""
    pairs = FilePairs.of(pair_set.pairs)
    return pairs.select(pairs.present)


def _optimiser(trainer: Mapping[str, Any]) -> Optimiser:
    if "optimiser" not in trainer or "schedule" not in trainer:
        raise ConfigError(
            "trainer: expected an optimiser and a schedule, axes for a grid search, or correlation"
        )
    try:
        optimiser: Optimiser = build(trainer["optimiser"])
    except ConfigError as error:
        raise ConfigError(f"trainer.optimiser: {error}") from None
    return optimiser
