"""juːmæʧ: the score of UMR files of the shared task of 2026 (Zeman and Gamba 2026).

Nodes are aligned by the words that they are aligned to (`juumaetsh_alignment`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amr_metrics.base import Pair, Scores, score_matches
from amr_metrics.documents.juumaetsh_alignment import (
    CONCEPT,
    Nodes,
    align_nodes,
    collect_nodes,
    count_shared,
    map_values,
)
from amr_metrics.documents.umr_document import RELATIONS, UmrDocument, UmrNode
from amr_metrics.documents.umr_metric import UmrMetric, sentence_pairs
from amr_metrics.errors import OptionError, PairError
from amr_metrics.limits import DocumentSteps
from amr_metrics.reading.umr_parts import UmrSentence
from amr_metrics.types import Floats
from amr_metrics.utils.f1 import COUNTS, micro_average, precision_recall_f1

ROLE = re.compile(r":?[^\W_][-\w]*")
UmrTriple = tuple[str, str, str]
Translated = tuple[str | None, str, str | None]

# Names for lists of roles. The paper does not say which roles its tables of :ARGn and of modal
# relations count.
ROLE_LISTS: Mapping[str, tuple[str, ...]] = {
    "argn": tuple(f":ARG{n}{inverse}" for n in range(10) for inverse in ("", "-of")),
    "modal": tuple(f":{relation}" for relation in sorted(RELATIONS["modal"])),
}
SENTENCE, DOCUMENT, TOKEN_SETS, MAPPED_NODES, MAPPED_TRIPLES = PARTS = (
    "sentence",
    "document",
    "token_sets",
    "mapped_nodes",
    "mapped_triples",
)


def expand_roles(option: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the roles that an option names, each once, with a colon.

    Args:
        option: its name, for messages.
        names: roles, with or without a colon; ``concept``; and names of `ROLE_LISTS`; or one such
            name.

    Raises:
        OptionError: what is no name of a role, such as a pattern, and ``ARGN`` for ``argn``.

    >>> expand_roles("only", ["aspect", ":quant", "concept"])
    (':aspect', ':quant', 'concept')
    >>> expand_roles("only", ["argn"])[:3]
    (':ARG0', ':ARG0-of', ':ARG1')
    """
    roles: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if not ROLE.fullmatch(name):
            raise OptionError(
                f"{option}={name!r}: expected the exact name of a role, such as :ARG0, or one of "
                f"{', '.join((CONCEPT, *ROLE_LISTS))}. There are no patterns"
            )
        if (meant := name.lstrip(":").lower()) in ROLE_LISTS and name not in (meant, ":modal"):
            raise OptionError(f"{option}={name!r}: no graph has such a role. Do you mean {meant}?")
        is_role = name.startswith(":") or name == CONCEPT
        roles += [name] if is_role else ROLE_LISTS.get(name, (f":{name}",))
    return tuple(dict.fromkeys(roles))


@dataclass(frozen=True, kw_only=True)
class Juumaetsh(UmrMetric):
    """juːmæʧ F1 of UMR documents, in 0..1: the share of equal triples.

    Triples are the concepts, attributes and relations of the sentences as written, ``:ARG0-of``
    included, and the relations of the document. Both sides must have the same words. The score
    depends on the variables where nodes could be aligned in several ways.

    Further columns, which `part_names` names, are the counts and the F1 of the triples of
    sentences and of the document; of the sets of words that nodes are aligned to, each once in a
    sentence; of the nodes, of which those with a partner are equal; and of the triples of nodes
    with a partner.

    Attributes:
        document_level: whether the relations of the document count.
        top: whether the root of each sentence counts.
        only: roles that count, such as ``:aspect``; all if there are none. ``concept`` stands for
            the concepts, ``argn`` for ``:ARG0`` to ``:ARG9`` with their inverse roles, ``modal``
            for the modal relations of documents (``:modal`` is the role alone). Which nodes are
            aligned depends on the roles that count.
        ignored: roles that do not count, named as in `only`.
        missing: as for `UmrMetric`.

    >>> from amr_metrics.documents.umr_document import parse_umr_documents
    >>> text = '''# :: snt1
    ... # sentence level graph:
    ... (s1b / bark-01 :ARG0 (s1d / dog))'''
    >>> changed = text.replace(":ARG0", ":ARG1").replace("s1d", "s1x")
    >>> (src,), (tgt,) = (parse_umr_documents(t.encode()).documents for t in (text, changed))
    >>> Juumaetsh().score([Pair(src, tgt)]).tolist()  # 2 of 3 triples
    [0.6666666666666666]
    """

    reference: ClassVar[str] = (
        "Zeman and Gamba (2026), Word alignment-based evaluation of uniform meaning "
        "representations, https://arxiv.org/abs/2603.26401 "
        "(code: https://github.com/ufal/umrtools)"
    )
    symmetric: ClassVar[bool] = False  # links are dropped in the order of the gold nodes
    part_names: ClassVar[Sequence[str]] = PARTS

    document_level: bool = True
    top: bool = False
    only: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, roles in self.role_options.items():
            object.__setattr__(self, name, expand_roles(name, roles))
        if self.only and {*self.only} <= {*self.ignored}:
            raise OptionError("no role counts: `ignored` names all roles of `only`")

    @property
    def role_options(self) -> Mapping[str, Sequence[str]]:
        """The roles that count, and those that do not."""
        return {"only": self.only, "ignored": self.ignored}

    def ignores(self, role: str) -> bool:
        """Return whether a role does not count.

        It can still determine which of several equally good partners a node has.
        """
        return role in self.ignored or (bool(self.only) and role not in self.only)

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the F1 of each pair, with the counts of all triples and of each part."""
        rows = self.count_each(self._count_parts, pairs)
        counts = np.array(rows, np.float64).reshape(-1, len(PARTS), len(COUNTS)).transpose(1, 2, 0)
        scores = score_matches(*counts[0] + counts[1])  # of sentences and of documents
        details = {**scores.details}
        for part, of_part in zip(PARTS, counts, strict=True):
            details |= {f"{part}_{name}": of_part[k] for k, name in enumerate(COUNTS)}
            details[f"{part}_f1"] = precision_recall_f1(*of_part)[2]
        return Scores(scores.values, details)

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return micro-averaged precision, recall and F1, in 0..1."""
        return micro_average(sums)

    def part_columns(self, part: str, columns: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """Return the counts of one part as those of all triples.

        How many triples of the gold nodes count in `MAPPED_TRIPLES` depends on the other side; the
        column ``gold`` has all of them.
        """
        counts = {name: columns[f"{part}_{name}"] for name in COUNTS}
        return counts | ({"gold": columns["sentence_tgt_total"]} if part == MAPPED_TRIPLES else {})

    def aligned_nodes(
        self, src: UmrDocument, tgt: UmrDocument
    ) -> Iterator[tuple[UmrNode, UmrNode]]:
        """Yield the aligned nodes of two documents."""
        for s, t, _, partners in self._aligned(src, tgt):
            for b, a in partners.items():
                yield UmrNode(s, a), UmrNode(t, b)

    def _count_parts(self, src: UmrDocument, tgt: UmrDocument) -> Floats:
        """Count each of `PARTS`: equal, of src, of tgt. float64 PARTS x COUNTS."""
        counts = np.zeros((len(PARTS), len(COUNTS)))
        of_part = dict(zip(PARTS, counts, strict=True))
        to_tgt: dict[tuple[int, str], str] = {}
        to_src: dict[tuple[int, str], str] = {}
        src_names, tgt_names = (
            {v: k for k, s in enumerate(side.sentences) for v in s.graph.variables}
            for side in (src, tgt)
        )
        for s, t, (src_nodes, tgt_nodes), partners in self._aligned(src, tgt):
            links = {b: {partners[b]} if b in partners else set() for b in tgt_nodes}
            matched = sum(
                count_shared(map_values(tgt_nodes[b].values, tgt_nodes, links), src_nodes[a].values)
                for b, a in partners.items()
            )
            sides = src_nodes, tgt_nodes
            of_part[SENTENCE] += matched, *map(_count_triples, sides)
            of_part[MAPPED_NODES] += len(partners), *map(len, sides)
            mapped = (
                {a: src_nodes[a] for a in partners.values()},
                {b: tgt_nodes[b] for b in partners},
            )
            of_part[MAPPED_TRIPLES] += matched, *map(_count_triples, mapped)
            words = [{node.words for node in nodes.values()} - {None} for nodes in sides]
            of_part[TOKEN_SETS] += len(words[0] & words[1]), *map(len, words)
            to_tgt |= {(s, a): b for b, a in partners.items()}
            to_src |= {(t, b): a for b, a in partners.items()}
            src_relations = self._relations(src.sentence_at(s))
            tgt_relations = self._relations(tgt.sentence_at(t))
            equal = sum(
                _translate_triple(triple, tgt_names, to_src) in src_relations
                for triple in tgt_relations
            )
            # As in the released code: what is equal, and what is not when it is translated back.
            only_src = sum(
                _translate_triple(triple, src_names, to_tgt) not in tgt_relations
                for triple in src_relations
            )
            of_part[DOCUMENT] += equal, equal + only_src, len(tgt_relations)
        return counts

    def _relations(self, sentence: UmrSentence) -> set[UmrTriple]:
        return {
            (triple.source, triple.relation, triple.target)
            for triple in sentence.triples
            if self.document_level and not self.ignores(f":{triple.relation}")
        }

    def _aligned(
        self, src: UmrDocument, tgt: UmrDocument
    ) -> Iterator[tuple[int, int, tuple[Nodes, Nodes], dict[str, str]]]:
        """Yield the positions of sentences, their nodes, and the partners of the nodes of tgt."""
        steps = DocumentSteps()
        for s, t in sentence_pairs(src, tgt):
            sentences = src.sentence_at(s), tgt.sentence_at(t)
            if s >= 0 and t >= 0 and sentences[0].words != sentences[1].words:
                words = [" ".join(sentence.words) or "(none)" for sentence in sentences]
                raise PairError(
                    f"sentence {sentences[0].number} has other words on both sides: {words[0]!r} "
                    f"and {words[1]!r}. juːmæʧ aligns nodes by the words: both sides need the same "
                    "line Words:"
                )
            src_nodes, tgt_nodes = (
                collect_nodes(sentence, self.top, lambda role: not self.ignores(role))
                for sentence in sentences
            )
            yield s, t, (src_nodes, tgt_nodes), align_nodes(tgt_nodes, src_nodes, steps)


def _count_triples(nodes: Nodes) -> int:
    return sum(len(node.values) for node in nodes.values())


def _translate_triple(
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
