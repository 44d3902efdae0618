"""SEMA (Anchieta et al. 2019): the F1 of triples that match together with their context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from amr_metrics import limits
from amr_metrics.base import Scores, score_matches
from amr_metrics.explanation import Feature
from amr_metrics.features.bag_metric import BagMetric, SideName, largest_sizes
from amr_metrics.features.listed_triples import (
    list_triples,
    match_triples,
    match_triples_with_reuse,
)
from amr_metrics.features.listing import ListedGraph
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import GraphTable, LabelledGraphs, label_graphs, mod_as_domain
from amr_metrics.graphs.folding import keep_label
from amr_metrics.graphs.numbering import allocate_numbers
from amr_metrics.graphs.rows import starts_of_kept
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.f1 import micro_average

Variant = Literal["published", "corrected"]
COLUMNS = ("matches", "hypothesis_total", "gold_total")


@dataclass(frozen=True, kw_only=True)
class Sema(BagMetric):
    """F1 of matching triples, where each triple is compared with the concepts at its ends.

    A relation matches if its role and the concepts at both its ends do; an attribute if its role,
    its constant and its node's concept do. An instance matches if its concept does and its node
    is an end of a matching relation, or the root where both roots have the same concept. In the
    variant ``corrected``, a node without relations to other nodes needs only its concept. Other
    instances do not match. The root triple is left out, and ``x :mod y`` counts as
    ``y :domain x``.

    Attributes:
        variant: ``corrected`` counts one to one: of a triple that one graph has k times and the
            other l times, the smaller number matches. ``published`` counts as the tool behind
            the published numbers (commit 9a4911c): each triple of the gold graph matches once,
            but one of the hypothesis may match many of them, and none beside a parallel relation
            that matched. So F1 may exceed 1 and identical graphs may score less; the order of
            the triples matters.
        hypothesis: the side that precision refers to; the other is gold. The corrected F1 is the
            same for both. The published rows were computed with ``tgt``.

    Raises:
        OptionError: if `variant` or `hypothesis` is unknown.

    >>> from amr_metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")
    >>> dog = parse_graph("(s / sleep-01 :ARG0 (d / dog) :polarity -)")
    >>> Sema().score([Pair(cat, dog)]).tolist()  # the root and its polarity: 2 of 4 on each side
    [0.5]
    """

    reference: ClassVar[str] = (
        "Anchieta, Cabezudo and Pardo (2019), SEMA: an extended semantic evaluation metric for "
        "AMR, https://arxiv.org/abs/1905.12069 (code: https://github.com/rafaelanchieta/sema)"
    )

    variant: Variant = "published"
    hypothesis: SideName = "src"

    @property
    def range(self) -> tuple[float, float]:
        """0..1; the published variant can reach 2."""
        return (0.0, 1.0) if self.variant == "corrected" else (0.0, 2.0)

    @property
    def symmetric(self) -> bool:
        """Whether the F1 is symmetric; it is not in the published variant."""
        return self.variant == "corrected"

    def label(self, corpus: Corpus) -> LabelledGraphs:
        """Encode labels as written, with ``:mod`` replaced by ``:domain``."""
        view = convert_for_tool if self.variant == "published" else mod_as_domain
        return label_graphs(view(corpus), concept=keep_label, constant=keep_label, role=keep_label)

    def list_features(
        self, src: ListedGraph, tgt: ListedGraph, score: float
    ) -> tuple[Iterable[Feature], Sequence[str]]:
        """Return the triples of two graphs. Each match adds 2 / (triples of both graphs)."""
        sides = [Counter(list_triples(graph)) for graph in (src, tgt)]
        total = sides[0].total() + sides[1].total()
        hypothesis, gold = (src, tgt) if self.hypothesis == "src" else (tgt, src)
        pair = match_triples if self.variant == "corrected" else match_triples_with_reuse
        matched = pair(hypothesis, gold)
        features = [
            Feature(*key, sides[0][key], sides[1][key], matched[key], 2 * matched[key] / total)
            for key in dict.fromkeys([*sides[0], *sides[1]])
        ]
        sizes = f"({sides[0].total()} + {sides[1].total()})"
        return features, [f"F1: 2 * {matched.total()} / {sizes} = {score:.4f}"]

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints, features: int) -> Scores:
        """Return the F1 of each pair, with precision, recall, matches and totals as columns."""
        hypothesis, gold = (src, tgt) if self.hypothesis == "src" else (tgt, src)
        if self.variant == "corrected":
            matches = match_one_to_one(graphs, hypothesis, gold, features).astype(np.float64)
        else:
            matches = match_with_reuse(graphs, hypothesis, gold).astype(np.float64)
            nodes = np.stack([graphs.variables[src], graphs.variables[tgt]], axis=1)
            limits.check_work(matches < 0, limits.WORK, nodes)
        sizes = (graphs.variables + np.diff(graphs.edge_start)).astype(np.float64)
        return score_matches(matches, sizes[hypothesis], sizes[gold], COLUMNS)

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return micro-averaged precision, recall and F1."""
        return micro_average(sums, COLUMNS)


def convert_for_tool(corpus: Corpus) -> Corpus:
    """Return the graphs without constants under ``:mod``, and with ``:domain`` unless ``:mod-of``.

    The tool replaces ``:mod`` by ``:domain`` as it is written: ``x :mod-of y`` is ``y :mod x``.
    """
    kept = corpus.attribute_roles != corpus.symbols.numbers.get(":mod", -1)
    return replace(
        mod_as_domain(corpus, except_inverted=True),
        attribute_start=starts_of_kept(kept, corpus.attribute_start),
        holders=corpus.holders[kept],
        attribute_roles=corpus.attribute_roles[kept],
        constants=corpus.constants[kept],
    )


def match_one_to_one(graphs: GraphTable, hypothesis: Ints, gold: Ints, features: int) -> Ints:
    """Count the matching triples of each pair, each matched with one triple of the other graph.

    Args:
        features: the largest number of nodes and edges of both graphs of a pair.
    """
    nodes, edges = largest_sizes(graphs, hypothesis, gold)
    slots, memory = allocate_numbers(features)
    matches = np.empty(len(gold), np.int64)
    _match_one_to_one(
        *(len(gold), nodes, edges, slots, graphs, hypothesis, gold),
        np.empty((2, edges), np.int64),
        np.empty((2, nodes), np.bool_),
        memory,
        np.zeros((slots // 2, 2), np.int64),
        matches,
    )
    return matches


_match_one_to_one = declare_kernel("match_one_to_one")


def match_with_reuse(graphs: GraphTable, hypothesis: Ints, gold: Ints) -> Ints:
    """Count the matching triples of each pair as the published tool does.

    Returns:
        the numbers; -1 for a pair that needs more than `amr_metrics.limits.WORK` steps.
    """
    nodes, edges = largest_sizes(graphs, hypothesis, gold)
    matches = np.empty(len(gold), np.int64)
    _match_all_with_reuse(
        *(len(gold), limits.WORK, nodes, edges, graphs, hypothesis, gold),
        *(np.empty(nodes, np.bool_), np.empty(edges, np.bool_), matches),
    )
    return matches


_match_all_with_reuse = declare_kernel("match_all_with_reuse")
