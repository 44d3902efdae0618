"""WLK (Opitz, Daza and Frank 2021): the structural Weisfeiler-Leman kernel of two graphs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.errors import OptionError
from amr_metrics.explanation import Feature
from amr_metrics.features.bag_metric import BagMetric, largest_sizes
from amr_metrics.features.listing import ListedGraph, WLLabels
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import (
    GraphTable,
    LabelledGraphs,
    NodeForm,
    group_rows,
    label_graphs,
)
from amr_metrics.graphs.folding import keep_label, lower, lower_without_outer_quotes
from amr_metrics.graphs.numbering import allocate_numbers
from amr_metrics.graphs.rows import per_row, row_positions
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.limits import MOST_ITERATIONS, check_count
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.elementary import exp

Direction = Literal["undirected", "top_down", "bottom_up", "two_way"]
DIRECTIONS = get_args(Direction)
Variant = Literal["2021", "2023", "definition"]
Weighting = Literal["uniform", "exponential", "harmonic"]
WEIGHTINGS: dict[str, Callable[[int], float]] = {
    "uniform": lambda level: 1.0,
    "exponential": lambda level: float(exp(-level)),
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
        super().__post_init__()
        if self.K < 0:
            raise OptionError(f"K={self.K}: the number of iterations cannot be negative")
        check_count("K", self.K, 0, MOST_ITERATIONS)

    @property
    def without_order(self) -> Wlk | None:
        """The definition: other variants depend on the order of the nodes."""
        return None if self.variant == "definition" else replace(self, variant="definition")

    @property
    def weights(self) -> Floats:
        """The factor of each level's counts."""
        weight = WEIGHTINGS[self.level_weights or DEFAULT_WEIGHTING[self.variant]]
        return np.array([weight(level) for level in range(self.K + 1)])

    def _label(self, corpus: Corpus) -> LabelledGraphs:
        """Encode graphs as the variant requires, without the numbers of 2021."""
        if self.variant == "2023":
            fold = lower_without_outer_quotes
            return label_graphs(corpus, concept=fold, constant=fold, role=lower, form="distinct")
        fold = keep_label
        form: NodeForm = "plain" if self.variant == "definition" else "shared"
        return label_graphs(corpus, concept=fold, constant=fold, role=fold, form=form)

    def encode(self, corpus: Corpus) -> GraphTable:
        """Encode graphs as the variant requires; texts of numbered labels are not needed."""
        table = self._label(corpus).table
        return label_by_number(table) if self.variant == "2021" else table

    def label(self, corpus: Corpus) -> LabelledGraphs:
        """Encode graphs as the variant requires; in 2021, a number other than 1 is in the label."""
        graphs = self._label(corpus)
        if self.variant != "2021":
            return graphs
        numbers = number_nodes(graphs.table).tolist()
        texts = [
            graphs.labels[label] + (f"#{number}" if number != 1 else "")
            for label, number in zip(graphs.table.labels.tolist(), numbers, strict=True)
        ]
        distinct = {text: k for k, text in enumerate(dict.fromkeys(texts))}
        labels = np.array([distinct[text] for text in texts], np.int64)
        return LabelledGraphs(graphs.table._replace(labels=labels), tuple(distinct), graphs.roles)

    def list_features(
        self, src: ListedGraph, tgt: ListedGraph, score: float
    ) -> tuple[Iterable[Feature], Sequence[str]]:
        """Return the labels and triples of two graphs.

        One that src has a times and tgt b times adds w² a b, divided by the lengths of both count
        vectors, where w is the weight of its level.
        """
        # Labels are numbered for both graphs, so that equal numbers are equal labels.
        outgoing, incoming = NEIGHBOURS[self.direction]
        labels = WLLabels(outgoing, incoming, self.variant == "2023")
        counts = [labels.count(graph, self.K) for graph in (src, tgt)]
        weights = np.square(self.weights).tolist()
        squares = [sum(weights[key[0]] * n * n for key, n in side.items()) for side in counts]
        norm = math.sqrt(squares[0] * squares[1])
        features, dot = [], 0.0
        for key in dict.fromkeys([*counts[0], *counts[1]]):
            level, triple, number = key
            a, b = counts[0][key], counts[1][key]
            product = weights[level] * a * b
            dot += product
            kind = f"level {level}" if level else ("triple" if triple else "label")
            text = triple or labels.text(number)
            features.append(Feature(kind, text, a, b, min(a, b), product / norm if norm else 0.0))
        cosine = f"{dot:.4f} / sqrt({squares[0]:.4f} * {squares[1]:.4f}) = {score:.4f}"
        return features, [f"cosine of the counts: {cosine}"]

    def features(self, graphs: GraphTable) -> Floats:
        """Return an upper bound of the number of labels, with what they are combined from.

        Level 0 has a label per node and a triple per edge. Each further level has a label per node,
        and for each direction of an edge a number for the neighbour and one for the list.
        """
        nodes, edges = np.diff(graphs.node_start), np.diff(graphs.edge_start)
        return np.asarray(nodes * (self.K + 1) + edges * (1 + 4 * self.K), np.float64)

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints, features: int) -> Scores:
        """Return the cosine of each pair."""
        outgoing, incoming = NEIGHBOURS[self.direction]
        products = multiply_labels(
            graphs, src, tgt, features, self.K, outgoing, incoming, self.variant == "2023"
        )
        # The vectors have the counts of level l times w_l. Each level's inner products are weighted
        # by w_l^2: cos = sum_l w_l^2 <a_l, b_l> / sqrt(sum_l w_l^2 |a_l|^2 sum_l w_l^2 |b_l|^2).
        dots, src_norms, tgt_norms = (products * np.square(self.weights)).sum(axis=-1)
        both_empty = ((src_norms == 0) & (tgt_norms == 0)).astype(np.float64)
        norms = np.sqrt(src_norms * tgt_norms)
        cosines = np.divide(dots, norms, out=both_empty, where=norms > 0)
        return Scores(np.minimum(cosines, 1.0))  # may exceed 1 by rounding


def label_by_number(table: GraphTable) -> GraphTable:
    """Return the table with other labels for nodes of one concept with different numbers."""
    numbers = number_nodes(table)
    return table._replace(labels=table.labels * (numbers.max(initial=0) + 1) + numbers)


def number_nodes(table: GraphTable) -> Ints:
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
    return np.asarray(numbers)


def multiply_labels(
    graphs: GraphTable,
    src: Ints,
    tgt: Ints,
    features: int,
    K: int,
    outgoing: bool,
    incoming: int,
    once: bool,
) -> Floats:
    """Return the inner products of the label counts of both graphs, per level.

    Args:
        features: the largest number of labels of both graphs of a pair, see `Wlk.features`.
        outgoing, incoming: the neighbours of a node, as in `NEIGHBOURS`.
        once: only the first node of each label counts, and only its neighbours are used.

    Returns:
        3 x p x (K + 1): src with tgt, src with itself, tgt with itself.
    """
    nodes, edges = largest_sizes(graphs, src, tgt)
    slots, memory = allocate_numbers(features)
    products = np.empty((3, len(src), K + 1))
    _multiply_labels(
        *(len(src), K, outgoing, incoming, once, nodes, edges, slots, graphs, src, tgt),
        np.empty((2, nodes), np.int64),
        np.empty((2, 2 * edges, 2), np.int64),
        np.empty(slots // 2, np.int64),
        memory,
        np.zeros(slots // 2, np.int64),
        np.zeros((slots // 2, 2), np.int64),
        products,
    )
    return products


_multiply_labels = declare_kernel("multiply_labels")
