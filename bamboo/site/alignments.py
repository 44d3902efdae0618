"""The alignments of all pairs of a cell, cached on disk."""

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
from bamboo.running.cache import Cache
from bamboo.running.runner import Settings
from metrics.base import Link, Metric, Pair
from metrics.errors import MetricError, NoAlignmentError
from metrics.files import replacing
from metrics.types import Floats, Ints

FORM = "alignment 2"  # increase the number when the content of an entry or `outline` changes


@dataclass(frozen=True, eq=False)
class Alignments:
    """Links between the lines of both outlines of each pair.

    Attributes:
        starts: (pairs + 1,): pair k has the links from starts[k] up to starts[k + 1].
        lines: (links, 2): the line of src and the line of tgt.
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
    """For each pair, the outline's line of every node of both graphs; None if it is missing."""
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
    """The metric's alignments of all pairs, or None if it has none.

    Args:
        lines: see `lines_of`.
        on_error: with ``nan`` or ``zero``, a pair that cannot be explained has no links.
    """
    present = [pair for pair in pairs if pair is not None]
    try:
        links = iter(metric.links(present))
    except NoAlignmentError:
        return None
    except MetricError:
        if on_error == "stop":
            raise
        links = iter([_links_or_none(metric, pair) for pair in present])
    starts, rows = [0], []
    for names in lines:
        if names is not None:
            rows += link_lines(next(links), names)
        starts.append(len(rows))
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return Alignments(
        np.array(starts, dtype=np.int64), table[:, :2].astype(np.int64), table[:, 2], table[:, 3]
    )


def _links_or_none(metric: Metric, pair: Pair) -> tuple[Link, ...]:
    """A pair's links; none if it cannot be explained."""
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
    """The alignments of the metrics that have one, by name; cached ones are not computed again.

    Args:
        digest: the digest of the pairs' data.
        keys: the cache key of each metric (`bamboo.config.implementation.cache_key`).

    Raises:
        CacheError: an entry that cannot be read, or a folder that cannot be written to.
    """
    alignments: dict[str, Alignments] = {}
    lines: list[Lines | None] | None = None
    for name, metric in metrics.items():
        path = cache.path(digest, f"{FORM} {keys[name]}")
        path = path.with_name(f"{path.stem}-links.npz")
        if settings.cache == "use" and path.exists():
            alignments[name] = _loaded(path)
            continue
        if lines is None:
            lines = lines_of(pairs)
        computed = align(metric, pairs, lines, settings.on_error)
        if computed is not None:
            if settings.cache != "off":
                _store(path, computed)
            alignments[name] = computed
    return alignments


def _loaded(path: Path) -> Alignments:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
            alignments = Alignments(
                entry["starts"], entry["lines"].astype(np.int64), entry["weights"], entry["costs"]
            )
            if _checksum(alignments) != str(entry["sha256"]):
                raise ValueError("its checksum does not match")
            return alignments
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CacheError(
            f"the cached alignments {path} are damaged ({error}): "
            "delete them, or run again with cache=refresh"
        ) from None


def _store(path: Path, alignments: Alignments) -> None:
    arrays: dict[str, Any] = {
        "starts": alignments.starts,
        "lines": alignments.lines.astype(np.int16),
        "weights": alignments.weights,
        "costs": alignments.costs,
    }
    try:
        with replacing(path) as file:
            np.savez_compressed(file, allow_pickle=False, sha256=_checksum(alignments), **arrays)
    except OSError as error:
        raise CacheError(f"cannot write alignments to {path.parent}: {error.strerror}") from None


def _checksum(alignments: Alignments) -> str:
    total = hashlib.sha256()
    for array in (alignments.starts, alignments.lines, alignments.weights, alignments.costs):
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()
