"""Hypothesis strategies for graphs, and graphs told in another way."""

import numpy as np
from hypothesis import strategies as st

from metrics.graph import Attribute, Graph, Relation

CONCEPTS = ("cat", "dog", "person", "name", "sleep-01", "Sleep-01", "want-01", "want-02", "and")
ROLES = (":ARG0", ":ARG1", ":mod", ":op1", ":location", ":consist-of")
ATTRIBUTES = (
    (":polarity", "-"),
    (":quant", "2"),
    (":op1", '"Rome"'),
    (":op1", '"rome"'),
    (":mode", "imperative"),
)


@st.composite
def graphs(draw, max_nodes=6, loops=False, duplicates=False):
    """A connected AMR-like graph: few labels, so that much matches; re-entrancies; attributes."""
    n = draw(st.integers(1, max_nodes))
    variables = tuple(f"x{i}" for i in range(n))
    concepts = tuple(draw(st.sampled_from(CONCEPTS)) for _ in variables)
    relations = []
    for child in range(1, n):
        parent = draw(st.integers(0, child - 1))
        ends = (parent, child) if draw(st.booleans()) else (child, parent)
        relations.append((*ends, draw(st.sampled_from(ROLES))))
    for _ in range(draw(st.integers(0, 3))):
        source, target = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        if source != target or loops:
            relations.append((source, target, draw(st.sampled_from(ROLES))))
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


def renamed(graph, prefix="new"):
    """The same graph with other variables."""
    name = {variable: f"{prefix}{k}" for k, variable in enumerate(reversed(graph.variables))}
    return Graph(
        tuple(name[v] for v in graph.variables),
        graph.concepts,
        tuple(Attribute(name[a.node], a.role, a.constant) for a in graph.attributes),
        tuple(Relation(name[r.source], r.role, name[r.target]) for r in graph.relations),
        name.get(graph.top, ""),
    )


def shuffled(graph, seed):
    """The same graph with its nodes and triples in another order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(graph.variables))
    return Graph(
        tuple(graph.variables[k] for k in order),
        tuple(graph.concepts[k] for k in order),
        tuple(graph.attributes[k] for k in rng.permutation(len(graph.attributes))),
        tuple(graph.relations[k] for k in rng.permutation(len(graph.relations))),
        graph.top,
    )
