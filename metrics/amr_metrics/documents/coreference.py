"""What the coreference sub-score of docSmatch counts in a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from amr_metrics.documents.sentences import (
    BRIDGES,
    CHAIN_NODES,
    COREF,
    ENTITY_ROLES,
    Rule,
    StoredEdge,
    stored_edges,
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
        cls, graph: Graph, sentences: Mapping[str, set[int]], rule: Rule = "docsmatch"
    ) -> Coreference:
        """Return the coreference of a document.

        Args:
            sentences: those to which each node belongs (`sentences_of`).
            rule: whether edges are as written (``docsmatch``) or as triples, to find merged nodes.

        >>> from amr_metrics import parse_graph
        >>> from amr_metrics.documents.sentences import sentences_of
        >>> graph = parse_graph("(d / document :snt1 (s / see-01 :ARG0 (b / boy)) "
        ...                     ":snt2 (l / leave-11 :ARG0 b))")
        >>> Coreference.of(graph, sentences_of(graph, "docsmatch"))
        Coreference(nodes=(), edges=(('s', ':ARG0', 'b'), ('l', ':ARG0', 'b')))
        """
        edges = stored_edges(graph)
        if rule == "triples":
            edges = [StoredEdge(*relation, False) for relation in graph.relations]
        concepts = zip(graph.variables, graph.concepts, strict=True)
        nodes = tuple(node for node, concept in concepts if concept in CHAIN_NODES)
        entities = {*nodes, *_merged(edges, sentences)}
        counted = [
            (source, role, target)
            for source, role, target, _ in edges
            if target in entities
            or (role == COREF and source in entities)
            or (role in BRIDGES and sentences[source] != sentences[target])
        ]
        return cls(nodes, tuple(dict.fromkeys(counted)))


def _merged(edges: Sequence[StoredEdge], sentences: Mapping[str, set[int]]) -> list[str]:
    """Return the nodes of several sentences in which mentions are merged.

    Such a node has parents, as written, of at least two different sets of sentences other than its
    own.
    """
    parents: dict[str, list[str]] = {}
    for source, role, target, inverted in edges:
        if role not in ENTITY_ROLES:
            node, parent = (source, target) if inverted else (target, source)
            parents.setdefault(node, []).append(parent)
    return [
        node
        for node, above in parents.items()
        if len(sentences[node]) > 1
        and len({frozenset(sentences[p]) for p in above if sentences[p] != sentences[node]}) > 1
    ]
