"""AnCast (Sun and Xue 2024): the F1 of labelled relations of two sentence graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amr_metrics.base import Metric, Pair, Scores, apply_to_each
from amr_metrics.documents.ancast_alignment import (
    AncastGraph,
    Partners,
    align,
    is_amr_variable,
    relation_credit,
    sum_similarities,
)
from amr_metrics.explanation import Explanation, Link
from amr_metrics.graphs.graph import Graph
from amr_metrics.limits import WORK, too_much_work
from amr_metrics.types import Floats
from amr_metrics.utils.f1 import harmonic_mean, share

# For precision and recall: the credit of the relations of the side and their number, the
# similarity of its nodes to their partners and their number.
COLUMNS = tuple(
    f"{side}_{column}"
    for side in ("src", "tgt")
    for column in ("matched", "total", "similarity", "nodes")
)


@dataclass(frozen=True, kw_only=True)
class AncastSentences(Metric):
    """F1 of the labelled relations of two aligned sentence graphs, in 0..1.

    The alignment starts from anchors and spreads along relations; it is a heuristic. A relation
    (constants have relations too) that the partners of both ends also have counts as much as the
    concepts at both ends are alike on average: the share of the longer concept that the other one
    is, 10 % less for another sense. Concepts alone do not count; only if neither graph has a
    relation, the score is their similarity. Of equally similar nodes, the order decides.

    Computed as by the released code (commit 37d6e7f, ``scope="snt"``, ``data_format="amr"``): a
    constant without quotes counts only if it is a number, ``-``, ``+``, ``imperative`` or
    ``expressive``; the code takes all others for variables that are not defined.

    Attributes:
        anchors: whether equal concepts that occur once in both graphs and in both sentences are
            anchors. Graphs without sentences have none.

    >>> from amr_metrics import parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> black = parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (b / black)))")
    >>> AncastSentences().score([Pair(black, cat)]).round(4).tolist()  # 1 of 2, and 1 of 1
    [0.6667]
    """

    reference: ClassVar[str] = (
        "Sun and Xue (2024), Anchor and broadcast: an efficient concept alignment approach for "
        "evaluation of semantic graphs, https://aclanthology.org/2024.lrec-main.94 "
        "(code: https://github.com/umr4nlp/ancast)"
    )

    anchors: bool = True

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the F1 of each pair, with precision, recall and the counts of both sides.

        Raises:
            PairError: for graphs of n and m nodes, if n m (n + m) is more than
                `amr_metrics.limits.WORK`.
        """
        counts = apply_to_each(self._count, pairs)
        columns = np.array(counts, np.float64).reshape(-1, len(COLUMNS)).T
        sums = dict(zip(COLUMNS, columns, strict=True))
        scores = _combine(sums)
        return Scores(scores.pop("f1"), {**scores, **sums})

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return micro-averaged precision, recall and F1."""
        return _combine(sums)

    def explain(self, pair: Pair) -> Explanation:
        """Return the alignment of the nodes of src; the weight of a link is their similarity."""
        src, tgt = map(_read, pair)
        partners, _ = self._align(pair, src, tgt)
        links = [
            Link(
                pair.src.variables[i],
                pair.tgt.variables[j],
                sum_similarities(src, tgt, {i: j}),
                0.0,
            )
            for i, j in sorted(partners.items())
        ]
        return Explanation(float(self.score([pair])[0]), tuple(links))

    def _align(self, pair: Pair, src: AncastGraph, tgt: AncastGraph) -> tuple[Partners, Partners]:
        texts = [graph.sentence if self.anchors else "" for graph in pair]
        return align(src, tgt, *texts)

    def _count(self, pair: Pair) -> list[float]:
        """Return the counts of a pair, in the order of `COLUMNS`."""
        src, tgt = map(_read, pair)
        n, m = len(src.names), len(tgt.names)
        if n * m * (n + m) > WORK:
            raise too_much_work(WORK, (n, m))
        counts: list[float] = []
        sides = zip(((src, tgt), (tgt, src)), self._align(pair, src, tgt), strict=True)
        for (graph, reference), partners in sides:
            counts += relation_credit(graph, reference, partners)
            counts += sum_similarities(graph, reference, partners), len(graph.names)
        return counts


def _read(graph: Graph) -> AncastGraph:
    return AncastGraph.of(graph, is_amr_variable)


def _combine(sums: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return precision, recall and F1: of the relations, or of the concepts if there are none."""
    related = sums["src_total"] + sums["tgt_total"] > 0
    values = []
    for a, b in (("src", "tgt"), ("tgt", "src")):
        of_relations = share(sums[f"{a}_matched"], sums[f"{a}_total"], sums[f"{b}_total"])
        of_nodes = share(sums[f"{a}_similarity"], sums[f"{a}_nodes"], sums[f"{b}_nodes"])
        values.append(np.where(related, of_relations, of_nodes))
    precision, recall = values
    return {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall)}
