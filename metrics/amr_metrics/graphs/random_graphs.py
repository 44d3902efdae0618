"""Random graphs, and the same graphs in another form, for checks of metrics."""

from __future__ import annotations

import numpy as np

from amr_metrics.graphs.graph import Attribute, Graph, Relation

# Few labels, so that many of them match.
CONCEPTS = ("cat", "dog", "person", "name", "sleep-01", "Sleep-01", "want-01", "want-02", "and")
ROLES = (":ARG0", ":ARG1", ":mod", ":op1", ":location", ":consist-of")
ATTRIBUTES = (
    (":polarity", "-"),
    (":quant", "2"),
    (":op1", '"Rome"'),
    (":op1", '"rome"'),
    (":mode", "imperative"),
)


def random_graph(rng: np.random.Generator, max_nodes: int = 6) -> Graph:
    """Return a connected AMR-like graph with re-entrancies, attributes and a sentence.

    >>> graph = random_graph(np.random.default_rng(0))
    >>> graph.top, 1 <= len(graph.variables) <= 6
    ('x0', True)
    """
    count = int(rng.integers(1, max_nodes + 1))
    variables = tuple(f"x{k}" for k in range(count))
    relations = []
    for child in range(1, count):
        ends = [variables[int(rng.integers(child))], variables[child]]
        source, target = ends if rng.random() < 0.5 else ends[::-1]
        relations.append(Relation(source, _draw_one(ROLES, rng), target))
    for _ in range(int(rng.integers(4))):
        source, target = (variables[int(rng.integers(count))] for _ in range(2))
        if source != target:
            relations.append(Relation(source, _draw_one(ROLES, rng), target))
    attributes = []
    for _ in range(int(rng.integers(4))):
        role, constant = ATTRIBUTES[int(rng.integers(len(ATTRIBUTES)))]
        attributes.append(Attribute(variables[int(rng.integers(count))], role, constant))
    concepts = tuple(_draw_one(CONCEPTS, rng) for _ in variables)
    return Graph(
        variables,
        concepts,
        tuple(dict.fromkeys(attributes)),
        tuple(dict.fromkeys(relations)),
        variables[0],
        {"snt": " ".join(concepts)},
    )


def _draw_one(values: tuple[str, ...], rng: np.random.Generator) -> str:
    return values[int(rng.integers(len(values)))]


def rename_variables(graph: Graph) -> Graph:
    """Return the same graph with other variables."""
    name = {variable: f"new{k}" for k, variable in enumerate(reversed(graph.variables))}
    return Graph(
        tuple(name[v] for v in graph.variables),
        graph.concepts,
        tuple(Attribute(name[a.node], a.role, a.constant) for a in graph.attributes),
        tuple(Relation(name[r.source], r.role, name[r.target]) for r in graph.relations),
        name.get(graph.top, ""),
        graph.metadata,
    )


def shuffle_graph(graph: Graph, seed: int) -> Graph:
    """Return the same graph with its nodes and triples in another order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(graph.variables))
    return Graph(
        tuple(graph.variables[k] for k in order),
        tuple(graph.concepts[k] for k in order),
        tuple(graph.attributes[k] for k in rng.permutation(len(graph.attributes))),
        tuple(graph.relations[k] for k in rng.permutation(len(graph.relations))),
        graph.top,
        graph.metadata,
    )
