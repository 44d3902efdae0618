"""``submit``: write a metric's results as one file that can be verified."""

from __future__ import annotations

import json
from pathlib import Path

from bamboo.config import Job, Request, compose_protocol, resolved
from bamboo.datasets import Dataset, digest
from bamboo.errors import ConfigError, SubmissionError
from bamboo.metric import build_metric
from bamboo.predictions import export_predictions, import_predictions
from bamboo.protocols import Protocol
from bamboo.report import result_table
from bamboo.run import Place, Settings, chosen_places
from bamboo.submission import Submission, submission_json, this_environment
from bamboo.tables import check_format, render
from bamboo.verbs.run import run_cells

PROTOCOLS = ("paper", "v0.2")


def main(request: Request) -> str:
    """Score what is missing, or import it; write the file, and the folder asked for; report."""
    options = request.options
    check_format(options.report)
    if len(request.jobs) != 1:
        raise ConfigError("submit takes one metric: a submission is one row")
    (job,) = request.jobs
    datasets = [Dataset.from_config(resolved(config)) for config in request.data]
    places = chosen_places(datasets, options.partition, options.split)
    protocols = [Protocol.from_config(compose_protocol(name)) for name in PROTOCOLS]
    settings = Settings(
        options.cache, jobs=options.engine.jobs, resamples=options.resamples, seed=options.seed
    )
    submission = _submission(request, job, places, protocols[0], settings)
    digests = {place: digest(place.dataset, place.partition, place.split) for place in places}
    document = submission_json(submission, digests, protocols, settings)
    path = _written(request, submission.name, document)
    if options.export is not None:
        imported = options.predictions is not None
        metrics = {
            place: build_metric(job.name, job.metric, place.dataset.name)
            for place in ([] if imported else places)
        }
        export_predictions(Path(options.export), submission.name, submission.cells, metrics)
    tables = [result_table(result) for result in submission.results(protocols, settings)]
    text = render(tables, options.report, document)
    return text if options.report in ("json", "csv") else f"{text}\n\nwritten: {path}"


def _submission(
    request: Request, job: Job, places: list[Place], protocol: Protocol, settings: Settings
) -> Submission:
    options = request.options
    if options.predictions is not None:
        if options.name is None:
            raise ConfigError(
                "predictions=FOLDER wants name=NAME: its files are DATA-NAME-TASK.txt"
            )
        cells = import_predictions(Path(options.predictions), str(options.name), places)
        # Nothing is known of how they were computed.
        return Submission(str(options.name), "imported predictions", cells, {})
    result, scored = run_cells(request, [job], places, protocol, settings)
    cells = {place: scored[job.name, place] for place in places}
    name = job.name if options.name is None else str(options.name)
    return Submission(name, result.rows[0].signature, cells, this_environment())


def _written(request: Request, name: str, document: object) -> Path:
    """Write the file and say where it is."""
    options = request.options
    default = Path(options.paths.runs) / "submissions" / f"{name.replace('/', '_')}.json"
    path = default if options.out is None else Path(options.out).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise SubmissionError(f"cannot write {path}: {error.strerror}") from None
    return path
