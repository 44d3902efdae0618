"""The manifest of a built partition: its sources, its options and its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from amr_metrics.utils.digests import file_digest
from amr_metrics.version import VERSION
from bamboo.config.options import read_options
from bamboo.errors import ConfigError
from bamboo.files import load_text, sealed, unsealed
from bamboo.transforms.errors import BuildError

FILE_NAME = "manifest.json"
PACKAGES = ("numpy", "penman")
BUILT_FILE = re.compile(r"(src|tgt)\.\w+\.amr|manifest\.json")


@dataclass(frozen=True)
class Manifest:
    """The content of a built partition's ``manifest.json``.

    Attributes:
        partition, dataset: their names.
        seed: of the random draws.
        recipe: the recipe's options.
        splits: counts by split: graphs per side, pairs, operations, and counts specific to the
            recipe.
        source, files: SHA-256 of the files read and written, by name.
        versions: of this project and of the packages on which the result depends.
        builder: a digest of the code that built it (`bamboo.config.implementation.builder`).
    """

    partition: str
    dataset: str
    seed: int
    recipe: Mapping[str, Any]
    splits: Mapping[str, Mapping[str, int]]
    source: Mapping[str, str]
    files: Mapping[str, str]
    versions: Mapping[str, str]
    builder: str

    def to_json(self) -> str:
        """Return the manifest as JSON with a checksum."""
        return sealed(asdict(self))

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Return the manifest of a built partition.

        Raises:
            BuildError: there is no manifest, it was changed, or another version wrote it.
        """
        path = folder / FILE_NAME
        try:
            return read_options(cls, unsealed(load_text(path)), "manifest")
        except OSError as error:
            raise BuildError(
                f"{path} cannot be read ({error.strerror}): {_rebuild(folder)}"
            ) from None
        except (ValueError, ConfigError) as error:
            raise BuildError(
                f"{path} is not the manifest that this version of build writes ({error}): "
                f"{_rebuild(folder)}"
            ) from None

    def check(self, folder: Path, names: Iterable[str]) -> None:
        """Check that files of the partition have not changed since they were built.

        Raises:
            BuildError: names the first file that has changed.
        """
        for name in names:
            path = folder / name
            try:
                content = file_digest(path)
            except OSError as error:
                raise BuildError(
                    f"{path} cannot be read ({error.strerror}): {_rebuild(folder)}"
                ) from None
            if name not in self.files:
                raise BuildError(f"{path} is not in {FILE_NAME}: {_rebuild(folder)}")
            if content != self.files[name]:
                raise BuildError(
                    f"{path} has changed since it was built: its SHA-256 is {content}, not the "
                    f"{self.files[name]} of {FILE_NAME}: {_rebuild(folder)}"
                )


def is_built(folder: Path) -> bool:
    """Return whether a folder contains a manifest and only files of a built partition."""
    names = [path.name for path in folder.iterdir()]
    return FILE_NAME in names and all(BUILT_FILE.fullmatch(name) for name in names)


def _rebuild(folder: Path) -> str:
    return f"build the partition in {folder} again, with overwrite=true"


def versions() -> dict[str, str]:
    """Return the versions on which a built partition depends."""
    return {"bamboo-amr": VERSION, **{name: version(name) for name in PACKAGES}}
