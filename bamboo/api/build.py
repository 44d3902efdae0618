"""Build partitions from the Main partition of a data set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amr_metrics.graphs.reification import Reifications
from bamboo.api.call import ConfigDir, checked
from bamboo.api.data import Data, datasets_of
from bamboo.api.names import Options, engine_of
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.partition import SPLITS
from bamboo.config.composition import compose_group
from bamboo.config.groups import group_names
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, unknown
from bamboo.installation import Paths, paths
from bamboo.progress import progress_bar
from bamboo.results.table import Display, Table
from bamboo.transforms.build import build_partitions
from bamboo.transforms.manifest import Manifest
from bamboo.transforms.recipes import (
    RECIPES,
    Arg,
    MainSplit,
    Recipe,
    Reify,
    Syno,
    recipe_from,
)
from bamboo.transforms.synonym import Synonyms

TRANSFORM = "transform"  # the folder of custom recipes in --config-dir, next to metric and data


@dataclass(frozen=True, repr=False)
class Built(Display):
    """Partitions that were built.

    Attributes:
        folder: the folder with ``<data>/<partition>/``.
        manifests: what was built, for each partition of each data set.
    """

    folder: Path
    manifests: Sequence[Manifest]

    def tables(self) -> list[Table]:
        """Return the sizes of the partitions."""
        rows = [
            (m.dataset, m.partition, split, counts.get("pairs"), counts.get("operations"))
            for m in self.manifests
            for split, counts in m.splits.items()
        ]
        title = f"built in {self.folder} (run partition_source=built uses it)"
        return [Table(title, ("data", "partition", "split", "pairs", "operations"), tuple(rows))]

    def to_json(self) -> list[Any]:
        """Return the manifests as JSON values."""
        return [json.loads(manifest.to_json()) for manifest in self.manifests]


@checked
def build(
    data: Data = "sts",
    partition: str | tuple[str, ...] = ("reify", "arg"),
    *,
    data_options: Options | None = None,
    split: str | tuple[str, ...] = "all",
    seed: int = 0,
    roles: tuple[str, ...] | None = None,
    synonyms: Path | None = None,
    overwrite: bool = False,
    engine: str | AnyEngine = "loky",
    out: Path | None = None,
    folders: Paths | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
) -> Built:
    """Build partitions from the Main partition of a data set.

    Args:
        data: sts | sick | para | sample | all, or a list.
        partition: reify | syno | arg | all, a transform of your own, or a list.
        data_options: options of the data sets that are given by name.
        split: train | dev | test | all, or a list.
        seed: random seed for all random choices.
        roles: reify only these roles: roles=:mod,:time.
        synonyms: your own table of synonyms for Syno (YAML).
        overwrite: replace partitions built earlier.
        engine: serial | loky | dask | slurm: for disambiguation in Syno.
        out: output folder for <data>/<partition>/; null: built/ in the folder of data.
        folders: where data and results are; null: as BAMBOO_DATA_DIR and BAMBOO_RUNS_DIR say.
        progress: show progress on standard error.
        config_dir: a folder with data sets and transforms of your own.

    Raises:
        BambooError, MetricError: for bad input.
    """
    folders = folders or paths()
    folder = out or folders.data / "built"
    names = [partition] if isinstance(partition, str) else [*partition]
    own = group_names(TRANSFORM, config_dir)
    reify = Reifications.default() if roles is None else Reifications.default().only(roles)

    def recipe(name: str) -> Recipe:
        """Return a recipe; what it lacks is reported before any work starts."""
        if name in RECIPES and name in own:
            raise ConfigError(
                f"{config_dir}/{TRANSFORM}/{name}.yaml: transform {name!r} already exists: "
                "choose another name"
            )
        if name == "reify":
            return Reify(rules=reify)
        if name == "arg":
            return Arg()
        if name == "syno":
            table = Synonyms.default() if synonyms is None else Synonyms.read(synonyms)
            decisions = folders.runs / "cache" / "decisions.json"
            return Syno(synonyms=table, cache=decisions, engine=engine_of(engine, config_dir))
        if name in own:
            return recipe_from(name, compose_group(TRANSFORM, name, config_dir))
        raise ConfigError(unknown("partition to build", name, [*RECIPES, *own]))

    recipes = [recipe(name) for name in (RECIPES if names == ["all"] else names)]
    manifests: list[Manifest] = []
    for dataset in datasets_of(data, data_options, config_dir):
        splits = {name: main_split(dataset, name) for name in _splits(dataset, split)}
        with progress_bar(f"building {dataset.name}") as bar:
            manifests += build_partitions(
                recipes,
                dataset.name,
                splits,
                folder / dataset.name,
                seed=seed,
                overwrite=overwrite,
                progress=bar,
            )
    return Built(folder, manifests)


def main_split(dataset: Dataset, split: str) -> MainSplit:
    """Return one split of a data set's Main, as input of the recipes."""
    cell = Cell(dataset, "main", split)
    if not dataset.partition("main", split).is_parallel:
        raise ConfigError(
            f"data {dataset.name}: main is not in parallel files of graphs, which build needs: "
            "write the graphs to two files, and give these as src and tgt of main in the YAML"
        )
    pairs = cell.load()
    src, tgt = cell.files[:2]
    return MainSplit(src, tgt, pairs.numbers.tolist(), pairs.ratings.tolist())


def _splits(dataset: Dataset, requested: str | Sequence[str]) -> list[str]:
    if requested == "all":
        return [split for split in SPLITS if split in dataset.partition("main", "test").pairs]
    names = [requested] if isinstance(requested, str) else list(requested)
    for name in names:
        dataset.partition("main", name)
    return names
