"""Build partitions from the Main partition of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bamboo.api.call import ConfigDir, check_call, resolve_engine
from bamboo.api.data import Data, resolve_datasets
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.partition import SPLITS
from bamboo.config.rows import Options
from bamboo.display.table import Display, Table
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, describe_unknown
from bamboo.installation import paths
from bamboo.progress import progress_bar
from bamboo.transforms.build_partitions import FOLDERS, MainSplit, build_partitions


@dataclass(frozen=True, repr=False)
class Built(Display):
    """Partitions that were built.

    Attributes:
        folder: the folder with ``<data>/<partition>/``.
        manifests: what was built, for each partition of each data set.
        source: the folder that ``run partition_source=built`` reads.
    """

    folder: Path
    manifests: Sequence[Mapping[str, Any]]
    source: Path

    def tables(self) -> list[Table]:
        """Return the sizes of the partitions."""
        rows = [
            (m["dataset"], m["partition"], split, counts["pairs"], counts["operations"])
            for m in self.manifests
            for split, counts in m["splits"].items()
        ]
        title = f"built in {self.folder}"
        notes: tuple[str, ...] = ()
        if self.folder.absolute() == self.source.absolute():
            title += " (run partition_source=built uses it)"
        else:
            data, partition = self.manifests[0]["dataset"], self.manifests[0]["partition"]
            root = self.folder.absolute() / data
            notes = (
                f"run partition_source=built reads {self.source}, not this folder. To use it: "
                f"run data={data} partition={partition} "
                f"+data.{data}.partitions.{partition}.root={root} (docs/partitions.md)",
            )
        columns = ("data", "partition", "split", "pairs", "operations")
        return [Table(title, columns, tuple(rows), notes=notes)]

    def to_json(self) -> list[Any]:
        """Return the manifests as JSON values."""
        return [dict(manifest) for manifest in self.manifests]


@check_call
def build(
    data: Data = "sts",
    partition: str | tuple[str, ...] = ("reify", "arg"),
    *,
    data_options: Options | None = None,
    split: str | tuple[str, ...] = "all",
    seed: int = 0,
    overwrite: bool = False,
    engine: str | AnyEngine = "loky",
    out: Path | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
) -> Built:
    """Build partitions from the Main partition of a data set.

    Args:
        data: sts | sick | para | sample | all, or a list.
        partition: reify | syno | arg | all, or a list.
        data_options: options of the data sets that are given by name.
        split: train | dev | test | all, or a list.
        seed: random seed for all random choices.
        overwrite: replace partitions built earlier.
        engine: serial | loky | dask: for disambiguation in Syno.
        out: output folder for <data>/<partition>/; null: built/ in the folder of data, where run
            partition_source=built reads.
        progress: show progress on standard error.
        config_dir: a folder with data sets of your own.

    Raises:
        BambooError, MetricError: for bad input.
    """
    source = paths().data / "built"
    folder = out or source
    names = [partition] if isinstance(partition, str) else [*partition]
    names = [*FOLDERS] if names == ["all"] else names
    if strange := [name for name in names if name not in FOLDERS]:
        raise ConfigError(describe_unknown("partition to build", strange[0], FOLDERS))
    manifests: list[Mapping[str, Any]] = []
    for dataset in resolve_datasets(data, data_options, config_dir):
        splits = {name: main_split(dataset, name) for name in _resolve_splits(dataset, split)}
        with progress_bar(f"building {dataset.name}") as bar:
            manifests += build_partitions(
                names,
                dataset.name,
                splits,
                folder / dataset.name,
                seed=seed,
                overwrite=overwrite,
                engine=resolve_engine(engine, config_dir),
                progress=bar,
            )
    return Built(folder, manifests, source)


def main_split(dataset: Dataset, split: str) -> MainSplit:
    """Return one split of a data set's Main, from which partitions are built."""
    cell = Cell(dataset, "main", split)
    part = dataset.partition("main", split)
    if not part.is_parallel:
        raise ConfigError(
            f"data {dataset.name}: main is not in parallel files of graphs, which build needs: "
            "write the graphs to two files, and give these as src and tgt of main in the YAML"
        )
    pairs = cell.load()
    src, tgt = cell.files[:2]
    numbers, ratings = pairs.numbers.tolist(), pairs.ratings.tolist()
    return MainSplit(src, tgt, numbers, ratings, match_ids=part.ids == "match")


def _resolve_splits(dataset: Dataset, requested: str | Sequence[str]) -> list[str]:
    if requested == "all":
        return [split for split in SPLITS if split in dataset.partition("main", "test").pairs]
    names = [requested] if isinstance(requested, str) else list(requested)
    for name in names:
        dataset.partition("main", name)
    return names
