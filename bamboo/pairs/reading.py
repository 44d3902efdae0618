"""Read pairs of graphs from two files, and score them.

A pair that cannot be read or scored raises an error, is missing, or counts as an empty parse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import numpy as np

from bamboo.errors import DataError
from bamboo.own_code import own_code_error
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.notation import PENMAN, Format, Graphs, Notation
from bamboo.pairs.problems import OnError, Problem
from metrics.base import Metric, Scores, checked
from metrics.camr.graph import CamrGraph
from metrics.errors import MetricError
from metrics.graphs.corpus import Corpus
from metrics.graphs.graph import Graph
from metrics.graphs.pairs import Pair, Pairs
from metrics.reading.decoding import read_bytes
from metrics.types import Ints
from metrics.utils.text import counted

__all__ = [
    "PENMAN",
    "Format",
    "Notation",
    "empty_parse",
    "join_scores",
    "pair_graphs",
    "read_pairs",
    "score_pairs",
]


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
    left, right = (notation.parse(read_bytes(path), str(path), on_error) for path in (src, tgt))
    if len(left) != len(right):
        raise lengths_differ(str(src), len(left), str(tgt), len(right))
    return pair_graphs(left, right, on_error)


def lengths_differ(src: str, src_count: int, tgt: str, tgt_count: int) -> DataError:
    """The error for two sides with different numbers of graphs."""
    return DataError(
        f"{src} has {counted(src_count, 'graph')} but {tgt} has {tgt_count}: "
        f"pair {min(src_count, tgt_count)} has only one side. Check that both files are whole"
    )


def pair_graphs(
    left: Graphs, right: Graphs, on_error: OnError, index: tuple[Ints, Ints] | None = None
) -> tuple[FilePairs, dict[int, Problem]]:
    """Pair graphs that have been read; see `read_pairs`.

    Args:
        index: the position of the graph of each side for each pair; None to pair graph k with
            graph k.
    """
    count = len(left) if index is None else len(index[0])
    left_problems, right_problems = (
        graphs.problems if index is None else _of_pairs(graphs.problems, index[side])
        for side, graphs in enumerate((left, right))
    )
    missing = np.zeros(count, np.bool_)
    missing[[*right_problems]] = True
    if on_error == "zero":
        listed = {
            k: why if k in right_problems else why._replace(counted_as="empty")
            for k, why in left_problems.items()
        }
        problems = {**listed, **right_problems}
    else:
        missing[[*left_problems]] = True
        problems = {**right_problems, **left_problems}
    src, tgt = left.graphs, right.graphs
    if isinstance(src, Corpus) and isinstance(tgt, Corpus):
        every = np.arange(count)
        pairs: Sequence[Pair] = Pairs(src, tgt, *((every, every) if index is None else index))
    else:
        positions = (range(count), range(count)) if index is None else index
        pairs = [
            Pair(empty_parse(tgt[b]) if k in left_problems else src[a], tgt[b])
            for k, (a, b) in enumerate(zip(*positions, strict=True))
        ]
    return FilePairs(pairs, missing), dict(sorted(problems.items()))


def _of_pairs(problems: Mapping[int, Problem], index: Ints) -> dict[int, Problem]:
    """The problems of graphs by the position of the pair, given the graph of each pair."""
    if not problems:
        return {}
    affected = np.flatnonzero(np.isin(index, [*problems]))
    return {k: problems[int(index[k])] for k in affected.tolist()}


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

    With ``on_error="zero"`` a pair scores 0 if only its first graph is empty, as that of a parse
    that could not be read, or the metric rejects it. The columns of the pair are those of an empty
    graph and the second graph. If the metric has columns but none for these two, the pair is
    missing: corpus scores could not count it.

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
    zero, accepted, rejected = _scored(metric, given, empty, on_error)
    zero = Scores(np.zeros(len(accepted)), zero.details)
    if rejected and not (scores if scored else metric.evaluate([])).details:
        # The metric has no columns, so only the score is needed, and it is 0.
        zero, accepted, rejected = Scores(np.zeros(len(empty))), empty.tolist(), {}
    problems = {
        k: problem._replace(counted_as="missing" if k in rejected else "empty")
        for k, problem in (rejected | problems).items()
    }
    parts = [part for part in (scores, zero) if len(part.values)]
    order = np.argsort([*scored, *accepted])
    joined = Scores.concatenate(parts).take(order)
    return _spread(joined, sorted([*scored, *accepted]), len(pairs)), problems


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
        return _evaluated(metric, pairs, positions), positions.tolist(), {}
    except MetricError:
        if on_error == "stop":
            raise
    scored, parts, problems = [], [], {}
    for k in positions.tolist():
        try:
            parts.append(_evaluated(metric, pairs, np.array([k])))
            scored.append(k)
        except MetricError as error:
            problems[k] = Problem.of(error)
    return Scores.concatenate(parts), scored, problems


def _evaluated(metric: Metric, pairs: FilePairs, positions: Ints) -> Scores:
    """Score the pairs at some positions.

    Raises:
        MetricError: also for SystemExit and the like, which would end this process or its worker.
    """
    try:
        return checked(metric.evaluate(pairs.select(positions)), len(positions))
    except Exception:
        raise
    except BaseException as error:
        # Ctrl-C interrupts the main thread.
        if isinstance(error, KeyboardInterrupt) and current_thread() is main_thread():
            raise
        raise MetricError(str(own_code_error(error) or type(error).__name__)) from error


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


def join_scores(chunks: Sequence[Scores]) -> Scores:
    """The scores of consecutive chunks. One in which no pair has a score may lack columns."""
    if len(chunks) == 1:
        return chunks[0]
    complete = [chunk for chunk in chunks if not np.isnan(chunk.values).all()]
    columns = (complete or chunks)[0].details if chunks else {}
    filled = []
    for chunk in chunks:
        missing = {
            name: np.zeros(len(chunk.values), bool)
            if column.dtype == bool
            else np.full(len(chunk.values), np.nan)
            for name, column in columns.items()
            if name not in chunk.details
        }
        filled.append(Scores(chunk.values, {**chunk.details, **missing}) if missing else chunk)
    return Scores.concatenate(filled)
