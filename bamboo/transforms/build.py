"""Build partitions of a data set: write the files, in the released format, and a manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.text import counted
from bamboo.config.implementation import builder
from bamboo.files import replacing_folder
from bamboo.progress import OnStep
from bamboo.transforms.errors import BuildError
from bamboo.transforms.layout import read_layouts, to_text
from bamboo.transforms.manifest import FILE_NAME, Manifest, is_built, versions
from bamboo.transforms.recipes import MainSplit, Recipe, Sides
from bamboo.transforms.role_confusion import SIDES


def build_partitions(
    recipes: Sequence[Recipe],
    dataset: str,
    splits: Mapping[str, MainSplit],
    out: Path,
    *,
    seed: int = 0,
    overwrite: bool = False,
    progress: OnStep = lambda what, total: None,
) -> list[Manifest]:
    """Build partitions from splits of a data set's Main, which is read once.

    The files are ``<out>/<folder>/src.<split>.amr`` and ``tgt.<split>.amr``, where the recipe sets
    the folder. A partition is written atomically, with its manifest. Random draws depend only on
    the seed, the partition and the split.

    Args:
        dataset: the name of the data set, for the manifest.
        splits: the splits of Main, by name.
        out: the folder of the data set's built partitions.
        overwrite: replace partitions that were built before.
        progress: called after each step, with its name and the number of steps.

    Raises:
        BuildError: a folder that exists already or cannot be written to; a graph that would read
            back as a different graph; a missing requirement of a recipe.
        GraphError: a graph of Main that cannot be read.
    """
    for recipe in recipes:
        _check_free(out / recipe.folder, overwrite)
    if not splits:
        raise BuildError(f"{dataset}: no split to build")
    if seed < 0:
        raise BuildError(f"seed={seed}: use 0 or more")
    read: dict[str, Sides] = {}
    for name, split in splits.items():
        read[name] = _read(split)
        progress(f"{dataset} {name} read", len(splits))
    source = {
        f"{path.parent.name}/{path.name}": file_digest(path)
        for split in splits.values()
        for path in (split.src, split.tgt)
    }
    manifests = []
    for recipe in recipes:
        ready = recipe.prepared(list(read.values()), progress)
        counts: dict[str, dict[str, int]] = {}
        folder = out / recipe.folder
        try:
            with replacing_folder(folder) as new:
                for name, split in splits.items():
                    built = ready.build(split, read[name], _generator(seed, recipe.name, name))
                    counts[name] = {
                        "graphs": len(built.sides.src),
                        **built.counts,
                        "operations": sum(built.operations),
                    }
                    _write_sides(new, f"{dataset} {recipe.name}", name, built.sides)
                    progress(f"{dataset} {recipe.name} {name}", len(splits))
                manifest = Manifest(
                    partition=recipe.name,
                    dataset=dataset,
                    seed=seed,
                    recipe=ready.describe(),
                    splits=counts,
                    source=source,
                    files={path.name: file_digest(path) for path in sorted(new.iterdir())},
                    versions=versions(),
                    builder=builder(),
                )
                (new / FILE_NAME).write_text(manifest.to_json(), "utf-8", newline="\n")
        except OSError as error:
            raise BuildError(f"cannot write to {folder.parent}: {error.strerror}") from None
        manifests.append(manifest)
    return manifests


def _write_sides(folder: Path, where: str, split: str, sides: Sides) -> None:
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
    # A damaged manifest does not matter: building again repairs it.
    if not (folder.is_dir() and is_built(folder)):
        raise BuildError(
            f"{folder} is not replaced, since it was not built by `build`: expected only "
            f"{FILE_NAME} and src and tgt files. Choose another out"
        )


def _read(split: MainSplit) -> Sides:
    sides = Sides(read_layouts(split.src), read_layouts(split.tgt))
    if len(sides.src) != len(sides.tgt):
        raise BuildError(
            f"{split.src} has {counted(len(sides.src), 'graph')} but {split.tgt} has "
            f"{len(sides.tgt)}: pair {min(map(len, sides))} has only one side"
        )
    if outside := [number for number in split.numbers if not 0 <= number < len(sides.src)]:
        graphs = counted(len(sides.src), "graph")
        raise BuildError(f"{split.src} has {graphs}, none with number {outside[0]}")
    return sides


def _generator(seed: int, partition: str, split: str) -> np.random.Generator:
    return np.random.default_rng([seed, *f"{partition} {split}".encode()])
