"""``submit``: write a metric's results as one file that can be verified."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.options import ScoringOptions
from bamboo.cli.session import Session, known_protocols, say_written
from bamboo.config.metrics import build_metric
from bamboo.errors import ConfigError
from bamboo.pairs.problems import warn
from bamboo.progress import progress_bar
from bamboo.results.coverage import vector_files
from bamboo.results.report import warnings
from bamboo.results.table import Format, render
from bamboo.running.runner import Settings, configurations
from bamboo.statistics.resampling import Resampling
from bamboo.submission.archive import (
    Submission,
    submission_json,
    this_environment,
    write_submission,
)
from bamboo.submission.predictions import export_predictions, import_predictions


@dataclass(frozen=True, kw_only=True)
class Options(ScoringOptions):
    """The options in ``conf/submit.yaml``, except metric and data sets."""

    protocol: Protocol  # its published options are those of the metric's name
    partition: str | tuple[str, ...]
    split: str
    predictions: Path | None
    name: str | None
    export: Path | None
    resamples: int
    seed: int
    report: Format
    out: Path | None

    def __post_init__(self) -> None:
        if self.predictions is not None and self.name is None:
            raise ConfigError(
                "predictions=FOLDER requires name=NAME: its files are named DATA-NAME-TASK.txt"
            )


def main(session: Session) -> str:
    """Score or import the cells, write the submission and any requested export, and report."""
    options = session.options(Options)
    job = session.single_job("submit requires exactly one metric: a submission is one row")
    cells = session.cells(options.partition, options.split)
    protocols = known_protocols()
    resampling = Resampling(options.resamples, options.seed)
    settings = replace(session.settings(options), intervals=resampling)
    submission = _submission(session, options, cells, protocols[0], settings)
    digests = {cell: cell.digest() for cell in cells}
    document = submission_json(submission, digests, protocols, resampling)
    default = session.paths.runs / "submissions" / f"{submission.name.replace('/', '_')}.zip"
    path = options.out or default
    write_submission(path, submission, document)
    if options.export is not None:
        metrics = {}
        if options.predictions is None:
            configs = configurations([job], cells, session.cache, settings)
            metrics = {
                cell: build_metric(job.name, configs[job.name, cell], cell.dataset.name)
                for cell in cells
            }
        with progress_bar("exporting"):
            export_predictions(options.export, submission.name, submission.cells, metrics)
    results = submission.results(protocols, resampling)
    if options.predictions is None:
        warn(warnings(results[0].cells, {submission.name: vector_files([job]).get(job.name)}))
    tables = [table for result in results for table in result.tables()]
    say_written(path)
    if options.export is not None:
        say_written(options.export)
    return render(tables, options.report, document)


def _submission(
    session: Session, options: Options, cells: list[Cell], protocol: Protocol, settings: Settings
) -> Submission:
    if options.predictions is not None and options.name is not None:
        scores = import_predictions(options.predictions, options.name, cells)
        # It is not known how they were computed.
        return Submission(options.name, "imported predictions", scores, {})
    result, scored = session.score(cells, protocol, settings)
    (job,) = session.jobs
    scores = {cell: scored[job.name, cell] for cell in cells}
    name = job.name if options.name is None else options.name
    return Submission(name, result.signatures[job.name], scores, this_environment())
