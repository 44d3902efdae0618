"""Encode graphs for bag-of-features metrics: nodes and edges with labels as integers.

Both variables and constants are nodes. Labels are converted to integers once per graph, in Python;
compiled kernels build and compare features from these integers.
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
    """One graph, with labels as integers.

    Attributes:
        labels: one per node, the variables before the constants.
        variables: number of nodes that are variables.
        top: position of the root.
        sources, roles, targets: one entry per edge, the relations before the attributes. A role
            ``~r`` is the inverse of role ``r``.
    """

    labels: Sequence[int] | Ints
    variables: int
    top: int
    sources: Sequence[int] | Ints
    roles: Sequence[int] | Ints
    targets: Sequence[int] | Ints


Encoder = Callable[[Graph], Encoded]


class Numbers(dict[Raw, int]):
    """Numbers labels in order of first occurrence, after normalising them with `fold`.

    Each label is normalised once; labels with the same normalised form have the same number.

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
        """A mapping with another `fold` function that shares the numbers of this one."""
        other = Numbers(fold)
        other._given = self._given
        return other


def as_written(label: str) -> str:
    """The label itself, without normalisation."""
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
    """Create an encoder of a graph's unchanged triples, with the given numbering of labels.

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
        sources, roles, targets: int64 e; inverse edges are reversed, so that no role is negative.
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
    """Build the table of graphs from an iterable."""
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
