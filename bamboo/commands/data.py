"""What the commands that use data sets share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bamboo.benchmark.cells import Cell, chosen_cells
from bamboo.benchmark.datasets import Dataset
from bamboo.commands.base import Command
from bamboo.errors import ConfigError
from bamboo.scoring.cache import Cache


@dataclass(frozen=True, kw_only=True)
class DataCommand(Command):
    """A command that uses data sets."""

    data: tuple[Mapping[str, Any], ...]

    @cached_property
    def datasets(self) -> tuple[Dataset, ...]:
        """The data sets.

        Raises:
            ConfigError: see `Dataset.from_config`.
        """
        return tuple(Dataset.from_config(config) for config in self.data)

    def single_dataset(self, message: str) -> Dataset:
        """Return the only data set.

        Raises:
            ConfigError: with `message`, if there are several.
        """
        if len(self.data) != 1:
            raise ConfigError(message)
        return self.datasets[0]

    def cells(
        self, partition: str | Sequence[str], split: str, limit: int | None = None
    ) -> list[Cell]:
        """Return the cells of the data sets; see `chosen_cells`."""
        return chosen_cells(self.datasets, partition, split, limit)

    @cached_property
    def scores_cache(self) -> Cache:
        """The scores of earlier runs."""
        return Cache(self.paths.runs / "cache")
