"""The alignment and the document level annotation of a sentence of a UMR file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Graph

KEYS = ("temporal", "modal", "coref")
RANGE = re.compile(r"(-?[0-9]+)\s*-\s*(-?[0-9]+)")
TOKEN = re.compile(r'[()/]|"[^"]*"|:?[^\s():/]+|:')
COMMENT = re.compile(r"(^|\s)#.*")
NAME = r"[^()/:].*", "a node"
ROLE = r":.+"
ADVICE = "an annotation is written (s1s0 / sentence :coref ((s1a :same-entity s2b)))"

NumberedLines = Sequence[tuple[int, str]]  # lines with their numbers, counted from 1


class DocumentTriple(NamedTuple):
    """``(source :relation target)`` in the list of a key, such as ``:coref``.

    Attributes:
        key: ``temporal``, ``modal`` or ``coref``.
        source, target: variables of any sentence, or constants such as ``author``.
        relation: without the colon.
        line: its line in the file, counted from 1.
        repeated: whether the annotation has an earlier list of the same key.
    """

    key: str
    source: str
    relation: str
    target: str
    line: int = 0
    repeated: bool = False

    def __str__(self) -> str:
        return f"({self.source} :{self.relation} {self.target})"


class Dropped(NamedTuple):
    """What is left out of a sentence because it cannot be read.

    Attributes:
        nodes: the number of nodes of its graph.
        relations: the number of relations of its annotation.
        ranges: lines of its alignment with a range that holds no word, such as ``2-1``, with their
            numbers.
    """

    nodes: int = 0
    relations: int = 0
    ranges: NumberedLines = ()


NOTHING = Dropped()


@dataclass(frozen=True)
class UmrSentence:
    """A sentence of a UMR file.

    Attributes:
        number: of ``# :: snt1``.
        graph: its graph, which may be empty.
        alignment: the ranges of words of each variable, counted from 1, ends included; no ranges
            for a variable that is aligned to nothing (``0-0``).
        triples: its document level annotation.
        header: the lines before the graph.
        dropped: what is left out because it cannot be read.
    """

    number: int
    graph: Graph
    alignment: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    triples: Sequence[DocumentTriple] = ()
    header: str = ""
    dropped: Dropped = NOTHING

    @property
    def words(self) -> Sequence[str]:
        """The words, of the line ``Words:``; empty without one."""
        return self.graph.sentence.split()


def read_alignment(
    rows: NumberedLines,
) -> tuple[dict[str, list[tuple[int, int]]], list[tuple[int, str]]]:
    """Read an alignment: a variable and ranges of words in each line, and possibly a comment.

    Returns:
        the ranges, without those that hold no word; and the lines that have such a range, other
        than ``0-0`` and ``-1--1``, which stand for no words.

    Raises:
        GraphError: a line of another form; it names the line.

    >>> read_alignment([(7, "s1b: 2-2, 4-5 # barks"), (8, "s1d: 0-0"), (9, "s1c: 3-1")])
    ({'s1b': [(2, 2), (4, 5)], 's1d': [], 's1c': []}, [(9, 's1c: 3-1')])
    """
    alignment: dict[str, list[tuple[int, int]]] = {}
    without_words = []
    for line, row in rows:
        text = COMMENT.sub("", row).rstrip()
        variable, colon, ranges = text.partition(":")
        if not colon or RANGE.sub("", ranges).strip(" ,\t"):
            raise GraphError(
                f"{text!r} is not an alignment: write a variable and ranges of words, as in "
                "s1b: 2-2, 4-5",
                line=line,
            )
        spans = [(int(first), int(last)) for first, last in RANGE.findall(ranges)]
        valid = [(first, last) for first, last in spans if 0 < first <= last]
        alignment.setdefault(variable.strip(), []).extend(valid)
        if {*spans} - {*valid, (0, 0), (-1, -1)}:
            without_words.append((line, text))
    return alignment, without_words


def read_annotation(
    rows: NumberedLines,
) -> tuple[tuple[DocumentTriple, ...], int, GraphError | None]:
    """Read a document level annotation up to its first fault.

    Returns:
        the relations before the fault, the number of relations after it, and the fault, with its
        line; None if there is none.

    >>> rows = [(9, "(s1s0 / sentence :coref ((s1d :same-entity s2h)"), (10, "(s1d :same-event)))")]
    >>> triples, dropped, fault = read_annotation(rows)
    >>> [str(triple) for triple in triples], dropped, fault.line
    (['(s1d :same-entity s2h)'], 1, 10)
    """
    if not rows:
        return (), 0, None
    annotation = _Annotation(rows)
    fault = None
    try:
        annotation.read()
    except GraphError as error:
        fault = error
    triples = tuple(annotation.triples)
    return triples, annotation.count_relations() - len(triples) if fault else 0, fault


class _Annotation:
    """The tokens of an annotation, read one by one."""

    def __init__(self, rows: NumberedLines) -> None:
        self.tokens: list[tuple[int, str]] = [
            (line, token) for line, text in rows for token in TOKEN.findall(COMMENT.sub("", text))
        ]
        self.tokens.append((rows[-1][0], ""))  # the end
        self.at = 0
        self.triples: list[DocumentTriple] = []

    def count_relations(self) -> int:
        """Count all relations: a bracket, a name and a role."""
        tokens = [token for _, token in self.tokens]
        return sum(
            bracket == "(" and name not in ("(", ")") and role.startswith(":")
            for bracket, name, role in zip(tokens, tokens[1:], tokens[2:], strict=False)
        )

    def read(self) -> None:
        """Read the relations.

        Raises:
            GraphError: text of another form.
        """
        seen: set[str] = set()
        for form, expected in ((r"\(", "'('"), NAME, ("/", "'/'"), NAME):
            self.next(form, expected)
        while not self.skip_closing():
            key = self.next(ROLE, "a list such as :coref (...)")[1:]
            if key not in KEYS:
                self.fail(
                    f":{key} is not one of {', '.join(f':{key}' for key in KEYS)}", self.at - 1
                )
            self.next(r"\(", f"'(' after :{key}")
            while not self.skip_closing():
                self.next(r"\(", f"'(' in the list of :{key}")
                line = self.tokens[self.at - 1][0]
                source = self.next(*NAME)
                relation = self.next(ROLE, "a relation such as :same-entity")[1:]
                target = self.next(*NAME)
                self.next(r"\)", f"')' after (...{target}")
                self.triples.append(
                    DocumentTriple(key, source, relation, target, line, key in seen)
                )
            seen.add(key)
        if self.tokens[self.at][1]:
            self.fail(
                f"{self.tokens[self.at][1]!r} follows the end: are the brackets right?", self.at
            )

    def skip_closing(self) -> bool:
        """Skip the next token if it closes a bracket; returns whether it does."""
        closes = self.tokens[self.at][1] == ")"
        self.at += closes
        return closes

    def next(self, form: str, expected: str) -> str:
        """Return the next token, which has to have some form."""
        token = self.tokens[self.at][1]
        if not re.fullmatch(form, token):
            problem = f"expected {expected}, not {token!r}" if token else "a bracket is not closed"
            self.fail(problem, self.at)
        self.at += 1
        return token

    def fail(self, problem: str, at: int) -> NoReturn:
        raise GraphError(f"{problem}; {ADVICE}", line=self.tokens[at][0])
