"""Graphs as encoded by the two released versions of WLK."""

from __future__ import annotations

from collections import Counter

from metrics.features.encoding import Encoded, Encoder, Numbers, as_written, fold
from metrics.graph import Graph


def numbered() -> Encoder:
    """Number the nodes of each concept, so that labels are unique: the last variable has number 1.

    Equal constants are one node, with number 1, or 0 if the constant is also a concept. A node
    without any edge gets an ``:instance`` edge to itself.
    """
    names: Numbers[tuple[str, int]] = Numbers(lambda name: name)
    roles = Numbers(as_written)

    def encode(graph: Graph) -> Encoded:
        left = Counter(graph.concepts)
        labels = []
        for concept in graph.concepts:
            labels.append(names[concept, left[concept]])
            left[concept] -= 1
        position: dict[str, int] = {}
        for attribute in graph.attributes:
            constant = attribute.constant
            if constant not in position:
                position[constant] = len(labels)
                labels.append(names[constant, int(constant not in left)])
        triples = [*graph.relations, *graph.attributes]
        sources = graph.sources + graph.holders
        targets = [*graph.targets, *(position[a.constant] for a in graph.attributes)]
        edges = [roles[role] for _, role, _ in triples]
        if len(labels) == 1 and not edges:
            sources, targets, edges = (0,), [0], [roles[":instance"]]
        return Encoded(labels, len(graph.variables), 0, sources, edges, targets)

    return encode


def standardised() -> Encoder:
    """Encode labels in lower case without quotes, each triple once, and one node per attribute."""
    nodes, roles = Numbers(fold), Numbers(str.lower)

    def encode(graph: Graph) -> Encoded:
        size = len(graph.variables)
        edges = [roles[relation.role] for relation in graph.relations]
        relations = dict.fromkeys(zip(graph.sources, edges, graph.targets, strict=True))
        attributes = dict.fromkeys(
            (at, roles[attribute.role], nodes[attribute.constant])
            for at, attribute in zip(graph.holders, graph.attributes, strict=True)
        )
        labels = [nodes[concept] for concept in graph.concepts]
        labels += [constant for _, _, constant in attributes]
        triples = [*relations, *((s, r, size + k) for k, (s, r, _) in enumerate(attributes))]
        return Encoded(
            labels,
            size,
            0,
            [t[0] for t in triples],
            [t[1] for t in triples],
            [t[2] for t in triples],
        )

    return encode
