"""Graphs that are paired by their ``::id``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Ints
from amr_metrics.utils.text import format_count
from bamboo.errors import DataError
from bamboo.scoring.notation import Graphs
from bamboo.scoring.problems import OnError, Problem

SHOWN = 3  # ids that a message lists


def match_ids(
    left: Graphs, right: Graphs, src: Path, tgt: Path, on_error: OnError
) -> tuple[Graphs, tuple[Ints, Ints], str | None]:
    """Pair the graphs with the same ``::id``, in the order of `right`.

    So pair k of every parser has the same gold graph, as significance tests require.

    Args:
        on_error: with ``nan`` or ``zero``, graphs of one side alone are not an error. A graph of
            `right` is paired with a graph that could not be read; a graph of `left` is left out.

    Returns:
        the graphs of `left`, and an empty graph with a problem for each missing one; the positions
        of the graphs of each pair; a note on graphs of `left` that are left out.

    Raises:
        DataError: an id that is missing, occurs twice on a side, or only on one side; the message
            lists the first such ids and gives their number.
    """
    sides = [index_ids(left, src), index_ids(right, tgt)]
    only_src = [graph_id for graph_id in sides[0] if graph_id not in sides[1]]
    only_tgt = [graph_id for graph_id in sides[1] if graph_id not in sides[0]]
    parts = [
        f"{len(only):,} of {format_count(len(side), '::id')} of {name} "
        f"{'is' if len(only) == 1 else 'are'} not in {other_name} ({join_ids(only)})"
        for only, side, name, other_name in (
            (only_src, sides[0], src, tgt),
            (only_tgt, sides[1], tgt, src),
        )
        if only
    ]
    if parts and on_error == "stop":
        raise DataError(
            f"{'; '.join(parts)}. Remove these graphs, add their counterparts, or set on_error=nan "
            "to leave them out, on_error=zero to count parses that are not there as empty"
        )
    if only_tgt:
        problems = {
            k: Problem(f"no graph has the ::id {graph_id}", str(src))
            for k, graph_id in enumerate(only_tgt)
        }
        empty = Corpus.of([Graph.empty()] * len(only_tgt))
        sides[0] |= {graph_id: len(left) + k for k, graph_id in enumerate(only_tgt)}
        left = Graphs.concatenate([left, Graphs(empty, problems)])
    order = [sides[0][graph_id] for graph_id in sides[1]]
    index = np.array(order, np.int64), np.arange(len(order))
    return left, index, f"{parts[0]}: left out" if only_src else None


def index_ids(graphs: Graphs, name: Path) -> dict[str, int]:
    """Return the position of the graph with each ``::id``.

    Args:
        name: of the file, for messages.

    Raises:
        DataError: a graph without an id, or an id that occurs twice.
    """
    ids = graphs.ids
    without = [k for k, graph_id in enumerate(ids) if graph_id is None]
    if without:
        are = "has" if len(without) == 1 else "have"
        raise DataError(
            f"{name}: {len(without)} of {format_count(len(ids), 'graph')} {are} no ::id "
            f"(graph {join_ids(without)}): ids=match needs one for each graph"
        )
    twice = [graph_id for graph_id, count in Counter(ids).items() if count > 1]
    if twice:
        occur = format_count(len(twice), "::id occurs", "::ids occur")
        raise DataError(
            f"{name}: {occur} more than once ({join_ids(twice)}): ids=match needs "
            "ids that are unique. Remove the duplicates"
        )
    return {graph_id: k for k, graph_id in enumerate(ids) if graph_id is not None}


def join_ids(ids: Sequence[object]) -> str:
    """Return the first ids, or positions, of a list."""
    return ", ".join(map(str, ids[:SHOWN])) + (", ..." if len(ids) > SHOWN else "")
