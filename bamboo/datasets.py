"""Data set x partition x split: pairs of graphs with their ratings, numbered as released."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.download import ensure, read_registry
from bamboo.errors import ConfigError, DataError, unknown
from metrics.base import Pair
from metrics.errors import GraphError
from metrics.graph import Graph
from metrics.reading import parse_amr, read_graphs
from metrics.types import Floats, Ints

PARTITIONS = ("main", "reify", "syno", "arg")
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Partition:
    """Where one partition of a data set is.

    Attributes:
        folder: below the data set's root.
        ratings: ``files`` (``<split>.y`` in the root) or ``alternating``: the altered graph's
            pair first (0), the original's second (1).
        pairs: number of pairs of each split there is.
    """

    folder: str
    ratings: str
    pairs: Mapping[str, int | None]


@dataclass(frozen=True)
class Dataset:
    """What ``conf/data/<name>.yaml`` says of a data set.

    Attributes:
        name, title: short name, and the one for tables.
        root: its folder.
        registry: the list of checksums of a released data set, or None.
        scale: lowest and highest rating there can be; ratings are brought to 0..1.
        header: sentences of the graphs made from a header row (src and tgt), or None.
        trailer: sentence of the graph behind the last pair, or None.
        partitions: by name.
    """

    name: str
    title: str
    root: Path
    registry: str | None
    scale: tuple[float, float]
    header: tuple[str, str] | None
    trailer: str | None
    partitions: Mapping[str, Partition]

    def __hash__(self) -> int:
        return hash((self.name, self.root))

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Dataset:
        """A data set from its YAML, interpolations resolved."""
        low, high = config["scale"]
        if not high > low:
            raise ConfigError(f"data {config['name']}: scale [{low}, {high}] must rise")
        return cls(
            name=config["name"],
            title=config["title"],
            root=Path(config["root"]).expanduser(),
            registry=config["registry"],
            scale=(float(low), float(high)),
            header=tuple(config["header"]) if config["header"] else None,
            trailer=config["trailer"],
            partitions={name: Partition(**part) for name, part in config["partitions"].items()},
        )

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

    def files(self, partition: str, split: str) -> list[str]:
        """The files of a partition's split, below the root: src, tgt and, if any, ratings."""
        part = self.partition(partition, split)
        names = [f"{part.folder}/{side}.{split}.amr" for side in ("src", "tgt")]
        return names + ([f"{split}.y"] if part.ratings == "files" else [])


@dataclass(frozen=True, eq=False)
class PairSet:
    """The pairs of one partition's split.

    Attributes:
        dataset, partition, split: their names.
        pairs: the graphs; None where a graph could not be read (with ``on_error=nan`` only).
        ratings: float64, one a pair, in 0..1.
        numbers: the benchmark's own number of each pair: the graphs' position in their file.
        problems: why a pair is None, by number.
    """

    dataset: str
    partition: str
    split: str
    pairs: Sequence[Pair | None]
    ratings: Floats
    numbers: Ints
    problems: Mapping[int, str]


def fetch(
    dataset: Dataset,
    names: Sequence[str] | None = None,
    report: Callable[[str, int], None] = lambda name, total: None,
) -> list[Path]:
    """Make sure a released data set's files are there and unchanged; all of them by default."""
    if dataset.registry is None:
        return [dataset.root / name for name in names or ()]
    registry = read_registry(dataset.registry)
    folder = dataset.root.name
    wanted = [name for name in registry if name.startswith(f"{folder}/")]
    if names is not None:
        wanted = [f"{folder}/{name}" for name in names]
    if missing := [name for name in wanted if name not in registry]:
        raise DataError(f"{missing[0]} was never released")
    return ensure(registry, wanted, dataset.root.parent, report)


def digest(dataset: Dataset, partition: str, split: str) -> str:
    """A hash of the files' content and of how they are read; fetches what is missing."""
    paths = fetch(dataset, dataset.files(partition, split))
    parts = [describe_reading(dataset, partition)]
    for path in paths:
        try:
            parts.append(hashlib.sha256(path.read_bytes()).hexdigest())
        except OSError as error:
            raise DataError(f"{path}: {error.strerror}. Is {dataset.name} complete?") from None
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def describe_reading(dataset: Dataset, partition: str) -> str:
    """What, beside the files, decides on a pair set."""
    ratings = dataset.partitions[partition].ratings
    return f"{dataset.scale} {dataset.header} {dataset.trailer} {ratings}"


def load(dataset: Dataset, partition: str, split: str, on_error: str = "stop") -> PairSet:
    """Read the pairs and ratings of one partition's split; fetches what is missing.

    Args:
        on_error: ``stop``, or ``nan`` to list a pair one of whose graphs cannot be read.

    Raises:
        DataError: sides or ratings that do not fit together, a missing or unexpected header
            graph, a rating that is no number or off the scale.
        GraphError: a graph that cannot be read (``on_error="stop"``).
    """
    part = dataset.partition(partition, split)
    paths = fetch(dataset, dataset.files(partition, split))
    problems: dict[int, str] = {}
    sides = [_read_side(path, on_error, problems) for path in paths[:2]]
    if len(sides[0]) != len(sides[1]):
        raise DataError(
            f"{paths[0]} has {len(sides[0])} graphs but {paths[1]} has {len(sides[1])}: "
            f"pair {min(map(len, sides))} has only one side"
        )
    count = len(sides[0])
    if part.ratings == "files":
        first = int(dataset.header is not None)
        last = count - int(dataset.trailer is not None)
        for side, path, header in zip(sides, paths, dataset.header or (None, None), strict=False):
            _check_sentence(side, 0, header, path)
            _check_sentence(side, count - 1, dataset.trailer, path)
        ratings = _read_ratings(paths[2], dataset.scale, count, range(first, last))
    else:
        first, last = 0, count
        if count % 2:
            raise DataError(f"{paths[0]}: {count} pairs, but altered and original come in twos")
        ratings = (np.arange(count) % 2).astype(np.float64)
    expected = part.pairs[split]
    if expected is not None and last - first != expected:
        raise DataError(
            f"{dataset.name} {partition} {split} has {last - first} pairs, not {expected}: "
            f"is {paths[0].parent} complete?"
        )
    pairs = [
        Pair(a, b) if a is not None and b is not None else None
        for a, b in zip(sides[0][first:last], sides[1][first:last], strict=True)
    ]
    return PairSet(dataset.name, partition, split, pairs, ratings, np.arange(first, last), problems)


def _read_side(path: Path, on_error: str, problems: dict[int, str]) -> list[Graph | None]:
    """The graphs of a file; with ``on_error="nan"`` None for each that cannot be read."""
    if on_error == "stop":
        return list(read_graphs(path))
    graphs: list[Graph | None] = []
    blocks = [block for block in path.read_text("utf-8").split("\n\n") if block.strip()]
    for number, block in enumerate(blocks):
        try:
            graphs += parse_amr(block, str(path))
        except GraphError as error:
            problems[number] = f"{path}: {error.problem}"
            graphs.append(None)
    return graphs


def _check_sentence(
    graphs: Sequence[Graph | None], at: int, sentence: str | None, path: Path
) -> None:
    """Make sure that the graph to be dropped is the one meant."""
    graph = graphs[at]
    if sentence is not None and graph is not None and graph.sentence != sentence:
        raise DataError(
            f"{path}, graph {at}: expected the graph of {sentence!r}, which is no pair, "
            f"but found {graph.sentence!r}: the file is not as released"
        )


def _read_ratings(path: Path, scale: tuple[float, float], count: int, wanted: range) -> Floats:
    """The ratings of the wanted pairs, brought to 0..1."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    if lines[-1] == "":
        lines.pop()
    if len(lines) != count:
        raise DataError(f"{path} has {len(lines)} ratings for {count} pairs: it takes one a line")
    low, high = scale
    ratings = np.empty(len(wanted))
    for k, number in enumerate(wanted):
        try:
            rating = float(lines[number])
        except ValueError:
            raise DataError(
                f"{path}, pair {number}, line {number + 1}: {lines[number]!r} is not a number"
            ) from None
        if not low <= rating <= high:
            raise DataError(
                f"{path}, pair {number}, line {number + 1}: {rating} is not on the scale "
                f"from {low:g} to {high:g} (set data.scale)"
            )
        ratings[k] = (rating - low) / (high - low)
    return ratings
