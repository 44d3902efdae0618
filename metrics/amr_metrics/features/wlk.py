"""WLK (Opitz, Daza and Frank 2021): the structural Weisfeiler-Leman kernel of two graphs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.compiled import compiled
from amr_metrics.errors import OptionError
from amr_metrics.features.bag_metric import BagMetric
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import EncodedGraph, GraphTable, graph_of, group_rows, labelled
from amr_metrics.graphs.folding import as_written, lower, lower_without_outer_quotes
from amr_metrics.graphs.numbering import Numbering, emptied, number, numbering
from amr_metrics.graphs.rows import per_row, row_positions
from amr_metrics.limits import MOST_ITERATIONS, check_count
from amr_metrics.options import one_of
from amr_metrics.types import Floats, Ints

Direction = Literal["undirected", "top_down", "bottom_up", "two_way"]
DIRECTIONS = ("undirected", "top_down", "bottom_up", "two_way")
Variant = Literal["2021", "2023", "definition"]
VARIANTS = ("2021", "2023", "definition")
Weighting = Literal["uniform", "exponential", "harmonic"]
WEIGHTINGS: dict[str, Callable[[int], float]] = {
    "uniform": lambda level: 1.0,
    "exponential": lambda level: math.exp(-level),
    "harmonic": lambda level: 1 / (1 + level),
}
DEFAULT_WEIGHTING = {"definition": "uniform", "2021": "exponential", "2023": "harmonic"}
# Whether a node's new label includes the targets of its outgoing relations, and how it includes the
# sources of its incoming relations: with the same roles (ALIKE) or distinguished from them (APART).
ALIKE, APART = 1, 2
NEIGHBOURS = {
    "undirected": (True, ALIKE),
    "top_down": (False, ALIKE),
    "bottom_up": (True, 0),
    "two_way": (True, APART),
}
NODE, NEIGHBOUR, SELF, LIST = -1, -2, -3, -4  # kinds of features: negative, unlike labels


@dataclass(frozen=True, kw_only=True)
class Wlk(BagMetric):
    """Cosine similarity of the Weisfeiler-Leman label counts of two graphs, in 0..1.

    Variables and constants are nodes. Level 0 counts their labels, and the triples (label, role,
    label). In each of K WL iterations, a node's new label consists of its own label and the
    multiset of its neighbours' labels, each with the role of the relation; the new labels are
    counted. Labels are compared as written.

    Attributes:
        K: number of WL iterations, at most 100.
        direction: the relations whose other ends are the neighbours of a node: all
            (``undirected``), incoming (``top_down``), outgoing (``bottom_up``), or all, with
            incoming and outgoing relations distinguished (``two_way``).
        level_weights: the factor of the counts of levels 0..K. ``uniform``: 1; ``exponential``:
            e^(-level); ``harmonic``: 1 / (1 + level). None: the first for ``definition``, the
            second for ``2021``, the third for ``2023``.
        variant: ``definition`` follows the paper. ``2021``, used for the paper's Table 4, numbers
            the variables of each concept, so that repeated concepts match by rank, and merges
            equal constants. ``2023``, used for the leaderboard, ignores case and quotes, removes
            repeated triples, uses the presence of labels instead of their counts, and takes the
            neighbours of only one node per label: the first one here, and in the tool whichever
            comes last from an unordered set. Both depend on the order of the nodes.

    Raises:
        OptionError: if an option has an invalid value.

    >>> from amr_metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> pair = Pair(cat, parse_graph("(s / sleep-01 :ARG0 (d / dog))"))
    >>> Wlk(K=0).score([pair]).round(6).tolist()  # 1 of 2 nodes and 1 triple: 1 / sqrt(3 * 3)
    [0.333333]
    """

    reference: ClassVar[str] = (
        "Opitz, Daza and Frank (2021), Weisfeiler-Leman in the BAMBOO: novel AMR graph metrics and "
        "a benchmark for AMR graph similarity (the structural WLK), "
        "https://doi.org/10.1162/tacl_a_00435"
        " (code: https://github.com/flipz357/weisfeiler-leman-amr-metrics)"
    )

    K: int = 2
    direction: Direction = "undirected"
    level_weights: Weighting | None = None
    variant: Variant = "2021"

    def __post_init__(self) -> None:
        if self.K < 0:
            raise OptionError(f"K={self.K}: the number of iterations cannot be negative")
        check_count("K", self.K, 0, MOST_ITERATIONS)
        one_of("direction", self.direction, DIRECTIONS)
        one_of("variant", self.variant, VARIANTS)
        if self.level_weights is not None:
            one_of("level_weights", self.level_weights, tuple(WEIGHTINGS))

    @property
    def weights(self) -> Floats:
        """The factor of each level's counts."""
        weight = WEIGHTINGS[self.level_weights or DEFAULT_WEIGHTING[self.variant]]
        return np.array([weight(level) for level in range(self.K + 1)])

    def encode(self, corpus: Corpus) -> GraphTable:
        """Encode graphs as the variant requires."""
        if self.variant == "2023":
            fold = lower_without_outer_quotes
            return labelled(corpus, concept=fold, constant=fold, role=lower, form="distinct").table
        fold = as_written
        if self.variant == "definition":
            return labelled(corpus, concept=fold, constant=fold, role=fold).table
        return numbered(
            labelled(corpus, concept=fold, constant=fold, role=fold, form="shared").table
        )

    def features(self, graphs: GraphTable) -> Floats:
        """Return the capacity of the table of labels: see `label_products`."""
        nodes, edges = np.diff(graphs.node_start), np.diff(graphs.edge_start)
        return np.asarray(nodes * (self.K + 1) + edges * (1 + 4 * self.K), np.float64)

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints) -> Scores:
        """Return the cosine of each pair."""
        outgoing, incoming = NEIGHBOURS[self.direction]
        products = label_products(
            graphs, src, tgt, self.K, outgoing, incoming, self.variant == "2023"
        )
        dots, src_norms, tgt_norms = (products * self.weights**2).sum(axis=-1)
        both_empty = ((src_norms == 0) & (tgt_norms == 0)).astype(np.float64)
        norms = np.sqrt(src_norms * tgt_norms)
        cosines = np.divide(dots, norms, out=both_empty, where=norms > 0)
        return Scores(np.minimum(cosines, 1.0))  # may exceed 1 by rounding


def numbered(table: GraphTable) -> GraphTable:
    """Give numbers to the nodes of each concept; the last variable has number 1.

    A constant has number 1, or 0 if it is also a concept of its graph.
    """
    size, zeros = len(table.labels), np.zeros(len(table.labels), np.int64)
    groups = group_rows(table.node_start, table.labels, zeros, zeros)[0]
    groups += per_row(table.node_start[:-1], table.node_start)  # distinct across graphs
    variable = row_positions(table.node_start) < per_row(table.variables, table.node_start)
    counts = np.bincount(groups[variable], minlength=size)
    numbers = (counts[groups] == 0).astype(np.int64)
    # Each group's variables in order, and how many of the group come before each of them.
    order = np.flatnonzero(variable)[np.argsort(groups[variable], kind="stable")]
    before = np.arange(len(order)) - (np.cumsum(counts) - counts)[groups[order]]
    numbers[order] = counts[groups[order]] - before
    return table._replace(labels=table.labels * (numbers.max(initial=0) + 1) + numbers)


@compiled
def label_products(
    graphs: GraphTable,
    src: Ints,
    tgt: Ints,
    K: int,
    outgoing: bool,
    incoming: int,
    once: bool,
) -> Floats:
    """Return the inner products of the label counts of both graphs, per level.

    Args:
        outgoing, incoming: the neighbours of a node, as in `NEIGHBOURS`.
        once: only the first node of each label counts, and only its neighbours are used.

    Returns:
        3 x p x (K + 1): src with tgt, src with itself, tgt with itself.
    """
    products = np.zeros((3, src.size, K + 1))
    numbers = numbering(256)
    for p in range(src.size):
        src_graph, tgt_graph = graph_of(graphs, src[p]), graph_of(graphs, tgt[p])
        capacity = 0
        for graph in (src_graph, tgt_graph):
            # Level 0: a label per node and a triple per edge. Each further level: a label per node,
            # and for each direction of an edge a number for the neighbour and one for the list.
            capacity += len(graph.labels) * (K + 1) + len(graph.roles) * (1 + 4 * K)
        numbers = emptied(numbers, capacity)
        counts, level = np.zeros((2, capacity), np.int64), np.zeros(capacity, np.int64)
        count_labels(src_graph, K, outgoing, incoming, once, numbers, level, counts[0])
        count_labels(tgt_graph, K, outgoing, incoming, once, numbers, level, counts[1])
        for k in range(numbers.size[0]):
            a, b = counts[0, k], counts[1, k]
            if once:
                a, b = min(a, 1), min(b, 1)
            products[0, p, level[k]] += a * b
            products[1, p, level[k]] += a * a
            products[2, p, level[k]] += b * b
    return products


@compiled
def count_labels(
    graph: EncodedGraph,
    K: int,
    outgoing: bool,
    incoming: int,
    once: bool,
    numbers: Numbering,
    level: Ints,
    counts: Ints,
) -> None:
    """Count the labels of a graph's nodes at all levels, and its triples at level 0."""
    size = len(graph.labels)
    labels: Ints = np.empty(size, np.int64)
    for i in range(size):
        labels[i] = number(numbers, NODE, NODE, graph.labels[i])
        counts[labels[i]] += 1
    for e in range(len(graph.roles)):
        s, t = graph.sources[e], graph.targets[e]
        counts[number(numbers, labels[s], graph.roles[e], labels[t])] += 1
    for n in range(1, K + 1):
        labels = next_labels(graph, labels, n, outgoing, incoming, once, numbers)
        for i in range(size):
            counts[labels[i]] += 1
            level[labels[i]] = n


@compiled
def next_labels(
    graph: EncodedGraph,
    labels: Ints,
    n: int,
    outgoing: bool,
    incoming: int,
    once: bool,
    numbers: Numbering,
) -> Ints:
    """Combine each node's label with the sorted labels of its neighbours."""
    size, edges = labels.size, len(graph.roles)
    nodes, neighbours = np.empty(2 * edges, np.int64), np.empty(2 * edges, np.int64)
    count = 0
    for e in range(edges):
        s, t, role = graph.sources[e], graph.targets[e], graph.roles[e]
        if outgoing:
            nodes[count], neighbours[count] = s, number(numbers, NEIGHBOUR, role, labels[t])
            count += 1
        if incoming > 0:
            incoming_role = role if incoming == ALIKE else ~role
            neighbours[count] = number(numbers, NEIGHBOUR, incoming_role, labels[s])
            nodes[count] = t
            count += 1
    refined = np.empty(size, np.int64)
    for i in range(size):
        refined[i] = number(numbers, SELF, n, labels[i])
    # A node's label grows by one neighbour at a time, in the order of their numbers, so that equal
    # multisets of neighbours give equal labels.
    for k in np.argsort(neighbours[:count]):
        refined[nodes[k]] = number(numbers, LIST, refined[nodes[k]], neighbours[k])
    if once:
        first = np.full(numbers.size[0], -1, np.int64)  # the first node of each label
        for i in range(size):
            if first[labels[i]] < 0:
                first[labels[i]] = i
            refined[i] = refined[first[labels[i]]]
    return refined
