"""Fit a metric's parameters to human ratings.

python -m bamboo train metric=wwlk_theta data=sts
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bamboo.benchmark.protocols import Protocol
from bamboo.commands.base import MetricCommand, say_written
from bamboo.commands.data import DataCommand
from bamboo.commands.options import REPORTS, option
from bamboo.config.rows import Row
from bamboo.config.weights import Evaluation, Weights
from bamboo.errors import ConfigError
from bamboo.progress import progress_bar
from bamboo.results.run_folder import folder_name, run_folder
from bamboo.results.table import Format, Table, render
from bamboo.train.fit import Training, fit

SHOWN = 12  # number of weights in the table, the most frequent first
EXACTLY_ONE = (
    "train requires exactly one metric and one data set and partition; "
    "trainer=correlation can use several data sets and partitions"
)


@dataclass(frozen=True, kw_only=True)
class Train(MetricCommand, DataCommand):
    """The options of ``train``."""

    NAME: ClassVar[str] = "train"
    EXTRA: ClassVar[tuple[str, str] | None] = ("plots", "the plots of training")

    metric: tuple[Row, ...] = option(
        "wwlk_theta", "a metric with trainable parameters, see list metrics"
    )
    data: tuple[Mapping[str, Any], ...] = option(
        "sts", "with trainer=correlation also several: data=all"
    )
    protocol: Protocol = option(
        "paper", "whose published options the metric's name stands for: paper | v0.2"
    )
    trainer: Mapping[str, Any] = option(
        "spsa",
        "spsa | spsa_2021 | converge | grid | correlation; the default is that of "
        "the metric's published row, if it names one",
    )
    partition: str | Sequence[str] = option(
        "main",
        "main | reify | syno | arg: train on its train split, evaluate on dev; with "
        "trainer=correlation also several: partition=main,arg",
    )
    built: Path = option(
        "${paths.data}/built", "built partitions, used if no train split was released"
    )
    seed: int = option(0, "random seed for batches, perturbations and folds")
    report: Format = option("table", REPORTS)
    out: Path | None = option(
        None, "folder for weights.json, history.csv and plots; null: a folder under runs/"
    )

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ConfigError(f"seed={self.seed}: use 0 or more")

    def __call__(self) -> str:
        """Train the metric, write weights, history and plots, and report."""
        from bamboo.train.plots import plot_history, plot_weights  # slow to import

        row, cells = self.single_metric(EXACTLY_ONE), self.cells(self.partition, "dev")
        if len(cells) > 1 and "correlation" not in self.trainer:
            raise ConfigError(EXACTLY_ONE)
        places = [(cell.dataset, cell.partition) for cell in cells]
        training = Training(
            row,
            *places[0],
            self.trainer,
            self.seed,
            self.built,
            tuple(places[1:]),
        )
        training.build()
        name = folder_name(self.configuration)
        # Not in the run folder, which exists only after the run is complete.
        checkpoints = self.paths.runs / "checkpoints" / name if self.out is None else self.out
        with run_folder(self.configuration, self.paths.runs, self.out) as folder:
            with progress_bar("reading") as bar:

                def progress(evaluation: Evaluation, total: int) -> None:
                    bar(f"loss {evaluation.loss:.4f}  dev {evaluation.dev:.4f}", total)

                pairs = training.read()
                bar.begin("training")
                checkpoint = checkpoints / "checkpoint.json"
                weights = fit(training, pairs, checkpoint, progress)
            weights.write(folder.path / "weights.json")
            folder.write("history.csv", render([_history(weights)], "csv"))
            plot_history(weights, folder.path / "history.png")
            plot_weights(weights, folder.path / "weights.png")
        file = folder.path / "weights.json"
        say_written(folder.path)
        document = {
            "metric": weights.metric,
            "dev": weights.dev,
            "weights": dict(weights.values),
            "file": str(file),
        }
        where = ", ".join(f"{dataset.name} {partition}" for dataset, partition in places)
        title = f"{row.name} on {where}: {file}"
        return render([_weights_table(weights, title)], self.report, document)


def _history(weights: Weights) -> Table:
    rows = tuple((e.step, e.loss, e.dev, e.best, e.skipped) for e in weights.history)
    return Table("history", ("step", "loss", "dev", "best", "skipped"), rows)


def _weights_table(weights: Weights, title: str) -> Table:
    """Return a table of the weights that occur most often."""
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
        ),
    )
