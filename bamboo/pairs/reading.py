"""Read pairs of graphs from two files.

A pair that cannot be read raises an error, is missing, or counts as an empty parse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.reading.decoding import read_bytes
from amr_metrics.types import Ints
from amr_metrics.utils.text import counted
from bamboo.errors import DataError
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.notation import PENMAN, Graphs, Notation
from bamboo.pairs.problems import OnError, Problem


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


def lengths_differ(
    src: str, src_count: int, tgt: str, tgt_count: int, have_ids: bool = False
) -> DataError:
    """Return the error for two sides with different numbers of graphs."""
    advice = ", or pair the graphs by their ::id (score ids=match)" if have_ids else ""
    return DataError(
        f"{src} has {counted(src_count, 'graph')} but {tgt} has {tgt_count}: pair "
        f"{min(src_count, tgt_count)} has only one side. Check that both files are whole{advice}"
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
    """Return the problems of graphs by the position of the pair, given the graph of each pair."""
    if not problems:
        return {}
    affected = np.flatnonzero(np.isin(index, [*problems]))
    return {k: problems[int(index[k])] for k in affected.tolist()}


def empty_parse(gold: Graph) -> Graph:
    """Return the empty graph, of the same type as the gold graph.

    >>> empty_parse(Graph(("d",), ("dog",), (), (), "d")) == Graph.empty()
    True
    """
    from amr_metrics.camr.graph import CamrGraph  # slow to import

    if isinstance(gold, CamrGraph):
        return CamrGraph.of(Graph.empty(), (), gold.sentence_id)
    return Graph.empty()
