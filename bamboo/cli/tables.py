"""``tables``: reproduce the published tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bamboo.benchmark.datasets import Dataset
from bamboo.cli.session import Paths, own_options, say_written
from bamboo.config.request import Request
from bamboo.running.cache import Cache
from bamboo.running.report import with_cache_note, write_tables
from bamboo.running.results import CacheShare
from bamboo.running.run_folder import run_folder
from bamboo.running.runner import CacheUse, Engine, Settings
from bamboo.statistics.comparison import Draws
from bamboo.tables.model import Format, Table, render
from bamboo.tables.reproduce import reproduce
from bamboo.tables.score_tables import check_seeds


@dataclass(frozen=True, kw_only=True)
class Options:
    """What ``conf/tables.yaml`` asks for, beside tables and data sets."""

    paths: Paths
    engine: Engine
    cache: CacheUse
    seeds: Mapping[str, tuple[int, ...]]
    permutations: int
    level: float
    seed: int
    report: Format
    out: Path | None

    def __post_init__(self) -> None:
        check_seeds(self.seeds)


def main(request: Request) -> str:
    """Compute what is missing of the tables asked for; write the run's folder; report."""
    options = own_options(Options, request, "table", "data")
    datasets = [Dataset.from_config(data) for data in request.data]
    settings = Settings(
        engine=options.engine, cache=options.cache, built=options.paths.data / "built"
    )
    draws = Draws(permutations=options.permutations, level=options.level, seed=options.seed)
    cache = Cache(options.paths.runs / "cache")
    with run_folder(request, options.paths.runs, options.out) as folder:
        made = reproduce(
            request.tables, datasets, options.seeds, draws, cache, settings, request.config_dir
        )
        tables, documents = zip(*map(_with_cache_note, made), strict=True)
        write_tables(folder, request, tables, documents)
    say_written(folder.path)
    return render(tables, options.report, documents)


def _with_cache_note(made: tuple[Table, dict[str, Any]]) -> tuple[Table, dict[str, Any]]:
    """A reproduced table with the cache's share; a table of statistics has no cells."""
    table, document = made
    if "cache" not in document:
        return made
    return with_cache_note(table, CacheShare(**document["cache"])), document
