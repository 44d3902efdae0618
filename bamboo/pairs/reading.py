"""Read pairs of graphs from two files, and score them.

A pair that cannot be read or scored raises an error, is missing, or counts as an empty parse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.errors import ConfigError, DataError
from bamboo.pairs.problems import OnError, Problem
from metrics.base import Metric, Pair, Scores, checked
from metrics.camr import CamrGraph, read_camr
from metrics.camr.reading import camr_blocks, parse_camr, read_lengths
from metrics.errors import GraphError, MetricError
from metrics.graph import Graph
from metrics.lines import split_lines
from metrics.reading import parse_amr, parse_tsv, read_graphs, read_text

Format = Literal["penman", "tsv", "camr"]


@dataclass(frozen=True, kw_only=True)
class Notation:
    """The format of graph files.

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
            GraphError: a graph or file that cannot be read.
        """
        if self.format == "camr":
            return list(read_camr(path, lengths=self.lengths, split=self.split))
        return read_graphs(path, self.format)


PENMAN = Notation()


def read_pairs(
    src: Path, tgt: Path, notation: Notation = PENMAN, on_error: OnError = "stop"
) -> tuple[list[Pair | None], dict[int, Problem]]:
    """Pair graph k of one file with graph k of the other.

    With ``on_error="zero"`` a graph of `src` that cannot be read is the empty graph. If a graph
    of `tgt` cannot be read, the pair is missing even then, since this is not an error of the
    parser.

    Args:
        notation: the format of both files.
        on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.

    Returns:
        the pairs, None where one is missing, and the problems by position.

    Raises:
        DataError: files with different numbers of graphs.
        GraphError: a graph (``on_error="stop"``) or file that cannot be read.
    """
    (left, left_problems), (right, right_problems) = (
        _read_side(path, notation, on_error) for path in (src, tgt)
    )
    if len(left) != len(right):
        raise DataError(
            f"{src} has {len(left)} graphs but {tgt} has {len(right)}: "
            f"pair {min(len(left), len(right))} has only one side. Check that both files are whole"
        )
    if on_error == "zero":
        for k in left_problems:
            if (gold := right[k]) is not None:
                left[k] = empty_parse(gold)
                left_problems[k] = left_problems[k]._replace(counted_as="empty")
        problems = left_problems | right_problems
    else:
        problems = right_problems | left_problems
    pairs = [
        Pair(a, b) if a is not None and b is not None else None
        for a, b in zip(left, right, strict=True)
    ]
    return pairs, dict(sorted(problems.items()))


def empty_parse(gold: Graph) -> Graph:
    """The empty graph, of the same type as the gold graph.

    >>> empty_parse(Graph(("d",), ("dog",), (), (), "d")) == Graph.empty()
    True
    """
    if isinstance(gold, CamrGraph):
        return CamrGraph.of(Graph.empty(), (), gold.sentence_id)
    return Graph.empty()


def score_pairs(
    metric: Metric, pairs: Sequence[Pair | None], on_error: OnError
) -> tuple[Scores, dict[int, Problem]]:
    """The metric's scores, NaN for a missing pair, and the problems of scoring by position.

    With ``on_error="zero"`` a pair scores 0 if its first graph is empty or the metric rejects it.
    Files cannot contain an empty graph, so it represents a parse that could not be read. The
    columns of the pair are those of an empty graph and the second graph. If the metric has
    columns but none for these two, the pair is missing: corpus scores could not count it.

    Args:
        pairs: the pairs; None for a missing pair.
        on_error: with ``nan`` a pair that the metric rejects is missing.

    Raises:
        MetricError: for a pair that cannot be scored (``on_error="stop"``).
    """
    given = {k: pair for k, pair in enumerate(pairs) if pair is not None}
    empty = {k: pair for k, pair in given.items() if on_error == "zero" and not pair.src.variables}
    whole = {k: pair for k, pair in given.items() if k not in empty}
    scores, scored, problems = _scored(metric, whole, on_error)
    if on_error == "zero":
        for k in problems:
            empty[k] = Pair(empty_parse(given[k].tgt), given[k].tgt)
    if not empty:
        return _spread(scores, scored, len(pairs)), problems
    zero, counted, rejected = _scored(metric, empty, on_error)
    zero = Scores(np.zeros(len(counted)), zero.details)
    if rejected and not (scores if scored else metric.evaluate([])).details:
        # The metric has no columns, so only the score is needed, and it is 0.
        zero, counted, rejected = Scores(np.zeros(len(empty))), list(empty), {}
    problems = {
        k: problem._replace(counted_as="missing" if k in rejected else "empty")
        for k, problem in (rejected | problems).items()
    }
    parts = [part for part in (scores, zero) if len(part.values)]
    order = np.argsort([*scored, *counted])
    joined = Scores.concatenate(parts).take(order)
    return _spread(joined, sorted([*scored, *counted]), len(pairs)), problems


def _scored(
    metric: Metric, pairs: Mapping[int, Pair], on_error: OnError
) -> tuple[Scores, list[int], dict[int, Problem]]:
    """Scores of the pairs that the metric accepts, their positions, and problems of the others."""
    try:
        return checked(metric.evaluate([*pairs.values()]), len(pairs)), list(pairs), {}
    except MetricError:
        if on_error == "stop":
            raise
    scored, parts, problems = [], [], {}
    for k, pair in pairs.items():
        try:
            parts.append(checked(metric.evaluate([pair]), 1))
            scored.append(k)
        except MetricError as error:
            problems[k] = Problem.of(error)
    return Scores.concatenate(parts), scored, problems


def _read_side(
    path: Path, notation: Notation, on_error: OnError
) -> tuple[list[Graph | None], dict[int, Problem]]:
    """The graphs of a file and its problems; a graph that cannot be read is None."""
    try:
        return list(notation.read(path)), {}
    except GraphError as error:
        if on_error == "stop" or error.graph is None:
            raise
    # Some graph is malformed: read the file again, graph by graph.
    parse, blocks = _block_reader(path, notation)
    graphs: list[Graph | None] = []
    problems = {}
    for line, block in blocks:
        try:
            graphs += parse(block)
        except GraphError as error:
            at = len(graphs)
            problems[at] = Problem(error.problem, str(path), at, line + (error.line or 1) - 1)
            graphs.append(None)
    return graphs, problems


def _block_reader(
    path: Path, notation: Notation
) -> tuple[Callable[[str], Sequence[Graph]], Iterator[tuple[int, str]]]:
    """A function that parses the block of one graph, and the blocks with their first lines."""
    text = read_text(path)
    if notation.format == "camr":
        lengths = None if notation.lengths is None else read_lengths(notation.lengths)
        form, parts = camr_blocks(text)
        return lambda block: parse_camr(block, form, lengths, notation.split, str(path)), parts
    parse = parse_tsv if notation.format == "tsv" else parse_amr
    return lambda block: parse(block, str(path)), _blocks(text)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The blocks of one graph each, with their first line numbers.

    A block ends where an unindented line follows a blank one, unless it has only comments.
    """
    block: list[str] = []
    # The two extra rows end the last block and are not part of it.
    for number, row in enumerate([*split_lines(text), "", "the end"], 1):
        if block and not block[-1].strip() and row[:1].strip():
            if any(line.strip() and not line.startswith("#") for line in block):
                yield number - len(block), "\n".join(block)
                block = []
        if block or row.strip():
            block.append(row)


def _spread(scores: Scores, positions: Sequence[int], count: int) -> Scores:
    """Scores of some pairs as columns over all `count`, NaN (or False) elsewhere."""
    if len(positions) == count:
        return scores

    def column(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        full = np.zeros(count, bool) if values.dtype == bool else np.full(count, np.nan)
        full[positions] = values
        return full

    return Scores(
        column(scores.values), {name: column(values) for name, values in scores.details.items()}
    )
