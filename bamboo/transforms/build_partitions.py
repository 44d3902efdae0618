"""Build Reify, Syno and Arg from Main: write the files, in the released format, and a manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import penman

from amr_metrics.graphs.comments import SENTENCE_KEYS
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.text import format_count
from amr_metrics.version import VERSION
from bamboo.engines import SERIAL, Engine
from bamboo.errors import BuildError
from bamboo.files import json_text
from bamboo.folders import replace_folder
from bamboo.progress import OnStep, begin
from bamboo.transforms import four_solvers
from bamboo.transforms.layout import (
    Transformed,
    drop_layout,
    read_layouts,
    replace_metadata,
    to_text,
)
from bamboo.transforms.reify import reify
from bamboo.transforms.role_confusion import SIDES, confuse_pair
from bamboo.transforms.synonym import questions, substitute

FOLDERS = {"reify": "reify", "syno": "syno", "arg": "role_confusion"}  # as in the release
MANIFEST = "manifest.json"
EQUIVALENT = 1.0  # Arg uses the pairs with this rating, in 0..1


@dataclass(frozen=True, eq=False)
class MainSplit:
    """One split of Main.

    Attributes:
        src, tgt: the files.
        numbers: positions in the files of the graphs that are pairs; the graph of a header row,
            for instance, is not one.
        ratings: one per pair, in 0..1.
        match_ids: whether the graphs with the same ``::id`` are a pair, in the order of `src`.
    """

    src: Path
    tgt: Path
    numbers: Sequence[int]
    ratings: Sequence[float]
    match_ids: bool = False


class SplitGraphs(NamedTuple):
    """All graphs in the two files of a split."""

    src: list[penman.Graph]
    tgt: list[penman.Graph]


class TransformedSplit(NamedTuple):
    """A transformed split, and the numbers of its pairs, operations and others, by name."""

    sides: SplitGraphs
    counts: Mapping[str, int]


Transform = Callable[[MainSplit, SplitGraphs, np.random.Generator], TransformedSplit]


def build_partitions(
    partitions: Sequence[str],
    dataset: str,
    splits: Mapping[str, MainSplit],
    out: Path,
    *,
    seed: int = 0,
    overwrite: bool = False,
    engine: Engine = SERIAL,
    progress: OnStep = lambda what, total: None,
) -> list[dict[str, Any]]:
    """Build partitions from splits of a data set's Main, which is read once.

    The files are ``<out>/<folder>/src.<split>.amr`` and ``tgt.<split>.amr``, with the folders of
    the release. A partition is written atomically, with its manifest. Random draws depend only on
    the seed, the partition and the split.

    Args:
        partitions: names in `FOLDERS`.
        dataset: the name of the data set, for the manifest.
        splits: the splits of Main, by name.
        out: the folder of the data set's built partitions.
        overwrite: replace partitions that were built before.
        engine: where concepts are disambiguated for Syno.
        progress: called after each step, with its name and the number of steps.

    Returns:
        the manifests: the options, the counts of each split, the SHA-256 of the files of Main, and
        the versions of packages.

    Raises:
        BuildError: a folder that exists already or cannot be written to; a graph that would read
            back as a different graph; packages that Syno needs.
        GraphError: a graph of Main that cannot be read.
    """
    versions = {"bamboo-amr": VERSION, **{name: version(name) for name in ("numpy", "penman")}}
    if "syno" in partitions:
        versions |= four_solvers.versions()
    if not splits:
        raise BuildError(f"{dataset}: no split to build")
    if seed < 0:
        raise BuildError(f"seed={seed}: use 0 or more")
    for partition in partitions:
        _check_free(out / FOLDERS[partition], overwrite)
    read: dict[str, SplitGraphs] = {}
    for name, split in splits.items():
        read[name] = _read(split)
        progress(f"{dataset} {name} read", len(splits))
    source = {
        f"{path.parent.name}/{path.name}": file_digest(path)
        for split in splits.values()
        for path in (split.src, split.tgt)
    }
    manifests = []
    for partition in partitions:
        transform = _transform(partition, list(read.values()), engine, progress)
        begin(progress, f"building {dataset}", len(splits))
        counts: dict[str, Mapping[str, int]] = {}
        folder = out / FOLDERS[partition]
        try:
            with replace_folder(folder) as new:
                for name, split in splits.items():
                    generator = np.random.default_rng([seed, *f"{partition} {name}".encode()])
                    built = transform(split, read[name], generator)
                    counts[name] = {"graphs": len(built.sides.src), **built.counts}
                    _write_sides(new, f"{dataset} {partition}", name, built.sides)
                    progress(f"{dataset} {partition} {name}", len(splits))
                manifest = {
                    "partition": partition,
                    "dataset": dataset,
                    "seed": seed,
                    "splits": counts,
                    "source": source,
                    "versions": versions,
                }
                text = f"{json_text(manifest, indent=1)}\n"
                (new / MANIFEST).write_text(text, "utf-8", newline="\n")
        except OSError as error:
            raise BuildError(f"cannot write to {folder.parent}: {error.strerror}") from None
        manifests.append(manifest)
    return manifests


def _write_sides(folder: Path, where: str, split: str, sides: SplitGraphs) -> None:
    for side, graphs in zip(SIDES, sides, strict=True):
        path = folder / f"{side}.{split}.amr"
        try:
            path.write_text(to_text(graphs), "utf-8", newline="\n")
        except BuildError as error:
            raise BuildError(f"{where} {path.name}: {error}") from None


def _check_free(folder: Path, overwrite: bool) -> None:
    """Check that a folder may be written: only built partitions are replaced, on request."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not overwrite:
        raise BuildError(f"{folder} exists already: choose another out, or set overwrite=true")
    if not (folder / MANIFEST).is_file():
        raise BuildError(
            f"{folder} is not replaced, since it has no {MANIFEST} of `build`. Choose another out"
        )


def _read(split: MainSplit) -> SplitGraphs:
    sides = SplitGraphs(read_layouts(split.src), read_layouts(split.tgt))
    if len(sides.src) != len(sides.tgt):
        raise BuildError(
            f"{split.src} has {format_count(len(sides.src), 'graph')} but {split.tgt} has "
            f"{len(sides.tgt)}: pair {min(map(len, sides))} has only one side"
        )
    if not split.match_ids:
        return sides
    of_id = {graph.metadata["id"]: graph for graph in sides.tgt}
    return SplitGraphs(sides.src, [of_id[graph.metadata["id"]] for graph in sides.src])


def _transform(
    partition: str, read: Sequence[SplitGraphs], engine: Engine, progress: OnStep
) -> Transform:
    """Return how a split becomes that of a partition.

    Args:
        read: all splits; the concepts of all of them are disambiguated at once.
    """
    if partition == "reify":
        return lambda split, sides, _: each_graph(split, sides, reify)
    if partition == "arg":
        return confuse
    graphs = [graph for sides in read for side in sides for graph in side]
    concepts = [
        question for graph in graphs for question in questions(graph, _find_sentence(graph))
    ]
    decisions = four_solvers.decide(concepts, engine, progress)
    return lambda split, sides, generator: each_graph(
        split, sides, lambda graph: substitute(graph, _find_sentence(graph), decisions, generator)
    )


def each_graph(
    split: MainSplit, sides: SplitGraphs, transform: Callable[[penman.Graph], Transformed]
) -> TransformedSplit:
    """Transform every graph, src before tgt; operations are counted in the graphs of pairs."""
    results = [[transform(graph) for graph in side] for side in sides]
    operations = [side[number].operations for side in results for number in split.numbers]
    counts = {
        "pairs": len(split.numbers),
        "changed": sum(map(bool, operations)),
        "operations": sum(operations),
    }
    return TransformedSplit(SplitGraphs(*[[new.graph for new in side] for side in results]), counts)


def confuse(
    split: MainSplit, sides: SplitGraphs, generator: np.random.Generator
) -> TransformedSplit:
    """Return Arg: each pair rated 1, once with swapped roles on one side and once unchanged.

    Pair 2k is the altered pair (label 0), pair 2k+1 the original (label 1). Graphs are renumbered,
    and their sentence is NA. See `bamboo.transforms.role_confusion.confuse_pair`.
    """
    new = SplitGraphs([], [])
    counts = dict.fromkeys(("candidates", "skipped", *SIDES, "operations"), 0)
    for number, rating in zip(split.numbers, split.ratings, strict=True):
        if rating != EQUIVALENT:
            continue
        counts["candidates"] += 1
        src, tgt = sides.src[number], sides.tgt[number]
        confused = confuse_pair(src, tgt, generator)
        if confused is None:
            counts["skipped"] += 1
            continue
        counts[confused.side] += 1
        counts["operations"] += confused.operations
        original = drop_layout(src), drop_layout(tgt)
        for pair in ((confused.src, confused.tgt), original):
            for side, graph in zip(new, pair, strict=True):
                side.append(replace_metadata(graph, {"id": str(len(side)), "snt": "NA"}))
    return TransformedSplit(new, {"pairs": len(new.src), **counts})


def _find_sentence(graph: penman.Graph) -> str:
    sentence = next((graph.metadata[key] for key in SENTENCE_KEYS if key in graph.metadata), "")
    if not sentence:
        raise BuildError(
            f"the graph with ::id {graph.metadata.get('id', '?')} has no ::snt line: syno needs "
            "the sentence to disambiguate concepts"
        )
    return str(sentence)
