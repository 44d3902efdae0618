"""What a bag-of-features metric sees of a graph: labelled nodes and edges, in numbers.

Variables and constants are nodes alike. Labels become numbers once a graph, in Python; features
are made from those numbers and compared in compiled kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np

from metrics.compiled import compiled
from metrics.graph import Graph
from metrics.types import Ints

Raw = TypeVar("Raw", bound=Hashable)
ROLE, CONSTANT = itemgetter(1), itemgetter(2)


class Encoded(NamedTuple):
    """One graph in numbers.

    Attributes:
        labels: one a node, the variables before the constants.
        variables: how many of the nodes are variables.
        top: position of the root.
        sources, roles, targets: one entry an edge, the relations before the attributes. A role
            ``~r`` stands for role ``r`` the other way round.
    """

    labels: Sequence[int] | Ints
    variables: int
    top: int
    sources: Sequence[int] | Ints
    roles: Sequence[int] | Ints
    targets: Sequence[int] | Ints


Encoder = Callable[[Graph], Encoded]


class Numbers(dict[Raw, int]):
    """Numbers of labels in order of first sight. A label is folded once; what folds alike is alike.

    >>> concepts = Numbers(str.lower)
    >>> concepts["Dog"], concepts["cat"], concepts["dog"]
    (0, 1, 0)
    >>> constants = concepts.also(fold)
    >>> constants['"Cat"']
    1
    """

    def __init__(self, fold: Callable[[Raw], Hashable]) -> None:
        super().__init__()
        self._fold = fold
        self._given: dict[Hashable, int] = {}

    def __missing__(self, label: Raw) -> int:
        number = self[label] = self._given.setdefault(self._fold(label), len(self._given))
        return number

    def also(self, fold: Callable[[Raw], Hashable]) -> Numbers[Raw]:
        """Another way of folding into the same numbers."""
        other = Numbers(fold)
        other._given = self._given
        return other


def as_written(label: str) -> str:
    """The label itself: nothing is folded."""
    return label


def fold(label: str) -> str:
    """A label in lower case without its quotes.

    >>> fold('"Berlin"')
    'berlin'
    """
    return label.strip('"').lower()


def plain_encoder(
    concepts: Numbers[str],
    constants: Numbers[str],
    roles: Numbers[str],
    attribute_roles: Numbers[str],
) -> Encoder:
    """Encodes a graph's triples as they are, in the given numbers.

    >>> from metrics import parse_graph
    >>> nodes, roles = Numbers(as_written), Numbers(as_written)
    >>> encode = plain_encoder(nodes, nodes, roles, roles)
    >>> encode(parse_graph("(b / bark-01 :ARG0 (d / dog :polarity -))"))
    Encoded(labels=[0, 1, 2], variables=2, top=0, sources=(0, 1), roles=[0, 1], targets=(1, 2))
    """
    concept, constant = concepts.__getitem__, constants.__getitem__
    role, attribute_role = roles.__getitem__, attribute_roles.__getitem__

    def encode(graph: Graph) -> Encoded:
        size, attributes = len(graph.variables), graph.attributes
        top = graph.positions[graph.top] if size else 0
        labels = [*map(concept, graph.concepts)]
        edges = [*map(role, map(ROLE, graph.relations))]
        if not attributes:
            return Encoded(labels, size, top, graph.sources, edges, graph.targets)
        labels += map(constant, map(CONSTANT, attributes))
        edges += map(attribute_role, map(ROLE, attributes))
        sources = graph.sources + graph.holders
        targets = (*graph.targets, *range(size, size + len(attributes)))
        return Encoded(labels, size, top, sources, edges, targets)

    return encode


class GraphTable(NamedTuple):
    """Many graphs in flat arrays; graph ``g`` has the nodes ``node_start[g]:node_start[g + 1]``.

    Attributes:
        labels: int64 n.
        node_start: int64 g + 1.
        variables, tops: int64 g.
        sources, roles, targets: int64 e; no role is negative any more.
        edge_start: int64 g + 1.
    """

    labels: Ints
    node_start: Ints
    variables: Ints
    tops: Ints
    sources: Ints
    roles: Ints
    targets: Ints
    edge_start: Ints


def tabulate(graphs: Iterable[Encoded]) -> GraphTable:
    """The table of some graphs, which are taken one after the other."""
    labels: list[int] = []
    sources: list[int] = []
    roles: list[int] = []
    targets: list[int] = []
    shapes: list[int] = []
    for graph in graphs:
        labels += graph.labels
        sources += graph.sources
        roles += graph.roles
        targets += graph.targets
        shapes += len(graph.labels), len(graph.sources), graph.variables, graph.top
    nodes, edges, variables, tops = np.array(shapes, np.int64).reshape(-1, 4).T.copy()
    ends, role = np.array([sources, targets], np.int64), np.array(roles, np.int64)
    turned = role < 0
    ends[:, turned] = ends[::-1, turned]
    role[turned] = ~role[turned]
    return GraphTable(
        np.array(labels, np.int64),
        _starts(nodes),
        variables,
        tops,
        ends[0],
        role,
        ends[1],
        _starts(edges),
    )


def _starts(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)])


@compiled
def graph_of(table: GraphTable, g: int) -> Encoded:
    """Graph `g` of a table."""
    nodes = slice(table.node_start[g], table.node_start[g + 1])
    edges = slice(table.edge_start[g], table.edge_start[g + 1])
    return Encoded(
        table.labels[nodes],
        table.variables[g],
        table.tops[g],
        table.sources[edges],
        table.roles[edges],
        table.targets[edges],
    )
