"""Data sets and the locations of their partitions: released, built or the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from bamboo.benchmark.download import fetch_folder
from bamboo.benchmark.partition import SPLITS, Partition
from bamboo.config.implementation import builder
from bamboo.config.named import merged
from bamboo.config.options import read_options
from bamboo.errors import ConfigError, DataError, unknown
from bamboo.transforms.manifest import FILE_NAME, Manifest

Source = Literal["released", "built", "local"]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A data set, as described in ``conf/data/<name>.yaml``.

    Attributes:
        name, title: short name, and name in tables.
        root: its folder.
        scale: lowest and highest possible rating; ratings are rescaled to 0..1.
        partitions: by name.
        registry: the list of checksums of a released data set, or None.
        header: sentences of the graphs made from a header row (src and tgt), or None. This and
            `trailer` go with parallel files and one rating per line.
        trailer: sentence of the graph after the last pair, or None.
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
            raise ConfigError(
                f"data {self.name}: scale [{low}, {high}]: "
                "the second number must be greater than the first"
            )

    def __hash__(self) -> int:
        return hash((self.name, self.root))

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Dataset:
        """Return a data set from its YAML, interpolations resolved.

        Raises:
            ConfigError: an unknown or missing option, or one of the wrong type.
        """
        dataset = read_options(cls, config, "data")
        try:
            return replace(
                dataset,
                partitions={
                    name: part.completed(name, dataset.root)
                    for name, part in dataset.partitions.items()
                },
            )
        except ConfigError as error:
            raise ConfigError(f"data {dataset.name}: {error}") from None

    def partition(self, name: str, split: str) -> Partition:
        """Return one of the partitions.

        Raises:
            ConfigError: an unknown partition or split.
        """
        if name not in self.partitions:
            raise ConfigError(unknown(f"partition of {self.name}", name, self.partitions))
        if split not in self.partitions[name].pairs:
            raise ConfigError(
                unknown(f"split of {self.name} {name}", split, self.partitions[name].pairs)
            )
        return self.partitions[name]

    def source(self, partition: str) -> Source:
        """Return the origin of a partition.

        ``released``: published files, verified by their checksums; ``built``: made from Main by
        the ``build`` command; ``local``: files without a release, such as the bundled sample.
        """
        if self.partitions[partition].root is not None:
            return "built"
        return "released" if self.registry is not None else "local"

    def with_built(self, folder: Path, names: Iterable[str], split: str | None = None) -> Dataset:
        """Return the data set with partitions built below `folder` in place of the released ones.

        Args:
            names: the partitions to replace; ``main`` is never built and always released.
            split: a split that each of them must have; None for any.

        Raises:
            DataError: a partition or split that is not built; the message contains the command
                to build it.
        """
        return use_built([self], folder, names, split)[0]


def use_built(
    datasets: Sequence[Dataset], folder: Path, names: Iterable[str], split: str | None = None
) -> list[Dataset]:
    """Replace the released partitions of data sets by built ones; see `Dataset.with_built`.

    Raises:
        DataError: naming all partitions of all data sets that are not built.
    """
    requested = [name for name in dict.fromkeys(names) if name != "main"]
    result, missing = [], []
    for dataset in datasets:
        built = {}
        for name in (name for name in requested if name in dataset.partitions):
            part = dataset.partitions[name]
            home = folder / dataset.name / part.folder
            splits = [s for s in SPLITS if (home / f"src.{s}.amr").is_file()]
            if not splits or (split is not None and split not in splits):
                missing.append((dataset.name, name, bool(splits)))
                continue
            sizes = {s: part.pairs.get(s) for s in splits}
            if part.alternating:
                sizes = dict.fromkeys(splits)  # the number of altered graphs is random
            root = folder / dataset.name
            built[name] = replace(part, root=root, pairs=sizes, src=None, tgt=None)
        result.append(replace(dataset, partitions={**dataset.partitions, **built}))
    if missing:
        listed = ", ".join(
            f"{dataset} {name} {split or ''}".rstrip() for dataset, name, _ in missing
        )
        options = [
            f"{key}={','.join(dict.fromkeys(values))}"
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
    return result


def built_by_other_version(dataset: Dataset, names: Iterable[str]) -> list[str]:
    """Return the built partitions of a data set that were built by another version of the code."""
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
    """Download missing files of a released data set and verify them; all files by default.

    Files of built partitions are verified with their manifest.

    Raises:
        DownloadError: a released file that cannot be downloaded, or differs from the release.
        BuildError: a file of a built partition that was modified.
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
    """Check that the graphs of built partitions are unchanged.

    Built partitions are folders with a manifest, and those selected by `use_built`.
    """
    roots = {part.root for part in dataset.partitions.values() if part.root is not None}
    for folder in dict.fromkeys(path.parent for path in paths):
        if folder.parent in roots or (folder / FILE_NAME).is_file():
            names = [path.name for path in paths if path.parent == folder]
            Manifest.read(folder).check(folder, names)


def dataset_from(
    name: str,
    config: Mapping[str, Any],
    options: Mapping[str, Any],
    config_dir: str | Path | None = None,
) -> Dataset:
    """Return a data set from its YAML and further options.

    In the user's YAML, the root is relative to the folder of the file; as an option, it is relative
    to the current folder.

    Raises:
        ConfigError: an unknown or missing option, one of the wrong type, or a root that exists only
            relative to the current folder.
    """
    complete = {"name": name, "title": config.get("name", name), "root": ".", **config}
    file = Path(config_dir or os.devnull) / "data" / f"{name}.yaml"
    root = complete["root"]
    if file.is_file() and isinstance(root, str) and not Path(root).expanduser().is_absolute():
        complete["root"] = os.path.abspath(file.parent / root)
        if "root" not in options and not Path(complete["root"]).exists() and Path(root).exists():
            raise ConfigError(
                f"{file}: root: a relative path starts from the folder of the file: "
                f"write root: {os.path.relpath(root, file.parent)}"
            )
    return Dataset.from_config(merged(complete, options))
