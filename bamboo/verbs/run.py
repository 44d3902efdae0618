"""``run``: score metrics on the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bamboo.cache import Cache
from bamboo.config import Request
from bamboo.datasets import PARTITIONS, Dataset
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import result_table, run_folder, write_run
from bamboo.run import Place, Settings, run
from bamboo.tables import Format, render
from bamboo.verbs import Paths, own_options


@dataclass(frozen=True, kw_only=True)
class RunOptions(Settings):
    """What ``conf/run.yaml`` asks for, beside metrics and data sets."""

    paths: Paths
    protocol: Protocol
    partition: str | tuple[str, ...]
    split: str
    report: Format
    out: Path | None

    def places(self, datasets: Sequence[Dataset]) -> list[Place]:
        """The cells to score, once it is sure that they exist."""
        names = (self.partition,) if isinstance(self.partition, str) else self.partition
        names = PARTITIONS if names == ("all",) else tuple(dict.fromkeys(names))
        places = [Place(dataset, name, self.split) for name in names for dataset in datasets]
        for place in places:
            place.dataset.partition(place.partition, place.split)
        return places


def main(request: Request) -> str:
    """Score the metrics on the places asked for; write the run's folder; report."""
    options = own_options(RunOptions, request, "metric", "data", "solver")
    places = options.places([Dataset.from_config(config) for config in request.data])
    name = "+".join(dict.fromkeys(job.name for job in request.jobs))
    folder = run_folder(request, name, options.out, options.paths.runs)
    cache = Cache(options.paths.runs / "cache")
    with progress_bar("reading") as progress:
        result, scored = run(request.jobs, places, options.protocol, cache, options, progress)
    write_run(folder, result, scored)
    return render([result_table(result)], options.report, result.to_json())
