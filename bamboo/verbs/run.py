"""``run``: score metrics on the benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bamboo.cache import Cache
from bamboo.config import Request
from bamboo.coverage import vector_files
from bamboo.datasets import Dataset
from bamboo.problems import warn
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import result_table, run_folder, warnings, write_run
from bamboo.run import Settings, chosen_places, run
from bamboo.tables import Format, render
from bamboo.verbs import Paths, own_options


@dataclass(frozen=True, kw_only=True)
class RunOptions(Settings):
    """What ``conf/run.yaml`` asks for, beside metrics and data sets."""

    paths: Paths
    protocol: Protocol
    partition: str | tuple[str, ...]
    partition_source: Literal["released", "built"]
    split: str
    report: Format
    out: Path | None


def main(request: Request) -> str:
    """Score the metrics on the places asked for; write the run's folder; report."""
    options = own_options(RunOptions, request, "data")
    datasets = [Dataset.from_config(config) for config in request.data]
    if options.partition_source == "built" and options.built is not None:
        datasets = [dataset.with_built(options.built) for dataset in datasets]
    places = chosen_places(datasets, options.partition, options.split)
    name = "+".join(dict.fromkeys(job.name for job in request.jobs))
    folder = run_folder(request, name, options.out, options.paths.runs)
    cache = Cache(options.paths.runs / "cache")
    with progress_bar("reading") as progress:
        result, scored = run(request.jobs, places, options.protocol, cache, options, progress)
    write_run(folder, result, scored)
    warn(warnings(result, vector_files(request.jobs)))
    return render([result_table(result)], options.report, result.to_json())
