"""``tables``: reproduce the published tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bamboo.cache import Cache
from bamboo.config import Request, compose_group
from bamboo.data_tables import statistics_table
from bamboo.datasets import PARTITIONS, Dataset
from bamboo.errors import ConfigError
from bamboo.options import read_options
from bamboo.paper_tables import TableSpec, summarise, summary_json, summary_table
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import run_folder, write_tables
from bamboo.run import CacheUse, Engine, Place, Settings, run
from bamboo.tables import Format, Table, render
from bamboo.verbs import Paths, own_options


@dataclass(frozen=True, kw_only=True)
class TablesOptions:
    """What ``conf/tables.yaml`` asks for, beside tables and data sets."""

    paths: Paths
    engine: Engine
    cache: CacheUse
    seeds: Mapping[str, tuple[int, ...]]
    report: Format
    out: Path | None

    def __post_init__(self) -> None:
        for kind, seeds in self.seeds.items():
            if not seeds or len(set(seeds)) < len(seeds):
                raise ConfigError(f"seeds.{kind}: give one or more, each once")


def main(request: Request) -> str:
    """Compute what is missing of the tables asked for; write the run's folder; report."""
    options = own_options(TablesOptions, request, "table", "data")
    datasets = [Dataset.from_config(data) for data in request.data]
    places = [Place(d, p, "test") for p in PARTITIONS for d in datasets]
    settings = Settings(
        engine=options.engine, cache=options.cache, built=options.paths.data / "built"
    )
    cache = Cache(options.paths.runs / "cache")
    folder = run_folder(request, "tables", options.out, options.paths.runs)
    tables: list[Table] = []
    documents: list[dict[str, Any]] = []
    for config in request.tables:
        if "statistics" in config:
            with progress_bar("reading") as progress:
                found = statistics_table(config, datasets, options.paths.data / "built", progress)
            tables.append(found)
            documents.append(asdict(found))
            continue
        spec = TableSpec.from_config(config)
        protocol = read_options(
            Protocol, compose_group("run", "protocol", spec.protocol), "protocol"
        )
        jobs = spec.jobs(options.seeds)
        with progress_bar("reading") as progress:
            result, _ = run(jobs, places, protocol, cache, settings, progress)
        rows = summarise(spec, result, options.seeds)
        tables.append(summary_table(spec, rows))
        documents.append(summary_json(spec, rows, result))
    write_tables(folder, tables, documents)
    return render(tables, options.report, documents)
