"""What the coreference sub-score of docSmatch counts in a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from amr_metrics.documents.sentences import (
    BRIDGES,
    CHAIN_NODES,
    COREF,
    ENTITY_ROLES,
    AlignmentRule,
    list_stored_edges,
)
from amr_metrics.graphs.graph import Graph


class Coreference(NamedTuple):
    """The nodes and edges of coreference of a document.

    Attributes:
        nodes: chains and implicit roles.
        edges: edges into them, from them to mentions, into nodes in which mentions of several
            sentences are merged, and ``:part`` and ``:subset`` between sentences.
    """

    nodes: Sequence[str]
    edges: Sequence[tuple[str, str, str]]

    @classmethod
    def of(
        cls, graph: Graph, sentences: Mapping[str, set[int]], rule: AlignmentRule = "docsmatch"
    ) -> Coreference:
        """Return the coreference of a document.

        Args:
            sentences: those to which each node belongs (`sentences_of`).
            rule: whether edges are as written (``docsmatch``) or as triples, to find merged nodes.
        """
        edges = list_stored_edges(graph)
        if rule == "triples":
            edges = [(*relation, False) for relation in graph.relations]
        concepts = zip(graph.variables, graph.concepts, strict=True)
        nodes = tuple(node for node, concept in concepts if concept in CHAIN_NODES)
        # Mentions are merged in a node of several sentences whose parents, as written, belong to
        # at least two different sets of sentences other than its own.
        above: dict[str, set[frozenset[int]]] = {node: set() for node in graph.variables}
        for source, role, target, inverted in edges:
            node, parent = (source, target) if inverted else (target, source)
            if role not in ENTITY_ROLES and sentences[parent] != sentences[node]:
                above[node].add(frozenset(sentences[parent]))
        merged = [node for node in above if len(above[node]) > 1 and len(sentences[node]) > 1]
        entities = {*nodes, *merged}
        counted = [
            (source, role, target)
            for source, role, target, _ in edges
            if target in entities
            or (role == COREF and source in entities)
            or (role in BRIDGES and sentences[source] != sentences[target])
        ]
        return cls(nodes, tuple(dict.fromkeys(counted)))
