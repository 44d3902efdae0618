"""The facts of pairs of graphs that match under a map of their nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.alignment.facts import FactTable, GradedMatches
from amr_metrics.graphs.rows import list_groups, per_row, starts
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
    (src_nodes, src_ends), (tgt_nodes, tgt_ends) = src.nodes, tgt.nodes
    first = per_row(starts(tgt.sizes)[:-1], starts(src.sizes))
    to_tgt = np.where(mapping >= 0, mapping + first, -1)  # the map of the nodes of all graphs
    # Facts match if their keys are equal: the node of tgt in the upper 32 bits, the label below.
    mapped = to_tgt[src_nodes[:, 0]]
    rows = np.flatnonzero(mapped >= 0)
    src_keys = (mapped[rows] << 32) + src.facts.labels[rows]
    src_rows, tgt_rows = _match_keys(rows, src_keys, (tgt_nodes[:, 0] << 32) + tgt.facts.labels)
    weights = src.match_weight(src.facts.weights[src_rows], tgt.facts.weights[tgt_rows])
    nodes = Matches(src_rows, tgt_rows, weights)
    if graded is not None:
        aligned = mapped[graded.src] == tgt_nodes[graded.tgt, 0]
        columns = zip(nodes, graded, strict=False)  # `graded` has a fourth column
        joined = [np.concatenate([equal, partial[aligned]]) for equal, partial in columns]
        graphs = list_groups(src.facts.start)
        order = np.argsort(graphs[joined[0]], kind="stable")
        nodes = Matches(*[column[order] for column in joined])
    # Edges match likewise, with the two nodes of tgt in place of one.
    ends = to_tgt[src_ends]
    rows = np.flatnonzero((ends >= 0).all(axis=1))
    m = int(tgt.sizes.sum())
    node_pairs = np.concatenate([ends[rows] @ (m, 1), tgt_ends @ (m, 1)])
    # Numbered, since the node pairs of large graphs do not fit into the upper 32 bits.
    numbers = np.unique(node_pairs, return_inverse=True)[1] << 32
    src_keys = numbers[: len(rows)] + src.edges.labels[rows]
    tgt_keys = numbers[len(rows) :] + tgt.edges.labels
    src_rows, tgt_rows = _match_keys(rows, src_keys, tgt_keys)
    weights = src.match_weight(src.edges.weights[src_rows], tgt.edges.weights[tgt_rows])
    return nodes, Matches(src_rows, tgt_rows, weights)


def _match_keys(rows: Ints, src_keys: Ints, tgt_keys: Ints) -> tuple[Ints, Ints]:
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
    fact_nodes, edge_nodes = src.nodes
    worth = np.zeros(int(src.sizes.sum()))
    np.add.at(worth, fact_nodes[nodes.src, 0], nodes.weights)
    np.add.at(worth, edge_nodes[edges.src], edges.weights[:, None] / 2)
    return worth
