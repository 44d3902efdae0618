"""AnCast++: the score of UMR documents by Sun and Xue (2024) and Sun et al. (2025)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from amr_metrics.base import Explanation, Link, Metric, Pair, Scores
from amr_metrics.documents.ancast_alignment import AncastGraph, align, relation_credit
from amr_metrics.documents.closure import Variant, clusters
from amr_metrics.documents.sentences import MISSING, Missing
from amr_metrics.documents.umr_document import UmrDocument, UmrSentence, umr_pair
from amr_metrics.graphs.graph import Graph
from amr_metrics.options import one_of
from amr_metrics.reading.umr_parts import KEYS
from amr_metrics.types import Floats

VARIANTS = ("published", "corrected")
PARTS = ("sentence", *KEYS)
# The columns of a part: what counts as matched for precision and for recall, and the totals.
COLUMNS = ("src_matched", "tgt_matched", "src_total", "tgt_total")

Number = Callable[[int, str], int]  # of a name in the triples of a sentence


class Part(NamedTuple):
    """What a part of the score counts; its fields are `COLUMNS`."""

    src_matched: float = 0.0
    tgt_matched: float = 0.0
    src_total: float = 0.0
    tgt_total: float = 0.0


class AlignedSentences(NamedTuple):
    """Two sentences with the same number, and the alignment of their nodes.

    Attributes:
        src, tgt: positions in the documents.
        forwards, backwards: the partner of each aligned node, by variable.
    """

    src: int
    tgt: int
    forwards: Mapping[str, str]
    backwards: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Ancast(Metric):
    """AnCast++ F1 of UMR documents, in 0..1: the comprehensive score.

    It adds up four parts, whose counts are columns such as ``temporal_src_matched``: the labelled
    relations of the sentences (``sentence``), and the relations ``modal``, ``temporal`` and
    ``coref`` of the document. Of the latter two it compares clusters of the closure.

    Attributes:
        variant: ``published`` is the released code, in which the relations of a document name
            nodes of other sentences by their variables, ``:contained`` is reversed,
            ``:contains`` is ignored, one relation of each two nodes counts, that of the same event
            is not symmetric, and a part that neither document has scores 0. ``corrected`` does
            none of this.
        missing: a sentence of one side alone is an ``error``, or may ``count``: as unmatched if
            `corrected`; the released code pairs sentences by position and leaves out the others.

    Raises:
        OptionError: if an option is unknown.

    >>> from amr_metrics.documents.umr_document import parse_umr_documents
    >>> text = '''# :: snt1
    ... # sentence level graph:
    ... (s1b / bark-01 :ARG0 (s1d / dog))
    ... # document level annotation:
    ... (s1s0 / sentence :modal ((author :full-affirmative s1b)))'''
    >>> other = text.replace("full", "neutral")
    >>> (src,), (tgt,) = (parse_umr_documents(t.encode()).documents for t in (text, other))
    >>> Ancast().score([Pair(src, tgt)]).tolist()  # the relation :ARG0, but not the modal one
    [0.5]
    """

    reference: ClassVar[str] = (
        "Sun and Xue (2024), Anchor and broadcast: an efficient concept alignment approach for "
        "evaluation of semantic graphs, https://aclanthology.org/2024.lrec-main.94, and Sun et al. "
        "(2025), AnCast++: document-level evaluation of graph-based meaning representations "
        "(code: https://github.com/umr4nlp/ancast)"
    )
    reads_documents: ClassVar[bool] = True
    symmetric: ClassVar[bool] = True

    variant: Variant = "published"
    missing: Missing = "error"

    def __post_init__(self) -> None:
        one_of("variant", self.variant, VARIANTS)
        one_of("missing", self.missing, MISSING)

    def view(self, pair: Pair) -> Pair:
        """Return the pair, checked to be documents of UMR files with the same sentences."""
        return Pair(*umr_pair(pair, self.missing))

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the comprehensive F1 of each pair, with the counts and the F1 of its parts."""
        views = self.views(pairs)
        rows = [self._counted(*umr_pair(view, self.missing)) for view in views]
        sums = {
            f"{part}_{column}": np.array([getattr(row[part], column) for row in rows])
            for part in PARTS
            for column in COLUMNS
        }
        details = {f"{part}_f1": self._f1(sums, [part]) for part in PARTS}
        return Scores(self._f1(sums, PARTS), {**details, **sums})

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return the F1 of all counts of a corpus, and that of each part.

        The released code averages the F1 of the documents instead.
        """
        return {
            "f1": self._f1(sums, PARTS),
            **{f"{part}_f1": self._f1(sums, [part]) for part in PARTS},
        }

    def _f1(self, sums: Mapping[str, Floats], parts: Sequence[str]) -> Floats:
        """Return the F1 of some parts together."""
        matched, tgt_matched, src, tgt = (
            sum((sums[f"{part}_{column}"] for part in parts), np.zeros(())) for column in COLUMNS
        )
        precision = np.divide(matched, src, out=np.zeros_like(src), where=src > 0)
        recall = np.divide(tgt_matched, tgt, out=np.zeros_like(tgt), where=tgt > 0)
        both = precision + recall
        f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
        if self.variant == "corrected":
            f1 = np.where((src == 0) & (tgt == 0), 1.0, f1)
        return np.asarray(f1)

    def explain(self, pair: Pair) -> Explanation:
        """Return the alignment of the nodes, sentence by sentence."""
        src, tgt = umr_pair(self.view(pair), self.missing)
        sentences = [aligned for aligned, _ in self._aligned(src, tgt)]
        links = tuple(
            Link(f"s{src.sentences[s.src].number}.{a}", f"s{tgt.sentences[s.tgt].number}.{b}", 1, 0)
            for s in sentences
            for a, b in s.forwards.items()
        )
        return Explanation(float(self.score([pair])[0]), links)

    def _counted(self, src: UmrDocument, tgt: UmrDocument) -> dict[str, Part]:
        sentences, parts = [], []
        for aligned, part in self._aligned(src, tgt):
            sentences.append(aligned)
            parts.append(part)
        total = Part(*map(sum, zip(*parts, strict=True))) if parts else Part()
        return {"sentence": total, **self._relations(src, tgt, sentences)}

    def _aligned(
        self, src: UmrDocument, tgt: UmrDocument
    ) -> Iterator[tuple[AlignedSentences, Part]]:
        """Align the sentences, and count their labelled relations."""
        for s, t in self._sentence_pairs(src, tgt):
            one = src.sentences[s] if s >= 0 else UmrSentence(0, Graph.empty())
            other = tgt.sentences[t] if t >= 0 else UmrSentence(0, Graph.empty())
            own, theirs = AncastGraph.of(one.graph), AncastGraph.of(other.graph)
            forwards: Mapping[int, int] = {}
            backwards: Mapping[int, int] = {}
            if own.names and theirs.names:
                forwards, backwards = align(own, theirs, one.header)
            credit, total = relation_credit(own, theirs, forwards)
            other_credit, other_total = relation_credit(theirs, own, backwards)
            variables = one.graph.variables, other.graph.variables
            yield (
                AlignedSentences(
                    s,
                    t,
                    {variables[0][i]: variables[1][j] for i, j in forwards.items()},
                    {variables[1][j]: variables[0][i] for j, i in backwards.items()},
                ),
                Part(credit, other_credit, total, other_total),
            )

    def _sentence_pairs(self, src: UmrDocument, tgt: UmrDocument) -> list[tuple[int, int]]:
        """Return the positions of the sentences that are compared; -1 for one that is missing."""
        if self.variant == "published":
            graphs = zip(src.sentences, tgt.sentences, strict=False)
            # As in the released code, a sentence without a graph on one side does not count.
            return [
                (k, k) for k, (a, b) in enumerate(graphs) if a.graph.variables and b.graph.variables
            ]
        own, other = ({s.number: k for k, s in enumerate(d.sentences)} for d in (src, tgt))
        return [(own.get(n, -1), other.get(n, -1)) for n in dict.fromkeys([*own, *other])]

    def _relations(
        self, src: UmrDocument, tgt: UmrDocument, sentences: Sequence[AlignedSentences]
    ) -> dict[str, Part]:
        """Compare the relations of the documents."""
        number = _by_name if self.variant == "published" else _by_node
        numbered = number(src, tgt, sentences)
        parts = {}
        for key in KEYS:
            own, other = ([t for t in side if t[0] == key] for side in numbered)
            if key == "modal":
                a, b = ({(x, y): r for _, x, r, y in side} for side in (own, other))
                mine, theirs = (
                    ({*a.items()}, {*b.items()})
                    if self.variant == "published"
                    else ({*own}, {*other})
                )
                shared = len(mine & theirs)
                parts[key] = Part(shared, shared, len(mine), len(theirs))
            else:
                closed = [
                    clusters(key, [(x, r, y) for _, x, r, y in side], self.variant)
                    for side in (own, other)
                ]
                precision, recall = closed[0].score(closed[1]), closed[1].score(closed[0])
                parts[key] = Part(precision.credit, recall.credit, precision.nodes, recall.nodes)
        return parts


Numbered = list[tuple[str, int, str, int]]  # key, node, relation, node


def _by_name(
    src: UmrDocument, tgt: UmrDocument, sentences: Sequence[AlignedSentences]
) -> tuple[Numbered, Numbered]:
    """Number names in the order of the triples, as the released code does.

    A name that is not a node of the sentence, and was not numbered before, is a constant: it has
    the same number on both sides.
    """
    numbers: tuple[dict[str, int], dict[str, int]] = {}, {}
    found: tuple[Numbered, Numbered] = [], []
    count = 0
    for s, t, forwards, backwards in sentences:
        for key in KEYS:
            for side, triples, partners, document in (
                (0, src.sentences[s].triples, forwards, src.sentences[s]),
                (1, tgt.sentences[t].triples, backwards, tgt.sentences[t]),
            ):
                own, other = numbers[side], numbers[1 - side]
                nodes = document.graph.positions
                for triple in triples:
                    if triple.key != key or triple.repeated:
                        continue
                    for name in (triple.source, triple.target):
                        if name not in own:
                            own[name] = count
                            partner = partners.get(name) if name in nodes else name
                            if partner is not None:
                                other[partner] = count
                            count += 1
                    found[side].append(
                        (key, own[triple.source], triple.relation, own[triple.target])
                    )
    return found


def _by_node(
    src: UmrDocument, tgt: UmrDocument, sentences: Sequence[AlignedSentences]
) -> tuple[Numbered, Numbered]:
    """Number nodes: aligned nodes have the same number, and so have equal constants."""
    partners = {(t, b): (s, a) for s, t, forwards, _ in sentences for a, b in forwards.items()}
    numbers: dict[object, int] = {}

    def numbered(document: UmrDocument, side: int) -> Numbered:
        def number(sentence: int, name: str) -> int:
            node = document.node(sentence, name)
            key: object = name if node is None else (side, *node)
            if node is not None and side and (node.sentence, node.variable) in partners:
                key = (0, *partners[node.sentence, node.variable])
            return numbers.setdefault(key, len(numbers))

        return [
            (t.key, number(k, t.source), t.relation, number(k, t.target))
            for k, sentence in enumerate(document.sentences)
            for t in sentence.triples
        ]

    return numbered(src, 0), numbered(tgt, 1)
