"""Write a metric's results to one file.

python -m bamboo submit metric=smatch out=smatch.zip
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.commands.base import MetricCommand, say_written
from bamboo.commands.data import known_protocols
from bamboo.commands.options import ENGINES, REPORTS, option
from bamboo.commands.scoring import ScoringCommand
from bamboo.config.jobs import Job
from bamboo.config.metrics import build_metric
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError
from bamboo.log import warn
from bamboo.progress import progress_bar
from bamboo.results.report import warnings
from bamboo.results.table import Format, render
from bamboo.scoring.cells import Settings, configurations
from bamboo.statistics.resampling import Resampling
from bamboo.submission.archive import (
    Submission,
    submission_json,
    this_environment,
    write_submission,
)
from bamboo.submission.predictions import export_predictions, import_predictions


@dataclass(frozen=True, kw_only=True)
class Submit(MetricCommand, ScoringCommand):
    """The options of ``submit``."""

    NAME: ClassVar[str] = "submit"

    metric: tuple[Job, ...] = option("smatch", "one metric")
    data: tuple[Mapping[str, Any], ...] = option(
        "all", "sts | sick | para | sample | all, or a list"
    )
    protocol: Protocol = option(
        "paper", "whose published options the metric's name stands for: paper | v0.2"
    )
    engine: AnyEngine = option("serial", ENGINES)
    partition: str | tuple[str, ...] = option("all", "main | reify | syno | arg | all, or a list")
    split: str = option("test", "train | dev | test")
    predictions: Path | None = option(
        None, "folder of files <data>-<name>-<task>.txt to take the scores from"
    )
    name: str | None = option(None, "name in the submission; null: the metric's name")
    export: Path | None = option(
        None, "also write the scores to this folder, in the format of the upstream script"
    )
    resamples: int = option(1000, "number of bootstrap samples")
    seed: int = option(0, "random seed for the bootstrap")
    report: Format = option("table", REPORTS)
    out: Path | None = option(None, "output file; null: <runs>/submissions/<name>.zip")

    def __post_init__(self) -> None:
        if self.predictions is not None and self.name is None:
            raise ConfigError(
                "predictions=FOLDER requires name=NAME: its files are named DATA-NAME-TASK.txt"
            )

    def __call__(self) -> str:
        """Score or import the cells, write the submission and any requested export, and report."""
        job = self.single_metric("submit requires exactly one metric: a submission is one row")
        self.check_compares_graphs()
        cells = self.cells(self.partition, self.split)
        protocols = known_protocols()
        resampling = Resampling(self.resamples, self.seed)
        settings = replace(self.settings(), intervals=resampling)
        submission = self._submission(job, cells, protocols[0], settings)
        digests = {cell: cell.digest() for cell in cells}
        document = submission_json(submission, digests, protocols, resampling)
        default = self.paths.runs / "submissions" / f"{submission.name.replace('/', '_')}.zip"
        path = self.out or default
        write_submission(path, submission, document)
        if self.export is not None:
            metrics = {}
            if self.predictions is None:
                configs = configurations([job], cells, self.scores_cache, settings)
                metrics = {
                    cell: build_metric(job.name, configs[job.name, cell], cell.dataset.name)
                    for cell in cells
                }
            with progress_bar("exporting"):
                export_predictions(self.export, submission.name, submission.cells, metrics)
        results = submission.results(protocols, resampling)
        if self.predictions is None:
            warn(warnings(results[0].cells))
        tables = [table for result in results for table in result.tables()]
        say_written(path)
        if self.export is not None:
            say_written(self.export)
        return render(tables, self.report, document)

    def _submission(
        self, job: Job, cells: list[Cell], protocol: Protocol, settings: Settings
    ) -> Submission:
        if self.predictions is not None and self.name is not None:
            scores = import_predictions(self.predictions, self.name, cells)
            # It is not known how they were computed.
            return Submission(self.name, "imported predictions", scores, {})
        result, scored = self.score([job], cells, protocol, settings)
        scores = {cell: scored[job.name, cell] for cell in cells}
        name = job.name if self.name is None else self.name
        return Submission(name, result.signatures[job.name], scores, this_environment())
