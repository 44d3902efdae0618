"""Documents of UMR files: sentences with their graphs, alignments and relations between nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from amr_metrics.documents.representations import SAME
from amr_metrics.errors import GraphError, OnError
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.reading.decoding import read_bytes
from amr_metrics.reading.formats import FileGraphs
from amr_metrics.reading.umr import UmrFile, parse_umr
from amr_metrics.reading.umr_parts import UmrSentence
from amr_metrics.utils.text import format_count

TOP = "d"
OF_SENTENCE = re.compile(r"s([0-9]+)[a-z]")  # a variable with the number of its sentence

IDENTITY = ("same-entity", "same-event")
SUBSETS = ("subset-of", "subset")
CONTAINMENT = ("contained", "contains", "includes")
STRENGTHS = ("full", "partial", "strong", "neutral", "weak")
POLARITIES = ("affirmative", "negative")
RELATIONS = {
    "temporal": {"before", "after", "overlap", "depends-on", *CONTAINMENT},
    "modal": {
        "modal",
        "unspecified",
        "AFF",
        "NEG",
        "UNSP",
        *(f"{strength}-{polarity}" for strength in STRENGTHS for polarity in POLARITIES),
    },
    "coref": {*IDENTITY, *SUBSETS, "contains"},
}
# What a triple may name that is not a node.
CONSTANT = re.compile(
    "root|author[0-9]*|null-conceiver|document-creation-time|(past|present|future)-reference"
    "|have-condition|have-[a-z-]+-91|purpose"
)


class UmrNode(NamedTuple):
    """A node of a document: the position of its sentence, and its variable."""

    sentence: int
    variable: str


@dataclass(frozen=True, repr=False)
class UmrDocument(Graph):
    """A document of a UMR file, as one graph.

    The root ``(d / document)`` has an edge ``:snt1``, ``:snt2`` ... to each sentence that has a
    graph; a document without such sentences is the empty graph. Variables begin with the
    sentence's number, ``s1.s1p``. Identical entities and events are joined by ``:same-as``, and a
    superset has an edge ``:subset``.

    Attributes:
        sentences: the sentences, in order.
    """

    sentences: tuple[UmrSentence, ...] = ()

    @classmethod
    def of(cls, sentences: Sequence[UmrSentence]) -> UmrDocument:
        """Create the document of some sentences."""
        if not any(sentence.graph.variables for sentence in sentences):
            return cls((), (), (), (), "", sentences=tuple(sentences))
        variables, concepts = [TOP], ["document"]
        attributes: list[Attribute] = []
        relations: list[Relation] = []
        inverted: list[int] = []
        forward: list[int] = []
        for sentence in sentences:
            graph = sentence.graph
            if not graph.variables:
                continue
            prefix = f"s{sentence.number}."
            relations.append(Relation(TOP, f":snt{sentence.number}", prefix + graph.top))
            inverted += [len(relations) + k for k in graph.inverted]
            forward += [len(relations) + k for k in graph.forward]
            variables += [prefix + variable for variable in graph.variables]
            concepts += graph.concepts
            attributes += [Attribute(prefix + a.node, a.role, a.constant) for a in graph.attributes]
            relations += [
                Relation(prefix + source, role, prefix + target)
                for source, role, target in graph.relations
            ]
        document = cls(
            tuple(variables),
            tuple(concepts),
            tuple(attributes),
            tuple(relations),
            TOP,
            sentences=tuple(sentences),
        )
        pairs = list(document._coreference())
        subsets = [k for k, (_, role, _) in enumerate(pairs, len(relations)) if role != SAME]
        return replace(
            document,
            relations=(*relations, *pairs),
            inverted=(*inverted, *subsets),
            forward=tuple(forward),
        )

    def _coreference(self) -> Iterator[Relation]:
        roles = {**dict.fromkeys(IDENTITY, SAME), **dict.fromkeys(SUBSETS, ":subset")}
        for k, sentence in enumerate(self.sentences):
            for triple in sentence.triples:
                source, target = (self.node(k, name) for name in (triple.source, triple.target))
                if source and target and source != target and triple.key == "coref":
                    if role := roles.get(triple.relation):
                        yield Relation(self.name(source), role, self.name(target))

    def sentence_at(self, position: int) -> UmrSentence:
        """Return the sentence at a position; for -1 one without content."""
        return self.sentences[position] if position >= 0 else UmrSentence(0, Graph.empty())

    def name(self, node: UmrNode) -> str:
        """Return the variable of a node in the graph of the document."""
        return f"s{self.sentences[node.sentence].number}.{node.variable}"

    @cached_property
    def _holders(self) -> Mapping[str, Sequence[int]]:
        """The positions of the sentences that have each variable."""
        holders: dict[str, list[int]] = {}
        for k, sentence in enumerate(self.sentences):
            for variable in sentence.graph.variables:
                holders.setdefault(variable, []).append(k)
        return holders

    def node(self, sentence: int, name: str) -> UmrNode | None:
        """Return the node that a triple of a sentence names; None for a constant.

        It is a node of this sentence, else of the sentence whose number the name begins with, else
        of the last sentence before, else of the first one after.
        """
        holders = self._holders.get(name, ())
        if not holders or sentence in holders:
            return UmrNode(sentence, name) if holders else None
        of_sentence = OF_SENTENCE.match(name)
        for k in holders:
            if of_sentence is not None and self.sentences[k].number == int(of_sentence[1]):
                return UmrNode(k, name)
        before = [k for k in holders if k < sentence]
        return UmrNode(before[-1] if before else holders[0], name)

    def problem(self, sentence: int) -> GraphError | None:
        """Return what is wrong with the relations of a sentence, if anything is."""
        for triple in self.sentences[sentence].triples:
            allowed = RELATIONS[triple.key]
            missing = [
                name
                for name in (triple.source, triple.target)
                if not CONSTANT.fullmatch(name) and self.node(sentence, name) is None
            ]
            if triple.relation not in allowed:
                names = ", ".join(sorted(allowed))
                problem = f"unknown relation in :{triple.key}: use one of {names}"
            elif missing:
                problem = f"no sentence has a node {missing[0]}: correct the name, or add the node"
            else:
                continue
            return GraphError(f"{triple}: {problem}", line=triple.line)
        return None


class UmrDocuments(NamedTuple):
    """The documents of a file.

    Attributes:
        documents: in order. Of a sentence that cannot be read, a complete graph with text after it
            is kept, and the relations before a fault; the attribute `dropped` of the sentence
            counts the rest.
        errors: what cannot be read or is wrong, by the position of the document.
    """

    documents: list[UmrDocument]
    errors: Mapping[int, Sequence[GraphError]]


def read_umr_documents(path: str | Path) -> list[UmrDocument]:
    """Read the documents of a UMR file.

    Raises:
        GraphError: as `parse_umr_documents`, or if the file cannot be read.
    """
    return parse_umr_documents(read_bytes(path), str(path)).documents


def parse_umr_documents(
    data: bytes, source: str = "<text>", *, list_errors: bool = False
) -> UmrDocuments:
    """Read the documents of a text in UMR format; each sentence ``snt1`` begins a document.

    Args:
        data, source: as for `parse_umr`.
        list_errors: whether to list errors. A relation that is unknown, or that names a node that
            does not exist, is kept then; a sentence with a number that does not increase is not.
            Of a sentence that cannot be read, see `UmrDocuments` for what is kept.

    Raises:
        GraphError: as `parse_umr`, and (unless errors are listed) for an unknown relation, and for
            a relation that names a node that does not exist.

    >>> text = b'''# :: snt1
    ... # sentence level graph:
    ... (s1b / bark-01 :ARG0 (s1d / dog) :ARG2 (s1i / it))
    ... # document level annotation:
    ... (s1s0 / sentence :coref ((s1d :same-entity s1i)))'''
    >>> (document,), _ = parse_umr_documents(text)
    >>> document.relations[-1]
    Relation(source='s1.s1d', role=':same-as', target='s1.s1i')
    """
    file = parse_umr(data, source, list_errors=list_errors, with_parts=True)
    return _divide(file, source, list_errors)


def _divide(file: UmrFile, source: str, list_errors: bool) -> UmrDocuments:
    """Divide a file into documents; see `parse_umr_documents`."""
    begins = [k for k, s in enumerate(file.sentences) if k == 0 or s.number == 1]
    documents: list[UmrDocument] = []
    errors: dict[int, list[GraphError]] = {}
    for d, (begin, end) in enumerate(pairwise([*begins, len(file.sentences)])):
        positions = [k for k in range(begin, end) if file.sentences[k].number]
        document = UmrDocument.of([file.sentences[k] for k in positions])
        problems: list[GraphError] = []
        for k in range(begin, end):
            problems += [file.errors[k]] if k in file.errors else []
            problems += file.part_errors.get(k, ())
        problems += [
            GraphError(problem.problem, source=source, graph=k, line=problem.line)
            for position, k in enumerate(positions)
            if (problem := document.problem(position)) is not None
        ]
        if problems and not list_errors:
            raise problems[0]
        documents.append(document)
        if problems:
            errors[d] = problems
    return UmrDocuments(documents, errors)


def load_umr_documents(data: bytes, source: str, on_error: OnError) -> FileGraphs:
    """Read the documents of a file; see `amr_metrics.reading.formats.READERS`.

    With ``zero``, what cannot be read of a document counts as empty, and is noted.
    """
    list_errors = on_error != "stop"
    file = parse_umr(data, source, list_errors=list_errors, with_parts=True)
    documents, faults = _divide(file, source, list_errors)
    errors = {k: of_document[0] for k, of_document in faults.items()}
    sentences = [sentence for document in documents for sentence in document.sentences]
    notes = [
        f"{source}: {format_count(len(documents), 'document')}, "
        f"{format_count(len(sentences), 'sentence')}"
    ]
    if not any(sentence.triples for sentence in sentences):
        notes.append(f"{source}: no document level annotation: only sentences are compared")
    if ranges := [row for sentence in sentences for row in sentence.dropped.ranges]:
        line, text = ranges[0]
        have = format_count(len(ranges), "alignment has", "alignments have")
        notes.append(
            f"{source}: {have} a range without words (the first in line {line}: {text!r}), which "
            "counts as none"
        )
    if errors and on_error == "zero":
        notes += [
            f"{error}; what cannot be read counts as empty"
            for of_document in faults.values()
            for error in of_document
        ]
        relations = sum(sentence.dropped.relations for sentence in file.sentences)
        nodes = sum(sentence.dropped.nodes for sentence in file.sentences)
        notes.append(
            f"{source}: {format_count(relations, 'relation')} and {format_count(nodes, 'node')} "
            "are dropped; "
            "complete graphs, and the relations before a fault, are kept"
        )
        errors = {}
    return FileGraphs(documents, errors, tuple(notes))


def make_document(graph: Graph) -> Graph:
    """Return a plain graph as a document of one sentence; documents and empty graphs unchanged."""
    if isinstance(graph, UmrDocument) or not graph.variables:
        return graph
    return UmrDocument.of([UmrSentence(1, replace(graph, metadata={}))])
