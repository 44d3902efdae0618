"""Fit a metric's parameters to human ratings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from amr_metrics.building import merge_options
from bamboo.api.call import ConfigDir, check_call, list_arguments
from bamboo.api.data import Data, resolve_protocol, resolve_trainer
from bamboo.api.setup import choose_cells, choose_metrics, find_built
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import Metrics, one_row
from bamboo.config.rows import Options
from bamboo.config.weights import Evaluation, Weights
from bamboo.display.table import Display, Table, render
from bamboo.errors import ConfigError
from bamboo.installation import MODULE, paths
from bamboo.progress import progress_bar
from bamboo.results.record import Job, Record
from bamboo.results.run_folder import run_folder
from bamboo.training.fit import Training, count_steps, fit

DEFAULTS = ("metric=wwlk_theta", "data=sts", "partition=main")  # of train, as words
SEARCH = (
    "The search is SciPy's: these weights, and their digest in signatures, depend on the processor."
)
SHOWN = 12  # number of weights in the table, the most frequent first
EXACTLY_ONE = (
    "train requires exactly one metric and one data set and partition; "
    "trainer=correlation can use several data sets and partitions"
)


@dataclass(frozen=True, repr=False)
class Trained(Display):
    """The result of a training.

    Attributes:
        title: the metric, and what it was trained on.
        weights: the learned weights, with their history.
        folder: the folder with ``weights.json`` and ``history.csv``.
        words: the command line of the training; empty for a call in Python.
    """

    title: str
    weights: Weights
    folder: Path
    words: Sequence[str] = ()

    @property
    def file(self) -> Path:
        """The file of the weights."""
        return self.folder / "weights.json"

    def tables(self) -> list[Table]:
        """Return a table of the weights that occur most often."""
        table = _tabulate_weights(self.weights, f"{self.title}: {self.file}")
        if self.words:
            table = replace(table, notes=(*table.notes, f"Before and after: {self.compare_with}"))
        return [table]

    @property
    def compare_with(self) -> str:
        """The command that shows the metric before and after training in one table."""
        words = {word.partition("=")[0]: word for word in (*DEFAULTS, *self.words[1:])}
        without = ("trainer", "seed", "out", "progress", "report")
        kept = [word for key, word in words.items() if key.partition(".")[0] not in without]
        file = str(self.file)
        file = file if re.fullmatch(r"[\w./-]+", file) else f'"{file}"'  # for Hydra
        return f"{MODULE} {shlex.join(['compare', *kept, f'weights=[start,{file}]'])}"

    def to_json(self) -> dict[str, Any]:
        """Return the weights as JSON values."""
        return {
            "metric": self.weights.metric,
            "dev": self.weights.dev,
            "weights": dict(self.weights.values),
            "file": str(self.file),
        }


@check_call
def train(
    metric: Metrics = "wwlk_theta",
    data: Data = "sts",
    partition: str | tuple[str, ...] = "main",
    *,
    options: Options | None = None,
    data_options: Options | None = None,
    protocol: str | Protocol = "paper",
    trainer: str | Mapping[str, Any] | None = None,
    seed: int = 0,
    out: Path | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
    job: Job | None = None,
) -> Trained:
    """Fit a metric's parameters to human ratings.

    Args:
        metric: a metric with trainable parameters, see list metrics.
        data: with trainer=correlation also several: data=all.
        partition: main | reify | syno | arg: train on its train split, evaluate on dev; with
            trainer=correlation also several: partition=[main,arg].
        options: options of a metric that is given by name.
        data_options: options of the data sets that are given by name.
        protocol: whose published options the metric's name stands for: paper | v0.2.
        trainer: spsa | spsa_2021 | converge | grid | correlation; null: that of the metric's
            published row, if it names one, otherwise spsa. Options without a name change that
            one.
        seed: random seed for batches, perturbations and folds.
        out: folder for weights.json and history.csv; null: a folder under runs/.
        progress: show progress on standard error.
        config_dir: a folder with metrics and data sets of your own.
        job: the job of Hydra that calls this function, for the record.

    Raises:
        BambooError, MetricError: for bad input.
    """
    if seed < 0:
        raise ConfigError(f"seed={seed}: use 0 or more")
    protocol = resolve_protocol(protocol, config_dir)
    row = one_row(choose_metrics(metric, options, protocol, config_dir=config_dir), EXACTLY_ONE)
    datasets, cells = choose_cells(data, data_options, partition, "dev", config_dir)
    config = resolve_trainer(row.trainer or "spsa", config_dir)
    if isinstance(trainer, Mapping) and "name" not in trainer:
        config = merge_options(config, trainer)
    elif trainer is not None:
        config = resolve_trainer(trainer, config_dir)
    if len(cells) > 1 and "correlation" not in config:
        raise ConfigError(EXACTLY_ONE)
    record = Record("train", list_arguments(protocol=protocol, trainer=config), [row], datasets)
    places = [(cell.dataset, cell.partition) for cell in cells]
    training = Training(row, *places[0], config, seed, find_built(), tuple(places[1:]))
    training.build()
    with run_folder(record, paths().runs, out) as folder:
        with progress_bar("reading") as bar:

            def report(evaluation: Evaluation, total: int) -> None:
                bar.reach(evaluation.step, steps)
                bar(f"loss {evaluation.loss:.4f}  dev {evaluation.dev:.4f}", total)

            splits, steps = training.read(), count_steps(config)
            bar.begin("training", unit="steps")
            bar.reach(0, steps if steps > 1 else None)
            weights = fit(training, splits, report)
        weights.write(folder.path / "weights.json")
        folder.write("history.csv", render([_tabulate_history(weights)], "csv"))
    where = ", ".join(f"{dataset.name} {partition}" for dataset, partition in places)
    return Trained(f"{row.name} on {where}", weights, folder.path, () if job is None else job.words)


def _tabulate_history(weights: Weights) -> Table:
    rows = tuple((e.step, e.loss, e.dev, e.best, e.skipped) for e in weights.history)
    return Table("history", ("step", "loss", "dev", "best", "skipped"), rows)


def _tabulate_weights(weights: Weights, title: str) -> Table:
    names = sorted(weights.values, key=lambda name: (-weights.occurrences[name], name))
    best, last = f"{100 * weights.dev:.2f}", weights.history[-1].step
    if len(weights.history) == 1:
        dev = f"{best} after {last} iterations"
    elif weights.untrained is None:
        dev = f"{best} with the best of {last} candidates"
    else:
        dev = f"{100 * weights.untrained.dev:.2f} before training, {best} at best in {last} steps"
    return Table(
        title,
        ("parameter", "start", "learned", "uses"),
        tuple(
            (n, weights.start[n], weights.values[n], int(weights.occurrences[n]))
            for n in names[:SHOWN]
        ),
        4,
        (
            f"Pearson on dev: {dev}.",
            *([f"{len(names)} parameters; the file has them all."] if len(names) > SHOWN else []),
            *([SEARCH] if "correlation" in weights.source["trainer"] else []),
        ),
    )
