"""The features of single graphs as texts, for explanations.

Scores are computed by kernels, from numbers. Here the same features are listed in plain Python, for
one pair at a time: n-grams, Weisfeiler-Leman labels, motifs and triples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from amr_metrics.graphs.encoding import LabelledGraphs

Key = tuple[str, str]  # the kind of a feature, and its text
# Levels of neighbours, and neighbours of each node, in the text of a Weisfeiler-Leman label; others
# are left out.
DEPTH, WIDTH = 3, 20


class Edge(NamedTuple):
    """An edge between two nodes, by position."""

    source: int
    role: str
    target: int


@dataclass(frozen=True)
class ListedGraph:
    """A graph of a table, with texts.

    Attributes:
        labels: of the nodes, variables first.
        variables: their number; the nodes from this position on are constants.
        top: the position of the root.
        edges: the edges.
    """

    labels: tuple[str, ...]
    variables: int
    top: int
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, graphs: LabelledGraphs, k: int) -> ListedGraph:
        """Return graph k of a table."""
        table = graphs.table
        nodes = slice(table.node_start[k], table.node_start[k + 1])
        edges = slice(table.edge_start[k], table.edge_start[k + 1])
        columns = [column[edges].tolist() for column in (table.sources, table.roles, table.targets)]
        return cls(
            tuple([graphs.labels[label] for label in table.labels[nodes].tolist()]),
            int(table.variables[k]),
            int(table.tops[k]),
            tuple([Edge(s, graphs.roles[r], t) for s, r, t in zip(*columns, strict=True)]),
        )

    def is_constant(self, node: int) -> bool:
        """Return whether a node is a constant."""
        return node >= self.variables

    def leaving(self) -> list[list[int]]:
        """Return the positions of the edges that leave each node."""
        edges: list[list[int]] = [[] for _ in self.labels]
        for e, (source, _, _) in enumerate(self.edges):
            edges[source].append(e)
        return edges

    def text(self, edge: Edge) -> str:
        """Return the text of an edge."""
        return f"{self.labels[edge.source]} {edge.role} {self.labels[edge.target]}"


def list_ngrams(graph: ListedGraph, k: int, only_reached: bool) -> Iterator[tuple[int, str]]:
    """Yield the order and the text of each n-gram of at most k nodes.

    An n-gram is a path that uses no edge twice.

    Args:
        only_reached: whether n-grams start only from the nodes that are reachable from a node
            without incoming edges, or else from the root.

    >>> cat = ListedGraph(("sleep-01", "cat"), 2, 0, (Edge(0, ":ARG0", 1),))
    >>> [*list_ngrams(cat, 2, only_reached=False)]
    [(1, 'sleep-01'), (1, 'cat'), (2, 'sleep-01 :ARG0 cat')]
    """
    leaving = graph.leaving()
    starts = _find_reached(graph, leaving) if only_reached else range(len(graph.labels))
    paths: list[tuple[str, int, tuple[int, ...]]] = [(graph.labels[v], v, ()) for v in starts]
    for order in range(1, k + 1):
        yield from ((order, text) for text, _, _ in paths)
        paths = [
            (f"{text} {graph.edges[e].role} {graph.labels[target]}", target, (*used, e))
            for text, end, used in (paths if order < k else ())
            for e in leaving[end]
            if e not in used
            for target in [graph.edges[e].target]
        ]


def _find_reached(graph: ListedGraph, leaving: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes that are reachable from those without incoming edges, or from the root."""
    entered = {edge.target for edge in graph.edges}
    queue = [v for v in range(len(graph.labels)) if v not in entered]
    if not queue and graph.labels:
        queue = [graph.top]
    reached = set(queue)
    for v in queue:  # grows
        targets = [graph.edges[e].target for e in leaving[v]]
        queue += dict.fromkeys(target for target in targets if target not in reached)
        reached.update(targets)
    return sorted(queue)


def list_motifs(graph: ListedGraph) -> Iterator[Key]:
    """Yield the motifs of Rematch; some may occur several times.

    >>> sleep = ListedGraph(("sleep-01", "-"), 1, 0, (Edge(0, ":polarity", 1),))
    >>> [*list_motifs(sleep)]
    [('attribute', ':polarity -'), ('instance', 'sleep-01 (:polarity -)')]
    """
    instances: list[list[str]] = [[] for _ in range(graph.variables)]
    for source, role, target in graph.edges:
        if graph.is_constant(target):
            attribute = f"{role} {graph.labels[target]}"
            yield "attribute", attribute
            instances[source].append(f"{graph.labels[source]} ({attribute})")
    for node, of_node in enumerate(instances):
        if not of_node:
            of_node.append(graph.labels[node])
        yield from (("instance", instance) for instance in of_node)
    for source, role, target in graph.edges:
        if not graph.is_constant(target):
            for a in instances[source]:
                yield from (("relation", f"{a} {role} {b}") for b in instances[target])


class WLLabels:
    """Numbers the Weisfeiler-Leman labels of several graphs, and gives their texts.

    Args:
        outgoing: whether the targets of outgoing relations are neighbours.
        incoming: whether the sources of incoming ones are: not at all (0), alike (1), or with
            inverse roles (2).
        once: whether all nodes of a label take the neighbours of the first of them.
    """

    def __init__(self, outgoing: bool, incoming: int, once: bool) -> None:
        self.outgoing, self.incoming, self.once = outgoing, incoming, once
        self._numbers: dict[object, int] = {}
        # Of each number: the label of the node, and the roles and numbers of its neighbours.
        self._parts: list[tuple[str, tuple[tuple[str, int], ...]]] = []

    def count(self, graph: ListedGraph, K: int) -> Counter[tuple[int, str, int]]:
        """Count the labels of levels 0..K, and the triples: as (level, triple or "", number)."""
        neighbours: list[list[tuple[str, int]]] = [[] for _ in graph.labels]
        for source, role, target in graph.edges:
            if self.outgoing:
                neighbours[source].append((role, target))
            if self.incoming:
                neighbours[target].append((role + "-of" * (self.incoming == 2), source))
        numbers = [self._number(("", label), label, ()) for label in graph.labels]
        counts = Counter((0, "", number) for number in numbers)
        counts.update((0, graph.text(edge), -1) for edge in graph.edges)
        # The label of level l of a node is the number of (its label of level l - 1, the sorted
        # labels of level l - 1 of its neighbours with their roles).
        for level in range(1, K + 1):
            first = {number: v for v, number in reversed([*enumerate(numbers)])}
            owners = [first[number] for number in numbers] if self.once else range(len(numbers))
            near = [
                tuple(sorted([(role, numbers[u]) for role, u in neighbours[v]])) for v in owners
            ]
            numbers = [
                self._number((level, number, around), graph.labels[v], around)
                for v, (number, around) in enumerate(zip(numbers, near, strict=True))
            ]
            counts.update((level, "", number) for number in numbers)
        if self.once:
            return Counter(dict.fromkeys(counts, 1))
        return counts

    def _number(self, key: object, label: str, near: tuple[tuple[str, int], ...]) -> int:
        number = self._numbers.setdefault(key, len(self._parts))
        if number == len(self._parts):
            self._parts.append((label, near))
        return number

    def text(self, number: int, depth: int = DEPTH) -> str:
        """Return the text of a label: that of its node, with those of its neighbours in brackets.

        Neighbours beyond the first `WIDTH` are left out.

        Args:
            depth: neighbours farther away are left out.
        """
        label, near = self._parts[number]
        if not near:
            return label
        if depth == 0:
            return f"{label} […]"
        shown = near[:WIDTH]
        around = sorted(f"{role} {self.text(neighbour, depth - 1)}" for role, neighbour in shown)
        around += ["…"] * (len(near) > WIDTH)
        return f"{label} [{', '.join(around)}]"
