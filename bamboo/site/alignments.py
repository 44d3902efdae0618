"""The alignments of all pairs of a cell, cached on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.errors import CacheError
from bamboo.explanation.drawing import lines_by_name, link_lines, outline
from bamboo.running.cache import Cache, warn_of_damage
from bamboo.running.runner import Settings
from metrics.array_files import read_arrays, write_arrays
from metrics.base import Link, Metric, Pair
from metrics.errors import MetricError, NoAlignmentError
from metrics.files import replacing
from metrics.types import Floats, Ints

FORM = "alignment 3"  # increase the number when the content of an entry or `outline` changes


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
        CacheError: a folder that cannot be written to.
    """
    alignments: dict[str, Alignments] = {}
    lines: list[Lines | None] | None = None
    for name, metric in metrics.items():
        path = cache.path(digest, f"{FORM} {keys[name]}")
        path = path.with_name(f"{path.stem}-links.npz")
        cached = _loaded(path, len(pairs)) if settings.cache == "use" else None
        if cached is not None:
            alignments[name] = cached
            continue
        if lines is None:
            lines = lines_of(pairs)
        computed = align(metric, pairs, lines, settings.on_error)
        if computed is not None:
            if settings.cache != "off":
                _store(path, computed)
            alignments[name] = computed
    return alignments


def _loaded(path: Path, pairs: int) -> Alignments | None:
    """The cached alignments; None, with a warning if they are damaged, if there are none."""
    try:
        arrays = read_arrays(path)
        alignments = Alignments(
            arrays["starts"], arrays["lines"].astype(np.int64), arrays["weights"], arrays["costs"]
        )
        if len(alignments.starts) != pairs + 1:
            raise ValueError("they are those of other pairs")
        return alignments
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError) as error:
        warn_of_damage("alignments", path, error)
        return None


def _store(path: Path, alignments: Alignments) -> None:
    arrays: dict[str, Any] = {
        "starts": alignments.starts,
        "lines": alignments.lines.astype(np.int16),
        "weights": alignments.weights,
        "costs": alignments.costs,
    }
    try:
        with replacing(path) as file:
            write_arrays(file, arrays)
    except OSError as error:
        raise CacheError(f"cannot write alignments to {path.parent}: {error.strerror}") from None
