"""``submit``: write a metric's results as one file that can be verified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bamboo.benchmark.cells import Cell, chosen_cells
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.session import Paths, own_options, say_written
from bamboo.cli.site import known_protocols
from bamboo.config.metrics import build_metric
from bamboo.config.request import Job, Request
from bamboo.documents import json_text
from bamboo.errors import ConfigError, SubmissionError
from bamboo.pairs.problems import warn
from bamboo.progress import progress_bar
from bamboo.running.cache import Cache
from bamboo.running.coverage import vector_files
from bamboo.running.report import result_table, warnings
from bamboo.running.runner import (
    CacheUse,
    Engine,
    Settings,
    configurations,
    run,
)
from bamboo.submission.document import Submission, submission_json, this_environment
from bamboo.submission.predictions import export_predictions, import_predictions
from bamboo.tables.model import Format, render


@dataclass(frozen=True, kw_only=True)
class Options:
    """What ``conf/submit.yaml`` asks for, beside metric and data sets."""

    paths: Paths
    engine: Engine
    partition: str | tuple[str, ...]
    split: str
    predictions: Path | None
    name: str | None
    export: Path | None
    cache: CacheUse
    resamples: int
    seed: int
    report: Format
    out: Path | None

    def __post_init__(self) -> None:
        if self.predictions is not None and self.name is None:
            raise ConfigError(
                "predictions=FOLDER wants name=NAME: its files are DATA-NAME-TASK.txt"
            )


def main(request: Request) -> str:
    """Score what is missing, or import it; write the file, and the folder asked for; report."""
    options = own_options(Options, request, "data")
    if len(request.jobs) != 1:
        raise ConfigError("submit takes one metric: a submission is one row")
    (job,) = request.jobs
    datasets = [Dataset.from_config(config) for config in request.data]
    cells = chosen_cells(datasets, options.partition, options.split)
    protocols = known_protocols()
    settings = Settings(
        engine=options.engine,
        cache=options.cache,
        ci=True,
        resamples=options.resamples,
        seed=options.seed,
        built=options.paths.data / "built",
    )
    cache = Cache(options.paths.runs / "cache")
    submission = _submission(options, job, cells, protocols[0], settings, cache)
    digests = {cell: cell.digest() for cell in cells}
    document = submission_json(submission, digests, protocols, settings)
    path = _written(options, submission.name, document)
    if options.export is not None:
        metrics = {}
        if options.predictions is None:
            configs = configurations([job], cells, cache, settings)
            metrics = {
                cell: build_metric(job.name, configs[job.name, cell], cell.dataset.name)
                for cell in cells
            }
        export_predictions(options.export, submission.name, submission.cells, metrics)
    results = submission.results(protocols, settings)
    if options.predictions is None:
        warn(warnings(results[0], {submission.name: vector_files([job]).get(job.name)}))
    tables = [result_table(result) for result in results]
    say_written(path)
    return render(tables, options.report, document)


def _submission(
    options: Options,
    job: Job,
    cells: list[Cell],
    protocol: Protocol,
    settings: Settings,
    cache: Cache,
) -> Submission:
    if options.predictions is not None and options.name is not None:
        scores = import_predictions(options.predictions, options.name, cells)
        # Nothing is known of how they were computed.
        return Submission(options.name, "imported predictions", scores, {})
    with progress_bar("reading") as progress:
        result, scored = run([job], cells, protocol, cache, settings, progress)
    scores = {cell: scored[job.name, cell] for cell in cells}
    name = job.name if options.name is None else options.name
    return Submission(name, result.rows[0].signature, scores, this_environment())


def _written(options: Options, name: str, document: object) -> Path:
    """Write the file and say where it is."""
    default = options.paths.runs / "submissions" / f"{name.replace('/', '_')}.json"
    path = options.out or default
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(document, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise SubmissionError(f"cannot write {path}: {error.strerror}") from None
    return path
