"""A cell of the benchmark: data set x partition x split, with its pairs and ratings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from amr_metrics.types import Floats, Ints
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.functions import extract_target
from amr_metrics.utils.text import format_count
from bamboo.benchmark.columns import BENCHMARK, COLUMNS, PARTITIONS, column_name
from bamboo.benchmark.datasets import Dataset, fetch
from bamboo.benchmark.pair_tables import (
    RatedPairs,
    read_loaded,
    read_pairs,
    read_ratings,
    read_table,
    rescale_ratings,
)
from bamboo.benchmark.partition import ALTERNATING, FILES
from bamboo.benchmark.protocols import Protocol
from bamboo.errors import ConfigError, DataError
from bamboo.files import json_text
from bamboo.implementation import code_digests
from bamboo.scoring.file_pairs import FilePairs, divisions
from bamboo.scoring.problems import OnError, Problem
from bamboo.statistics.ratings import ACCURACY_WITH_TIES


@dataclass(frozen=True)
class Cell:
    """One split of one partition of a data set.

    Its string form is, for example, ``sts main test``.

    Attributes:
        limit: the number of pairs, the first ones of the split; None for all. Couples of altered
            and original pairs are kept together.
    """

    dataset: Dataset
    partition: str
    split: str
    limit: int | None = None

    def __str__(self) -> str:
        return f"{self.dataset.name} {self.partition} {self.split}"

    @property
    def column(self) -> str:
        """The name of its column in tables, such as ``main_sts``."""
        return column_name(self.dataset.name, self.partition)

    @property
    def title(self) -> str:
        """The title of a data set of one's own, by which tables are headed; "" of the benchmark."""
        return "" if self.dataset.name in BENCHMARK else self.dataset.title

    @property
    def order(self) -> tuple[int, int]:
        """A sort key: the papers' order of partitions and data sets."""
        return cell_order(self.dataset.name, self.partition)

    @property
    def in_benchmark(self) -> bool:
        """Whether it is one of the benchmark's twelve cells: the test splits of three data sets."""
        return self.split == "test" and self.column in COLUMNS and self.limit is None

    @property
    def unit(self) -> int:
        """The number of consecutive pairs that belong together: 2 for altered and original, else 1.

        It is also 2 if the partition's statistic compares consecutive pairs. Statistics and
        resampling keep the pairs of a unit together.
        """
        return 2 if self.dataset.partitions[self.partition].in_twos else 1

    @property
    def count(self) -> int | None:
        """The number of its pairs; None if it is not known before they are read."""
        expected = self.dataset.partition(self.partition, self.split).pairs[self.split]
        return None if expected is None else self._limited(expected)

    def _limited(self, count: int) -> int:
        """Return how many of some pairs are within the limit."""
        if self.limit is None:
            return count
        return min(count, -(-self.limit // self.unit) * self.unit)

    def statistic(self, protocol: Protocol) -> str:
        """Return the name of its statistic under a protocol; that of the partition comes first.

        Raises:
            ConfigError: a protocol with `ACCURACY_WITH_TIES` for pairs that are not compared in
                twos.
        """
        of_partition = self.dataset.partitions[self.partition].statistic
        if of_partition is not None:
            return of_partition
        name = protocol.of(self.partition)
        if extract_target(name) == ACCURACY_WITH_TIES and self.unit != 2:
            raise ConfigError(
                f"{ACCURACY_WITH_TIES} compares two consecutive pairs, but those of {self} do not "
                f"belong together: give statistic: {ACCURACY_WITH_TIES} in the partition of data "
                "whose pairs do"
            )
        return name

    def group(self, numbers: Ints) -> str:
        """Return a name of its pairs; cells with the same name have the same pairs, as Reify Main.

        Args:
            numbers: of its pairs, as in `PairSet`.
        """
        first = int(numbers[0]) if len(numbers) else 0
        return f"{self.dataset.name} {self.split} {self.unit} {first} {len(numbers)}"

    @property
    def files(self) -> list[Path]:
        """Its files: src, tgt and, if any, ratings; or the file of a table.

        Raises:
            ConfigError: a partition or split that the data set does not have.
        """
        part = self.dataset.partition(self.partition, self.split)
        return part.paths(self.dataset.root, self.split)

    def fetch(self) -> list[Path]:
        """Return its files, downloaded if missing and verified; see `datasets.fetch`."""
        return fetch(self.dataset, self.files)

    def digest(self) -> str:
        """Return the SHA-256 of the files' content and of the options for reading them.

        Missing files are downloaded.

        Raises:
            DataError: a file that cannot be read.
        """
        paths = self.fetch()
        dataset, part = self.dataset, self.dataset.partitions[self.partition]
        kind = part.ratings if part.ratings in (FILES, ALTERNATING) else "own"
        parts = [
            f"{dataset.scale} {dataset.header} {dataset.trailer} {kind} "
            f"{part.pairs[self.split]}{part.digest()}"
        ]
        if part.loader is not None:
            parts.append(json_text(code_digests([part.loader["_target_"]]), sort_keys=True))
        parts += [] if self.limit is None else [f"limit {self.limit}"]
        for path in paths:
            try:
                parts.append(file_digest(path))
            except OSError as error:
                raise DataError(f"{path}: {error.strerror}. Is {dataset.name} complete?") from None
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def load(self, on_error: OnError = "stop") -> PairSet:
        """Read the pairs and ratings, after downloading missing files.

        Args:
            on_error: ``stop``, or ``nan`` or ``zero`` to list pairs whose graphs cannot be read, or
                without a rating.

        Raises:
            ConfigError: a partition or split that the data set does not have.
            DataError: different numbers of graphs or ratings, ids in another order or that cannot
                be matched, a rating that is not a number or not on the scale, or a pair without one
                (``on_error="stop"``).
            GraphError: a graph that cannot be read (``on_error="stop"``).
        """
        part = self.dataset.partition(self.partition, self.split)
        paths = self.fetch()
        if part.table is not None:
            read = read_table(paths[0], part.columns, on_error, not part.alternating)
        elif part.loader is not None:
            read = read_loaded(paths, part.loader, on_error)
        else:
            read = RatedPairs(*read_pairs(paths[0], paths[1], part.ids, on_error))
        first, raters, unrated = self._rated(paths, read, on_error)
        last = first + len(raters)
        pairs = read.pairs[first:last]
        problems = {k - first: why for k, why in read.problems.items() if first <= k < last}
        problems |= {k: why for k, why in unrated.items() if k < len(raters)}
        missing = np.asarray(np.isnan(raters).all(axis=1))
        raters_of_rated = np.where(missing[:, None], 0.0, raters)
        return PairSet(
            replace(pairs, missing=pairs.missing | missing),
            np.where(missing, np.nan, np.nanmean(raters_of_rated, axis=1)),
            np.arange(first, last),
            dict(sorted(problems.items())),
            raters,
        )

    def _rated(
        self, paths: Sequence[Path], read: RatedPairs, on_error: OnError
    ) -> tuple[int, Floats, dict[int, Problem]]:
        """Return the position of the first pair, and the ratings of it and the following ones.

        The ratings are (pairs, raters); of pairs without one, the problems follow.
        """
        dataset, part = self.dataset, self.dataset.partition(self.partition, self.split)
        count = len(read.pairs)
        first, last = 0, count
        unrated: dict[int, Problem] = {}
        if part.in_twos and count % 2:
            raise DataError(
                f"{paths[0]}: {format_count(count, 'pair')}: expected an even number, "
                + ("altered and original in turn" if part.alternating else "compared in twos")
            )
        if part.alternating:
            ratings = (np.arange(count) % 2).astype(np.float64)[:, None]
        elif part.is_parallel:
            # The graphs of a header row or an empty line are no pair, and their lines no ratings.
            first, last = int(dataset.header), count - int(dataset.trailer)
            if last <= first:
                raise DataError(f"{paths[0]} contains no pairs")
            written = read_ratings(paths[2:], count)[first:last]
            ratings, unrated = rescale_ratings(written, dataset.scale, on_error)
        else:
            ratings, unrated = rescale_ratings(read.ratings, dataset.scale, on_error)
        expected = part.pairs[self.split]
        if expected is not None and last - first != expected:
            raise DataError(
                f"{self} has {format_count(last - first, 'pair')}, expected {expected}: "
                f"is {paths[0].parent if part.is_parallel else paths[0]} complete?"
            )
        return first, ratings[: self._limited(last - first)], unrated


@dataclass(frozen=True, eq=False)
class PairSet:
    """The pairs of one cell, or some of them.

    Attributes:
        pairs: the graphs (see `bamboo.scoring.file_pairs.pair_graphs`).
        ratings: float64, one per pair, in 0..1.
        numbers: the number of each pair in the benchmark: the graphs' position in their file.
        problems: which pairs could not be read, and why, by position.
        raters: the ratings of each rater (pairs, raters); NaN where one gave none. Parts have none.
    """

    pairs: FilePairs
    ratings: Floats
    numbers: Ints
    problems: Mapping[int, Problem]
    raters: Floats = field(default_factory=lambda: np.empty((0, 0)))

    def divided(self, size: Callable[[], int]) -> Iterator[PairSet]:
        """Yield the pairs in parts, of the size that is requested before each one."""
        for part in divisions(len(self.numbers), size):
            problems = {
                k - part.start: why
                for k, why in self.problems.items()
                if part.start <= k < part.stop
            }
            yield PairSet(self.pairs[part], self.ratings[part], self.numbers[part], problems)


def cell_order(dataset: str, partition: str) -> tuple[int, int]:
    """Return a sort key: partitions, then data sets, in the papers' order; others come last.

    >>> cells = [("mine", "main"), ("sts", "arg"), ("para", "main"), ("sts", "main")]
    >>> sorted(cells, key=lambda cell: cell_order(*cell))
    [('sts', 'main'), ('para', 'main'), ('mine', 'main'), ('sts', 'arg')]
    """
    return _find_position(partition, PARTITIONS), _find_position(dataset, BENCHMARK)


def _find_position(name: str, names: Sequence[str]) -> int:
    return names.index(name) if name in names else len(names)


def chosen_cells(
    datasets: Sequence[Dataset],
    partition: str | Sequence[str],
    split: str,
    limit: int | None = None,
) -> list[Cell]:
    """Return the cells of the partitions on each data set; ``all`` selects those that exist.

    Args:
        limit: the number of pairs of each cell; None for all.

    Raises:
        ConfigError: no partition, one or a split that a data set does not have, a limit below 2.
    """
    if limit is not None and limit < 2:
        raise ConfigError(f"limit={limit}: use 2 or more pairs, or null for all")
    listed = partition.split(",") if isinstance(partition, str) else partition
    names = tuple(dict.fromkeys(listed))
    if not names:
        raise ConfigError("partition: expected a name, or a list of them")
    every = names == ("all",)
    cells = []
    for name in every_partition(datasets) if every else names:
        for dataset in datasets:
            if not every or name in dataset.partitions:
                dataset.partition(name, split)
                cells.append(Cell(dataset, name, split, limit))
    return cells


def every_partition(datasets: Sequence[Dataset]) -> tuple[str, ...]:
    """Return the meaning of ``partition=all``: the benchmark's partitions, then the data sets'."""
    names = (name for dataset in datasets for name in dataset.partitions)
    return tuple(dict.fromkeys((*PARTITIONS, *names)))


def limit_notes(limit: int | None) -> tuple[str, ...]:
    """Return a note on results of the first pairs only."""
    return () if limit is None else (f"Only the first {limit} pairs of each cell (limit={limit}).",)
