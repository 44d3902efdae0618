"""The alignment and the document level annotation of a sentence of a UMR file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from amr_metrics.errors import GraphError

KEYS = ("temporal", "modal", "coref")
RANGE = re.compile(r"(-?[0-9]+)\s*-\s*(-?[0-9]+)")
TOKEN = re.compile(r'[()]|"[^"]*"|:?[^\s():]+|:')
COMMENT = re.compile(r"(^|\s)#.*")
ADVICE = "an annotation is written (s1s0 / sentence :coref ((s1a :same-entity s2b)))"

Rows = Sequence[tuple[int, str]]  # lines with their numbers, counted from 1


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


@dataclass(frozen=True)
class SentenceParts:
    """What belongs to a sentence apart from its graph.

    Attributes:
        number: of ``# :: snt1``.
        header: the lines before the graph.
        alignment: the ranges of words of each variable, counted from 1, ends included; no ranges
            for a variable that is aligned to nothing (``0-0``).
        triples: the document level annotation.
    """

    number: int = 1
    header: str = ""
    alignment: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    triples: Sequence[DocumentTriple] = ()


def read_alignment(rows: Rows) -> dict[str, list[tuple[int, int]]]:
    """Read an alignment: a variable and ranges of words in each line.

    Raises:
        GraphError: a line of another form; it names the line.

    >>> read_alignment([(7, "s1b: 2-2, 4-5"), (8, "s1d: 0-0")])
    {'s1b': [(2, 2), (4, 5)], 's1d': []}
    """
    alignment: dict[str, list[tuple[int, int]]] = {}
    for line, text in rows:
        variable, colon, ranges = text.partition(":")
        if not colon or RANGE.sub("", ranges).strip(" ,\t"):
            raise GraphError(
                f"{text!r} is not an alignment: write a variable and ranges of words, as in "
                "s1b: 2-2, 4-5",
                line=line,
            )
        spans = [(int(first), int(last)) for first, last in RANGE.findall(ranges)]
        alignment.setdefault(variable.strip(), []).extend(s for s in spans if s[0] > 0)
    return alignment


def read_annotation(rows: Rows) -> tuple[DocumentTriple, ...]:
    """Read a document level annotation.

    Raises:
        GraphError: text of another form; it names the line.

    >>> rows = [(9, "(s1s0 / sentence"), (10, ":coref ((s1d :same-entity s2h)))")]
    >>> [str(triple) for triple in read_annotation(rows)]
    ['(s1d :same-entity s2h)']
    """
    return _Annotation(rows).triples() if rows else ()


class _Annotation:
    """The tokens of an annotation, read one by one."""

    def __init__(self, rows: Rows) -> None:
        self.tokens: list[tuple[int, str]] = [
            (line, token) for line, text in rows for token in TOKEN.findall(COMMENT.sub("", text))
        ]
        self.last_line = rows[-1][0]
        self.at = 0

    def triples(self) -> tuple[DocumentTriple, ...]:
        triples: list[DocumentTriple] = []
        self.expect("(", "")
        self.name("a variable")
        self.expect("/", "")
        self.name("a concept")
        seen: set[str] = set()
        while self.peek() != ")":
            key = self.role("a list such as :coref (...)")
            if key not in KEYS:
                self.fail(f":{key} is not one of {', '.join(f':{key}' for key in KEYS)}")
            self.expect("(", f" after :{key}")
            while self.peek() != ")":
                line = self.line
                self.expect("(", f" in the list of :{key}")
                source, relation, target = self.name("a node"), self.role(), self.name("a node")
                self.expect(")", f" after (...{target}")
                triples.append(DocumentTriple(key, source, relation, target, line, key in seen))
            self.at += 1
            seen.add(key)
        self.at += 1
        if self.at < len(self.tokens):
            self.fail(f"{self.peek()!r} follows the end: are the brackets right?")
        return tuple(triples)

    @property
    def line(self) -> int:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else self.last_line

    def peek(self) -> str:
        if self.at == len(self.tokens):
            self.fail("a bracket is not closed")
        return self.tokens[self.at][1]

    def expect(self, sign: str, where: str) -> None:
        if (token := self.peek()) != sign:
            self.fail(f"expected {sign!r}{where}, not {token!r}")
        self.at += 1

    def name(self, what: str) -> str:
        token = self.peek()
        if token in "()/" or token.startswith(":"):
            self.fail(f"expected {what}, not {token!r}")
        self.at += 1
        return token

    def role(self, what: str = "a relation such as :same-entity") -> str:
        token = self.peek()
        if not token.startswith(":") or token == ":":
            self.fail(f"expected {what}, not {token!r}")
        self.at += 1
        return token[1:]

    def fail(self, problem: str) -> NoReturn:
        raise GraphError(f"{problem}; {ADVICE}", line=self.line)
