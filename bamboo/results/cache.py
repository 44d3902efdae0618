"""Scores of cells, cached on disk under a hash of the data and of the code that computes them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.utils.files import replace_file
from bamboo.benchmark.cells import Cell
from bamboo.config.rows import Row
from bamboo.errors import CacheError
from bamboo.files import json_text, read_json
from bamboo.implementation import implementation, is_portable
from bamboo.log import warn
from bamboo.scoring.problems import Problem
from bamboo.scoring.scored import PairColumns, Scored

SCHEMA = 5  # part of the key: entries of another schema are never read


ScoredCells = dict[tuple[str, Cell], Scored]  # by the metric's name and the cell


def cache_key(row: Row, metric: Metric, on_error: str) -> str:
    """Return one line with everything, except the data, that a cached result depends on.

    Args:
        metric: the metric of the row on a data set.
    """
    if not is_portable(metric):
        return f"{metric.signature} {on_error} object={id(metric)}"
    digest = implementation(metric, row.trainer)
    return f"{metric.signature} {on_error} implementation={digest}"


@dataclass(frozen=True)
class Cache:
    """A folder of scored cells.

    The key of an entry consists of the data's digest and of
    `cache_key`, called `key` below: the metric's signature and a
    digest of the code that computes it.

    Attributes:
        folder: the folder.
        memory: by digest and key, the scores that this command has computed and does not read from
            the folder: so that no cell is scored twice, whatever `cache` is.
    """

    folder: Path
    memory: dict[tuple[str, str], Scored] = field(default_factory=dict, repr=False)

    def path(self, digest: str, key: str) -> Path:
        """Return the path of the scores of one metric on one cell's data."""
        name = hashlib.sha256(f"{SCHEMA}\n{digest}\n{key}".encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.npz"

    def load(self, digest: str, key: str) -> Scored | None:
        """Return the cached scores, or None if there are none or they are damaged.

        A damaged entry is reported by a warning on standard error; the scores are computed again,
        and `store` replaces it.
        """
        path = self.path(digest, key)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
                arrays = {**entry}
            about = read_json(str(arrays["about"]))
            if (about["digest"], about["key"]) != (digest, key):
                raise ValueError("it belongs to other data or another metric")
            details = {name: arrays[f"detail_{name}"] for name in about["details"]}
            return Scored(
                Scores(arrays["values"], details),
                PairColumns(numbers=arrays["numbers"], ratings=arrays["ratings"]),
                {int(k): Problem(*why) for k, why in about["problems"].items()},
                seconds=about["seconds"],
                cached=True,
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Exception as error:  # zipfile, zlib and NumPy may raise anything
            reason = " ".join(str(error).split()) or type(error).__name__
            warn([f"the cached scores in {path} are damaged ({reason}): they are computed again"])
            return None

    def store(self, digest: str, key: str, cell: Scored) -> None:
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
        arrays: dict[str, Any] = {
            "about": np.array(json_text(about)),
            "values": cell.scores.values,
            "ratings": cell.pairs.ratings,
            "numbers": cell.pairs.numbers,
        }
        arrays |= {f"detail_{name}": column for name, column in cell.scores.details.items()}
        try:
            with replace_file(path) as file:
                np.savez_compressed(file, **arrays)
        except OSError as error:
            raise CacheError(
                f"cannot cache results in {self.folder}: {error.strerror}. "
                "Set BAMBOO_RUNS_DIR to a folder you can write to, or use cache=off"
            ) from None
