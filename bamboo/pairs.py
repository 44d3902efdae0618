"""Two files as pairs, and pairs as scores. One that fails stops it all, or is listed as missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.errors import ConfigError, DataError
from metrics.base import Metric, Pair, Scores, checked
from metrics.camr import read_camr
from metrics.errors import GraphError, MetricError, PairError
from metrics.graph import Graph
from metrics.lines import split_lines
from metrics.reading import parse_amr, parse_tsv, read_graphs, read_text

OnError = Literal["stop", "nan"]
Format = Literal["penman", "tsv", "camr"]


@dataclass(frozen=True, kw_only=True)
class Notation:
    """How files of graphs are written.

    Attributes:
        format: ``penman``, ``tsv`` (see `metrics.reading`) or ``camr``: Chinese AMR, in text or
            tuple form (see `metrics.camr.read_camr`).
        lengths: for ``camr``, a file of sentence lengths.
        split: for ``camr``, whether an id with two concepts is two nodes.

    Raises:
        ConfigError: `lengths` or `split` for another format.
    """

    format: Format = "penman"
    lengths: Path | None = None
    split: bool = False

    def __post_init__(self) -> None:
        if self.format != "camr" and (self.lengths is not None or self.split):
            raise ConfigError("lengths and split go with format=camr")

    def read(self, path: Path) -> list[Graph]:
        """The graphs of a file.

        Raises:
            GraphError: a graph, or a file, that cannot be read.
        """
        if self.format == "camr":
            return list(read_camr(path, lengths=self.lengths, split=self.split))
        return read_graphs(path, self.format)


PENMAN = Notation()


def read_pairs(
    src: Path, tgt: Path, notation: Notation = PENMAN, on_error: OnError = "stop"
) -> tuple[list[Pair | None], dict[int, str]]:
    """Pair graph k of one file with graph k of the other.

    Args:
        notation: of both files.
        on_error: ``stop``, or ``nan`` to list pairs that cannot be read; Chinese AMR always stops.

    Returns:
        the pairs, and with ``on_error="nan"`` why a pair is None, by position.

    Raises:
        DataError: files of different lengths.
        GraphError: a graph that cannot be read (``on_error="stop"``), or a file that cannot.
    """
    (left, left_problems), (right, right_problems) = (
        _read_side(path, notation, on_error) for path in (src, tgt)
    )
    if len(left) != len(right):
        raise DataError(
            f"{src} has {len(left)} graphs but {tgt} has {len(right)}: "
            f"pair {min(len(left), len(right))} has only one side. Check that both files are whole"
        )
    pairs = [
        Pair(a, b) if a is not None and b is not None else None
        for a, b in zip(left, right, strict=True)
    ]
    return pairs, right_problems | left_problems


def score_pairs(
    metric: Metric, pairs: Sequence[Pair | None], on_error: OnError
) -> tuple[Scores, dict[int, str]]:
    """The metric's scores, and why there are none, by position; NaN in their place.

    Args:
        pairs: None for one that is known to be missing.
        on_error: with ``nan`` a pair that the metric refuses is missing too.

    Raises:
        MetricError: for a pair that cannot be scored (``on_error="stop"``).
    """
    there = [k for k, pair in enumerate(pairs) if pair is not None]
    whole = [pair for pair in pairs if pair is not None]
    try:
        return _spread(checked(metric.evaluate(whole), len(whole)), there, len(pairs)), {}
    except MetricError:
        if on_error == "stop":
            raise
    kept, parts, failed = [], [], {}
    for k, pair in zip(there, whole, strict=True):
        try:
            parts.append(checked(metric.evaluate([pair]), 1))
            kept.append(k)
        except MetricError as error:
            failed[k] = error.problem if isinstance(error, PairError) else str(error)
    return _spread(Scores.concatenate(parts), kept, len(pairs)), failed


def _read_side(
    path: Path, notation: Notation, on_error: OnError
) -> tuple[list[Graph | None], dict[int, str]]:
    """The graphs of a file; with ``on_error="nan"`` None, and why, for what cannot be read."""
    try:
        return list(notation.read(path)), {}
    except GraphError as error:
        if on_error == "stop" or error.graph is None or notation.format == "camr":
            raise
    # Something in the file is malformed: read it again, graph by graph.
    parse = parse_tsv if notation.format == "tsv" else parse_amr
    graphs: list[Graph | None] = []
    problems = {}
    for line, block in _blocks(read_text(path)):
        try:
            graphs += parse(block, str(path))
        except GraphError as error:
            at = len(graphs)
            found = line + (error.line or 1) - 1
            problems[at] = str(GraphError(error.problem, source=str(path), graph=at, line=found))
            graphs.append(None)
    return graphs, problems


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text that hold a graph each, with the line each begins at.

    A part ends where an unindented line follows a blank one, unless it is nothing but comments.
    """
    held: list[str] = []
    # The two rows at the end close the last part; they are in none themselves.
    for number, row in enumerate([*split_lines(text), "", "the end"], 1):
        if held and not held[-1].strip() and row[:1].strip():
            if any(line.strip() and not line.startswith("#") for line in held):
                yield number - len(held), "\n".join(held)
                held = []
        if held or row.strip():
            held.append(row)


def _spread(scores: Scores, kept: Sequence[int], count: int) -> Scores:
    """Scores of some pairs as columns over all `count`, NaN (or False) elsewhere."""
    if len(kept) == count:
        return scores

    def column(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        full = np.zeros(count, bool) if values.dtype == bool else np.full(count, np.nan)
        full[kept] = values
        return full

    return Scores(
        column(scores.values), {name: column(values) for name, values in scores.details.items()}
    )
