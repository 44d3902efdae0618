"""Data sets and the locations of their partitions: released, built or the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from amr_metrics.building import merge_options
from bamboo.benchmark.download import fetch_folder
from bamboo.benchmark.partition import SPLIT, SPLITS, Ids, Partition
from bamboo.config.groups import ConfigDir, describe_file_options, list_folders
from bamboo.config.options import read_options
from bamboo.errors import ConfigError, DataError, describe_unknown


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A data set, as described in ``conf/data/<name>.yaml``.

    Attributes:
        name, title: short name, and name in tables.
        root: its folder.
        scale: lowest and highest possible rating, which become 0 and 1; None for the lowest and the
            highest that occur.
        partitions: by name.
        registry: the list of checksums of a released data set, or None.
        header: whether parallel files begin with graphs made from a header row, which are no pair.
        trailer: whether parallel files end with graphs made from an empty line.
        ids: `Partition.ids` of the partitions that have none.
    """

    name: str
    title: str
    root: Path
    partitions: Mapping[str, Partition]
    scale: tuple[float, float] | None = None
    registry: str | None = None
    header: bool = False
    trailer: bool = False
    ids: Ids | None = None

    def __post_init__(self) -> None:
        low, high = self.scale or (0.0, 1.0)
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

        Args:
            config: with the options of this class, or with ``file`` those of `PairFile`.

        Raises:
            ConfigError: an unknown or missing option, or one of the wrong type.
        """
        if "file" in config:
            config = read_options(PairFile, config, "data").describe()
        dataset = read_options(cls, config, "data")
        try:
            return replace(
                dataset,
                partitions={
                    name: replace(part.completed(name, dataset.root), ids=part.ids or dataset.ids)
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
            raise ConfigError(describe_unknown(f"partition of {self.name}", name, self.partitions))
        if split not in self.partitions[name].pairs:
            known = self.partitions[name].pairs
            hint = (
                f". A file without {SPLIT} in its name is the test split: name a file for each "
                f"split, as in \"data.csv.file='ratings.{SPLIT}.csv'\""
            )
            raise ConfigError(
                describe_unknown(f"split of {self.name} {name}", split, known)
                + (hint if split in SPLITS and [*known] == [SPLITS[-1]] else "")
            )
        return self.partitions[name]

    def source(self, partition: str) -> Literal["released", "built", "local"]:
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
        built, missing, has_others = {}, [], False
        for name in dict.fromkeys(names):
            if name == "main" or name not in self.partitions:
                continue
            part = self.partitions[name]
            root = folder / self.name
            splits = [s for s in SPLITS if (root / part.folder / f"src.{s}.amr").is_file()]
            if not splits or (split is not None and split not in splits):
                missing.append(name)
                has_others |= bool(splits)
                continue
            sizes = {s: part.pairs.get(s) for s in splits}
            if part.alternating:
                sizes = dict.fromkeys(splits)  # the number of altered graphs is random
            built[name] = replace(part, root=root, pairs=sizes, src=None, tgt=None)
        if missing:
            listed = ", ".join(f"{self.name} {name} {split or ''}".rstrip() for name in missing)
            again = " overwrite=true" if has_others else ""
            raise DataError(
                f"not built in {folder}: {listed}. Build with: python -m bamboo build "
                f"data={self.name} partition={','.join(missing)}{again}"
            )
        return replace(self, partitions={**self.partitions, **built})


@dataclass(frozen=True, kw_only=True)
class PairFile:
    """A data set in one file, as described in ``conf/data/csv.yaml``.

    Attributes:
        file: a table with one pair per row, see `Partition.table`.
        columns: those of src, of tgt and of the rating, or of the ratings of several raters.
        id, sentences: the column of ids, and those of the sentences of src and tgt, if any.
        name, root, scale: as of a `Dataset`.
        title: None for the name of the file.
    """

    name: str
    title: str | None = None
    root: Path = Path()
    file: str | None = None
    columns: tuple[str, ...] = ("src", "tgt", "rating")
    id: str | None = None
    sentences: tuple[str, str] | None = None
    scale: tuple[float, float] | None = None

    def describe(self) -> dict[str, Any]:
        """Return the configuration of the data set, whose partition is ``main``.

        Raises:
            ConfigError: no file, or fewer than three columns.
        """
        if self.file is None:
            raise ConfigError(f"data {self.name}: which file? Write {describe_file_options()}")
        if len(self.columns) < 3:
            raise ConfigError(
                f"data {self.name}: columns=[{','.join(self.columns)}]: expected those of src, tgt "
                "and the rating, such as [src,tgt,rating]"
            )
        src, tgt, *raters = self.columns
        rating = raters if len(raters) > 1 else raters[0]
        columns = {"src": src, "tgt": tgt, "rating": rating, "id": self.id}
        sentences = self.sentences or (None, None)
        columns |= {"src_sentence": sentences[0], "tgt_sentence": sentences[1]}
        return {
            "name": self.name,
            "title": self.title or Path(self.file).name,
            "root": self.root,
            "scale": self.scale,
            "partitions": {"main": {"table": self.file, "columns": columns}},
        }


def fetch(
    dataset: Dataset,
    paths: Sequence[Path] | None = None,
    report: Callable[[str, int], None] = lambda name, total: None,
) -> list[Path]:
    """Download missing files of a released data set and verify them; all files by default.

    Raises:
        DownloadError: a released file that cannot be downloaded, or differs from the release.
    """
    if dataset.registry is None:
        return list(paths or ())
    if paths is None:
        return fetch_folder(dataset.registry, dataset.root, None, report)
    released = [path for path in paths if path.is_relative_to(dataset.root)]
    fetch_folder(dataset.registry, dataset.root, released, report)
    return list(paths)


def dataset_from(
    name: str,
    config: Mapping[str, Any],
    options: Mapping[str, Any],
    config_dir: ConfigDir = None,
) -> Dataset:
    """Return a data set from its YAML and further options.

    In the user's YAML, the root is relative to the folder of the file; as an option, it is relative
    to the current folder.

    Raises:
        ConfigError: an unknown or missing option, one of the wrong type, or a root that exists only
            relative to the current folder.
    """
    title = {} if "file" in config else {"title": config.get("name", name)}
    complete = {"name": name, **title, "root": ".", **config}
    files = [folder / "data" / f"{name}.yaml" for folder in list_folders(config_dir)]
    file = next(filter(Path.is_file, files), Path(os.devnull))
    root = complete["root"]
    if file.suffix and isinstance(root, str) and not Path(root).expanduser().is_absolute():
        complete["root"] = os.path.abspath(file.parent / root)
        if "root" not in options and not Path(complete["root"]).exists() and Path(root).exists():
            raise ConfigError(
                f"{file}: root: a relative path starts from the folder of the file: "
                f"write root: {os.path.relpath(root, file.parent)}"
            )
    return Dataset.from_config(merge_options(complete, options))
