"""The facts of pairs of graphs that match under a map of their nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.alignment.facts import FactTable, GradedMatches
from amr_metrics.graphs.rows import per_row, starts
from amr_metrics.types import Floats, Ints


class Matches(NamedTuple):
    """The rows of matching facts in the tables of both graphs, and the weight of each match."""

    src: Ints
    tgt: Ints
    weights: Floats


def matches(
    src: FactTable, tgt: FactTable, mapping: Ints, graded: GradedMatches | None = None
) -> tuple[Matches, Matches]:
    """Return the matching facts about one node, and those about two, of graph k of both tables.

    Args:
        mapping: for each node of each graph of src its node of tgt, or -1.
        graded: facts about one node that match if their nodes are mapped.

    Returns:
        the matches of each graph, one after the other; those of equal facts come first.
    """
    # Nodes are counted in all graphs here, so that each row has its own graph's.
    src_first, tgt_first = starts(src.sizes)[:-1], starts(tgt.sizes)[:-1]
    offset = per_row(tgt_first, src.facts.start)
    mapped = mapping[src.facts.rows[:, 0] + per_row(src_first, src.facts.start)]
    mapped = np.where(mapped >= 0, mapped + offset, -1)
    tgt_nodes = tgt.facts.rows[:, 0] + per_row(tgt_first, tgt.facts.start)
    # Facts match if their keys are equal: the node of tgt in the upper 32 bits, the label below.
    rows = np.flatnonzero(mapped >= 0)
    src_keys = (mapped[rows] << 32) + src.facts.labels[rows]
    src_rows, tgt_rows = _equal_keys(rows, src_keys, (tgt_nodes << 32) + tgt.facts.labels)
    weights = src.match_weight(src.facts.weights[src_rows], tgt.facts.weights[tgt_rows])
    nodes = Matches(src_rows, tgt_rows, weights)
    if graded is not None:
        aligned = mapped[graded.src] == tgt_nodes[graded.tgt]
        columns = zip(nodes, graded, strict=False)  # `graded` has a fourth column
        joined = [np.concatenate([equal, partial[aligned]]) for equal, partial in columns]
        graphs = per_row(np.arange(len(src.sizes)), src.facts.start)
        order = np.argsort(graphs[joined[0]], kind="stable")
        nodes = Matches(*[column[order] for column in joined])
    # Edges match likewise, with the two nodes of tgt in place of one.
    ends = mapping[src.edges.rows[:, :2] + per_row(src_first, src.edges.start)[:, None]]
    rows = np.flatnonzero((ends >= 0).all(axis=1))
    m = max(int(tgt.sizes.max(initial=0)), 1)
    src_pairs = (ends @ (m, 1) + per_row(tgt_first, src.edges.start) * m)[rows]
    tgt_pairs = tgt.edges.rows[:, :2] @ (m, 1) + per_row(tgt_first, tgt.edges.start) * m
    # Numbered, since the node pairs of large graphs do not fit into the upper 32 bits.
    numbers = np.unique(np.concatenate([src_pairs, tgt_pairs]), return_inverse=True)[1] << 32
    src_keys = numbers[: len(rows)] + src.edges.labels[rows]
    tgt_keys = numbers[len(rows) :] + tgt.edges.labels
    src_rows, tgt_rows = _equal_keys(rows, src_keys, tgt_keys)
    weights = src.match_weight(src.edges.weights[src_rows], tgt.edges.weights[tgt_rows])
    return nodes, Matches(src_rows, tgt_rows, weights)


def _equal_keys(rows: Ints, src_keys: Ints, tgt_keys: Ints) -> tuple[Ints, Ints]:
    """Match rows of src with the rows of tgt that have the same key.

    Args:
        rows: the rows of src that have a key.
        src_keys: their keys.
        tgt_keys: the keys of all rows of tgt.
    """
    order = np.argsort(tgt_keys, kind="stable")
    position: Ints = np.searchsorted(tgt_keys[order], src_keys)
    inside = position < len(tgt_keys)
    src_rows, tgt_rows = rows[inside], order[position[inside]]
    equal = tgt_keys[tgt_rows] == src_keys[inside]
    return src_rows[equal], tgt_rows[equal]


def worths(src: FactTable, nodes: Matches, edges: Matches) -> Floats:
    """Return the weight of the matches at each node of each graph of src.

    Half of the weight of a matched edge counts at each of its ends.
    """
    first = starts(src.sizes)
    worth = np.zeros(int(first[-1]))
    at = src.facts.rows[:, 0] + per_row(first[:-1], src.facts.start)
    np.add.at(worth, at[nodes.src], nodes.weights)
    ends = src.edges.rows[:, :2] + per_row(first[:-1], src.edges.start)[:, None]
    np.add.at(worth, ends[edges.src], edges.weights[:, None] / 2)
    return worth
