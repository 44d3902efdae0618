"""Encode graphs for WWLK: labelled nodes, including constants, and edges."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from metrics.graph import Graph

Variant = Literal["2021", "2023"]
VARIANTS = ("2021", "2023")
EDGE = ":edge"  # the role of every edge once roles have become nodes


Edge = tuple[int, int, str]  # source and target, as positions of nodes, and the role


class LabelledGraph(NamedTuple):
    """A graph whose constants are nodes.

    Attributes:
        names: the name of each node in alignments: a variable, or the triple of the constant.
        labels: the concept, constant or role represented by each node; nodes with equal labels
            have equal vectors.
        edges: source, target, role.
    """

    names: list[str]
    labels: list[str]
    edges: list[Edge]


def labelled(graph: Graph, variant: Variant = "2023", edge_to_node: bool = False) -> LabelledGraph:
    """Convert a graph to the form used by one of the two implementations of WWLK.

    2023 lower-cases labels, drops quotes and repeated triples, and creates a node per constant.
    2021 keeps case, quotes and repeats, and equal constants share a node.

    Args:
        graph: the AMR.
        variant: which of the two.
        edge_to_node: turn each edge into a node with the role as its label, between two edges
            that all have the same role.

    >>> from metrics import parse_graph
    >>> cat = labelled(parse_graph('(s / sleep-01 :ARG0 (c / Cat) :polarity -)'))
    >>> cat.names, cat.labels
    (['s', 'c', 's :polarity -'], ['sleep-01', 'cat', '-'])
    >>> cat.edges
    [(0, 1, ':arg0'), (0, 2, ':polarity')]
    """
    made = _standard(graph) if variant == "2023" else _shared_constants(graph)
    return roles_to_nodes(made) if edge_to_node else made


def _standard(graph: Graph) -> LabelledGraph:
    relations = zip(graph.sources, graph.targets, graph.relations, strict=True)
    edges = list(dict.fromkeys((s, t, lower(role)) for s, t, (_, role, _) in relations))
    constants = {
        (holder, lower(role), folded(constant)): f"{node} {role} {constant}"
        for holder, (node, role, constant) in zip(graph.holders, graph.attributes, strict=True)
    }
    count = len(graph.variables)
    edges += [(holder, count + k, role) for k, (holder, role, _) in enumerate(constants)]
    return LabelledGraph(
        [*graph.variables, *constants.values()],
        [*map(folded, graph.concepts), *(label for _, _, label in constants)],
        edges,
    )


def _shared_constants(graph: Graph) -> LabelledGraph:
    count = len(graph.variables)
    constants = list(dict.fromkeys(constant for _, _, constant in graph.attributes))
    at = {constant: count + k for k, constant in enumerate(constants)}
    edges = [
        (s, t, role)
        for s, t, (_, role, _) in zip(graph.sources, graph.targets, graph.relations, strict=True)
    ]
    edges += [
        (holder, at[constant], role)
        for holder, (_, role, constant) in zip(graph.holders, graph.attributes, strict=True)
    ]
    if count == 1 and not edges:
        edges = [(0, 0, ":instance")]  # in 2021, a single triple is a self-loop
    return LabelledGraph([*graph.variables, *constants], [*graph.concepts, *constants], edges)


def roles_to_nodes(graph: LabelledGraph) -> LabelledGraph:
    """Each edge becomes a node labelled with its role, joined by two edges with the same role."""
    names, labels, edges = list(graph.names), list(graph.labels), []
    for source, target, role in graph.edges:
        edges += [(source, len(names), EDGE), (len(names), target, EDGE)]
        names.append(f"{graph.names[source]} {role} {graph.names[target]}")
        labels.append(role)
    return LabelledGraph(names, labels, edges)


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> str:
    """A label in lower case and without quotes."""
    return text.lower().replace('"', "")


@lru_cache(maxsize=1 << 16)
def lower(text: str) -> str:
    """The text in lower case."""
    return text.lower()
