"""Scores of cells, cached on disk under a hash of the data and of the code that computes them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.files import replacing
from bamboo.benchmark.cells import Cell
from bamboo.errors import CacheError
from bamboo.files import json_text, read_json
from bamboo.log import warn
from bamboo.pairs.problems import Problem
from bamboo.scoring.array_files import read_arrays, write_arrays

SCHEMA = 4  # part of the key: entries of another schema are never read


@dataclass(frozen=True, eq=False)
class CellScores:
    """A metric's scores of one cell.

    Attributes:
        scores: NaN for a missing pair.
        ratings, numbers: of the pairs, as in `PairSet`.
        problems: which pairs could not be read or scored, and why, by number.
        seconds: time spent scoring, without reading.
        cached: whether an earlier run computed them; None if unknown.
    """

    scores: Scores
    ratings: Floats
    numbers: Ints
    problems: Mapping[int, Problem]
    seconds: float
    cached: bool | None = None


Scored = dict[tuple[str, Cell], CellScores]  # by the metric's name and the cell


@dataclass(frozen=True)
class Cache:
    """A folder of scored cells.

    The key of an entry consists of the data's digest and of
    `bamboo.config.implementation.cache_key`, called `key` below: the metric's signature and a
    digest of the code that computes it.

    Attributes:
        folder: the folder.
        memory: by digest and key, the scores that this command has computed and does not read from
            the folder: so that no cell is scored twice, whatever `cache` is.
    """

    folder: Path
    memory: dict[tuple[str, str], CellScores] = field(default_factory=dict, repr=False)

    def path(self, digest: str, key: str) -> Path:
        """Return the path of the scores of one metric on one cell's data."""
        name = hashlib.sha256(f"{SCHEMA}\n{digest}\n{key}".encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.npz"

    def load(self, digest: str, key: str) -> CellScores | None:
        """Return the cached scores, or None if there are none or they are damaged.

        A damaged entry is reported by a warning on standard error; the scores are computed again,
        and `store` replaces it.
        """
        path = self.path(digest, key)
        try:
            arrays = read_arrays(path)
            about = read_json(str(arrays["about"]))
            if (about["digest"], about["key"]) != (digest, key):
                raise ValueError("it belongs to other data or another metric")
            return CellScores(
                Scores(
                    arrays["values"],
                    {name: arrays[f"detail_{name}"] for name in about["details"]},
                ),
                arrays["ratings"],
                arrays["numbers"],
                {int(number): Problem(*why) for number, why in about["problems"].items()},
                about["seconds"],
                cached=True,
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            warn_of_damage("scores", path, error)
            return None

    def store(self, digest: str, key: str, cell: CellScores) -> None:
        """Write an entry atomically.

        Raises:
            CacheError: if the folder cannot be written to.
        """
        path = self.path(digest, key)
        about = {
            "digest": digest,
            "key": key,
            "details": list(cell.scores.details),
            "problems": cell.problems,
            "seconds": cell.seconds,
        }
        arrays = {
            "about": np.array(json_text(about)),
            "values": cell.scores.values,
            "ratings": cell.ratings,
            "numbers": cell.numbers,
        }
        arrays |= {f"detail_{name}": column for name, column in cell.scores.details.items()}
        try:
            with replacing(path) as file:
                write_arrays(file, arrays)
        except OSError as error:
            raise CacheError(
                f"cannot cache results in {self.folder}: {error.strerror}. "
                "Set BAMBOO_RUNS_DIR to a folder you can write to, or use cache=off"
            ) from None


def warn_of_damage(what: str, path: Path, error: Exception) -> None:
    """Warn that a cache entry is damaged, so that its content is computed again."""
    warn([f"the cached {what} in {path} are damaged ({error}): they are computed again"])
