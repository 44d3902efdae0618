"""Tables 1 and 3 of the paper: statistics of the data and of the transforms, beside published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import SPLITS, Dataset
from bamboo.paths import resource
from bamboo.running.engines import in_processes
from bamboo.tables.model import Table
from bamboo.transforms.recipes import RECIPES
from bamboo.transforms.statistics import (
    Compared,
    DataStatistics,
    TransformStatistics,
    compare,
    data_statistics,
    read_table1,
    read_table3,
    transform_statistics,
)
from metrics.base import Pair

Progress = Callable[[str, int], None]
COLUMNS = ("data", "quantity", "measured", "published", "difference")


def data_table(title: str, datasets: Sequence[Dataset], jobs: int, progress: Progress) -> Table:
    """Table 1: sizes of the data sets and of their graphs.

    Args:
        jobs: processes that count; -1 for one per core.
    """
    published = read_table1(resource("data") / "published" / "table1.csv")
    counted = in_processes(_counted, [(dataset,) for dataset in datasets], jobs, ordered=True)
    rows: list[tuple[object, ...]] = []
    for dataset, found in zip(datasets, counted, strict=True):
        progress(dataset.name, len(datasets))
        rows += [
            (one.dataset, one.quantity, *_numbers(one))
            for one in compare(dataset.name, found, published.get(dataset.name, {}))
        ]
    return Table(title, COLUMNS, tuple(rows), notes=("The paper has 1,275 pairs in PARA test.",))


def _counted(dataset: Dataset) -> DataStatistics:
    pairs = {split: _pairs(dataset, "main", split) for split in _splits(dataset, "main")}
    return data_statistics(pairs)


def transform_table(
    title: str, datasets: Sequence[Dataset], built: Path | None, jobs: int, progress: Progress
) -> Table:
    """Table 3: operations per graph of each transform.

    Args:
        built: where partitions that were built are.
        jobs: processes that count; -1 for one per core.
    """
    published = read_table3(resource("data") / "published" / "table3.csv")
    tasks = [
        (partition, source, dataset, home)
        for partition in RECIPES
        for dataset in datasets
        for source, home in _sources(dataset, partition, built).items()
    ]
    counted = in_processes(_operations, [task[:1] + task[2:] for task in tasks], jobs, ordered=True)
    rows: list[tuple[object, ...]] = []
    for (partition, source, dataset, _), found in zip(tasks, counted, strict=True):
        progress(f"{partition} {dataset.name} {source}", len(tasks))
        told = compare(dataset.name, found, published.get((partition, dataset.name), {}))
        rows += [(partition, source, one.dataset, one.quantity, *_numbers(one)) for one in told]
    return Table(title, ("transform", "source", *COLUMNS), tuple(rows))


def _operations(partition: str, dataset: Dataset, home: Dataset) -> TransformStatistics:
    """Operations a graph of a partition in `home`, counted against Main."""
    splits = [s for s in _splits(home, partition) if s in _splits(dataset, "main")]
    changed = [
        (
            [] if partition == "arg" else _pairs(dataset, "main", split),
            _pairs(home, partition, split),
        )
        for split in splits
    ]
    return transform_statistics(partition, changed)


def _sources(dataset: Dataset, partition: str, built: Path | None) -> dict[str, Dataset]:
    """The released data set, and the one with built partitions if this one was built."""
    sources = {"released": dataset}
    folder = dataset.partitions[partition].folder
    if built is not None and (built / dataset.name / folder).is_dir():
        sources["built"] = dataset.with_built(built, [partition])
    return sources


def _splits(dataset: Dataset, partition: str) -> list[str]:
    return [split for split in SPLITS if split in dataset.partitions[partition].pairs]


def _pairs(dataset: Dataset, partition: str, split: str) -> list[Pair]:
    return [pair for pair in Cell(dataset, partition, split).load().pairs if pair is not None]


def _numbers(one: Compared) -> tuple[float | None, ...]:
    """Measured, published and difference; counts as whole numbers."""
    kind = int if isinstance(one.measured, int) else float
    found = (one.measured, one.published, one.difference)
    return tuple(None if value is None else kind(value) for value in found)
