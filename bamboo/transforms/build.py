"""Write partitions of a data set: the files, in the released format, and their manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bamboo.config.implementation import builder
from bamboo.files import replacing_folder
from bamboo.transforms.errors import BuildError
from bamboo.transforms.layout import read_layouts, to_text
from bamboo.transforms.manifest import FILE_NAME, Manifest, is_built, versions
from bamboo.transforms.recipes import MainSplit, Recipe, Sides
from bamboo.transforms.role_confusion import SIDES
from bamboo.transforms.wsd import Progress
from metrics.digests import file_digest


def build_partition(
    recipe: Recipe,
    dataset: str,
    splits: Mapping[str, MainSplit],
    out: Path,
    *,
    seed: int = 0,
    overwrite: bool = False,
    progress: Progress = lambda what, total: None,
) -> Manifest:
    """Make one partition; see `build_partitions`."""
    made = build_partitions(
        [recipe], dataset, splits, out, seed=seed, overwrite=overwrite, progress=progress
    )
    return made[0]


def build_partitions(
    recipes: Sequence[Recipe],
    dataset: str,
    splits: Mapping[str, MainSplit],
    out: Path,
    *,
    seed: int = 0,
    overwrite: bool = False,
    progress: Progress = lambda what, total: None,
) -> list[Manifest]:
    """Make partitions of some splits of a data set's Main, which is read once.

    The files are ``<out>/<folder>/src.<split>.amr`` and ``tgt.<split>.amr``, the folder the
    recipe's. A partition's files appear all at once, with their manifest, or not at all. What is
    drawn depends on the seed, the partition and the split, not on the others of the call.

    Args:
        dataset: its name, for the manifest.
        splits: Main, by name of the split.
        out: the data set's folder among the built ones.
        overwrite: replace partitions that were built there before.
        progress: called with what was just done and the number of such steps.

    Raises:
        BuildError: a folder that is there already; a graph that would not read back as it is;
            something missing that a recipe needs.
        GraphError: a graph of Main that cannot be read.
    """
    for recipe in recipes:
        _check_free(out / recipe.folder, overwrite)
    if not splits:
        raise BuildError(f"{dataset}: no split to build")
    if seed < 0:
        raise BuildError(f"seed={seed}: a seed is 0 or more")
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
    """Write the graphs of a split; `where` names the partition in messages."""
    for side, graphs in zip(SIDES, sides, strict=True):
        path = folder / f"{side}.{split}.amr"
        try:
            path.write_text(to_text(graphs), "utf-8", newline="\n")
        except BuildError as error:
            raise BuildError(f"{where} {path.name}: {error}") from None


def _check_free(folder: Path, overwrite: bool) -> None:
    """Make sure that nothing is lost: only what was built may be replaced, and only if asked."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not overwrite:
        raise BuildError(f"{folder} is there already: choose another out, or set overwrite=true")
    # A damaged manifest is no obstacle: to build again is the way to mend it.
    if not (folder.is_dir() and is_built(folder)):
        raise BuildError(
            f"{folder} is not replaced, since it was not built here: it is no folder of "
            f"{FILE_NAME} and src and tgt files alone. Choose another out"
        )


def _read(split: MainSplit) -> Sides:
    """The graphs of a split's files, as many on either side."""
    sides = Sides(read_layouts(split.src), read_layouts(split.tgt))
    if len(sides.src) != len(sides.tgt):
        raise BuildError(
            f"{split.src} has {len(sides.src)} graphs but {split.tgt} has {len(sides.tgt)}: "
            f"pair {min(map(len, sides))} has only one side"
        )
    if outside := [number for number in split.numbers if not 0 <= number < len(sides.src)]:
        raise BuildError(f"{split.src} has {len(sides.src)} graphs, but no number {outside[0]}")
    return sides


def _generator(seed: int, partition: str, split: str) -> np.random.Generator:
    """The draws of one partition's split."""
    return np.random.default_rng([seed, *f"{partition} {split}".encode()])
