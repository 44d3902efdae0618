"""Read pairs of graphs from two files, and score them.

A pair that cannot be read or scored raises an error, is missing, or counts as an empty parse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.errors import ConfigError, DataError
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.problems import OnError, Problem
from metrics.base import Metric, Scores, checked
from metrics.camr import CamrGraph, read_camr
from metrics.camr.reading import camr_blocks, parse_camr, read_lengths
from metrics.corpus import Corpus
from metrics.decoding import read_bytes
from metrics.errors import GraphError, MetricError
from metrics.graph import Graph
from metrics.lines import split_lines
from metrics.pairs import Pair, Pairs
from metrics.reading import parse_tsv, read_corpus, read_text
from metrics.scanner import scan_amr_with_errors
from metrics.types import Ints

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

    def read(self, path: Path) -> Sequence[Graph]:
        """The graphs of a file; a `Corpus` unless they are Chinese AMR.

        Raises:
            GraphError: a graph or file that cannot be read.
        """
        if self.format == "camr":
            return list(read_camr(path, lengths=self.lengths, split=self.split))
        return read_corpus(path, self.format)


PENMAN = Notation()


def read_pairs(
    src: Path, tgt: Path, notation: Notation = PENMAN, on_error: OnError = "stop"
) -> tuple[FilePairs, dict[int, Problem]]:
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
    missing = np.zeros(len(left), np.bool_)
    missing[[*right_problems]] = True
    if on_error == "zero":
        for k in left_problems.keys() - right_problems.keys():
            left_problems[k] = left_problems[k]._replace(counted_as="empty")
        problems = left_problems | right_problems
    else:
        missing[[*left_problems]] = True
        problems = right_problems | left_problems
    if isinstance(left, Corpus) and isinstance(right, Corpus):
        pairs: Sequence[Pair] = Pairs.aligned(left, right)
    else:
        pairs = [
            Pair(empty_parse(b) if k in left_problems else a, b)
            for k, (a, b) in enumerate(zip(left, right, strict=True))
        ]
    return FilePairs(pairs, missing), dict(sorted(problems.items()))


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
    given = FilePairs.of(pairs)
    present = given.present
    is_empty = given.without_parse()[present] & (on_error == "zero")
    empty = present[is_empty]
    scores, scored, problems = _scored(metric, given, present[~is_empty], on_error)
    if on_error == "zero" and problems:
        given = given.with_replaced({k: _without_parse(given, k) for k in problems})
        empty = np.union1d(empty, [*problems])
    if not len(empty):
        return _spread(scores, scored, len(pairs)), problems
    zero, counted, rejected = _scored(metric, given, empty, on_error)
    zero = Scores(np.zeros(len(counted)), zero.details)
    if rejected and not (scores if scored else metric.evaluate([])).details:
        # The metric has no columns, so only the score is needed, and it is 0.
        zero, counted, rejected = Scores(np.zeros(len(empty))), empty.tolist(), {}
    problems = {
        k: problem._replace(counted_as="missing" if k in rejected else "empty")
        for k, problem in (rejected | problems).items()
    }
    parts = [part for part in (scores, zero) if len(part.values)]
    order = np.argsort([*scored, *counted])
    joined = Scores.concatenate(parts).take(order)
    return _spread(joined, sorted([*scored, *counted]), len(pairs)), problems


def _without_parse(pairs: FilePairs, k: int) -> Pair:
    """Pair k with an empty first graph."""
    (pair,) = pairs.select(np.array([k]))
    return Pair(empty_parse(pair.tgt), pair.tgt)


def _scored(
    metric: Metric, pairs: FilePairs, positions: Ints, on_error: OnError
) -> tuple[Scores, list[int], dict[int, Problem]]:
    """Scores of the pairs at some positions, as far as the metric accepts them.

    Returns:
        the scores, the positions of the pairs that are scored, and the problems of the others.
    """
    try:
        scores = checked(metric.evaluate(pairs.select(positions)), len(positions))
        return scores, positions.tolist(), {}
    except MetricError:
        if on_error == "stop":
            raise
    scored, parts, problems = [], [], {}
    for k in positions.tolist():
        try:
            parts.append(checked(metric.evaluate(pairs.select(np.array([k]))), 1))
            scored.append(k)
        except MetricError as error:
            problems[k] = Problem.of(error)
    return Scores.concatenate(parts), scored, problems


def _read_side(
    path: Path, notation: Notation, on_error: OnError
) -> tuple[Sequence[Graph], dict[int, Problem]]:
    """The graphs of a file, the empty graph where one cannot be read, and its problems."""
    if notation.format == "penman" and on_error != "stop":
        corpus, errors = scan_amr_with_errors(read_bytes(path), str(path))
        return corpus, {k: Problem.of(error) for k, error in errors.items()}
    try:
        return notation.read(path), {}
    except GraphError as error:
        if on_error == "stop" or error.graph is None:
            raise
    # Some graph is malformed: read the file again, graph by graph.
    parse, blocks = _block_reader(path, notation)
    graphs: list[Graph] = []
    problems = {}
    for line, block in blocks:
        try:
            graphs += parse(block)
        except GraphError as error:
            at = len(graphs)
            problems[at] = Problem(error.problem, str(path), at, line + (error.line or 1) - 1)
            graphs.append(Graph.empty())
    return (graphs if notation.format == "camr" else Corpus.of(graphs)), problems


def _block_reader(
    path: Path, notation: Notation
) -> tuple[Callable[[str], Sequence[Graph]], Iterator[tuple[int, str]]]:
    """A function that parses the block of one graph, and the blocks with their first lines.

    For Chinese AMR and triples; `metrics.scanner` reads the blocks of Penman notation itself.
    """
    text = read_text(path)
    if notation.format == "camr":
        lengths = None if notation.lengths is None else read_lengths(notation.lengths)
        form, parts = camr_blocks(text)
        return lambda block: parse_camr(block, form, lengths, notation.split, str(path)), parts
    return lambda block: parse_tsv(block, str(path)), _blocks(text)


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
