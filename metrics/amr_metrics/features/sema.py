"""SEMA (Anchieta et al. 2019): the F1 of triples that match together with their context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from amr_metrics import limits
from amr_metrics.base import Scores
from amr_metrics.compiled import compiled
from amr_metrics.features.bag_metric import SIDES, BagMetric, SideName
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import EncodedGraph, GraphTable, graph_of, labelled, mod_as_domain
from amr_metrics.graphs.folding import as_written
from amr_metrics.graphs.numbering import Numbering, emptied, number, numbering
from amr_metrics.graphs.rows import starts_of_kept
from amr_metrics.options import one_of
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.f1 import micro_average, precision_recall_f1

Variant = Literal["published", "corrected"]
VARIANTS = ("published", "corrected")
CONCEPT = -1  # marks the key of a concept by itself


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

    def __post_init__(self) -> None:
        one_of("variant", self.variant, VARIANTS)
        one_of("hypothesis", self.hypothesis, SIDES)

    @property
    def range(self) -> tuple[float, float]:
        """0..1; the published variant can reach 2."""
        return (0.0, 1.0) if self.variant == "corrected" else (0.0, 2.0)

    @property
    def symmetric(self) -> bool:
        """Whether the F1 is symmetric; it is not in the published variant."""
        return self.variant == "corrected"

    def encode(self, corpus: Corpus) -> GraphTable:
        """Encode labels as written, with ``:mod`` replaced by ``:domain``."""
        view = as_the_tool_reads if self.variant == "published" else mod_as_domain
        return labelled(
            view(corpus), concept=as_written, constant=as_written, role=as_written
        ).table

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints) -> Scores:
        """Return the F1 of each pair, with precision, recall, matches and totals as columns."""
        hypothesis, gold = (src, tgt) if self.hypothesis == "src" else (tgt, src)
        if self.variant == "corrected":
            matches = one_to_one(graphs, hypothesis, gold).astype(np.float64)
        else:
            matches = with_reuse(graphs, hypothesis, gold, limits.WORK).astype(np.float64)
            if (matches < 0).any():
                pair = int(np.flatnonzero(matches < 0)[0])
                nodes = graphs.variables[src[pair]], graphs.variables[tgt[pair]]
                raise limits.too_much_work(limits.WORK, (int(nodes[0]), int(nodes[1])), pair)
        sizes = (graphs.variables + np.diff(graphs.edge_start)).astype(np.float64)
        totals = sizes[hypothesis], sizes[gold]
        precision, recall, f1 = precision_recall_f1(matches, *totals)
        return Scores(
            f1,
            {
                "precision": precision,
                "recall": recall,
                "matches": matches,
                "hypothesis_total": totals[0],
                "gold_total": totals[1],
            },
        )

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return micro-averaged precision, recall and F1."""
        return micro_average(sums, ("matches", "hypothesis_total", "gold_total"))


def as_the_tool_reads(corpus: Corpus) -> Corpus:
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


@compiled
def alike(a: EncodedGraph, i: int, b: EncodedGraph, j: int) -> bool:
    """Check whether two nodes have the same label."""
    return bool(a.labels[i] == b.labels[j])


@compiled
def same_root(a: EncodedGraph, b: EncodedGraph) -> bool:
    """Check whether both graphs have a root, with the same concept."""
    return a.variables > 0 and b.variables > 0 and alike(a, a.top, b, b.top)


@compiled
def one_to_one(graphs: GraphTable, hypothesis: Ints, gold: Ints) -> Ints:
    """Count the matching triples of each pair, each matched with one triple of the other graph."""
    matches = np.zeros(hypothesis.size, np.int64)
    keys = numbering(256)
    for p in range(hypothesis.size):
        a, b = graph_of(graphs, hypothesis[p]), graph_of(graphs, gold[p])
        capacity = a.variables + len(a.roles) + b.variables + len(b.roles)
        keys = emptied(keys, capacity)
        counts = np.zeros((2, capacity), np.int64)
        # All edges are counted before any concept: a concept counts if it is at a matching edge.
        edges = count_edges(a, keys, counts[0]), count_edges(b, keys, counts[1])
        root = same_root(a, b)
        count_anchored(a, edges[0], counts[1], root, keys, counts[0])
        count_anchored(b, edges[1], counts[0], root, keys, counts[1])
        for k in range(keys.size[0]):
            matches[p] += min(counts[0, k], counts[1, k])
    return matches


@compiled
def count_edges(graph: EncodedGraph, keys: Numbering, counts: Ints) -> Ints:
    """Count a graph's edges as (concept, role, concept or constant), and return their numbers."""
    numbers = np.empty(len(graph.roles), np.int64)
    for e in range(len(graph.roles)):
        s, t = graph.sources[e], graph.targets[e]
        role = graph.roles[e] if t < graph.variables else ~graph.roles[e]
        numbers[e] = number(keys, graph.labels[s], role, graph.labels[t])
        counts[numbers[e]] += 1
    return numbers


@compiled
def count_anchored(
    graph: EncodedGraph, edges: Ints, other_counts: Ints, root: bool, keys: Numbering, counts: Ints
) -> None:
    """Count the concepts of a graph's nodes that are ends of a relation of the other graph."""
    anchored = np.zeros(graph.variables, np.bool_)
    touched = np.zeros(graph.variables, np.bool_)
    for e in range(edges.size):
        s, t = graph.sources[e], graph.targets[e]
        if t < graph.variables:
            touched[s] = touched[t] = True
            if other_counts[edges[e]] > 0:
                anchored[s] = anchored[t] = True
    if root:
        anchored[graph.top] = True
    for i in range(graph.variables):
        if anchored[i] or not touched[i]:
            counts[number(keys, CONCEPT, CONCEPT, graph.labels[i])] += 1


@compiled
def with_reuse(graphs: GraphTable, hypothesis: Ints, gold: Ints, work: int) -> Ints:
    """Count the matching triples of each pair as the published tool does.

    Returns:
        the numbers; -1 for a pair that needs more than `work` steps.
    """
    matches = np.zeros(hypothesis.size, np.int64)
    for p in range(hypothesis.size):
        matches[p] = reuse_in_pair(graph_of(graphs, hypothesis[p]), graph_of(graphs, gold[p]), work)
    return matches


@compiled
def reuse_in_pair(hypothesis: EncodedGraph, gold: EncodedGraph, work: int) -> int:
    """Count the gold triples matched by comparing each hypothesis triple with all gold triples.

    Returns:
        the number; -1 if this takes more than `work` steps.
    """
    # As released, commit 9a4911c: the order of the cases below is that of the tool,
    # and decides which nodes and edges of the gold graph are left to later triples.
    node_found = np.zeros(gold.variables, np.bool_)
    edge_found = np.zeros(len(gold.roles), np.bool_)
    matches = 0
    if same_root(hypothesis, gold):
        node_found[gold.top] = True
        matches += 1
    for e in range(len(hypothesis.roles)):
        constant = hypothesis.targets[e] >= hypothesis.variables
        work -= len(gold.roles)
        if work < 0:
            return -1
        for h in range(len(gold.roles)):
            s, t = gold.sources[h], gold.targets[h]
            if (
                hypothesis.roles[e] != gold.roles[h]
                or constant != (t >= gold.variables)
                or not alike(hypothesis, hypothesis.sources[e], gold, s)
                or not alike(hypothesis, hypothesis.targets[e], gold, t)
            ):
                continue
            work -= len(gold.roles)
            found, parallel = found_before(gold, h, edge_found)
            if constant:
                if not found:
                    matches += 1
                    edge_found[h] = True
                continue
            if not node_found[t] and not found:
                matches += 2
                node_found[t] = edge_found[h] = found = True
            if not node_found[s]:
                matches += 1
                node_found[s] = True
            if node_found[t] and not found and not parallel:
                matches += 1
                edge_found[h] = True
    return matches


@compiled
def found_before(gold: EncodedGraph, h: int, edge_found: Bools) -> tuple[bool, bool]:
    """Check whether a triple equal to `h` was matched before, or one with the same ends."""
    equal, parallel = False, False
    for q in range(edge_found.size):
        if edge_found[q] and gold.sources[q] == gold.sources[h]:
            s, t = gold.targets[q], gold.targets[h]
            both_constants = min(s, t) >= gold.variables
            if s == t or (both_constants and alike(gold, s, gold, t)):
                parallel = True
                equal = equal or gold.roles[q] == gold.roles[h]
    return equal, parallel
