"""Tables 1 and 3 of the paper: statistics of the data sets and of the transforms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from amr_metrics.base import Pair
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.partition import SPLITS
from bamboo.benchmark.published import published_statistics
from bamboo.engines import Engine
from bamboo.pairs.file_pairs import FilePairs
from bamboo.progress import OnStep
from bamboo.results.table import Table
from bamboo.transforms.recipes import RECIPES
from bamboo.transforms.statistics import data_statistics, transform_statistics

COLUMNS = ("data", "quantity", "measured", "published", "difference")


def data_table(title: str, datasets: Sequence[Dataset], engine: Engine, progress: OnStep) -> Table:
    """Table 1: sizes of the data sets and of their graphs.

    Args:
        engine: where data sets are read and counted.
    """
    published = published_statistics("table1.csv")
    counted = engine.map(_counted, [(dataset,) for dataset in datasets])
    rows: list[tuple[object, ...]] = []
    for dataset, statistics in zip(datasets, counted, strict=True):
        progress(dataset.name, len(datasets))
        rows += beside_published(dataset.name, statistics, published.get(dataset.name, {}))
    return Table(title, COLUMNS, tuple(rows), notes=("The paper has 1,275 pairs in PARA test.",))


def _counted(dataset: Dataset) -> dict[str, float]:
    pairs = {split: _pairs(dataset, "main", split) for split in _splits(dataset, "main")}
    return data_statistics(pairs)


def transform_table(
    title: str, datasets: Sequence[Dataset], built: Path | None, engine: Engine, progress: OnStep
) -> Table:
    """Table 3: operations per graph of each transform.

    Args:
        built: the folder of built partitions.
        engine: where data sets are read and counted.
    """
    published = published_statistics("table3.csv")
    tasks = [
        (partition, source, dataset, home)
        for partition in RECIPES
        for dataset in datasets
        for source, home in _sources(dataset, partition, built).items()
    ]
    counted = engine.map(_operations, [task[:1] + task[2:] for task in tasks])
    rows: list[tuple[object, ...]] = []
    for (partition, source, dataset, _), statistics in zip(tasks, counted, strict=True):
        progress(f"{partition} {dataset.name} {source}", len(tasks))
        rows += [
            (partition, source, *row)
            for row in beside_published(
                dataset.name, statistics, published[partition], f"{dataset.name}_"
            )
        ]
    return Table(title, ("transform", "source", *COLUMNS), tuple(rows))


def _operations(partition: str, dataset: Dataset, home: Dataset) -> dict[str, float]:
    """Operations per graph of a partition in `home`, compared with Main."""
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
    """Return the released data set, and that with built partitions if the partition was built."""
    sources = {"released": dataset}
    folder = dataset.partitions[partition].folder
    if built is not None and (built / dataset.name / folder).is_dir():
        sources["built"] = dataset.with_built(built, [partition])
    return sources


def _splits(dataset: Dataset, partition: str) -> list[str]:
    return [split for split in SPLITS if split in dataset.partitions[partition].pairs]


def _pairs(dataset: Dataset, partition: str, split: str) -> Sequence[Pair]:
    pairs = FilePairs.of(Cell(dataset, partition, split).load().pairs)
    return pairs.select(pairs.present)


def beside_published(
    dataset: str,
    measured: Mapping[str, float],
    published: Mapping[str, float],
    prefix: str = "",
) -> Iterator[tuple[str, str, float, float | None, float | None]]:
    """Iterate over data set, quantity, measured and published value, and their difference.

    Counts are compared as integers.

    Args:
        prefix: of the names of the published values.
    """
    for name, value in measured.items():
        if (column := f"{prefix}{name}") not in published:
            yield dataset, name, value, None, None
        else:
            known = type(value)(published[column])
            yield dataset, name, value, known, value - known
