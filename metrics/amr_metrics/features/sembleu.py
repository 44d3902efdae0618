"""SemBleu (Song and Gildea 2019): BLEU on the paths of graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from amr_metrics.base import Scores, written_as
from amr_metrics.errors import OptionError
from amr_metrics.explanation import Feature
from amr_metrics.features.bag_metric import SIDES, BagMetric, SideName, largest_sizes
from amr_metrics.features.listing import ListedGraph, list_ngrams
from amr_metrics.features.sembleu_graphs import tool_graphs
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import GraphTable, LabelledGraphs, label_graphs
from amr_metrics.graphs.folding import lower, lower_without_outer_quotes
from amr_metrics.graphs.numbering import allocate_numbers
from amr_metrics.graphs.rows import count_largest_group
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.options import optional_floats
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.elementary import exp, log

Variant = Literal["published", "2019", "corrected"]
LONGEST = 4
SMOOTHED = "(none matches: smoothed)"


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
            are written, ``:ARG0-of`` included, and counts a node twice if its variable is used
            before it is defined (in 19 of the 200 gold graphs of The Little Prince); in the paper
            and in ``corrected``, unigrams are exactly the nodes. ``2019`` is the tool as first
            released, behind the numbers of the SemBleu paper (commit 9cd9aea): it follows
            ``:ARG0-of`` from source to target but keeps ``-of`` in the role, and n-grams start only
            from nodes that are reachable from a node without incoming relations (from the root, if
            there is none).
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
        super().__post_init__()
        if not 1 <= self.k <= LONGEST:
            raise OptionError(f"k={self.k}: n-grams have 1 to {LONGEST} nodes")
        if self.weights is not None:
            weights = [*map(float, self.weights)]
            if len(weights) != self.k or not all(weight > 0 for weight in weights):
                raise OptionError(f"weights={weights}: give {self.k} positive numbers")

    def label(self, corpus: Corpus) -> LabelledGraphs:
        """Encode normalised labels and de-inverted relations, or the graphs as the tool does."""
        if self.variant != "corrected":
            return tool_graphs(corpus, turned=self.variant == "2019")
        fold = lower_without_outer_quotes
        return label_graphs(corpus, concept=fold, constant=fold, role=lower)

    def list_features(
        self, src: ListedGraph, tgt: ListedGraph, score: float
    ) -> tuple[Iterable[Feature], Sequence[str]]:
        """Return the n-grams of two graphs.

        The score is a product of powers, whose exponents say how much of it is due to each order:
        order n adds the score times its weight, divided by the sum of the weights; each n-gram
        adds its share of the matches of its order. So do the smoothed matches of an order without
        any.
        """
        sides = [Counter(list_ngrams(g, self.k, self.variant == "2019")) for g in (src, tgt)]
        common = sides[0] & sides[1]
        matches, *totals = (_count_orders(ngrams, self.k) for ngrams in (common, *sides))
        lengths = [np.array([len(graph.labels) + len(graph.edges)]) for graph in (src, tgt)]
        directions = (0, 1) if self.symmetric else (SIDES.index(self.hypothesis),)
        effects, formula = np.zeros(self.k), []
        for side in directions:
            both = lengths[side], lengths[1 - side]
            (value,) = bleu(matches, totals[side], *both, self.weights)
            (weights,) = weigh_orders(totals[side], self.weights)
            effects += value * weights / (weights.sum() or 1) / len(directions)
            factors = "no common node label"
            if matches[0, 0]:
                factors = _write_bleu(matches, totals[side], *both, weights)
            formula.append(f"BLEU of {SIDES[side]}: {factors} = {value:.4f}")
        if self.symmetric:
            formula.append(f"mean of both: {score:.4f}")
        shares = (effects / np.maximum(matches[0], 1)).tolist()  # of each match
        features = []
        for ngram in dict.fromkeys([*sides[0], *sides[1]]):
            n, text = ngram
            a, b = sides[0][ngram], sides[1][ngram]
            matched = min(a, b)
            features.append(Feature(f"{n}-gram", text, a, b, matched, matched * shares[n - 1]))
        smoothed = (matches[0] == 0) & (effects > 0)
        features += [
            Feature(f"{n + 1}-gram", SMOOTHED, 0, 0, 0, float(effects[n]))
            for n in np.flatnonzero(smoothed).tolist()
        ]
        return features, formula

    def features(self, graphs: GraphTable) -> Floats:
        """Return the number of walks of 1..k nodes."""
        return count_walks_of_graphs(graphs, self.k)

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints, features: int) -> Scores:
        """Return the BLEU of each pair, with the counts from which it is computed.

        The columns are ``matches_n``, ``src_ngrams_n``, ``tgt_ngrams_n`` for n = 1..k,
        ``src_length`` and ``tgt_length``.
        """
        lengths = np.diff(graphs.node_start) + np.diff(graphs.edge_start)
        matches, src_grams, tgt_grams = count_ngrams(
            graphs, src, tgt, features, self.k, self.variant == "2019"
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
    # BLEU = exp(sum_n w_n log p_n + min(0, 1 - r / h)) for a hypothesis of length h and a reference
    # of length r: the geometric mean of the precisions times the brevity penalty.
    share = weigh_orders(ngrams, weights)
    precision = divide_matches(matches, ngrams)
    penalty = 1 - reference_length / np.maximum(length, 1)
    scores = exp((share * log(precision)).sum(axis=1) + np.minimum(penalty, 0))
    scores[((ngrams > 0) & (matches == 0))[:, 0] | (length == 0)] = 0
    scores[(length == 0) & (reference_length == 0)] = 1
    return np.asarray(scores)


def weigh_orders(ngrams: Ints | Floats, weights: Sequence[float] | None) -> Floats:
    """Return the exponent of the precision of each order, p x k, from the hypothesis' n-grams."""
    present = ngrams > 0
    share = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
    if weights is not None:
        share = np.where(present.all(axis=1, keepdims=True), weights, share)
    return np.asarray(share)


def divide_matches(matches: Ints | Floats, ngrams: Ints | Floats) -> Floats:
    """Return the precision of each order, p x k, smoothed; 1 without n-grams of that order."""
    present = ngrams > 0
    # NIST smoothing: the first order without a match has 1/2 matches, the second 1/4, and so on.
    missed = present & (matches == 0)
    smoothed = np.where(missed, np.ldexp(1.0, -np.cumsum(missed, axis=1)), matches)
    return np.asarray(np.divide(smoothed, ngrams, out=np.ones(ngrams.shape), where=present))


def _count_orders(ngrams: Counter[tuple[int, str]], k: int) -> Ints:
    """Return the number of n-grams of each order, 1 x k."""
    counts = np.zeros((1, k), np.int64)
    for (order, _), count in ngrams.items():
        counts[0, order - 1] += count
    return counts


def _write_bleu(
    matches: Ints, ngrams: Ints, length: Ints, reference_length: Ints, weights: Floats
) -> str:
    """Return the factors of the BLEU of one pair."""
    precision = divide_matches(matches, ngrams)
    factors = [
        f"({p * n:g}/{n})^{w:.4g}"
        for p, n, w in zip(precision[0].tolist(), ngrams[0].tolist(), weights.tolist(), strict=True)
        if n
    ]
    if length[0] < reference_length[0]:
        factors.append(f"exp(1 - {reference_length[0]}/{length[0]})")
    return " * ".join(factors)


def count_ngrams(
    graphs: GraphTable, src: Ints, tgt: Ints, features: int, k: int, only_reached: bool
) -> tuple[Ints, Ints, Ints]:
    """Count common n-grams and n-grams of both sides: p x k each, one column per order.

    Args:
        features: the largest number of walks of 1..k nodes of both graphs of a pair.
        only_reached: whether n-grams start only from the nodes that are reachable from a node
            without incoming edges, or else from the root.
    """
    nodes, edges = largest_sizes(graphs, src, tgt)
    slots, memory = allocate_numbers(features)
    columns = [np.empty((len(src), k), np.int64) for _ in range(3)]
    _count_ngrams(
        *(len(src), k, only_reached, nodes, edges, slots, graphs, src, tgt),
        *(np.empty(size, np.int64) for size in (nodes + 1, edges, nodes)),
        np.empty(nodes, np.bool_),
        np.empty((slots // 2, 4), np.int64),
        memory,
        np.empty(slots // 2, np.int64),
        np.zeros((slots // 2, 2), np.int64),
        *columns,
    )
    matches, src_grams, tgt_grams = columns
    return matches, src_grams, tgt_grams


_count_ngrams = declare_kernel("count_ngrams")


def count_walks_of_graphs(graphs: GraphTable, k: int) -> Floats:
    """Return the number of walks of 1..k nodes of each graph."""
    counts = np.empty(len(graphs.tops))
    most = count_largest_group(graphs.node_start)
    _count_walks_of_graphs(len(counts), most, k, graphs, np.empty((2, most)), counts)
    return counts


_count_walks_of_graphs = declare_kernel("count_walks_of_graphs")
