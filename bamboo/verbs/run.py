"""``run``: score metrics on the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bamboo.cache import Cache
from bamboo.config import Job, Request, resolved
from bamboo.datasets import PARTITIONS, Dataset
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import result_table, run_folder, write_run
from bamboo.results import Result
from bamboo.run import Place, Scored, Settings, run
from bamboo.tables import check_format, render


def main(request: Request) -> str:
    """Score the metrics on the places asked for; write the run's folder; report."""
    options = request.options
    check_format(options.report)
    chosen = [options.partition] if isinstance(options.partition, str) else options.partition
    partitions = PARTITIONS if list(chosen) == ["all"] else tuple(chosen)
    datasets = [Dataset.from_config(resolved(config)) for config in request.data]
    for dataset in datasets:
        for partition in partitions:
            dataset.partition(partition, options.split)
    places = [Place(d, p, options.split) for p in partitions for d in datasets]
    settings = Settings(
        cache=options.cache,
        on_error=options.on_error,
        jobs=options.engine.jobs,
        resamples=options.resamples if options.ci else 0,
        seed=options.seed,
    )
    protocol = Protocol.from_config(resolved(options.protocol))
    folder = run_folder(request, "+".join(dict.fromkeys(job.name for job in request.jobs)))
    result, scored = run_cells(request, request.jobs, places, protocol, settings)
    write_run(folder, result, scored)
    return render([result_table(result)], options.report, result.to_json())


def run_cells(
    request: Request,
    jobs: Sequence[Job],
    places: Sequence[Place],
    protocol: Protocol,
    settings: Settings,
) -> tuple[Result, Scored]:
    """Run with the user's cache and a progress bar."""
    cache = Cache(Path(request.options.paths.runs) / "cache")
    with progress_bar("reading") as progress:
        return run(jobs, places, protocol, cache, settings, progress)
