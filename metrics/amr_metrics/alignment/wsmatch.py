"""WSmatch (Cai and Lam 2019): Smatch with larger weights for triples near the root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amr_metrics.alignment.facts import FactTable
from amr_metrics.alignment.smatch import Smatch, WeightArrays, triples
from amr_metrics.errors import OptionError
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.rows import count_largest_group, per_row
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Ints


@dataclass(frozen=True, kw_only=True)
class WSmatch(Smatch):
    """F1 of matching triples, with larger weights near the root, in 0..1.

    The weight of a node at level l, its distance from the root along edges in either direction,
    is ``max(depth - l, 1)``; a constant is a node one level below the node that has it; a node
    that is not connected to the root has weight 1. A concept has the weight of its node, TOP that
    of the root, and a relation or attribute the smaller of the weights at its ends. The weight of
    a match is the smaller of the weights of both triples; precision and recall are fractions of
    the sums of weights.

    Attributes:
        depth: the number of levels with more than the minimum weight.

    Raises:
        OptionError: if `root` is unknown, or the depth is below 1.

    >>> from amr_metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> dog = parse_graph("(s / sleep-01 :ARG0 (d / dog))")
    >>> # of TOP 5, sleep-01 5, cat 4 and ARG0 4, all but the cat: (5 + 5 + 4) / 18
    >>> WSmatch().score([Pair(cat, dog)]).tolist() == [14 / 18]
    True
    """

    reference: ClassVar[str] = (
        "Cai and Lam (2019), Core semantic first: a top-down approach for AMR parsing, the "
        "weighted variant of Smatch; the published BAMBOO row takes a depth of 5, "
        "https://aclanthology.org/D19-1393"
        " (code: https://github.com/jcyk/AMR-parser)"
    )

    depth: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.depth < 1:
            raise OptionError(f"depth={self.depth}: must be at least 1, the level of the root")

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of Smatch with weights."""
        weights = level_weights(corpus, lambda level: linear_weight(level, self.depth))
        return triples(corpus, labels, self.root, str.lower, weights=weights)


def linear_weight(level: int, depth: int) -> float:
    """Return the weight ``max(depth - level, 1)``, or 1 for level -1: not connected.

    >>> [linear_weight(level, 3) for level in (-1, 0, 1, 2, 3)]
    [1.0, 3.0, 2.0, 1.0, 1.0]
    """
    return float(max(depth - level, 1)) if level >= 0 else 1.0


def level_weights(corpus: Corpus, weight: Callable[[int], float]) -> WeightArrays:
    """Return the weights of the triples by distance from the root.

    A concept has the weight of its node, an attribute that of a node one level below its
    holder, a relation the smaller of the weights at its ends.

    Args:
        weight: computes the weight of a node from its level, which is -1 if no path joins it
            to the root; must not increase with the level.
    """
    level = levels(corpus)
    by_level = np.array([weight(k) for k in range(-1, int(level.max(initial=0)) + 2)], float)
    # by_level[0] is the weight of level -1, hence the index level + 1.
    at_node, below = by_level[level + 1], by_level[np.where(level < 0, 0, level + 2)]
    first_node = corpus.node_start[:-1]
    holders = corpus.holders + per_row(first_node, corpus.attribute_start)
    first = per_row(first_node, corpus.relation_start)
    return [
        at_node,
        below[holders],
        np.full(len(corpus), weight(0)),
        np.minimum(at_node[corpus.sources + first], at_node[corpus.targets + first]),
    ]


def levels(corpus: Corpus) -> Ints:
    """Return each node's distance from the root along edges of either direction, or -1.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(s / sleep-01 :ARG0 (c / cat :ARG0-of (p / purr-01)))")
    >>> levels(Corpus.of([graph, graph])).tolist()
    [0, 1, 2, 0, 1, 2]
    """
    nodes = count_largest_group(corpus.node_start)
    relations = count_largest_group(corpus.relation_start)
    level = np.empty(len(corpus.concepts), np.int64)
    _find_levels(
        *(len(corpus), len(level), len(corpus.sources), nodes, relations),
        *(corpus.node_start, corpus.tops, corpus.relation_start),
        *(np.ascontiguousarray(ends, np.int32) for ends in (corpus.sources, corpus.targets)),
        *(np.empty(size, np.int64) for size in (nodes + 2, 2 * relations, nodes)),
        level,
    )
    return level


_find_levels = declare_kernel("find_levels")
