"""``train``: fit a metric's parameters to human ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bamboo.benchmark.protocols import Protocol
from bamboo.cli.session import Session, say_written
from bamboo.errors import ConfigError
from bamboo.progress import progress_bar
from bamboo.results.run_folder import folder_name
from bamboo.results.table import Format, Table, render
from bamboo.train.fit import Training, fit
from bamboo.train.loop import Evaluation
from bamboo.train.weights import Weights

SAMPLES = 50  # bootstrap samples for the spread of weights
SHOWN = 12  # number of weights in the table, the most frequent first
EXACTLY_ONE = (
    "train requires exactly one metric and one data set and partition; "
    "trainer=ridge can use several data sets and partitions"
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/train.yaml``, except metric and data set."""

    trainer: Mapping[str, Any]
    protocol: Protocol  # its published options are those of the metric's name
    partition: str | Sequence[str]
    seed: int
    built: Path
    report: Format
    out: Path | None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ConfigError(f"seed={self.seed}: use 0 or more")


def main(session: Session) -> str:
    """Train the metric, write weights, history and plots, and report."""
    from bamboo.train.plots import plot_history, plot_weights  # slow to import

    options = session.options(Options)
    job, cells = session.single_job(EXACTLY_ONE), session.cells(options.partition, "dev")
    if len(cells) > 1 and "ridge" not in options.trainer:
        raise ConfigError(EXACTLY_ONE)
    places = [(cell.dataset, cell.partition) for cell in cells]
    training = Training(
        job.name,
        job.metric,
        *places[0],
        options.trainer,
        options.seed,
        options.built,
        tuple(places[1:]),
    )
    training.build()
    name = folder_name(session.request)
    # Not in the run folder, which exists only after the run is complete.
    checkpoints = session.paths.runs / "checkpoints" / name if options.out is None else options.out
    with session.run_folder(options.out) as folder:
        with progress_bar("reading") as bar:

            def progress(evaluation: Evaluation, total: int) -> None:
                bar(f"loss {evaluation.loss:.4f}  dev {evaluation.dev:.4f}", total)

            pairs = training.read()
            bar.begin("training")
            checkpoint = checkpoints / "checkpoint.json"
            weights = fit(training, pairs, checkpoint, progress, SAMPLES)
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
    title = f"{job.name} on {where}: {file}"
    return render([_weights_table(weights, title)], options.report, document)


def _history(weights: Weights) -> Table:
    rows = tuple((e.step, e.loss, e.dev, e.best, e.skipped) for e in weights.history)
    return Table("history", ("step", "loss", "dev", "best", "skipped"), rows)


def _weights_table(weights: Weights, title: str) -> Table:
    """A table of the weights that occur most often."""
    names = sorted(weights.values, key=lambda name: (-weights.occurrences[name], name))
    columns = {"start": weights.start, "learned": weights.values}
    if weights.spread:  # ridge has no start values
        columns = {"learned": weights.values, "spread": weights.spread}
    best, last = f"{100 * weights.dev:.2f}", weights.history[-1].step
    if weights.untrained is None:
        dev = f"{best} with the best of {last} candidates"
    else:
        dev = f"{100 * weights.untrained.dev:.2f} before training, {best} at best in {last} steps"
    return Table(
        title,
        ("parameter", *columns, "uses"),
        tuple(
            (n, *(column[n] for column in columns.values()), int(weights.occurrences[n]))
            for n in names[:SHOWN]
        ),
        4,
        (
            f"Pearson on dev: {dev}.",
            *([f"{len(names)} parameters; the file has them all."] if len(names) > SHOWN else []),
        ),
    )
