"""Compression of a pair (Opitz 2023, Smatch++): nodes are replaced by their rare concepts."""

from __future__ import annotations

from collections import Counter

from amr_metrics.base import Pair
from amr_metrics.graphs.graph import Attribute, Graph, Relation

GROUND = "(compressed)"  # not a valid variable, because of the parentheses


def compress(pair: Pair, *, rooted: bool = True) -> Pair:
    """Return the pair without the nodes whose concept occurs at most once in either graph.

    Such a node is represented by its concept: a triple with the node at one end becomes an
    attribute of the node at the other end. Triples with such nodes at both ends, and the root's
    triple if the root is such a node, become attributes of an additional last node, `GROUND`,
    without a concept: two of them match if they are equal. A node that occurs in no triple except
    that of its concept is kept, since otherwise nothing would represent it.

    Args:
        rooted: whether the root has a triple.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(s / see-01 :ARG0 (d / dog) :ARG1 (e / dog :mod (b / big)))")
    >>> compressed = compress(Pair(graph, graph)).src
    >>> compressed.variables
    ('d', 'e', '(compressed)')
    >>> [tuple(a) for a in compressed.attributes]
    [('d', ':ARG0-of', 'see-01'), ('e', ':ARG1-of', 'see-01'), ('e', ':mod', 'big'), \
('(compressed)', ':root', 'see-01')]
    """
    counts = [Counter(graph.concepts) for graph in pair]
    single = {c for c in (*counts[0], *counts[1]) if max(counts[0][c], counts[1][c]) == 1}
    return Pair(*[_drop_nodes(graph, single, rooted) for graph in pair])


def _drop_nodes(graph: Graph, single: set[str], rooted: bool) -> Graph:
    """Return the graph without the nodes of some concepts, if a triple mentions them."""
    nodes = dict(zip(graph.variables, graph.concepts, strict=True))
    mentioned = {node for node, _, _ in graph.attributes}
    mentioned.update(end for source, _, target in graph.relations for end in (source, target))
    if rooted:
        mentioned.add(graph.top)
    # The nodes that a concept replaces. A node without any triple but its concept's would disappear
    # together with its concept, so it stays.
    removed = {v: concept for v, concept in nodes.items() if concept in single and v in mentioned}
    attributes, relations = [], []
    for source, role, target in graph.relations:
        if source in removed and target in removed:
            attributes.append(Attribute(GROUND, role, f"{removed[source]} {removed[target]}"))
        elif source in removed:
            attributes.append(Attribute(target, f"{role}-of", removed[source]))
        elif target in removed:
            attributes.append(Attribute(source, role, removed[target]))
        else:
            relations.append(Relation(source, role, target))
    for node, role, constant in graph.attributes:
        if node in removed:
            attributes.append(Attribute(GROUND, role, f"{removed[node]} {constant}"))
        else:
            attributes.append(Attribute(node, role, constant))
    if rooted and graph.top in removed:
        attributes.append(Attribute(GROUND, ":root", removed[graph.top]))
    remaining = [variable for variable in graph.variables if variable not in removed]
    return Graph(
        (*remaining, GROUND),
        (*(nodes[variable] for variable in remaining), ""),
        tuple(attributes),
        tuple(relations),
        GROUND if graph.top in removed or not graph.top else graph.top,
        graph.metadata,
    )
