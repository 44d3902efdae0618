"""AnCast++: the score of UMR documents by Sun and Xue (2024) and Sun et al. (2025)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from amr_metrics.base import Pair, Scores
from amr_metrics.documents.ancast_alignment import AncastGraph, align, relation_credit
from amr_metrics.documents.closure import NumberedTriple, Variant, cluster_credit, clusters
from amr_metrics.documents.umr_document import UmrDocument, UmrNode
from amr_metrics.documents.umr_metric import UmrMetric, sentence_pairs
from amr_metrics.limits import WORK, too_much_work
from amr_metrics.reading.umr_parts import KEYS, UmrSentence
from amr_metrics.types import Floats
from amr_metrics.utils.f1 import harmonic_mean, share

PARTS = ("sentence", *KEYS)
# The columns of a part: what counts as matched for precision and for recall, and the totals.
COLUMNS = ("src_matched", "tgt_matched", "src_total", "tgt_total")
SUMS = tuple(f"{part}_{column}" for part in PARTS for column in COLUMNS)


class AlignedSentences(NamedTuple):
    """Two sentences, and the alignment of their nodes.

    Attributes:
        positions: of the sentences in both documents, -1 for one that is missing.
        sentences: the sentences themselves.
        partners: the partner of each aligned node, from src to tgt and from tgt to src.
        counts: those of the labelled relations, as in `COLUMNS`.
    """

    positions: tuple[int, int]
    sentences: tuple[UmrSentence, UmrSentence]
    partners: tuple[Mapping[str, str], Mapping[str, str]]
    counts: tuple[float, ...]


# Numbers the node that a name in the triples of a sentence of src (0) or tgt (1) stands for.
Number = Callable[[AlignedSentences, int, str], int]


@dataclass(frozen=True, kw_only=True)
class Ancast(UmrMetric):
    """AnCast++ F1 of UMR documents, in 0..1: the comprehensive score.

    It adds up four parts, whose counts are columns such as ``temporal_src_matched``: the labelled
    relations of the sentences (``sentence``), and the relations ``modal``, ``temporal`` and
    ``coref`` of the document. Of the latter two it compares clusters of the closure.

    Attributes:
        variant: ``published`` is the released code, in which the relations of a document name
            nodes of other sentences by their variables, ``:contained`` is reversed,
            ``:contains`` is ignored, one relation of each two nodes counts, that of the same event
            is not symmetric, a part that neither document has scores 0, and swapping src and tgt
            changes some scores. ``corrected`` does none of this. In both, a sentence of tgt counts
            in full if src has no graph of it (the released code leaves it out).
        missing: as for `UmrMetric`. If they `count`, sentences of one side alone are unmatched
            only if `corrected`: the released code pairs by position and leaves out the others.

    Raises:
        OptionError: if an option is unknown.

    >>> from amr_metrics.documents.umr_document import parse_umr_documents
    >>> text = '''# :: snt1
    ... # sentence level graph:
    ... (s1b / bark-01 :ARG0 (s1d / dog))
    ... # document level annotation:
    ... (s1s0 / sentence :modal ((author :full-affirmative s1b)))'''
    >>> neutral = text.replace("full", "neutral")
    >>> (src,), (tgt,) = (parse_umr_documents(t.encode()).documents for t in (text, neutral))
    >>> Ancast().score([Pair(src, tgt)]).tolist()  # the relation :ARG0, but not the modal one
    [0.5]
    """

    reference: ClassVar[str] = (
        "Sun and Xue (2024), Anchor and broadcast: an efficient concept alignment approach for "
        "evaluation of semantic graphs, https://aclanthology.org/2024.lrec-main.94, and Sun et al. "
        "(2025), AnCast++: document-level evaluation of graph-based meaning representations "
        "(code: https://github.com/umr4nlp/ancast)"
    )
    part_names: ClassVar[Sequence[str]] = (*PARTS[:-1], "coreference")

    variant: Variant = "published"

    @property
    def symmetric(self) -> bool:
        """Whether the score is symmetric; it is not in the published variant."""
        return self.variant == "corrected"

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the comprehensive F1 of each pair, with the counts and the F1 of its parts."""
        counts = self.count_each(self._counted, pairs)
        sums = dict(zip(SUMS, np.array(counts, np.float64).reshape(-1, len(SUMS)).T, strict=True))
        return Scores(self._f1(sums, PARTS), {**self._part_f1(sums), **sums})

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return the F1 of all counts of a corpus, and that of each part.

        The released code averages the F1 of the documents instead.
        """
        return {"f1": self._f1(sums, PARTS), **self._part_f1(sums)}

    def part_columns(self, part: str, columns: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """Return the columns with 0 for all other parts."""
        prefix = "coref" if part == "coreference" else part
        return {name: columns[name] * name.startswith(prefix) for name in SUMS}

    def _part_f1(self, sums: Mapping[str, Floats]) -> dict[str, Floats]:
        return {f"{part}_f1": self._f1(sums, [part]) for part in PARTS}

    def _f1(self, sums: Mapping[str, Floats], parts: Sequence[str]) -> Floats:
        """Return the F1 of some parts together."""
        matched, tgt_matched, src, tgt = (
            sum((sums[f"{part}_{column}"] for part in parts), np.zeros(())) for column in COLUMNS
        )
        f1 = harmonic_mean(share(matched, src, tgt), share(tgt_matched, tgt, src))
        return f1 if self.variant == "corrected" else np.asarray(f1 * (src + tgt > 0))

    def aligned_nodes(
        self, src: UmrDocument, tgt: UmrDocument
    ) -> Iterator[tuple[UmrNode, UmrNode]]:
        """Yield the aligned nodes of two documents."""
        for aligned in self._aligned(src, tgt):
            s, t = aligned.positions
            for a, b in aligned.partners[0].items():
                yield UmrNode(s, a), UmrNode(t, b)

    def _counted(self, src: UmrDocument, tgt: UmrDocument) -> list[float]:
        """Return the counts of a pair, in the order of `SUMS`."""
        aligned = list(self._aligned(src, tgt))
        counts: list[float] = [sum(pair.counts[k] for pair in aligned) for k in range(len(COLUMNS))]
        published = self.variant == "published"
        number = _number_by_name() if published else _number_by_node(src, tgt, aligned)
        for key, relations in _collect_relations(aligned, number, published).items():
            src_clusters, tgt_clusters = (clusters(key, side, self.variant) for side in relations)
            counts.append(cluster_credit(src_clusters, tgt_clusters))
            counts.append(cluster_credit(tgt_clusters, src_clusters))
            counts += (sum(c.size for c in side) for side in (src_clusters, tgt_clusters))
        return counts

    def _aligned(self, src: UmrDocument, tgt: UmrDocument) -> Iterator[AlignedSentences]:
        """Align the sentences, and count their labelled relations.

        Raises:
            PairError: if n m (n + m), where n and m are the numbers of nodes of both sides of a
                sentence, adds up to more than `amr_metrics.limits.WORK` steps.
        """
        steps = 0
        for s, t in self._sentence_pairs(src, tgt):
            sentences = src.sentence_at(s), tgt.sentence_at(t)
            src_graph, tgt_graph = (AncastGraph.of(sentence.graph) for sentence in sentences)
            n, m = len(src_graph.names), len(tgt_graph.names)
            steps += n * m * (n + m)  # similarity spreads by products of matrices
            if steps > WORK:
                raise too_much_work(WORK, (len(src.variables), len(tgt.variables)))
            # The released code takes the header of src for both sides.
            used = sentences[:1] if self.variant == "published" else sentences
            headers = [sentence.header for sentence in used]
            forwards, backwards = align(src_graph, tgt_graph, *headers)
            src_credit, src_total = relation_credit(src_graph, tgt_graph, forwards)
            tgt_credit, tgt_total = relation_credit(tgt_graph, src_graph, backwards)
            src_names, tgt_names = (sentence.graph.variables for sentence in sentences)
            yield AlignedSentences(
                (s, t),
                sentences,
                (
                    {src_names[i]: tgt_names[j] for i, j in forwards.items()},
                    {tgt_names[j]: src_names[i] for j, i in backwards.items()},
                ),
                (src_credit, tgt_credit, src_total, tgt_total),
            )

    def _sentence_pairs(self, src: UmrDocument, tgt: UmrDocument) -> list[tuple[int, int]]:
        """Return the positions of the sentences that are compared, -1 for one that is missing."""
        if self.variant == "corrected":
            return sentence_pairs(src, tgt)
        # The released code pairs by position and leaves out a sentence without a graph on either
        # side. Here the gold sentence of a parse without a graph counts: otherwise a parse that
        # cannot be read would cost nothing.
        parses = src.sentences or [src.sentence_at(-1)] * len(tgt.sentences)
        return [
            (k if parse.graph.variables else -1, k)
            for k, (parse, gold) in enumerate(zip(parses, tgt.sentences, strict=False))
            if gold.graph.variables
        ]


def _collect_relations(
    aligned: Sequence[AlignedSentences], number: Number, published: bool
) -> dict[str, tuple[list[NumberedTriple], list[NumberedTriple]]]:
    """Return the distinct relations of each key of src and of tgt, between numbered nodes.

    Those of the released code are the last one of each two nodes, of the first list of each key.
    """
    relations: dict[tuple[str, int], dict[Hashable, NumberedTriple]] = {
        (key, side): {} for key in KEYS for side in (0, 1)
    }
    for pair, key, side in itertools.product(aligned, KEYS, (0, 1)):
        for triple in pair.sentences[side].triples:
            if triple.key == key and not (published and triple.repeated):
                x, y = (number(pair, side, name) for name in (triple.source, triple.target))
                relation = x, triple.relation, y
                relations[key, side][(x, y) if published else relation] = relation
    return {key: ([*relations[key, 0].values()], [*relations[key, 1].values()]) for key in KEYS}


def _number_by_name() -> Number:
    """Number names in the order of the triples, as the released code does.

    A name that is not a node of the sentence, and was not numbered before, is a constant: it has
    the same number on both sides.
    """
    numbers: tuple[dict[str, int], dict[str, int]] = {}, {}
    count = itertools.count()

    def number(pair: AlignedSentences, side: int, name: str) -> int:
        if name not in numbers[side]:
            numbers[side][name] = new = next(count)
            is_node = name in pair.sentences[side].graph.positions
            partner = pair.partners[side].get(name) if is_node else name
            if partner is not None:
                numbers[1 - side][partner] = new
        return numbers[side][name]

    return number


def _number_by_node(
    src: UmrDocument, tgt: UmrDocument, aligned: Sequence[AlignedSentences]
) -> Number:
    """Number nodes: aligned nodes have the same number, and so have equal constants."""
    partners = {
        UmrNode(pair.positions[1], b): UmrNode(pair.positions[0], a)
        for pair in aligned
        for a, b in pair.partners[0].items()
    }
    numbers: dict[object, int] = {}

    def number(pair: AlignedSentences, side: int, name: str) -> int:
        node = (src, tgt)[side].node(pair.positions[side], name)
        key: object = name if node is None else (side, node)
        if side and node in partners:
            key = 0, partners[node]
        return numbers.setdefault(key, len(numbers))

    return number
