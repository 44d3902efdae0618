"""docSmatch: Smatch of documents, aligned sentence by sentence (Naseem et al. 2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.facts import Facts, FactTable, IndexRows, PairFacts, problems
from amr_metrics.alignment.matches import matches
from amr_metrics.alignment.problem import AlignmentBatch
from amr_metrics.alignment.smatch import STEPS, SmatchPackage, triples
from amr_metrics.alignment.solver import Solver
from amr_metrics.alignment.triple_match import ProblemChunk
from amr_metrics.base import HOW, Metric, Pair
from amr_metrics.documents.coreference import Coreference
from amr_metrics.documents.representations import Mode, represented
from amr_metrics.documents.sentences import (
    AlignmentRule,
    Missing,
    check_document,
    check_same_sentences,
    sentence_roots,
    sentences_of,
)
from amr_metrics.documents.umr_document import UmrDocument
from amr_metrics.errors import PairError
from amr_metrics.explanation import ExplainedTriple, Explanation
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import distinct_graphs
from amr_metrics.limits import WORK
from amr_metrics.standardize.steps import apply
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.f1 import COUNTS, micro_average

COREFERENCE = "coreference"  # the kind of the facts of the sub-score, which have weight 0
COREF_COLUMNS = ("coref_matches", "coref_src_total", "coref_tgt_total")


@dataclass(frozen=True, kw_only=True)
class DocSmatch(SmatchPackage):
    """docSmatch F1 of documents, with an optimal alignment, and its coreference sub-score.

    A document is one graph with an edge ``:snt1``, ``:snt2`` ... from its root to each sentence.
    Two nodes may be aligned if they belong to sentences with the same number. The triples are
    those of the smatch package. Of equally good alignments, the sub-score is that of one with the
    most coreference matches; its columns are ``coref_matches``, ``coref_src_total`` and
    ``coref_tgt_total``.

    Attributes:
        mode: the representation in which documents are compared, see `represented`: ``as-written``
            or ``no-merge``, ``merge-names``, ``docAMR``, ``merge-all``.
        sentences: to which sentences a node belongs, see `sentences_of`: ``docsmatch``, the rule
            of the released code, which depends on how a graph is laid out, or ``triples``.
        missing: a sentence of one side alone is an ``error``, or everything in it may ``count``
            as unmatched.
        variant, root: as for `SmatchPackage`, but of a triple that is repeated, each graph has one
            in both variants.

    Raises:
        OptionError: if an option is unknown.

    >>> from amr_metrics import parse_graph
    >>> gold = parse_graph("(d / document :snt1 (s / see-01 :ARG0 (b / boy)) "
    ...                    ":snt2 (l / leave-11 :ARG0 b))")
    >>> scores = DocSmatch().evaluate([Pair(gold, gold)])
    >>> [int(scores.details[name][0]) for name in ("matches", *COREF_COLUMNS)]
    [9, 2, 2, 2]
    """

    reference: ClassVar[str] = (
        "Naseem et al. (2022), DocAMR: multi-sentence AMR representation and evaluation, "
        "https://aclanthology.org/2022.naacl-main.256 (code: https://github.com/IBM/docAMR)"
    )
    reads_documents: ClassVar[bool] = True
    # Steps lose how a graph is laid out, which determines the sentences of its nodes.
    repeat_steps: ClassVar[Sequence[str]] = ()
    part_names: ClassVar[Sequence[str]] = ("coreference",)

    # Half the work of other metrics: a few seconds for unrelated documents of 40 sentences.
    solver: Solver = field(default_factory=lambda: Exact(work_limit=WORK // 2), metadata=HOW)
    mode: Mode = "as-written"
    sentences: AlignmentRule = "docsmatch"
    missing: Missing = "error"

    @property
    def range(self) -> tuple[float, float]:
        """0..1."""
        return 0.0, 1.0

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus, each once."""
        return triples(corpus, labels, self.root, str.lower)

    def view(self, pair: Pair) -> Pair:
        """Return the documents of a pair in the representation in which they are compared.

        Raises:
            PairError: for a graph that is not a document, and for different sentences unless they
                count.
        """
        graphs = []
        for side, graph in zip(pair._fields, pair, strict=True):
            try:
                check_document(graph)
                graphs.append(represented(graph, self.mode))
                sentences_of(graphs[-1], self.sentences)
            except PairError as error:
                raise PairError(f"{side}: {error.problem}") from None
        if self.missing == "error" and all(graph.variables for graph in graphs):
            check_same_sentences(
                [
                    [sentence.number for sentence in graph.sentences]
                    if isinstance(graph, UmrDocument)  # also of those without a graph
                    else sentence_roots(graph)
                    for graph in pair
                ]
            )
        return Pair(*graphs)

    def views(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Return the `view` of each pair."""
        return Metric.views(self, pairs)

    def encode(self, pairs: Sequence[Pair]) -> PairFacts:
        """Encode the triples, the sentences of the nodes and the facts of the sub-score."""
        labels = Labels()
        (src, src_index), (tgt, tgt_index) = (
            distinct_graphs([pair[side] for pair in pairs]) for side in (0, 1)
        )
        return PairFacts(
            self._table(src, labels), self._table(tgt, labels), src_index, tgt_index, labels
        )

    def _table(self, documents: Sequence[Graph], labels: Labels) -> FactTable:
        """Return the triples, then the facts of the sub-score, which have weight 0."""
        table = self.facts(apply(STEPS[self.variant], Corpus.of(documents)), labels)
        places: list[Ints] = []
        nodes: list[IndexRows] = []
        edges: list[IndexRows] = []
        for document in documents:
            at, sentences = document.positions, sentences_of(document, self.sentences)
            coreference = Coreference.of(document, sentences, self.sentences)
            label = [labels.number((COREFERENCE, document.concept(n))) for n in coreference.nodes]
            counts = [len(sentences[node]) for node in at]
            numbers = np.fromiter((n for node in at for n in sorted(sentences[node])), np.int32)
            places.append(np.column_stack([np.repeat(np.arange(len(at)), counts), numbers]))
            nodes.append([(at[node], k) for node, k in zip(coreference.nodes, label, strict=True)])
            edges.append(
                [
                    (at[source], at[target], labels.number((COREFERENCE, role)))
                    for source, role, target in coreference.edges
                ]
            )
        return replace(
            table,
            facts=Facts.joined([table.facts, Facts.collect(nodes, 2, weight=0.0)]),
            edges=Facts.joined([table.edges, Facts.collect(edges, 3, weight=0.0)]),
            places=Facts.collect(places, 2),
        )

    def answers(self, part: ProblemChunk) -> AlignmentBatch:
        """Return the best alignments, and of equally good ones those with most coreference matches.

        Both are one problem: each weight is multiplied by more than there can be coreference
        matches, and these weigh 1.
        """
        # With at most c coreference matches, an alignment with m matches of triples and k of
        # coreference is worth (c + 1) m + k. Since k <= c, m decides, and is the value / (c + 1),
        # rounded down.
        most = np.minimum(_count_coreference(part.src), _count_coreference(part.tgt))
        if not most.any():
            return super().answers(part)
        src, tgt = _weight_facts(part.src, most + 1), _weight_facts(part.tgt, most + 1)
        both = part._replace(src=src, tgt=tgt, problems=problems(src, tgt))
        answer = super().answers(both)
        value, bound = (np.floor(v / (most + 1)) for v in (answer.value, answer.upper_bound))
        return AlignmentBatch(answer.mapping, answer.start, value, bound, bound <= value)

    def further_columns(self, part: ProblemChunk, answer: AlignmentBatch) -> Mapping[str, Floats]:
        """Return the counts of the sub-score."""
        matched = [_count_matched(part, p, answer[p].mapping) for p in range(len(answer))]
        columns = (
            np.array(matched, np.float64),
            _count_coreference(part.src),
            _count_coreference(part.tgt),
        )
        return dict(zip(COREF_COLUMNS, columns, strict=True))

    def _explained(self, views: Sequence[Pair]) -> list[Explanation]:
        """Explain pairs, without the facts of the sub-score, which are triples as well."""

        def counted(triples: Sequence[ExplainedTriple]) -> tuple[ExplainedTriple, ...]:
            return tuple(triple for triple in triples if triple.kind != COREFERENCE)

        return [
            replace(
                explanation,
                matched=tuple(m for m in explanation.matched if m[0].kind != COREFERENCE),
                unmatched_src=counted(explanation.unmatched_src),
                unmatched_tgt=counted(explanation.unmatched_tgt),
            )
            for explanation in super()._explained(views)
        ]

    def part_columns(self, part: str, columns: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """Return the counts of coreference as those of all triples."""
        counts = {name: columns[name] for name in COREF_COLUMNS}
        return counts | dict(zip(COUNTS, counts.values(), strict=True))

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return micro-averaged precision, recall and F1, and those of coreference, in 0..1."""
        coreference = micro_average(sums, COREF_COLUMNS)
        return {
            **super().corpus_of_sums(sums, pairs),
            **{f"coref_{name}": values for name, values in coreference.items()},
        }


def _count_coreference(table: FactTable) -> Floats:
    """Return the number of coreference facts of each graph: the facts without weight."""
    facts, edges = (
        kind._replace(weights=(kind.weights == 0).astype(np.float64))
        for kind in (table.facts, table.edges)
    )
    return replace(table, facts=facts, edges=edges).totals


def _weight_facts(table: FactTable, factors: Floats) -> FactTable:
    """Multiply the weights of each graph's triples; coreference facts weigh 1."""

    def weighted(facts: Facts) -> Facts:
        weights = facts.weights * np.repeat(factors, np.diff(facts.start))
        return facts._replace(weights=np.where(facts.weights == 0, 1.0, weights))

    return replace(table, facts=weighted(table.facts), edges=weighted(table.edges))


def _count_matched(part: ProblemChunk, p: int, mapping: Ints) -> int:
    """Count the coreference facts of pair p that match."""
    src, tgt = (table.take(np.array([p])) for table in (part.src, part.tgt))
    nodes, edges = matches(src, tgt, mapping)
    matched = src.facts.weights[nodes.src], src.edges.weights[edges.src]
    return sum(int((weights == 0).sum()) for weights in matched)
