"""The record that a built partition carries: what it was made of, how, and what came out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bamboo.documents import json_text
from bamboo.transforms.errors import BuildError
from metrics.version import VERSION

FILE_NAME = "manifest.json"
PACKAGES = ("numpy", "penman")


@dataclass(frozen=True)
class Manifest:
    """What `manifest.json` of a built partition says.

    Attributes:
        partition, dataset: their names.
        seed: of the draws.
        recipe: the options.
        splits: counts by split: graphs a side, pairs, operations in all, and what is special to
            the recipe.
        source, files: SHA-256 of the files read and written, by name.
        versions: of this project and the packages that matter.
    """

    partition: str
    dataset: str
    seed: int
    recipe: Mapping[str, Any]
    splits: Mapping[str, Mapping[str, int]]
    source: Mapping[str, str]
    files: Mapping[str, str]
    versions: Mapping[str, str]

    def to_json(self) -> str:
        """The manifest as text; the same for the same build."""
        return json_text(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a built partition.

        Raises:
            BuildError: if there is none, or it cannot be read.
        """
        path = folder / FILE_NAME
        try:
            return cls(**json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise BuildError(f"{path} is no manifest of a built partition: {error}") from None


def versions() -> dict[str, str]:
    """The versions that decide on what is built."""
    return {"bamboo-amr": VERSION, **{name: version(name) for name in PACKAGES}}


def sha256(path: Path) -> str:
    """The hash of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
