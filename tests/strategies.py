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
    """A connected AMR-like graph: few labels, so that much matches; re-entrancies; attributes."""
    n = draw(st.integers(1, max_nodes))
    variables = tuple(f"x{i}" for i in range(n))
    concepts = tuple(draw(st.sampled_from(CONCEPTS)) for _ in variables)
    relations = []
    for child in range(1, n):
        parent = draw(st.integers(0, child - 1))
        ends = (parent, child) if draw(st.booleans()) else (child, parent)
        relations.append((*ends, draw(st.sampled_from(roles))))
    for _ in range(draw(st.integers(0, 3))):
        source, target = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        if source != target or loops:
            relations.append((source, target, draw(st.sampled_from(roles))))
    attributes = draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.sampled_from(ATTRIBUTES)), max_size=3)
    )
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
