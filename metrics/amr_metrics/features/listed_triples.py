"""The triples that SEMA matches, as texts, for explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from amr_metrics.features.listing import Edge, Key, ListedGraph


def list_triples(graph: ListedGraph) -> Iterator[Key]:
    """Yield the kind and the text of each triple: its concepts, attributes and relations.

    >>> [*list_triples(ListedGraph(("sleep-01", "-"), 1, 0, (Edge(0, ":polarity", 1),)))]
    [('concept', 'sleep-01'), ('attribute', 'sleep-01 :polarity -')]
    """
    yield from (("concept", label) for label in graph.labels[: graph.variables])
    yield from (_build_key(graph, edge) for edge in graph.edges)


def match_triples(hypothesis: ListedGraph, gold: ListedGraph) -> Counter[Key]:
    """Count the matches of equal triples, each with one triple of the other graph.

    A concept matches if its node is an end of a relation that the other graph has, the root where
    both roots are alike, or a node without relations to other nodes.
    """
    sides = []
    for graph, reference in ((hypothesis, gold), (gold, hypothesis)):
        keys = {_build_key(reference, edge) for edge in reference.edges}
        relations = [edge for edge in graph.edges if not graph.is_constant(edge.target)]
        related = {node for s, _, t in relations for node in (s, t)}
        counted = {v for v in range(graph.variables) if v not in related}
        counted |= {
            node for edge in relations if _build_key(graph, edge) in keys for node in edge[::2]
        }
        if _has_same_root(hypothesis, gold):
            counted.add(graph.top)
        edges = Counter(_build_key(graph, edge) for edge in graph.edges)
        sides.append(edges + Counter(("concept", graph.labels[v]) for v in counted))
    return sides[0] & sides[1]


def match_triples_with_reuse(hypothesis: ListedGraph, gold: ListedGraph) -> Counter[Key]:
    """Count the gold triples that match as in the released tool.

    Each triple of the hypothesis is compared with all of gold, in order; `features.c` describes
    the cases.
    """
    matched: Counter[Key] = Counter()
    nodes: set[int] = set()
    edges: list[Edge] = []  # of gold, matched

    def match_node(node: int) -> None:
        nodes.add(node)
        matched["concept", gold.labels[node]] += 1

    def match_edge(edge: Edge) -> None:
        edges.append(edge)
        matched[_build_key(gold, edge)] += 1

    def is_parallel(a: Edge, b: Edge) -> bool:
        constants = gold.is_constant(a.target) and gold.is_constant(b.target)
        alike = constants and gold.labels[a.target] == gold.labels[b.target]
        return a.source == b.source and (a.target == b.target or alike)

    if _has_same_root(hypothesis, gold):
        match_node(gold.top)
    for candidate in hypothesis.edges:
        for edge in gold.edges:
            if _build_key(hypothesis, candidate) != _build_key(gold, edge):
                continue
            parallel = [former for former in edges if is_parallel(former, edge)]
            is_matched = any(former.role == edge.role for former in parallel)
            if gold.is_constant(edge.target):
                if not is_matched:
                    match_edge(edge)
                continue
            if edge.target not in nodes and not is_matched:
                match_node(edge.target)
                match_edge(edge)
                is_matched = True
            if edge.source not in nodes:
                match_node(edge.source)
            if edge.target in nodes and not is_matched and not parallel:
                match_edge(edge)
    return matched


def _build_key(graph: ListedGraph, edge: Edge) -> Key:
    return "attribute" if graph.is_constant(edge.target) else "relation", graph.text(edge)


def _has_same_root(a: ListedGraph, b: ListedGraph) -> bool:
    return a.variables > 0 < b.variables and a.labels[a.top] == b.labels[b.top]
