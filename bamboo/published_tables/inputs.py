"""What the reproduction of a table needs besides its YAML file, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import PARTITIONS
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.protocols import Protocol
from bamboo.config.groups import ConfigDir
from bamboo.display.table import Table
from bamboo.published_tables.score_tables import Seeds
from bamboo.results.cache import Cache
from bamboo.results.score_cells import Settings
from bamboo.statistics.resampling import Significance

ReproducedTable = tuple[Table, dict[str, Any]]  # a table, and the same as JSON values


@dataclass(frozen=True)
class Inputs:
    """The inputs of the tables.

    Attributes:
        datasets: the benchmark's data sets.
        seeds: for rows that use random numbers.
        significance: settings of the tests for the best in each column.
        cache, settings: for scoring.
        config_dir: the user's own folder of YAML files, with their metrics.
        protocol: in place of those of the tables; None for these.
    """

    datasets: Sequence[Dataset]
    seeds: Seeds
    significance: Significance
    cache: Cache
    settings: Settings
    config_dir: ConfigDir = None
    protocol: Protocol | None = None

    @property
    def cells(self) -> list[Cell]:
        """The cells of the tables: the test splits of all partitions."""
        return [Cell(dataset, name, "test") for name in PARTITIONS for dataset in self.datasets]
