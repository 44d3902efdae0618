"""A graph of Chinese AMR while it is read, used by the readers of both file formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from amr_metrics.camr.graph import Arc, CamrGraph, Coreference, check_acyclic, deinvert_role
from amr_metrics.camr.ids import anchor, check_id, check_inside, join_words
from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Attribute, Relation


class Sentence(NamedTuple):
    """The words of a sentence.

    Attributes:
        length: number of words; None if not known.
        words: the words by their number, if known.
    """

    length: int | None = None
    words: Mapping[int, str] = {}

    def measured(self, sentence_id: str, lengths: Mapping[str, Sentence]) -> Sentence:
        """Add the length from a file, and the words if they are not known.

        Raises:
            GraphError: if the file does not have it.
        """
        if sentence_id not in lengths:
            raise GraphError(
                "the file of sentence lengths does not have this sentence: add a line for it"
            )
        measured = lengths[sentence_id]
        return Sentence(measured.length, self.words or measured.words)


class Edge(NamedTuple):
    """A relation as written; `rid` and `word` are "" without relation alignment."""

    source: str
    role: str
    target: str
    rid: str = ""
    word: str = ""


@dataclass
class Draft:
    """The nodes and relations read so far.

    Attributes:
        sentence: the sentence's words, if they are known.
        split: whether an id with two concepts makes two nodes (else it is an error).
        concepts: each node's concept; "" for an anaphor whose concept is not known yet.
        antecedents: the node each anaphor refers to.
        attributes, edges: in the order of the text.
        mentions: ids that must be declared somewhere, with the line where they are mentioned.
    """

    sentence: Sentence
    split: bool = False
    concepts: dict[str, str] = field(default_factory=dict)
    antecedents: dict[str, str] = field(default_factory=dict)
    attributes: list[Attribute] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    mentions: list[tuple[str, int]] = field(default_factory=list)

    def node(self, name: str, concept: str, line: int, antecedent: str = "") -> str:
        """Declare a node, or repeat one with the same id and concept, and return its variable.

        Raises:
            GraphError: an invalid id, an id outside the sentence, a second concept or antecedent.
        """
        variable = check_id(name)
        if self.sentence.length is not None:
            anchor(name, self.sentence.length)
        # A repeated id is a mention of its node. With another concept it is a node of its own,
        # under the first of the names x6, x6#2, x6#3 ... that has this concept or is free.
        copies = 1
        while self.concepts.setdefault(variable, concept) != concept:
            if not self.split:
                raise GraphError(
                    f"node {name} has two concepts, {self.concepts[name]!r} and {concept!r}: give "
                    "the second node an id of its own, or read with split=True, which makes it a "
                    "second node as the CAMRP 2022 tool does",
                    argument="split",
                )
            copies += 1
            variable = f"{name}#{copies}"
        if antecedent:
            self.mentions.append((check_id(antecedent), line))
            first = self.antecedents.setdefault(variable, antecedent)
            if first != antecedent:
                raise GraphError(f"{name} refers to both {first} and {antecedent}: keep one")
        return variable

    def relate(self, source: str, role: str, target: str, rid: str = "", word: str = "") -> None:
        """Add a relation.

        Raises:
            GraphError: function words outside the sentence.
        """
        if rid:
            check_id(rid, "an id of function words")
            if self.sentence.length is not None:
                check_inside(rid, self.sentence.length)
        self.edges.append(Edge(source, role, target, rid, word))

    def graph(self, top: str, sentence_id: str, metadata: Mapping[str, str]) -> CamrGraph:
        """Return the graph; nodes are in depth-first order from the top along written relations.

        Raises:
            GraphError: a relation or coreference to a node that is never declared, circular
                coreference, or an anaphor without words.
        """
        for name, line in self.mentions:
            if name not in self.concepts:
                raise GraphError(
                    f"no node has the id {name}: declare it, or correct the id", line=line
                )
        self._resolve_anaphors()
        variables = self._walk(top)
        position = {variable: k for k, variable in enumerate(variables)}
        # Both file formats give one order: nodes depth first, and the relations of a node as they
        # are written. The walk follows relations as written, before inverse roles are normalised.
        edges = sorted(self.edges, key=lambda edge: position[edge.source])
        relations, arcs = [], []
        for source, role, target, rid, word in edges:
            inverse = deinvert_role(role)
            relations.append(
                Relation(source, role, target)
                if inverse is None
                else Relation(target, inverse, source)
            )
            arcs.append(Arc(rid, word, inverse is not None))
        length = self.sentence.length
        return CamrGraph(
            tuple(variables),
            tuple(self.concepts[variable] for variable in variables),
            tuple(sorted(self.attributes, key=lambda a: position[a.node])),
            tuple(relations),
            top,
            metadata,
            sentence_id=sentence_id,
            anchors=None
            if length is None
            else tuple(anchor(restore_id(variable), length) for variable in variables),
            arcs=tuple(arcs),
            coreferences=tuple(
                Coreference(v, self.antecedents[v]) for v in variables if v in self.antecedents
            ),
        )

    def _resolve_anaphors(self) -> None:
        """Give anaphors without words the concept of the node that they refer to."""
        check_acyclic(self.antecedents)  # so that each chain of anaphors ends at a concept
        for node in self.antecedents:
            end = node
            while not self.concepts[end]:
                end = self.antecedents[end]
            self.concepts[node] = self.concepts[end]

    def _walk(self, top: str) -> list[str]:
        """Walk the nodes depth first from the top, then from nodes that are not reached from it."""
        # On a stack the last entry comes first: the edges and the nodes are added in reverse.
        onward: dict[str, list[str]] = {variable: [] for variable in self.concepts}
        for edge in reversed(self.edges):
            onward[edge.source].append(edge.target)
        seen: dict[str, None] = {}
        waiting = [*reversed(self.concepts), top]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen[node] = None
                waiting += onward[node]
        return list(seen)


def anaphor_concept(name: str, sentence: Sentence) -> str:
    """Return the concept of an anaphor: the words of its id, or "" if it is implicit.

    Raises:
        GraphError: if the sentence's words are not known.
    """
    if not sentence.words:
        raise GraphError(
            f"{name} refers to another node, so its concept is its own words, which are not "
            "known: add the sentence's # ::wid line"
        )
    return join_words(name, sentence.words)


def restore_id(variable: str) -> str:
    """Return the id with which a variable was written.

    >>> restore_id("x6#2")
    'x6'
    """
    return variable.partition("#")[0]


def split_blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each block between blank lines, with the number of the first one.

    >>> list(split_blocks(["a", "b", "", "", "c"]))
    [(1, ['a', 'b']), (5, ['c'])]
    """
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


@contextmanager
def add_line(line: int) -> Iterator[None]:
    """Add the line to errors raised inside that have none."""
    try:
        yield
    except GraphError as error:
        raise GraphError(error.problem, line=error.line or line, argument=error.argument) from None


@contextmanager
def locate_errors(source: str, graph: int, line: int, sentence_id: str = "") -> Iterator[None]:
    """Add file, graph, line and sentence id to errors raised inside."""
    try:
        yield
    except GraphError as error:
        problem = f"sentence {sentence_id}: {error.problem}" if sentence_id else error.problem
        raise GraphError(
            problem,
            source=source,
            graph=graph,
            line=error.line or line,
            argument=error.argument,
        ) from None
