"""SemBleu (Song and Gildea 2019): BLEU on the paths of graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from amr_metrics.base import Scores, written_as
from amr_metrics.compiled import compiled
from amr_metrics.errors import OptionError
from amr_metrics.features.bag_metric import SIDES, BagMetric, SideName
from amr_metrics.features.sembleu_graphs import tool_graphs
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import EncodedGraph, GraphTable, graph_of, labelled
from amr_metrics.graphs.folding import lower, lower_without_outer_quotes
from amr_metrics.graphs.numbering import Numbering, emptied, number, numbering
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.options import one_of, optional_floats
from amr_metrics.types import Bools, Floats, Ints

Variant = Literal["published", "2019", "corrected"]
VARIANTS = ("published", "2019", "corrected")
LONGEST = 4
START = -1


@dataclass(frozen=True, kw_only=True)
class SemBleu(BagMetric):
    """BLEU of graphs: geometric mean of n-gram precisions times a brevity penalty, in 0..1.

    An n-gram is a path ``concept :role concept ...`` of n nodes along the relations, from any
    node, that uses no relation twice; constants are nodes. Labels are compared in lower case
    and without quotes. A graph's length is its number of nodes and edges. Precision is clipped
    and refers to the hypothesis; orders for which it has no n-grams are left out. The first,
    second, ... order without a match counts as 1/2, 1/4, ... matches. Without a common node label
    the score is 0.

    Attributes:
        k: highest order of n-grams, 1..4.
        weights: one positive number per order. If None, or if the hypothesis has no n-grams of
            order k, all orders have the same weight.
        symmetric: average the scores of both orders of the two graphs.
        variant: ``corrected`` follows relations from source to target. ``published`` is the tool
            behind the numbers published for BAMBOO (commit 530bc05): it follows relations as they
            are written, ``:ARG0-of`` included. ``2019`` is the tool as first released, behind the
            numbers of the SemBleu paper (commit 9cd9aea): it follows ``:ARG0-of`` from source to
            target but keeps ``-of`` in the role, and n-grams start only from nodes that are
            reachable from a node without incoming relations (from the root, if there is none).
            Scores of both depend on the names of variables: see `sembleu_graphs.tool_graphs`.
        hypothesis: the side that precision refers to; the other is the reference. The rows of the
            paper were computed with ``tgt``, as were those of the leaderboard for k = 1 and 2; the
            row for k = 3 was computed with ``src``.

    Raises:
        OptionError: if an option has an invalid value.

    >>> from amr_metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> pair = Pair(cat, parse_graph("(s / sleep-01 :ARG0 (d / dog))"))
    >>> SemBleu(k=1).score([pair]).tolist()  # 1 of 2 unigrams, lengths 3 and 3
    [0.5]
    """

    reference: ClassVar[str] = (
        "Song and Gildea (2019), SemBleu: a robust metric for AMR parsing evaluation, section 2, "
        "https://aclanthology.org/P19-1446"
        " (code: https://github.com/freesunshine0316/sembleu)"
    )

    symmetric: bool = False  # an option here; first, as in earlier signatures
    k: int = 3
    weights: Sequence[float] | None = field(default=None, metadata=written_as(optional_floats))
    variant: Variant = "published"
    hypothesis: SideName = "src"

    def __post_init__(self) -> None:
        if not 1 <= self.k <= LONGEST:
            raise OptionError(f"k={self.k}: n-grams have 1 to {LONGEST} nodes")
        if self.weights is not None:
            weights = [*map(float, self.weights)]
            if len(weights) != self.k or not all(weight > 0 for weight in weights):
                raise OptionError(f"weights={weights}: give {self.k} positive numbers")
        one_of("variant", self.variant, VARIANTS)
        one_of("hypothesis", self.hypothesis, SIDES)

    def encode(self, corpus: Corpus) -> GraphTable:
        """Encode normalised labels and de-inverted relations, or the graphs as the tool does."""
        if self.variant != "corrected":
            return tool_graphs(corpus, turned=self.variant == "2019")
        fold = lower_without_outer_quotes
        return labelled(corpus, concept=fold, constant=fold, role=lower).table

    def features(self, graphs: GraphTable) -> Floats:
        """Return the number of walks of 1..k nodes."""
        return count_walks_of_graphs(graphs, self.k)

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints) -> Scores:
        """Return the BLEU of each pair, with the counts from which it is computed.

        The columns are ``matches_n``, ``src_ngrams_n``, ``tgt_ngrams_n`` for n = 1..k,
        ``src_length`` and ``tgt_length``.
        """
        lengths = np.diff(graphs.node_start) + np.diff(graphs.edge_start)
        matches, src_grams, tgt_grams = count_ngrams(
            graphs, src, tgt, self.k, self.variant == "2019"
        )
        columns = {"src_length": lengths[src], "tgt_length": lengths[tgt]}
        for n in range(self.k):
            columns[f"matches_{n + 1}"] = matches[:, n]
            columns[f"src_ngrams_{n + 1}"] = src_grams[:, n]
            columns[f"tgt_ngrams_{n + 1}"] = tgt_grams[:, n]
        return Scores(self._combined(columns), columns)

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return the corpus BLEU, from the sums of n-gram counts and lengths."""
        counts = ("matches", "src_ngrams", "tgt_ngrams")
        names = [f"{count}_{n + 1}" for count in counts for n in range(self.k)]
        flat = {name: np.ravel(sums[name]) for name in ("src_length", "tgt_length", *names)}
        return {"bleu": self._combined(flat).reshape(np.shape(sums["src_length"]))}

    def _combined(self, columns: Mapping[str, Any]) -> Floats:
        matches = np.stack([columns[f"matches_{n + 1}"] for n in range(self.k)], axis=1)
        scores = {}
        for hypothesis, reference in (("src", "tgt"), ("tgt", "src")):
            ngrams = [columns[f"{hypothesis}_ngrams_{n + 1}"] for n in range(self.k)]
            lengths = columns[f"{hypothesis}_length"], columns[f"{reference}_length"]
            scores[hypothesis] = bleu(matches, np.stack(ngrams, axis=1), *lengths, self.weights)
        return (scores["src"] + scores["tgt"]) / 2 if self.symmetric else scores[self.hypothesis]


def bleu(
    matches: Ints | Floats,
    ngrams: Ints | Floats,
    length: Ints | Floats,
    reference_length: Ints | Floats,
    weights: Sequence[float] | None = None,
) -> Floats:
    """Return the BLEU of p hypotheses from their counts.

    Args:
        matches, ngrams: p x k, clipped matches and n-grams of the hypothesis of orders 1..k.
        length, reference_length: p, of the hypothesis and its reference.
        weights: one per order.

    >>> counts = np.array([[2, 0]]), np.array([[3, 2]]), np.array([5]), np.array([6])
    >>> bool(np.isclose(bleu(*counts)[0], (2 / 3 * 1 / 2 / 2) ** (1 / 2) * np.exp(1 - 6 / 5)))
    True
    """
    present = ngrams > 0
    share = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
    if weights is not None:
        share = np.where(present.all(axis=1, keepdims=True), weights, share)
    # NIST smoothing: the first order without a match has 1/2 matches, the second 1/4, and so on.
    missed = present & (matches == 0)
    smoothed = np.where(missed, 0.5 ** np.cumsum(missed, axis=1), matches)
    precision = np.divide(smoothed, ngrams, out=np.ones(ngrams.shape), where=present)
    penalty = 1 - reference_length / np.maximum(length, 1)
    scores = np.exp((share * np.log(precision)).sum(axis=1) + np.minimum(penalty, 0))
    scores[missed[:, 0] | (length == 0)] = 0
    scores[(length == 0) & (reference_length == 0)] = 1
    return np.asarray(scores)


@compiled
def count_ngrams(
    graphs: GraphTable, src: Ints, tgt: Ints, k: int, reached: bool
) -> tuple[Ints, Ints, Ints]:
    """Count common n-grams and n-grams of both sides: p x k each, one column per order.

    Args:
        reached: whether n-grams start only from the nodes of `reached_nodes`.
    """
    matches = np.zeros((src.size, k), np.int64)
    src_grams, tgt_grams = matches.copy(), matches.copy()
    grams = numbering(256)
    for p in range(src.size):
        src_graph, tgt_graph = graph_of(graphs, src[p]), graph_of(graphs, tgt[p])
        capacity = int(count_walks(src_graph, k) + count_walks(tgt_graph, k))
        grams = emptied(grams, capacity)
        counts, order = np.zeros((2, capacity), np.int64), np.zeros(capacity, np.int64)
        collect_ngrams(src_graph, k, reached, grams, order, counts[0], src_grams[p])
        collect_ngrams(tgt_graph, k, reached, grams, order, counts[1], tgt_grams[p])
        for gram in range(grams.size[0]):
            matches[p, order[gram]] += min(counts[0, gram], counts[1, gram])
    return matches, src_grams, tgt_grams


def count_walks_of_graphs(graphs: GraphTable, k: int) -> Floats:
    """Return the number of walks of 1..k nodes of each graph."""
    counts = np.empty(len(graphs.tops))
    most = int(np.diff(graphs.node_start).max(initial=0))
    _count_walks_of_graphs(len(counts), most, k, graphs, np.empty((2, most)), counts)
    return counts


_count_walks_of_graphs = declare_kernel(
    """
    void count_walks_of_graphs(int64_t graphs, int64_t most, int64_t k, const GraphTable *table,
                               double memory[2][most], double counts[graphs])
    """
)


@compiled
def count_walks(graph: EncodedGraph, k: int) -> float:
    """Return the number of walks of 1..k nodes, an upper bound of the number of n-grams.

    A float, since an int could overflow; exact for all graphs that are not too large to compare.
    """
    # Paths use no edge twice; walks may, so there are at least as many. walks[v] is the number of
    # walks of the current length from node v: of one node 1, of n + 1 nodes the sum of the walks
    # of n nodes over the targets of its edges.
    walks = np.ones(len(graph.labels))
    total = walks.sum()
    for _ in range(1, k):
        longer = np.zeros(walks.size)
        for e in range(len(graph.roles)):
            longer[graph.sources[e]] += walks[graph.targets[e]]
        walks = longer
        total += walks.sum()
    return float(total)


@compiled
def collect_ngrams(
    graph: EncodedGraph,
    k: int,
    reached: bool,
    grams: Numbering,
    order: Ints,
    counts: Ints,
    totals: Ints,
) -> None:
    """Count and number a graph's n-grams.

    Args:
        reached: as for `count_ngrams`.
        grams: the numbers of all n-grams so far.
        order: out, of each number the order of its n-gram, less 1.
        counts: out, how often the graph has the n-gram of each number.
        totals: out, the number of n-grams of each order.
    """
    leaving, start = edges_by_source(graph)
    starts = reached_nodes(graph) if reached else np.ones(len(graph.labels), np.bool_)
    # A table of paths, one in each row: its n-gram and its last node; its last edge and the row of
    # the path without that edge, both START for a single node. N-grams are numbered likewise, as
    # (number of the shorter n-gram, role, label of the last node).
    capacity = int(count_walks(graph, k))
    gram, end = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    edge, parent = np.empty(capacity, np.int64), np.full(capacity, START, np.int64)
    size = 0
    for i in range(len(graph.labels)):
        if starts[i]:
            gram[size] = number(grams, START, START, graph.labels[i])
            end[size], edge[size] = i, START
            size += 1
    # Breadth first: the paths of n + 1 nodes are those of rows first .. last - 1.
    first, last = 0, size
    for n in range(k):
        for path in range(first, last):
            order[gram[path]] = n
            counts[gram[path]] += 1
            totals[n] += 1
            if n + 1 == k:
                continue
            for e in leaving[start[end[path]] : start[end[path] + 1]]:
                if not walked(path, e, edge, parent):
                    target = graph.targets[e]
                    gram[size] = number(grams, gram[path], graph.roles[e], graph.labels[target])
                    end[size], edge[size], parent[size] = target, e, path
                    size += 1
        first, last = last, size


@compiled
def walked(path: int, e: int, edge: Ints, parent: Ints) -> bool:
    """Check whether a path contains edge `e`."""
    while path != START:
        if edge[path] == e:
            return True
        path = parent[path]
    return False


@compiled
def reached_nodes(graph: EncodedGraph) -> Bools:
    """Find the nodes reachable from those without incoming edges, or else from the root."""
    reached = np.ones(len(graph.labels), np.bool_)
    for target in graph.targets:
        reached[target] = False
    if len(graph.labels) and not reached.any():
        reached[graph.top] = True
    leaving, start = edges_by_source(graph)
    queue, last = np.empty(len(graph.labels), np.int64), 0
    for node in range(len(graph.labels)):
        if reached[node]:
            queue[last] = node
            last += 1
    first = 0
    while first < last:
        node = queue[first]
        first += 1
        for e in leaving[start[node] : start[node + 1]]:
            if not reached[graph.targets[e]]:
                reached[graph.targets[e]] = True
                queue[last] = graph.targets[e]
                last += 1
    return reached


@compiled
def edges_by_source(graph: EncodedGraph) -> tuple[Ints, Ints]:
    """Return the outgoing edges, grouped by node, and the start of each node's edges."""
    start = np.zeros(len(graph.labels) + 1, np.int64)
    for s in graph.sources:
        start[s + 1] += 1
    start = np.cumsum(start)
    # `end` is where the next edge of each node goes: at last, where those of the next node start.
    edges, end = np.empty(len(graph.sources), np.int64), start.copy()
    for e in range(len(graph.sources)):
        s = graph.sources[e]
        edges[end[s]] = e
        end[s] += 1
    return edges, start
