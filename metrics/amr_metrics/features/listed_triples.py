"""The triples that SEMA matches, as texts, for explanations."""

from __future__ import annotations

from collections import Counter, defaultdict
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

    The tool compares each triple of the hypothesis with all of gold, in order; `features.c`
    describes the cases. After the first of several equal triples, the others match nothing more,
    so that each is compared once, and only with equal triples of gold.
    """
    matched: Counter[Key] = Counter()
    nodes = {gold.top} if _has_same_root(hypothesis, gold) else set()
    roles: defaultdict[tuple[int, int | str], set[str]] = defaultdict(set)  # matched, by the ends
    edges: defaultdict[Key, list[Edge]] = defaultdict(list)
    for edge in gold.edges:
        edges[_build_key(gold, edge)].append(edge)
    for key in dict.fromkeys(_build_key(hypothesis, edge) for edge in hypothesis.edges):
        for source, role, target in edges.get(key, ()):
            is_constant = gold.is_constant(target)
            parallel = roles[source, gold.labels[target] if is_constant else target]
            is_first = is_constant or target not in nodes
            is_new = role not in parallel if is_first else not parallel
            if not is_constant:
                nodes |= {source, target} if is_new else {source}
            if is_new:
                parallel.add(role)
                matched[key] += 1
    matched.update(("concept", gold.labels[node]) for node in nodes)
    return matched


def _build_key(graph: ListedGraph, edge: Edge) -> Key:
    return "attribute" if graph.is_constant(edge.target) else "relation", graph.text(edge)


def _has_same_root(a: ListedGraph, b: ListedGraph) -> bool:
    return a.variables > 0 < b.variables and a.labels[a.top] == b.labels[b.top]
