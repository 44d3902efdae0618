"""``compare``: tell which differences between metrics are real."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from bamboo.cache import Cache
from bamboo.compare import Draws, compare, comparison_tables
from bamboo.config import Request
from bamboo.datasets import Dataset
from bamboo.errors import ConfigError
from bamboo.pairs import OnError
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import run_folder, with_cache_note, write_run
from bamboo.run import CacheUse, Engine, Settings, chosen_places, run
from bamboo.tables import Format, render
from bamboo.verbs import Paths, own_options


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """What ``conf/compare.yaml`` asks for, beside metrics and data sets."""

    paths: Paths
    protocol: Protocol
    engine: Engine
    partition: str | tuple[str, ...]
    split: str
    cache: CacheUse
    on_error: OnError
    resamples: int
    permutations: int
    seed: int
    level: float
    report: Format
    out: Path | None


def main(request: Request) -> str:
    """Score what is missing, test all pairs of metrics; write the run's folder; report."""
    options = own_options(CompareOptions, request, "data")
    if len(request.jobs) < 2:
        raise ConfigError("compare wants two metrics or more, such as metric=[smatch,sema]")
    draws = Draws(options.resamples, options.permutations, options.seed, options.level)
    datasets = [Dataset.from_config(config) for config in request.data]
    places = chosen_places(datasets, options.partition, options.split)
    settings = Settings(
        engine=options.engine,
        cache=options.cache,
        on_error=options.on_error,
        built=options.paths.data / "built",
    )
    folder = run_folder(request, "compare", options.out, options.paths.runs)
    cache = Cache(options.paths.runs / "cache")
    with progress_bar("reading") as progress:
        result, scored = run(request.jobs, places, options.protocol, cache, settings, progress)
    found = compare([job.name for job in request.jobs], places, scored, options.protocol, draws)
    write_run(folder, result, scored)
    document = {**found.to_json(), "cache": asdict(result.cache)}
    *tables, last = comparison_tables(found)
    tables.append(with_cache_note(last, result.cache))
    (folder / "comparison.json").write_text(json.dumps(document) + "\n", "utf-8")
    (folder / "comparison.md").write_text(render(tables, "markdown") + "\n", "utf-8")
    return render(tables, options.report, document)
