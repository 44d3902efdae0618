"""The facts of two graphs that match under a map of their nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.alignment.facts import FactTable, GradedMatches
from metrics.types import Floats, Ints


class Matches(NamedTuple):
    """The rows of matching facts in the tables of both graphs, and the weight of each match."""

    src: Ints
    tgt: Ints
    weights: Floats


def matches(
    src: FactTable, tgt: FactTable, mapping: Ints, graded: GradedMatches | None = None
) -> tuple[Matches, Matches]:
    """Return the matching facts about one node, and those about two, of the graph of each table.

    Args:
        mapping: for each node of src its node of tgt, or -1.
        graded: facts about one node that match if their nodes are mapped, after those that are
            equal.
    """
    mapped = mapping[src.facts[:, 0]]
    rows = np.flatnonzero(mapped >= 0)
    keys = (mapped[rows] << 32) + src.facts[rows, 1]
    others = (tgt.facts[:, 0].astype(np.int64) << 32) + tgt.facts[:, 1]
    nodes = _equal(rows, keys, others, src.weights, tgt.weights)
    if graded is not None:
        hit = mapped[graded.src] == tgt.facts[graded.tgt, 0]
        columns = zip(nodes, graded, strict=False)
        nodes = Matches(*[np.concatenate([one, two[hit]]) for one, two in columns])
    ends = mapping[src.edges[:, :2]]
    rows = np.flatnonzero((ends >= 0).all(axis=1))
    m = max(int(tgt.sizes[0]), 1)
    both = np.concatenate([ends[rows] @ (m, 1), tgt.edges[:, :2].astype(np.int64) @ (m, 1)])
    numbers = np.unique(both, return_inverse=True)[1].astype(np.int64) << 32
    keys = numbers[: len(rows)] + src.edges[rows, 2]
    others = numbers[len(rows) :] + tgt.edges[:, 2]
    return nodes, _equal(rows, keys, others, src.edge_weights, tgt.edge_weights)


def _equal(rows: Ints, keys: Ints, others: Ints, weights: Floats, other_weights: Floats) -> Matches:
    """Find each key, that of a row of src, among the others, those of all rows of tgt."""
    order = np.argsort(others, kind="stable")
    at: Ints = np.searchsorted(others[order], keys)
    inside = at < len(others)
    rows, found = rows[inside], order[at[inside]]
    hit = others[found] == keys[inside]
    rows, found = rows[hit], found[hit]
    return Matches(rows, found, np.minimum(weights[rows], other_weights[found]))


def worths(src: FactTable, nodes: Matches, edges: Matches) -> Floats:
    """Return the weight of the matches at each node of src.

    Half of the weight of a matched edge counts at each of its ends.
    """
    worth = np.zeros(int(src.sizes[0]))
    np.add.at(worth, src.facts[nodes.src, 0], nodes.weights)
    np.add.at(worth, src.edges[edges.src, :2], edges.weights[:, None] / 2)
    return worth
