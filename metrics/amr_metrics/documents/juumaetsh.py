"""juːmæʧ: the score of UMR files of the shared task of 2026 (Zeman and Gamba 2026).

Nodes are aligned if they are aligned to a common word, or if neither is aligned to any and their
concepts are equal. Of several such partners, the best is chosen greedily.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from amr_metrics.base import Pair, Scores
from amr_metrics.documents.sentences import written_edges
from amr_metrics.documents.umr_document import UmrDocument, UmrNode
from amr_metrics.documents.umr_metric import UmrMetric, sentence_pairs
from amr_metrics.errors import PairError
from amr_metrics.limits import DocumentSteps
from amr_metrics.reading.umr_parts import UmrSentence
from amr_metrics.types import Floats
from amr_metrics.utils.f1 import COUNTS, micro_average, precision_recall_f1

UmrTriple = tuple[str, str, str]
Translated = tuple[str | None, str, str | None]
Values = Sequence[tuple[str, str]]  # the role and the constant or variable of each edge of a node


class _Node(NamedTuple):
    """A node of a sentence.

    Attributes:
        label: its concept, for a name with its strings.
        values: its concept and its edges, with the roles as written.
        words: positions of the words it is aligned to; None if it is aligned to none.
        length: the number of characters of these words.
    """

    label: str
    values: Values
    words: frozenset[int] | None
    length: int


Nodes = Mapping[str, _Node]  # by variable
Links = dict[str, set[str]]  # from each variable of one side to variables of the other


@dataclass(frozen=True, kw_only=True)
class Juumaetsh(UmrMetric):
    """juːmæʧ F1 of UMR documents, in 0..1: the share of equal triples.

    Triples are the concepts, attributes and relations of the sentences as written, ``:ARG0-of``
    included, and the relations of the document. Both sides must have the same words. The score
    depends on the variables where nodes could be aligned in several ways.

    Attributes:
        document_level: whether the relations of the document count.
        top: whether the root of each sentence counts.
        ignored: roles that do not count, such as ``:wiki``; ``concept`` for the concepts.
        missing: as for `UmrMetric`.

    >>> from amr_metrics.documents.umr_document import parse_umr_documents
    >>> text = '''# :: snt1
    ... # sentence level graph:
    ... (s1b / bark-01 :ARG0 (s1d / dog))'''
    >>> other = text.replace(":ARG0", ":ARG1").replace("s1d", "s1x")
    >>> (src,), (tgt,) = (parse_umr_documents(t.encode()).documents for t in (text, other))
    >>> Juumaetsh().score([Pair(src, tgt)]).tolist()  # 2 of 3 triples
    [0.6666666666666666]
    """

    reference: ClassVar[str] = (
        "Zeman and Gamba (2026), Word alignment-based evaluation of uniform meaning "
        "representations, https://arxiv.org/abs/2603.26401 "
        "(code: https://github.com/ufal/umrtools)"
    )
    symmetric: ClassVar[bool] = False  # links are dropped in the order of the gold nodes
    part_names: ClassVar[Sequence[str]] = ("sentence", "document")

    document_level: bool = True
    top: bool = False
    ignored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ignored", tuple(self.ignored))

    def ignores(self, role: str) -> bool:
        """Return whether a role does not count."""
        return role in self.ignored

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the F1 of each pair, with the counts of all triples and of both levels."""
        rows = self.count_each(self._counted, pairs)
        sentence, document = np.array(rows, np.float64).reshape(-1, 2, 3).transpose(1, 2, 0)
        levels = {"": sentence + document, "sentence_": sentence, "document_": document}
        columns = {
            f"{level}{name}": column
            for level, counts in levels.items()
            for name, column in zip(COUNTS, counts, strict=True)
        }
        precision, recall, f1 = precision_recall_f1(*levels[""])
        return Scores(f1, {"precision": precision, "recall": recall, **columns})

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return micro-averaged precision, recall and F1, in 0..1."""
        return micro_average(sums)

    def part_columns(self, part: str, columns: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """Return the counts of one level as those of all."""
        return {name: columns[f"{part}_{name}"] for name in COUNTS}

    def aligned_nodes(
        self, src: UmrDocument, tgt: UmrDocument
    ) -> Iterator[tuple[UmrNode, UmrNode]]:
        """Yield the aligned nodes of two documents."""
        for s, t, _, partners in self._aligned(src, tgt):
            for b, a in partners.items():
                yield UmrNode(s, a), UmrNode(t, b)

    def _counted(self, src: UmrDocument, tgt: UmrDocument) -> tuple[Floats, Floats]:
        """Count the triples of sentences and of the document: equal, of src, of tgt."""
        triples, relations = np.zeros(3), np.zeros(3)
        to_tgt: dict[tuple[int, str], str] = {}
        to_src: dict[tuple[int, str], str] = {}
        src_names, tgt_names = (
            {v: k for k, s in enumerate(side.sentences) for v in s.graph.variables}
            for side in (src, tgt)
        )
        for s, t, (own, other), partners in self._aligned(src, tgt):
            links = {b: {partners[b]} if b in partners else set() for b in other}
            matched = sum(
                _shared(_mapped(other[b].values, other, links), own[a].values)
                for b, a in partners.items()
            )
            totals = (sum(len(n.values) for n in nodes.values()) for nodes in (own, other))
            triples += matched, *totals
            to_tgt |= {(s, a): b for b, a in partners.items()}
            to_src |= {(t, b): a for b, a in partners.items()}
            mine, theirs = self._relations(src.sentence_at(s)), self._relations(tgt.sentence_at(t))
            equal = sum(_translated(triple, tgt_names, to_src) in mine for triple in theirs)
            # As in the released code: what is equal, and what is not when it is translated back.
            only_src = sum(_translated(triple, src_names, to_tgt) not in theirs for triple in mine)
            relations += equal, equal + only_src, len(theirs)
        return triples, relations

    def _relations(self, sentence: UmrSentence) -> set[UmrTriple]:
        return {
            (triple.source, triple.relation, triple.target)
            for triple in sentence.triples
            if self.document_level and f":{triple.relation}" not in self.ignored
        }

    def _aligned(
        self, src: UmrDocument, tgt: UmrDocument
    ) -> Iterator[tuple[int, int, tuple[Nodes, Nodes], dict[str, str]]]:
        """Yield the positions of sentences, their nodes, and the partners of the nodes of tgt."""
        steps = DocumentSteps()
        for s, t in sentence_pairs(src, tgt):
            own, other = src.sentence_at(s), tgt.sentence_at(t)
            if s >= 0 and t >= 0 and own.words != other.words:
                words = [" ".join(side.words) or "(none)" for side in (own, other)]
                raise PairError(
                    f"sentence {own.number} has other words on both sides: {words[0]!r} and "
                    f"{words[1]!r}. juːmæʧ aligns nodes by the words: both sides need the same "
                    "line Words:"
                )
            nodes = self._nodes(own), self._nodes(other)
            yield s, t, nodes, _partners(nodes[1], nodes[0], steps)

    def _nodes(self, sentence: UmrSentence) -> dict[str, _Node]:
        graph, words = sentence.graph, sentence.words
        values = {
            v: [("concept", concept)]
            for v, concept in zip(graph.variables, graph.concepts, strict=True)
        }
        attributes = [(node, role, value.strip('"')) for node, role, value in graph.attributes]
        for node, role, value in (*written_edges(graph), *attributes):
            values[node].append((role, value))
        if self.top and graph.variables:
            values[graph.top].append((":TOP", "TOP"))
        nodes = {}
        for variable, ((_, concept), *edges) in values.items():
            label = concept
            if concept == "name":
                strings = sorted((r.lower(), v) for r, v in edges if r.startswith(":op"))
                label = f"name[{' '.join(string for _, string in strings)}]"
            spans = sentence.alignment.get(variable, ())
            at = {k for first, last in spans for k in range(first - 1, last)}
            text = " ".join(words[k] for k in sorted(at) if k < len(words))
            nodes[variable] = _Node(
                label,
                [value for value in values[variable] if value[0] not in self.ignored],
                frozenset(at) if spans else None,
                len(text),
            )
        return nodes


def _translated(
    triple: UmrTriple, sentences: Mapping[str, int], partners: Mapping[tuple[int, str], str]
) -> Translated:
    """Return a triple with names of the other side, None for a node without a partner.

    As in the released code, a name is that of the last node with it, and a node of a later sentence
    has no partner yet.

    Args:
        sentences: the position of the last sentence with each name.
    """
    source, target = (
        partners.get((sentences[name], name)) if name in sentences else name
        for name in (triple[0], triple[2])
    )
    return source, triple[1], target


def _partners(tgt: Nodes, src: Nodes, steps: DocumentSteps) -> dict[str, str]:
    """Return the partner of each aligned node of tgt.

    As long as a node has several, the best of all links of such nodes stays, and the other links
    of its two ends are dropped.

    Args:
        steps: to which the values are added that are compared to rank links.

    Raises:
        PairError: if there are more steps than `amr_metrics.limits.DOCUMENT_WORK`.
    """
    to_src: Links = {variable: set() for variable in sorted(tgt)}
    to_tgt: Links = {variable: set() for variable in sorted(src)}
    for b, node in tgt.items():
        for a, other in src.items():
            if node.words is None or other.words is None:
                linked = node.words is other.words and node.label == other.label
            else:
                linked = not node.words.isdisjoint(other.words)
            if linked:
                to_src[b].add(a)
                to_tgt[a].add(b)
    while True:
        ranked = [
            *((rank, a, b) for rank, b, a in _ranked(tgt, src, to_src, to_tgt)),
            *_ranked(src, tgt, to_tgt, to_src),
        ]
        if not ranked:
            return {b: next(iter(partners)) for b, partners in to_src.items() if partners}
        steps.add(sum(len(src[a].values) + len(tgt[b].values) for _, a, b in ranked))
        _, a, b = min(ranked)
        to_src[b], to_tgt[a] = {a}, {b}


def _ranked(
    own: Nodes, other: Nodes, links: Links, back: Links
) -> Iterator[tuple[tuple[float | str, ...], str, str]]:
    """Yield the links of nodes with several, each with its rank; the least rank is the best.

    Links whose other end has dropped them are dropped first, node by node.
    """
    for variable, partners in links.items():
        partners -= {partner for partner in partners if variable not in back[partner]}
        if len(partners) < 2:
            continue
        node = own[variable]
        for partner in sorted(partners):
            rival = other[partner]
            roles = (Counter(role for role, _ in n.values) for n in (node, rival))
            rank = (
                node.label != rival.label,
                -_shared(_mapped(node.values, own, links), rival.values),
                -(next(roles) & next(roles)).total(),
                -node.length - rival.length,
                variable != partner,
                variable + partner,
            )
            yield rank, variable, partner


def _mapped(values: Values, own: Nodes, links: Links) -> Counter[tuple[str, str]]:
    """Count the values of a node; a variable counts as each of its partners."""
    return Counter(
        (role, mapped)
        for role, value in values
        for mapped in (links[value] if value in own and role != "concept" else (value,))
    )


def _shared(values: Counter[tuple[str, str]], others: Values) -> int:
    return (values & Counter(others)).total()
