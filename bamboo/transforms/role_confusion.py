"""Arg, role confusion: the arguments of a frame are swapped (BAMBOO, section 5).

The paper does not give the details; the procedure below reproduces the released files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import penman

from bamboo.transforms.layout import Transformed, drop_layout

CONFUSED = re.compile(r":(?:ARG\d+|location)")
MOST_NODES = 3
SIDES = ("src", "tgt")


Swap = tuple[int, int]  # the positions of two triples whose targets are swapped


def possible_swaps(graph: penman.Graph) -> Mapping[str, list[Swap]]:
    """Return, for each node, the pairs of outgoing edges that can be swapped.

    Both edges must have roles ``:ARGn`` or ``:location``, and must differ in role and in target.

    >>> from bamboo.transforms.layout import parse_layouts
    >>> graph, = parse_layouts("(b / bite-01 :ARG0 (d / dog) :ARG1 (m / man) :time (n / now))")
    >>> possible_swaps(graph)
    {'b': [(1, 3)]}
    """
    edges: dict[str, list[int]] = {}
    for position, (source, role, _) in enumerate(graph.triples):
        if CONFUSED.fullmatch(role):
            edges.setdefault(source, []).append(position)
    swaps: dict[str, list[Swap]] = {}
    for node, positions in edges.items():
        for first, second in combinations(positions, 2):
            _, role, target = graph.triples[first]
            _, other_role, other_target = graph.triples[second]
            if role != other_role and target != other_target:
                swaps.setdefault(node, []).append((first, second))
    return swaps


def confuse_roles(graph: penman.Graph, generator: np.random.Generator) -> Transformed:
    """Return the graph with two edges swapped at each of one, two or three nodes.

    The number of nodes is uniform on {1, 2, 3}, or all eligible ones if there are fewer; nodes
    and edges are drawn uniformly. A graph without an eligible node is unchanged. As in the
    release, the roles keep their positions, their targets are swapped, and the graph gets a new
    layout.

    >>> from bamboo.transforms.layout import parse_layouts, to_text
    >>> graph, = parse_layouts("(b / bite-01 :ARG0 (d / dog) :ARG1 (m / man))")
    >>> confused, operations = confuse_roles(graph, np.random.default_rng(0))
    >>> print(to_text([confused]))
    (b / bite-01
          :ARG0 (m / man)
          :ARG1 (d / dog))
    >>> operations
    1
    """
    swaps = possible_swaps(graph)
    eligible = list(swaps)
    if not eligible:
        return Transformed(drop_layout(graph), 0)
    count = min(int(generator.integers(1, MOST_NODES + 1)), len(eligible))
    nodes = sorted(generator.choice(len(eligible), size=count, replace=False))
    triples = list(graph.triples)
    for node in (eligible[k] for k in nodes):
        first, second = swaps[node][int(generator.integers(len(swaps[node])))]
        (_, role, target), (_, other_role, other_target) = triples[first], triples[second]
        triples[first], triples[second] = (node, role, other_target), (node, other_role, target)
    confused = penman.Graph(triples, top=graph.top, metadata=graph.metadata)
    return Transformed(confused, count)


class ConfusedPair(NamedTuple):
    """A pair of equivalent graphs, one of which was altered.

    Attributes:
        src, tgt: the graphs after the change.
        side: the altered side, ``src`` or ``tgt``.
        operations: the number of nodes whose edges were swapped.
    """

    src: penman.Graph
    tgt: penman.Graph
    side: str
    operations: int


def confuse_pair(
    src: penman.Graph, tgt: penman.Graph, generator: np.random.Generator
) -> ConfusedPair | None:
    """Confuse the roles of one side, drawn at random; None if that side has no eligible node.

    >>> from bamboo.transforms.layout import parse_layouts
    >>> src, tgt = parse_layouts("(s / sleep-01 :ARG0 (c / cat))  (r / rest-01 :ARG0 (c / cat))")
    >>> confuse_pair(src, tgt, np.random.default_rng(0)) is None
    True
    """
    side = int(generator.integers(2))
    confused, operations = confuse_roles((src, tgt)[side], generator)
    if not operations:
        return None
    unchanged = drop_layout((tgt, src)[side])
    graphs = (unchanged, confused) if side else (confused, unchanged)
    return ConfusedPair(*graphs, SIDES[side], operations)
