"""``run``: score metrics on the benchmark."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bamboo.cache import Cache
from bamboo.config import Request
from bamboo.datasets import PARTITIONS, SPLITS, Dataset, built_otherwise, use_built
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import result_table, run_folder, write_run
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
        names = (options.partition,) if isinstance(options.partition, str) else options.partition
        names = PARTITIONS if names == ("all",) else names
        # An unknown split or partition is reported below.
        split = options.split if options.split in SPLITS else None
        datasets = use_built(datasets, options.built, names, split)
        for dataset in datasets:
            _warn_of_old_builds(dataset, built_otherwise(dataset, names))
    places = chosen_places(datasets, options.partition, options.split)
    name = "+".join(dict.fromkeys(job.name for job in request.jobs))
    folder = run_folder(request, name, options.out, options.paths.runs)
    cache = Cache(options.paths.runs / "cache")
    with progress_bar("reading") as progress:
        result, scored = run(request.jobs, places, options.protocol, cache, options, progress)
    write_run(folder, result, scored)
    return render([result_table(result)], options.report, result.to_json())


def _warn_of_old_builds(dataset: Dataset, names: Sequence[str]) -> None:
    """Say which partitions were built by other code than this; their content is as it was built."""
    for name in names:
        print(
            f"warning: {dataset.name} {name} was built by another version of the code. To build it "
            f"with this one: python -m bamboo build data={dataset.name} partition={name} "
            "overwrite=true",
            file=sys.stderr,
        )
