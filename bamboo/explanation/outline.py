"""A graph as indented lines, with its re-entrant edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from amr_metrics.graphs.graph import Attribute, Graph


class OutlineRow(NamedTuple):
    """A line of an outline: a node, or a constant (then `node` is the node it belongs to)."""

    node: str
    depth: int
    role: str
    text: str
    parent: int
    is_node: bool


class ReentrantEdge(NamedTuple):
    """A re-entrant edge, between two lines of an outline."""

    source: int
    target: int
    role: str


def outline(graph: Graph) -> tuple[list[OutlineRow], list[ReentrantEdge]]:
    """Return a graph as indented lines from its root, depth first, and its re-entrant edges.

    >>> from amr_metrics.reading import parse_graph
    >>> graph = parse_graph("(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))")
    >>> rows, reentrant = outline(graph)
    >>> [(row.depth, row.role, row.node) for row in rows], reentrant[0].role
    ([(0, '', 'w'), (1, ':ARG0', 'b'), (1, ':ARG1', 'g')], ':ARG0')
    """
    children = _build_spanning_tree(graph)
    in_tree = {k for branches in children.values() for k, _ in branches}
    constants: dict[str, list[Attribute]] = {v: [] for v in graph.variables}
    for attribute in graph.attributes:
        constants[attribute.node].append(attribute)
    rows: list[OutlineRow] = []
    line_of: dict[str, int] = {}
    below = {child for branches in children.values() for _, child in branches}
    for start in (graph.top, *graph.variables):
        if start not in graph.positions or start in line_of or start in below:
            continue
        # A stack: graphs may be deeper than Python's recursion limit.
        waiting = [(start, 0, "", -1)]
        while waiting:
            node, depth, role, parent = waiting.pop()
            line_of[node] = line = len(rows)
            text = f"{node} / {graph.concept(node)}"
            rows.append(OutlineRow(node, depth, role, text, parent, is_node=True))
            rows += [
                OutlineRow(node, depth + 1, a.role, a.constant, line, is_node=False)
                for a in constants[node]
            ]
            for k, child in reversed(children[node]):
                source, edge_role, _ = graph.relations[k]
                role = edge_role if source == node else f"{edge_role}-of"
                waiting.append((child, depth + 1, role, line))
    reentrant = [
        ReentrantEdge(line_of[source], line_of[target], role)
        for k, (source, role, target) in enumerate(graph.relations)
        if k not in in_tree
    ]
    return rows, reentrant


def _build_spanning_tree(graph: Graph) -> dict[str, list[tuple[int, str]]]:
    """For each node the relations that lead down from it, by position, and the nodes they reach.

    Edges are followed forwards as long as this reaches new nodes, and only then backwards, as in
    AMR written by annotators.
    """
    children: dict[str, list[tuple[int, str]]] = {v: [] for v in graph.variables}
    outgoing: dict[str, list[tuple[int, str]]] = {v: [] for v in graph.variables}
    incoming: dict[str, list[tuple[int, str]]] = {v: [] for v in graph.variables}
    for k, (source, _, target) in enumerate(graph.relations):
        outgoing[source].append((k, target))
        incoming[target].append((k, source))
    reached: set[str] = set()
    # Edges to follow backwards: those into the node that was reached first come first.
    backwards: list[tuple[int, int, str, str]] = []

    def forwards(start: str) -> None:
        path: list[tuple[str, Iterator[tuple[int, str]]]] = []

        def enter(node: str) -> None:
            for k, source in incoming[node]:
                if source not in reached:
                    heappush(backwards, (len(reached), k, node, source))
            reached.add(node)
            path.append((node, iter(outgoing[node])))

        enter(start)
        while path:
            node, edges = path[-1]
            edge = next(((k, target) for k, target in edges if target not in reached), None)
            if edge is None:
                path.pop()
            else:
                children[node].append(edge)
                enter(edge[1])

    for start in (graph.top, *graph.variables):
        if start in reached or start not in children:
            continue
        forwards(start)
        while backwards:
            _, k, node, source = heappop(backwards)
            if source not in reached:
                children[node].append((k, source))
                forwards(source)
    return children


Outline = tuple[Sequence[OutlineRow], Sequence[ReentrantEdge]]
