"""Scores of cells kept on disk under the hash of the data and the metric's signature."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bamboo.documents import json_text
from bamboo.errors import CacheError
from bamboo.problems import Problem
from metrics.base import Scores
from metrics.types import Floats, Ints

SCHEMA = 2


@dataclass(frozen=True, eq=False)
class CellScores:
    """A metric's scores of one cell.

    Attributes:
        scores: NaN for a missing pair.
        ratings, numbers: of the pairs, as in `PairSet`.
        problems: which pairs could not be read or scored, and why, by number.
        seconds: time spent scoring, without reading.
    """

    scores: Scores
    ratings: Floats
    numbers: Ints
    problems: Mapping[int, Problem]
    seconds: float


@dataclass(frozen=True)
class Cache:
    """A folder of scored cells."""

    folder: Path

    def path(self, digest: str, signature: str) -> Path:
        """Where the scores of one metric on one cell's data belong."""
        key = hashlib.sha256(f"{SCHEMA}\n{digest}\n{signature}".encode()).hexdigest()
        return self.folder / key[:2] / f"{key}.npz"

    def load(self, digest: str, signature: str) -> CellScores | None:
        """The scores kept, or None.

        Raises:
            CacheError: an entry that cannot be read, or is not what its name says.
        """
        path = self.path(digest, signature)
        if not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
                about = json.loads(str(entry["about"]))
                if (about["digest"], about["signature"]) != (digest, signature):
                    raise ValueError("it belongs to other data or another metric")
                details = {name: entry[f"detail_{name}"] for name in about["details"]}
                return CellScores(
                    Scores(entry["values"], details),
                    entry["ratings"],
                    entry["numbers"],
                    {int(number): Problem(*why) for number, why in about["problems"].items()},
                    about["seconds"],
                )
        except Exception as error:  # a damaged file may make numpy and zipfile raise anything
            raise CacheError(
                f"the stored result {path} is damaged ({error}): "
                "delete it, or run again with cache=refresh"
            ) from None

    def store(self, digest: str, signature: str, cell: CellScores) -> None:
        """Keep scores, whole or not at all.

        Raises:
            CacheError: if the folder cannot be written to.
        """
        path = self.path(digest, signature)
        about = {
            "digest": digest,
            "signature": signature,
            "details": list(cell.scores.details),
            "problems": cell.problems,
            "seconds": cell.seconds,
        }
        arrays = {
            "values": cell.scores.values,
            "ratings": cell.ratings,
            "numbers": cell.numbers,
        }
        arrays |= {f"detail_{name}": column for name, column in cell.scores.details.items()}
        partial = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".partial")
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(
                    file, allow_pickle=False, about=np.array(json_text(about)), **arrays
                )
            os.replace(partial, path)
        except OSError as error:
            raise CacheError(
                f"cannot keep results in {self.folder}: {error.strerror}. "
                "Set BAMBOO_RUNS_DIR to a folder you can write to, or use cache=off"
            ) from None
        finally:
            if partial is not None:
                Path(partial).unlink(missing_ok=True)
