"""Set up what the functions on the benchmark score: metrics, cells and settings."""

from __future__ import annotations

from pathlib import Path

from bamboo.api.call import ConfigDir, resolve_engine
from bamboo.api.data import Data, resolve_datasets
from bamboo.benchmark.cells import Cell, chosen_cells, every_partition
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.partition import SPLITS
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import Metrics, resolve_rows
from bamboo.config.rows import Options, Row
from bamboo.engines import SERIAL, AnyEngine
from bamboo.installation import paths
from bamboo.results.cache import Cache
from bamboo.results.score_cells import CacheUse, Settings
from bamboo.scoring.problems import OnError


def choose_metrics(
    metric: Metrics,
    options: Options | None,
    protocol: Protocol,
    weights: Path | tuple[Path, ...] | None = None,
    config_dir: ConfigDir = None,
) -> tuple[Row, ...]:
    """Return metrics with the options of the protocol's published values, and with weights.

    Raises:
        ConfigError: an unknown name or option, or an unsuitable value.
    """
    rows = resolve_rows(metric, options, protocol=protocol.name, config_dir=config_dir)
    if weights is None:
        return rows
    from bamboo.config.weighted_rows import set_weights  # slow to import

    return set_weights(rows, weights)


def choose_cells(
    data: Data,
    options: Options | None,
    partition: str | tuple[str, ...],
    split: str,
    config_dir: ConfigDir = None,
    source: str = "released",
    limit: int | None = None,
) -> tuple[tuple[Dataset, ...], list[Cell]]:
    """Return the data sets, without built partitions, and their cells.

    Raises:
        ConfigError: an unknown name or option, or an unsuitable value.
    """
    datasets = resolve_datasets(data, options, config_dir)
    scored = datasets
    if source == "built":
        names = (partition,) if isinstance(partition, str) else tuple(partition)
        names = every_partition(datasets) if names == ("all",) else names
        # An unknown split or partition is reported when cells are chosen.
        of_split, built = split if split in SPLITS else None, find_built()
        scored = tuple(dataset.with_built(built, names, of_split) for dataset in datasets)
    return datasets, chosen_cells(scored, partition, split, limit)


def make_settings(
    engine: str | AnyEngine = SERIAL,
    config_dir: ConfigDir = None,
    cache: CacheUse = "use",
    on_error: OnError = "stop",
) -> Settings:
    """Return how cells are scored, and where built partitions are."""
    used = resolve_engine(engine, config_dir)
    return Settings(engine=used, cache=cache, on_error=on_error, built=find_built())


def find_built() -> Path:
    """Return the folder of built partitions."""
    return paths().data / "built"


def open_cache() -> Cache:
    """Return the cached scores."""
    return Cache(paths().runs / "cache")
