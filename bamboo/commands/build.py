"""Build partitions from the Main partition of a data set.

python -m bamboo build data=sts partition=reify
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from amr_metrics.graphs.reification import Reifications
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.partition import SPLITS
from bamboo.commands.data import DataCommand
from bamboo.commands.options import REPORTS, option
from bamboo.config.groups import group_names
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, unknown
from bamboo.progress import progress_bar
from bamboo.results.table import Format, Table, render
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


@dataclass(frozen=True, kw_only=True)
class Build(DataCommand):
    """The options of ``build``."""

    NAME: ClassVar[str] = "build"

    data: tuple[Mapping[str, Any], ...] = option(
        "sts", "sts | sick | para | sample | all, or a list"
    )
    engine: AnyEngine = option("loky", "serial | loky | dask | slurm: for disambiguation in Syno")
    partition: str | tuple[str, ...] = option(
        ("reify", "arg"), "reify | syno | arg | all, a transform of your own, or a list"
    )
    split: str | tuple[str, ...] = option("all", "train | dev | test | all, or a list")
    seed: int = option(0, "random seed for all random choices")
    roles: tuple[str, ...] | None = option(None, "reify only these roles: roles=:mod,:time")
    synonyms: Path | None = option(None, "your own table of synonyms for Syno (YAML)")
    overwrite: bool = option(False, "replace partitions built earlier")
    out: Path = option("${paths.data}/built", "output folder for <data>/<partition>/")
    report: Format = option("table", REPORTS)

    def recipes(self, cache: Path, config_dir: str | None = None) -> list[Recipe]:
        """Return the recipe of each partition; report missing requirements before any work starts.

        Args:
            cache: the folder for the decisions of Syno's disambiguator.
            config_dir: the user's folder, with additional recipes in ``transform/NAME.yaml``.
        """
        names = [self.partition] if isinstance(self.partition, str) else list(self.partition)
        recipes: list[Recipe] = []
        own = group_names(TRANSFORM, config_dir)
        for name in list(RECIPES) if names == ["all"] else names:
            if name in RECIPES and name in own:
                raise ConfigError(
                    f"{config_dir}/{TRANSFORM}/{name}.yaml: transform {name!r} already exists: "
                    "choose another name"
                )
            if name in RECIPES:
                recipes.append(self._recipe(name, cache))
            elif name in own and config_dir is not None:
                recipes.append(recipe_from(name, _own_options(Path(config_dir), name)))
            else:
                raise ConfigError(unknown("partition to build", name, [*RECIPES, *own]))
        return recipes

    def _recipe(self, name: str, cache: Path) -> Recipe:
        if name == "reify":
            rules = Reifications.default()
            return Reify(rules=rules if self.roles is None else rules.only(self.roles))
        if name == "arg":
            return Arg()
        synonyms = Synonyms.default() if self.synonyms is None else Synonyms.read(self.synonyms)
        decisions = cache / "decisions.json"
        return Syno(synonyms=synonyms, cache=decisions, engine=self.engine)

    def __call__(self) -> str:
        """Build the partitions and report their sizes."""
        recipes = self.recipes(self.paths.runs / "cache", self.configuration.config_dir)
        manifests: list[Manifest] = []
        for dataset in self.datasets:
            splits = {split: main_split(dataset, split) for split in _splits(dataset, self.split)}
            with progress_bar(f"building {dataset.name}") as progress:
                manifests += build_partitions(
                    recipes,
                    dataset.name,
                    splits,
                    self.out / dataset.name,
                    seed=self.seed,
                    overwrite=self.overwrite,
                    progress=progress,
                )
        documents = [json.loads(manifest.to_json()) for manifest in manifests]
        return render([_table(manifests, self.out)], self.report, documents)


def _own_options(config_dir: Path, name: str) -> dict[str, Any]:
    """Return the YAML of a user's recipe."""
    path = config_dir / TRANSFORM / f"{name}.yaml"
    try:
        config = OmegaConf.to_container(OmegaConf.load(path), resolve=True)
    except (OSError, YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}") from None
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: expected a mapping with _target_ and options")
    return {str(key): value for key, value in config.items()}


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


def _table(manifests: Sequence[Manifest], out: Path) -> Table:
    rows = [
        (m.dataset, m.partition, split, counts.get("pairs"), counts.get("operations"))
        for m in manifests
        for split, counts in m.splits.items()
    ]
    title = f"built in {out} (run partition_source=built uses it)"
    return Table(title, ("data", "partition", "split", "pairs", "operations"), tuple(rows))
