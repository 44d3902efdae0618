"""Pairs of graphs as flat arrays: labels, edges and the messages that follow them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import (
    GraphTable,
    LabelledGraphs,
    NodeForm,
    collect_graphs,
    label_graphs,
)
from amr_metrics.graphs.folding import keep_label, lower, lower_without_quotes
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.graphs.rows import count_largest_group, select_group_rows
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.transport.propagation import Buffers
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.vectors.sif import SIF

Variant = Literal["2021", "2023", "definition"]
Direction = Literal["undirected", "top_down", "bottom_up", "two_way"]


class MessageTable(NamedTuple):
    """The messages of many graphs, ordered by receiver.

    A message goes from node to node along all parallel edges of one direction at once.

    Attributes:
        receivers, senders: int32, positions of nodes in their graph.
        message_start: int64, graph g has the messages ``message_start[g]:message_start[g + 1]``.
        roles, role_start: int32 and int64, the roles of the edges each message follows.
        counts: float64, the number of messages that its receiver receives.
        decay: the factor of a level's inner products, relative to those of the level before: 1, or
            1/4 where each update halves the vectors.
    """

    receivers: Ints
    senders: Ints
    message_start: Ints
    roles: Ints
    role_start: Ints
    counts: Floats
    decay: float


class Scratch(NamedTuple):
    """Memory for the values that a kernel computes once per graph.

    It is reused, which saves page faults in small batches.

    Attributes:
        embedded: whether the values of a graph have been computed; False between calls.
        shares: the weight of each message.
        squares: the squared length of each node's embedding.
    """

    embedded: Bools
    shares: Floats
    squares: Floats


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs ready for embedding; they depend on `variant` and `direction` alone.

    Attributes:
        graphs: the graphs of all pairs, each once.
        labels: the labels that ``graphs.labels`` numbers.
        messages: the messages of the graphs.
        roles: the roles that ``messages.roles`` numbers.
        src, tgt: int64 p, the graphs of each pair.
    """

    graphs: GraphTable
    labels: tuple[str, ...]
    messages: MessageTable
    roles: tuple[str, ...]
    src: Ints
    tgt: Ints

    def __len__(self) -> int:
        return len(self.src)

    @property
    def sizes(self) -> Ints:
        """int64 p x 2, numbers of nodes on both sides."""
        counts = np.diff(self.graphs.node_start)
        return np.stack([counts[self.src], counts[self.tgt]], axis=1)

    @cached_property
    def scratch(self) -> Scratch:
        """Memory for kernels; not for several threads."""
        graphs, nodes = len(self.graphs.tops), len(self.graphs.labels)
        messages = len(self.messages.receivers)
        return Scratch(np.zeros(graphs, np.bool_), np.zeros(messages), np.zeros(nodes))

    @cached_property
    def buffers(self) -> Buffers:
        """Memory for kernels; not for several threads."""
        return Buffers.allocate(int(self.sizes.max(initial=0)))

    @property
    def node_labels(self) -> Ints:
        """The labels of the nodes of each pair, those of src before those of tgt."""
        sides = np.stack([self.src, self.tgt], axis=1).ravel()
        return self.graphs.labels[select_group_rows(self.graphs.node_start, sides).rows]

    def weigh_labels(self, sif: SIF) -> Floats:
        """Return the weight of each label, by its frequency."""
        return sif.weights([lower_without_quotes(label) for label in self.labels])

    def parts(self, most: int) -> Iterator[EncodedPairs]:
        """Yield consecutive pairs with at most about `most` pairs of nodes; at least one part."""
        before = np.cumsum(self.sizes.prod(axis=1)) // most
        cuts = [0, *(np.flatnonzero(np.diff(before)) + 1).tolist(), len(self)]
        for first, last in pairwise(cuts):
            yield replace(self, src=self.src[first:last], tgt=self.tgt[first:last])


def encode(
    pairs: Sequence[Pair], variant: Variant = "2023", direction: Direction = "undirected"
) -> EncodedPairs:
    """Encode the pairs, each of their graphs once.

    A `Pairs` object is encoded once for each combination of options, for as long as it exists: the
    seeds of a metric, its other options and its training share the encoding.
    """
    pairs = Pairs.of(pairs)
    encoded = _ENCODED.setdefault(pairs, {})
    options = variant, direction
    if options not in encoded:
        encoded[options] = _encode(pairs, *options)
    return encoded[options]


_ENCODED: WeakKeyDictionary[Pairs, dict[tuple[Variant, Direction], EncodedPairs]] = (
    WeakKeyDictionary()
)


def _encode(pairs: Pairs, variant: Variant, direction: Direction) -> EncodedPairs:
    corpus, src, tgt = collect_graphs(pairs)
    graphs, labels, roles = encode_graphs(corpus, variant)
    # With two_way, the reverse direction has its own role and therefore its own weight: role r is
    # number r + (number of roles) there.
    back_roles = len(roles) if direction == "two_way" else 0
    messages = _build_messages(
        *(graphs, direction != "bottom_up", direction != "top_down", back_roles),
        0.25 if variant == "definition" else 1.0,
    )
    if back_roles:
        roles += tuple([f"{role}-of" for role in roles])
    return EncodedPairs(graphs, labels, messages, roles, src, tgt)


def encode_graphs(corpus: Corpus, variant: Variant) -> LabelledGraphs:
    """Return graphs in the form that a variant of WWLK uses.

    2023 lower-cases labels, drops quotes and repeated triples, and creates a node per constant.
    2021 keeps case, quotes and repeats, and equal constants share a node. The definition keeps them
    as well, and has a node per constant.
    """
    if variant == "2023":
        fold = lower_without_quotes
        return label_graphs(corpus, concept=fold, constant=fold, role=lower, form="distinct")
    form: NodeForm = "shared" if variant == "2021" else "plain"
    fold = keep_label
    return label_graphs(corpus, concept=fold, constant=fold, role=fold, form=form)


def node_names(graph: Graph, variant: Variant = "2023") -> list[str]:
    """Return the names of a graph's nodes in alignments, in the order in which `encode` has them.

    A node is named by its variable or by the triple of its constant; in 2021, where constants are
    shared, by the constant.

    >>> from amr_metrics import parse_graph
    >>> node_names(parse_graph('(s / sleep-01 :ARG0 (c / Cat) :polarity -)'), "2023")
    ['s', 'c', 's :polarity -']
    """
    if variant == "2023":
        constants = {
            (node, lower(role), lower_without_quotes(constant)): f"{node} {role} {constant}"
            for node, role, constant in graph.attributes
        }
        return [*graph.variables, *constants.values()]
    if variant == "definition":
        return [*graph.variables, *(" ".join(attribute) for attribute in graph.attributes)]
    return [*graph.variables, *dict.fromkeys(a.constant for a in graph.attributes)]


def _build_messages(
    graphs: GraphTable, forward: bool, backward: bool, back_roles: int, decay: float
) -> MessageTable:
    """Return the messages along the edges (`forward`) and against them (`backward`).

    Args:
        back_roles: what is added to the role of an edge that a message follows backwards.
        decay: see `MessageTable`.
    """
    count = len(graphs.tops)
    nodes, edges = map(count_largest_group, (graphs.node_start, graphs.edge_start))
    capacity = (forward + backward) * len(graphs.sources)
    receivers, senders, roles = np.empty((3, capacity), np.int32)
    message_start, role_start = np.empty(count + 1, np.int64), np.empty(capacity + 1, np.int64)
    counts = np.empty(capacity)
    messages = _list_messages(
        *(count, nodes, edges, capacity, graphs, forward, backward, back_roles),
        *(np.empty((2, nodes + 2), np.int64), np.empty((2, edges), np.int64)),
        *(np.empty(edges, np.int64), np.empty(nodes, np.int64), np.empty(edges, np.bool_)),
        *(receivers, senders, message_start, roles, role_start, counts),
    )
    return MessageTable(
        receivers[:messages],
        senders[:messages],
        message_start,
        roles,
        role_start[: messages + 1],
        counts[:messages],
        decay,
    )


_list_messages = declare_kernel("list_messages")
