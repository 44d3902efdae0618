"""Set up what the functions on the benchmark score: metrics, cells and settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bamboo.api.call import resolve_engine
from bamboo.api.data import resolve_datasets, resolve_protocol
from bamboo.benchmark.cells import Cell, chosen_cells, every_partition
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.partition import SPLITS
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import resolve_rows
from bamboo.config.rows import Row
from bamboo.engines import SERIAL
from bamboo.installation import paths
from bamboo.results.cache import Cache
from bamboo.results.score_cells import Settings


class Setup(NamedTuple):
    """What a function on the benchmark scores, and how.

    Attributes:
        protocol: the protocol.
        rows: the metrics, with the options of the protocol's published values.
        datasets: the data sets, without built partitions.
        cells: the cells.
        settings: the settings.
        scores: the cached scores.
        runs: the folder of run folders.
    """

    protocol: Protocol
    rows: tuple[Row, ...]
    datasets: tuple[Dataset, ...]
    cells: list[Cell]
    settings: Settings
    scores: Cache
    runs: Path


def set_up(called: Mapping[str, Any]) -> Setup:
    """Resolve the arguments of a function on the benchmark.

    Args:
        called: the arguments by name. Those that the function does not have keep their defaults.

    Raises:
        ConfigError: an unknown name or option, or an unsuitable value.
    """
    config_dir, folders = called["config_dir"], paths()
    built = folders.data / "built"
    protocol = resolve_protocol(called["protocol"], config_dir)
    rows = resolve_rows(
        called["metric"], called["options"], protocol=protocol.name, config_dir=config_dir
    )
    if (weights := called.get("weights")) is not None:
        from bamboo.config.weighted_rows import set_weights  # slow to import

        rows = set_weights(rows, weights)
    datasets = resolve_datasets(called["data"], called["data_options"], config_dir)
    partition, split = called["partition"], called["split"]
    scored = datasets
    if called.get("partition_source") == "built":
        names = (partition,) if isinstance(partition, str) else tuple(partition)
        names = every_partition(datasets) if names == ("all",) else names
        # An unknown split or partition is reported when cells are chosen.
        of_split = split if split in SPLITS else None
        scored = tuple(dataset.with_built(built, names, of_split) for dataset in datasets)
    cells = chosen_cells(scored, partition, split, called.get("limit"))
    settings = Settings(
        engine=resolve_engine(called.get("engine", SERIAL), config_dir),
        cache=called.get("cache", "use"),
        on_error=called.get("on_error", "stop"),
        built=built,
    )
    scores = Cache(folders.runs / "cache")
    return Setup(protocol, rows, datasets, cells, settings, scores, folders.runs)
