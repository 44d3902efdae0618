"""Data sets: where the files of their partitions are, released, built or the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from bamboo.benchmark.download import fetch_folder
from bamboo.benchmark.preference_data import holds_preferences
from bamboo.config.implementation import builder
from bamboo.config.options import read_options
from bamboo.errors import ConfigError, DataError, unknown
from bamboo.transforms.manifest import FILE_NAME, Manifest

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Partition:
    """Where one partition of a data set is.

    Attributes:
        folder: below the data set's root.
        ratings: ``files`` (``<split>.y`` in the root) or ``alternating``: the altered graph's
            pair first (0), the original's second (1).
        pairs: number of pairs of each split there is; None where it is not known.
        root: where the folder is, if not in the data set's root: a built partition's.
    """

    folder: str
    ratings: Literal["files", "alternating"]
    pairs: Mapping[str, int | None]
    root: Path | None = None


Source = Literal["released", "built", "local"]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """What ``conf/data/<name>.yaml`` says of a data set.

    Attributes:
        name, title: short name, and the one for tables.
        root: its folder.
        scale: lowest and highest rating there can be; ratings are brought to 0..1.
        partitions: by name.
        registry: the list of checksums of a released data set, or None.
        header: sentences of the graphs made from a header row (src and tgt), or None.
        trailer: sentence of the graph behind the last pair, or None.
    """

    name: str
    title: str
    root: Path
    scale: tuple[float, float]
    partitions: Mapping[str, Partition]
    registry: str | None = None
    header: tuple[str, str] | None = None
    trailer: str | None = None

    def __post_init__(self) -> None:
        low, high = self.scale
        if not high > low:
            raise ConfigError(f"data {self.name}: scale [{low}, {high}] must rise")

    def __hash__(self) -> int:
        return hash((self.name, self.root))

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Dataset:
        """A data set from its YAML, interpolations resolved.

        Raises:
            ConfigError: an unknown or missing option, one of the wrong type, or a data set of
                preferences.
        """
        if holds_preferences(config):
            raise ConfigError(
                f"data={config['name']} holds people's preferences between parses, not pairs with "
                f"ratings: use it as prefer data={config['name']}"
            )
        return read_options(cls, config, "data")

    def partition(self, name: str, split: str) -> Partition:
        """One of the partitions.

        Raises:
            ConfigError: if there is none of that name, or it has no such split.
        """
        if name not in self.partitions:
            raise ConfigError(unknown(f"partition of {self.name}", name, self.partitions))
        if split not in self.partitions[name].pairs:
            raise ConfigError(
                unknown(f"split of {self.name} {name}", split, self.partitions[name].pairs)
            )
        return self.partitions[name]

    def source(self, partition: str) -> Source:
        """Where a partition comes from.

        ``released``: the publishers, checked against its checksums; ``built``: made from Main by
        the ``build`` command; ``local``: files without a release, such as the bundled sample.
        """
        if self.partitions[partition].root is not None:
            return "built"
        return "released" if self.registry is not None else "local"

    def with_built(self, folder: Path, names: Iterable[str], split: str | None = None) -> Dataset:
        """The data set with partitions built below `folder` in place of the released ones.

        Args:
            names: of the partitions; ``main`` is never built and stays the released one.
            split: which each of them must have; None: any.

        Raises:
            DataError: a partition, or a split of one, that is not built; the message says how to
                build it.
        """
        return use_built([self], folder, names, split)[0]


def use_built(
    datasets: Sequence[Dataset], folder: Path, names: Iterable[str], split: str | None = None
) -> list[Dataset]:
    """Data sets with built partitions in place of the released ones; see `Dataset.with_built`.

    Raises:
        DataError: naming all partitions of all data sets that are not built.
    """
    wanted = [name for name in dict.fromkeys(names) if name != "main"]
    found, missing = [], []
    for dataset in datasets:
        built = {}
        for name in (name for name in wanted if name in dataset.partitions):
            part = dataset.partitions[name]
            home = folder / dataset.name / part.folder
            splits = [s for s in SPLITS if (home / f"src.{s}.amr").is_file()]
            if not splits or (split is not None and split not in splits):
                missing.append((dataset.name, name, bool(splits)))
                continue
            sizes = {s: part.pairs.get(s) for s in splits}
            if part.ratings == "alternating":
                sizes = dict.fromkeys(splits)  # how many graphs are altered is drawn
            built[name] = replace(part, root=folder / dataset.name, pairs=sizes)
        found.append(replace(dataset, partitions={**dataset.partitions, **built}))
    if missing:
        listed = ", ".join(
            f"{dataset} {name} {split or ''}".rstrip() for dataset, name, _ in missing
        )
        options = [
            f"{key}=[{','.join(dict.fromkeys(values))}]"
            for key, values in (
                ("data", [dataset for dataset, _, _ in missing]),
                ("partition", [name for _, name, _ in missing]),
            )
        ]
        again = " overwrite=true" if any(others for _, _, others in missing) else ""
        raise DataError(
            f"not built in {folder}: {listed}. Build with: python -m bamboo build "
            f"{' '.join(options)}{again}"
        )
    return found


def built_otherwise(dataset: Dataset, names: Iterable[str]) -> list[str]:
    """Those of a data set's built partitions that another version of the builder made."""
    parts = {name: dataset.partitions[name] for name in names if name in dataset.partitions}
    return [
        name
        for name, part in parts.items()
        if part.root is not None and Manifest.read(part.root / part.folder).builder != builder()
    ]


def fetch(
    dataset: Dataset,
    paths: Sequence[Path] | None = None,
    report: Callable[[str, int], None] = lambda name, total: None,
) -> list[Path]:
    """Make sure a released data set's files are there and unchanged; all of them by default.

    Files of built partitions must be as their manifest says.

    Raises:
        DownloadError: a released file that cannot be had, or is not what was released.
        BuildError: a file of a built partition that is not as it was built.
    """
    _check_built(dataset, paths or ())
    if dataset.registry is None:
        return list(paths or ())
    if paths is None:
        return fetch_folder(dataset.registry, dataset.root, None, report)
    released = [path for path in paths if path.is_relative_to(dataset.root)]
    fetch_folder(dataset.registry, dataset.root, released, report)
    return list(paths)


def _check_built(dataset: Dataset, paths: Sequence[Path]) -> None:
    """Make sure that the graphs of built partitions are as they were built.

    A folder with a manifest holds a built partition, and so does one that `use_built` took.
    """
    roots = {part.root for part in dataset.partitions.values() if part.root is not None}
    for folder in dict.fromkeys(path.parent for path in paths):
        if folder.parent in roots or (folder / FILE_NAME).is_file():
            names = [path.name for path in paths if path.parent == folder]
            Manifest.read(folder).check(folder, names)
