"""The alignments of all pairs of a cell, kept on disk: what explains a score is computed once."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.errors import CacheError
from bamboo.explain.drawing import lines_by_name, link_lines, outline
from bamboo.files import replacing
from bamboo.running.cache import Cache
from bamboo.running.runner import Settings
from metrics.base import Link, Metric, Pair
from metrics.errors import MetricError, NoAlignmentError
from metrics.types import Floats, Ints

FORM = "alignment 2"  # raise the number when what is kept, or `outline`, changes


@dataclass(frozen=True, eq=False)
class Alignments:
    """Links between the lines of both outlines of each pair.

    Attributes:
        starts: (pairs + 1,): the links of pair k are starts[k] to starts[k + 1].
        lines: (links, 2): line of src, line of tgt.
        weights, costs: (links,).
    """

    starts: Ints
    lines: Ints
    weights: Floats
    costs: Floats

    def of(self, k: int) -> list[tuple[int, int, float, float]]:
        """The links of pair k."""
        part = slice(int(self.starts[k]), int(self.starts[k + 1]))
        columns = (
            self.lines[part, 0].tolist(),
            self.lines[part, 1].tolist(),
            self.weights[part].tolist(),
            self.costs[part].tolist(),
        )
        return list(zip(*columns, strict=True))


Lines = tuple[dict[str, int], dict[str, int]]  # of a pair's two outlines


def lines_of(pairs: Sequence[Pair | None]) -> list[Lines | None]:
    """The line of every name of each pair's graphs; None for a pair that is missing."""
    return [
        None
        if pair is None
        else (lines_by_name(outline(pair.src)[0]), lines_by_name(outline(pair.tgt)[0]))
        for pair in pairs
    ]


def align(
    metric: Metric,
    pairs: Sequence[Pair | None],
    lines: Sequence[Lines | None],
    on_error: str = "stop",
) -> Alignments | None:
    """The metric's alignment of every pair, or None if it aligns nothing.

    Args:
        lines: see `lines_of`.
        on_error: ``nan`` leaves out the links of a pair that cannot be explained.
    """
    there = [pair for pair in pairs if pair is not None]
    try:
        links = iter(metric.links(there))
    except NoAlignmentError:
        return None
    except MetricError:
        if on_error == "stop":
            raise
        links = iter([_links_or_none(metric, pair) for pair in there])
    starts, found = [0], []
    for names in lines:
        if names is not None:
            found += link_lines(next(links), names)
        starts.append(len(found))
    table = np.array(found, dtype=np.float64).reshape(-1, 4)
    return Alignments(
        np.array(starts, dtype=np.int64), table[:, :2].astype(np.int64), table[:, 2], table[:, 3]
    )


def _links_or_none(metric: Metric, pair: Pair) -> tuple[Link, ...]:
    """A pair's links, none if it cannot be explained."""
    try:
        return metric.explain(pair).links
    except MetricError:
        return ()


def cached_alignments(
    cache: Cache,
    digest: str,
    metrics: Mapping[str, Metric],
    keys: Mapping[str, str],
    pairs: Sequence[Pair | None],
    settings: Settings,
) -> dict[str, Alignments]:
    """The alignments of the metrics that have some, by name; from the cache if they are there.

    Args:
        digest: of the pairs' data.
        keys: what each metric's results depend on (`bamboo.config.implementation.cache_key`).

    Raises:
        CacheError: an entry that cannot be read, or a folder that cannot be written to.
    """
    found: dict[str, Alignments] = {}
    lines: list[Lines | None] | None = None
    for name, metric in metrics.items():
        path = cache.path(digest, f"{FORM} {keys[name]}")
        path = path.with_name(f"{path.stem}-links.npz")
        if settings.cache == "use" and path.exists():
            found[name] = _loaded(path)
            continue
        if lines is None:
            lines = lines_of(pairs)
        computed = align(metric, pairs, lines, settings.on_error)
        if computed is not None:
            if settings.cache != "off":
                _store(path, computed)
            found[name] = computed
    return found


def _loaded(path: Path) -> Alignments:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
            found = Alignments(
                entry["starts"], entry["lines"].astype(np.int64), entry["weights"], entry["costs"]
            )
            if _checksum(found) != str(entry["sha256"]):
                raise ValueError("its hash is another")
            return found
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CacheError(
            f"the stored alignments {path} are damaged ({error}): "
            "delete them, or run again with cache=refresh"
        ) from None


def _store(path: Path, found: Alignments) -> None:
    arrays: dict[str, Any] = {
        "starts": found.starts,
        "lines": found.lines.astype(np.int16),
        "weights": found.weights,
        "costs": found.costs,
    }
    try:
        with replacing(path) as file:
            np.savez_compressed(file, allow_pickle=False, sha256=_checksum(found), **arrays)
    except OSError as error:
        raise CacheError(f"cannot keep alignments in {path.parent}: {error.strerror}") from None


def _checksum(found: Alignments) -> str:
    total = hashlib.sha256()
    for array in (found.starts, found.lines, found.weights, found.costs):
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()
