"""Build a benchmark from your own AMR files and ratings, in the layout of the released data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bamboo.benchmark.ratings import read_ratings
from bamboo.files import write_text
from bamboo.transforms.build import build_partitions
from bamboo.transforms.decisions import Progress
from bamboo.transforms.errors import BuildError
from bamboo.transforms.recipes import MainSplit, Recipe
from metrics.reading import read_graphs
from metrics.utils.files import replacing
from metrics.utils.text import counted


@dataclass(frozen=True)
class OwnData:
    """The files of a new data set.

    Attributes:
        name: of the data set; letters, digits, ``_`` and ``-``.
        src, tgt: AMR files; graph k of one is paired with graph k of the other.
        ratings: a file with one rating per line.
        scale: the lowest and the highest rating possible.
        split: the name of the split.
    """

    name: str
    src: Path
    tgt: Path
    ratings: Path
    scale: tuple[float, float] = (0.0, 5.0)
    split: str = "test"

    def __post_init__(self) -> None:
        if not self.name.replace("_", "").replace("-", "").isalnum():
            raise BuildError(
                f"{self.name!r} is not a valid name for a data set: use letters, digits, _ and -"
            )
        low, high = self.scale
        if not low < high:
            raise BuildError(
                f"the lowest rating of the scale, {low:g}, must be below the highest, {high:g}"
            )


def build_benchmark(
    data: OwnData,
    recipes: Sequence[Recipe],
    out: Path,
    *,
    seed: int = 0,
    overwrite: bool = False,
    progress: Progress = lambda what, total: None,
) -> Path:
    """Write the data set and the partitions of the recipes below `out`.

    ``<out>/<name>`` contains Main, the ratings and the partitions; ``<out>/conf/data/<name>.yaml``
    is the configuration for ``data=<name>``.

    Returns:
        the path of the configuration.

    Raises:
        BuildError: sides of different lengths, or a folder that exists already.
        DataError: ratings that do not fit the pairs or the scale (`read_ratings`).
        GraphError: a graph that cannot be read.
    """
    root = out / data.name
    if root.exists() and not overwrite:
        raise BuildError(f"{root} exists already: choose another out, or set overwrite=true")
    sides = [read_graphs(path) for path in (data.src, data.tgt)]
    if len(sides[0]) != len(sides[1]):
        raise BuildError(
            f"{data.src} has {counted(len(sides[0]), 'graph')} but {data.tgt} has {len(sides[1])}: "
            f"pair {min(map(len, sides))} has only one side"
        )
    ratings = read_ratings(data.ratings, len(sides[0]), data.scale).tolist()
    main = root / "main"
    main.mkdir(parents=True, exist_ok=True)
    files = [main / f"{side}.{data.split}.amr" for side in ("src", "tgt")]
    for source, target in (
        (data.src, files[0]),
        (data.tgt, files[1]),
        (data.ratings, root / f"{data.split}.y"),
    ):
        if source.resolve() != target.resolve():
            with replacing(target) as file:
                file.write(source.read_bytes())
    split = MainSplit(files[0], files[1], range(len(ratings)), ratings)
    partitions = {"main": ("main", len(ratings))}
    manifests = build_partitions(
        recipes,
        data.name,
        {data.split: split},
        root,
        seed=seed,
        overwrite=overwrite,
        progress=progress,
    )
    for recipe, manifest in zip(recipes, manifests, strict=True):
        partitions[recipe.name] = (recipe.folder, manifest.splits[data.split]["pairs"])
    config = out / "conf" / "data" / f"{data.name}.yaml"
    write_text(config, _configuration(data, root.resolve(), partitions))
    return config


def _configuration(data: OwnData, root: Path, partitions: Mapping[str, tuple[str, int]]) -> str:
    import yaml

    content = {
        "name": data.name,
        "title": data.name,
        "root": str(root),
        "registry": None,
        "scale": list(data.scale),
        "header": None,
        "trailer": None,
        "partitions": {
            name: {
                "folder": folder,
                "ratings": "alternating" if name == "arg" else "files",
                "pairs": {data.split: pairs},
            }
            for name, (folder, pairs) in partitions.items()
        },
    }
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
