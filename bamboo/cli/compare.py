"""``compare``: tell which differences between metrics are real."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bamboo.benchmark.cells import chosen_cells
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.session import Paths, own_options, say_written
from bamboo.config.request import Request
from bamboo.documents import json_text
from bamboo.errors import ConfigError
from bamboo.pairs.problems import OnError, warn
from bamboo.progress import progress_bar
from bamboo.running.cache import Cache
from bamboo.running.coverage import vector_files
from bamboo.running.missing import unreadable_pairs
from bamboo.running.report import warnings, with_cache_note, write_run
from bamboo.running.run_folder import run_folder
from bamboo.running.runner import CacheUse, Engine, Settings, run
from bamboo.statistics.comparison import Draws, compare, compare_incomplete, comparison_tables
from bamboo.tables.model import Format, render


@dataclass(frozen=True, kw_only=True)
class Options:
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
    options = own_options(Options, request, "data")
    if len(request.jobs) < 2:
        raise ConfigError("compare wants two metrics or more, such as metric=[smatch,sema]")
    draws = Draws(options.resamples, options.permutations, options.seed, options.level)
    datasets = [Dataset.from_config(config) for config in request.data]
    cells = chosen_cells(datasets, options.partition, options.split)
    settings = Settings(
        engine=options.engine,
        cache=options.cache,
        on_error=options.on_error,
        built=options.paths.data / "built",
    )
    cache = Cache(options.paths.runs / "cache")
    names = [job.name for job in request.jobs]
    with run_folder(request, options.paths.runs, options.out) as folder:
        with progress_bar("reading") as progress:
            result, scored = run(request.jobs, cells, options.protocol, cache, settings, progress)
        unreadable = unreadable_pairs(names, cells, scored)
        given = names, cells, scored, options.protocol, draws, unreadable
        comparison, partial = compare(*given), compare_incomplete(*given)
        write_run(folder, request, result, scored)
        problems = warnings(result, vector_files(request.jobs))
        document = comparison.to_json() | {"on_common_pairs": [one.to_json() for one in partial]}
        document["problems"] = [problem.to_json() for problem in result.problems]
        document["cache"] = asdict(result.cache)
        first, *others = comparison_tables(comparison, partial)
        tables = [replace(first, notes=(*first.notes, *problems)), *others]
        tables[-1] = with_cache_note(tables[-1], result.cache)
        folder.write("comparison.json", json_text(document) + "\n")
        folder.write("comparison.md", render(tables, "markdown") + "\n")
    warn(problems)
    say_written(folder.path)
    return render(tables, options.report, document)
