"""``run``: score metrics on the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bamboo.benchmark.cells import PARTITIONS, chosen_cells
from bamboo.benchmark.datasets import SPLITS, Dataset, built_otherwise, use_built
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.session import Paths, own_options, say_written
from bamboo.config.request import Request
from bamboo.pairs.problems import warn
from bamboo.progress import progress_bar
from bamboo.running.cache import Cache
from bamboo.running.coverage import vector_files
from bamboo.running.repeat import check_data, comparison
from bamboo.running.report import result_table, warnings, write_run
from bamboo.running.run_folder import run_folder
from bamboo.running.runner import Settings, run
from bamboo.tables.model import Format, render


@dataclass(frozen=True, kw_only=True)
class Options(Settings):
    """What ``conf/run.yaml`` asks for, beside metrics and data sets."""

    paths: Paths
    protocol: Protocol
    partition: str | tuple[str, ...]
    partition_source: Literal["released", "built"]
    split: str
    report: Format
    out: Path | None


def main(request: Request) -> str:
    """Score the metrics on the cells asked for; write the run's folder; report."""
    options = own_options(Options, request, "data")
    datasets = [Dataset.from_config(config) for config in request.data]
    if options.partition_source == "built" and options.built is not None:
        names = (options.partition,) if isinstance(options.partition, str) else options.partition
        names = PARTITIONS if names == ("all",) else names
        # An unknown split or partition is reported below.
        split = options.split if options.split in SPLITS else None
        datasets = use_built(datasets, options.built, names, split)
        for dataset in datasets:
            _warn_of_old_builds(dataset, built_otherwise(dataset, names))
    cells = chosen_cells(datasets, options.partition, options.split)
    cache = Cache(options.paths.runs / "cache")
    with run_folder(request, options.paths.runs, options.out) as folder:
        if request.repeats is not None:
            check_data(request.repeats, {str(cell): cell.digest() for cell in cells})
        with progress_bar("reading") as progress:
            result, scored = run(request.jobs, cells, options.protocol, cache, options, progress)
        if request.repeats is not None:
            notes = (*result.notes, *comparison(request.repeats, result))
            result = replace(result, notes=notes)
        write_run(folder, request, result, scored)
    warn(warnings(result, vector_files(request.jobs)))
    say_written(folder.path)
    return render([result_table(result)], options.report, result.to_json())


def _warn_of_old_builds(dataset: Dataset, names: Sequence[str]) -> None:
    """Say which partitions were built by other code than this; their content is as it was built."""
    warn(
        f"{dataset.name} {name} was built by another version of the code. To build it with this "
        f"one: python -m bamboo build data={dataset.name} partition={name} overwrite=true"
        for name in names
    )
