"""Hypothesis strategies for graphs, and graphs told in another way."""

from dataclasses import replace

from hypothesis import strategies as st

from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.graphs.random_graphs import (
    ATTRIBUTES,
    CONCEPTS,
    ROLES,
    random_graph,
    rename_variables,
    shuffle_graph,
)
from amr_metrics.reading.writing import format_graph
from bamboo.transforms.layout import parse_layouts

__all__ = [
    "ATTRIBUTES",
    "CONCEPTS",
    "ROLES",
    "as_layout",
    "graphs",
    "random_graph",
    "rename_variables",
    "rough_graph",
    "shuffle_graph",
]


@st.composite
def graphs(draw, max_nodes=6, loops=False, duplicates=False, roles=ROLES):
    """A connected AMR-like graph: few labels, so that much matches; re-entrancies; attributes.

    Each draw takes long, so that the parts of a relation are one number.
    """
    n = draw(st.integers(1, max_nodes))
    variables = tuple(f"x{i}" for i in range(n))
    concepts = draw(st.tuples(*[st.sampled_from(CONCEPTS)] * n))
    relations = []
    for child in range(1, n):
        parent, is_inverse = divmod(draw(st.integers(0, 2 * child - 1)), 2)
        ends = (child, parent) if is_inverse else (parent, child)
        relations.append((*ends, draw(st.sampled_from(roles))))
    for _ in range(draw(st.integers(0, 3))):
        source, target = divmod(draw(st.integers(0, n * n - 1)), n)
        if source != target or loops:
            relations.append((source, target, draw(st.sampled_from(roles))))
    numbers = draw(st.lists(st.integers(0, n * len(ATTRIBUTES) - 1), max_size=3))
    attributes = [(number % n, ATTRIBUTES[number // n]) for number in numbers]
    if not duplicates:
        relations = list(dict.fromkeys(relations))
        attributes = list(dict.fromkeys(attributes))
    return Graph(
        variables,
        concepts,
        tuple(Attribute(variables[i], *attribute) for i, attribute in attributes),
        tuple(Relation(variables[s], role, variables[t]) for s, t, role in relations),
        variables[0],
    )


def as_layout(graph):
    """The graph with the layout in which it is written."""
    return parse_layouts(format_graph(graph))[0]


def rough_graph(rng, max_nodes):
    """A random graph with a loop and with repeated triples."""
    graph = random_graph(rng, max_nodes)
    loop = Relation(graph.top, ":ARG0", graph.top)
    return replace(
        graph,
        attributes=graph.attributes[:1] + graph.attributes,
        relations=(*graph.relations[:1], loop, *graph.relations),
    )
