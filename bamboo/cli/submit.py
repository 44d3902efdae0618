"""``submit``: write a metric's results as one file that can be verified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bamboo.benchmark.datasets import Dataset, digest
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.session import Paths, own_options, say_written
from bamboo.cli.site import known_protocols
from bamboo.config.metrics import build_metric
from bamboo.config.request import Job, Request
from bamboo.documents import json_text
from bamboo.errors import ConfigError, SubmissionError
from bamboo.files import write_text
from bamboo.pairs.problems import warn
from bamboo.progress import progress_bar
from bamboo.running.cache import Cache
from bamboo.running.coverage import vector_files
from bamboo.running.report import result_table, warnings
from bamboo.running.runner import (
    CacheUse,
    Engine,
    Place,
    Settings,
    chosen_places,
    configurations,
    run,
)
from bamboo.statistics.resampling import Resampling
from bamboo.submission.document import Submission, submission_json, this_environment
from bamboo.submission.predictions import export_predictions, import_predictions
from bamboo.tables.model import Format, render


@dataclass(frozen=True, kw_only=True)
class SubmitOptions:
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
    options = own_options(SubmitOptions, request, "data")
    if len(request.jobs) != 1:
        raise ConfigError("submit takes one metric: a submission is one row")
    (job,) = request.jobs
    datasets = [Dataset.from_config(config) for config in request.data]
    places = chosen_places(datasets, options.partition, options.split)
    protocols = known_protocols()
    resampling = Resampling(options.resamples, options.seed)
    settings = Settings(
        engine=options.engine,
        cache=options.cache,
        intervals=resampling,
        built=options.paths.data / "built",
    )
    cache = Cache(options.paths.runs / "cache")
    submission = _submission(options, job, places, protocols[0], settings, cache)
    digests = {place: digest(place.dataset, place.partition, place.split) for place in places}
    document = submission_json(submission, digests, protocols, resampling)
    path = _written(options, submission.name, document)
    if options.export is not None:
        metrics = {}
        if options.predictions is None:
            configs = configurations([job], places, cache, settings)
            metrics = {
                place: build_metric(job.name, configs[job.name, place], place.dataset.name)
                for place in places
            }
        export_predictions(options.export, submission.name, submission.cells, metrics)
    results = submission.results(protocols, resampling)
    if options.predictions is None:
        warn(warnings(results[0], {submission.name: vector_files([job]).get(job.name)}))
    tables = [result_table(result) for result in results]
    say_written(path)
    return render(tables, options.report, document)


def _submission(
    options: SubmitOptions,
    job: Job,
    places: list[Place],
    protocol: Protocol,
    settings: Settings,
    cache: Cache,
) -> Submission:
    if options.predictions is not None and options.name is not None:
        cells = import_predictions(options.predictions, options.name, places)
        # Nothing is known of how they were computed.
        return Submission(options.name, "imported predictions", cells, {})
    with progress_bar("reading") as progress:
        result, scored = run([job], places, protocol, cache, settings, progress)
    cells = {place: scored[job.name, place] for place in places}
    name = job.name if options.name is None else options.name
    return Submission(name, result.rows[0].signature, cells, this_environment())


def _written(options: SubmitOptions, name: str, document: object) -> Path:
    """Write the file and say where it is."""
    default = options.paths.runs / "submissions" / f"{name.replace('/', '_')}.json"
    path = options.out or default
    try:
        write_text(path, json_text(document, indent=1) + "\n")
    except OSError as error:
        raise SubmissionError(f"cannot write {path}: {error.strerror}") from None
    return path
