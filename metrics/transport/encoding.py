"""Pairs of graphs as flat arrays: labels, edges and the messages that follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np

from metrics.base import Pair
from metrics.compiled import compiled
from metrics.transport.graphs import Variant, labelled
from metrics.types import Ints

Direction = Literal["undirected", "top_down", "bottom_up", "two_way"]
DIRECTIONS = ("undirected", "top_down", "bottom_up", "two_way")


class GraphTable(NamedTuple):
    """Many graphs in flat arrays; graph 2p is the src of pair p, graph 2p + 1 its tgt.

    A message goes from node to node along all parallel edges of one direction at once.

    Attributes:
        labels, node_start: int32, each node's label; graph g has the nodes from
            ``node_start[g]`` to ``node_start[g + 1]``, and likewise for the other attributes.
        edges, edge_start: int32 e x 3, (source, target, role), positions within the graph.
        receivers, senders, message_start: int32, ordered by receiver.
        roles, role_start: int32, the roles of the edges each message follows.
    """

    labels: Ints
    node_start: Ints
    edges: Ints
    edge_start: Ints
    receivers: Ints
    senders: Ints
    message_start: Ints
    roles: Ints
    role_start: Ints


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs ready for embedding.

    Attributes:
        graphs: both sides of all pairs.
        labels: the labels that ``graphs.labels`` numbers.
        roles: the roles that ``graphs.edges`` and ``graphs.roles`` number.
    """

    graphs: GraphTable
    labels: tuple[str, ...]
    roles: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.graphs.node_start) // 2

    @property
    def sizes(self) -> Ints:
        """int64 p x 2, numbers of nodes on both sides."""
        return np.diff(self.graphs.node_start).reshape(-1, 2)


def encode(
    pairs: Sequence[Pair], variant: Variant, direction: Direction, edge_to_node: bool
) -> EncodedPairs:
    """Number labels and roles in the order in which they are first seen, and list the messages."""
    labels: dict[str, int] = {}
    roles: dict[str, int] = {}
    nodes: list[int] = []
    edges: list[tuple[int, int, int]] = []
    node_start, edge_start = [0], [0]
    for pair in pairs:
        for graph in pair:
            made = labelled(graph, variant, edge_to_node)
            nodes += [labels.setdefault(label, len(labels)) for label in made.labels]
            edges += [(s, t, roles.setdefault(role, len(roles))) for s, t, role in made.edges]
            node_start.append(len(nodes))
            edge_start.append(len(edges))
    flat = np.fromiter(chain.from_iterable(edges), np.int32, 3 * len(edges)).reshape(-1, 3)
    starts = np.array(edge_start, np.int64)
    names = list(roles)
    if direction == "two_way":
        # The reverse direction has its own role and therefore its own weight.
        names += [f"{role}-of" for role in roles]
    table = GraphTable(
        np.array(nodes, np.int32),
        np.array(node_start, np.int64),
        flat,
        starts,
        *_messages(
            flat,
            starts,
            direction != "bottom_up",
            direction != "top_down",
            len(roles) if direction == "two_way" else 0,
        ),
    )
    return EncodedPairs(table, tuple(labels), tuple(names))


@compiled
def _messages(
    edges: Ints, edge_start: Ints, forward: bool, backward: bool, back_roles: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The messages of each graph, ordered by receiver."""
    ways = int(forward) + int(backward)
    room = ways * len(edges)
    receivers, senders = np.empty(room, np.int32), np.empty(room, np.int32)
    roles, role_start = np.empty(room, np.int32), np.zeros(room + 1, np.int64)
    message_start = np.zeros(edge_start.size, np.int64)
    count, n_roles = 0, 0
    for g in range(edge_start.size - 1):
        first, last = edge_start[g], edge_start[g + 1]
        size = 0
        for e in range(first, last):
            size = max(size, edges[e, 0] + 1, edges[e, 1] + 1)
        for node in range(size):
            for way in range(2):
                if not (forward, backward)[way]:
                    continue
                receiver, sender = 1 - way, way
                for e in range(first, last):
                    if edges[e, receiver] != node:
                        continue
                    parallel = False
                    for other in range(first, e):
                        if edges[other, 0] == edges[e, 0] and edges[other, 1] == edges[e, 1]:
                            parallel = True
                            break
                    if parallel:
                        continue
                    receivers[count], senders[count] = node, edges[e, sender]
                    count += 1
                    for other in range(e, last):
                        if edges[other, 0] == edges[e, 0] and edges[other, 1] == edges[e, 1]:
                            roles[n_roles] = edges[other, 2] + way * back_roles
                            n_roles += 1
                    role_start[count] = n_roles
        message_start[g + 1] = count
    return receivers[:count], senders[:count], message_start, roles, role_start[: count + 1]
