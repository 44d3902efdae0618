"""Read the text form of Chinese AMR.

A sentence is a block of metadata lines, graph lines and a blank line. A relation is written
``:role()``, or ``:role(x3/对)`` with the function words it is aligned to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple, NoReturn

from amr_metrics.camr.draft import (
    Draft,
    Sentence,
    add_line,
    anaphor_concept,
    locate_errors,
    split_blocks,
)
from amr_metrics.camr.graph import CamrGraph
from amr_metrics.camr.ids import OP, check_id, check_visible, full_width_hint, is_id
from amr_metrics.errors import GraphError
from amr_metrics.graphs.comments import SENTENCE_KEYS
from amr_metrics.graphs.graph import Attribute
from amr_metrics.utils.text import split_lines

TOKEN = re.compile(r'(?P<quoted>"[^"]*")|(?P<sign>[()/])|(?P<role>:[^\s()/:"]*)|[^\s()/:"]+')
ROLE = re.compile(r":[A-Za-z][A-Za-z0-9-]*")
ID_PREFIX = "export_amr."
PLAIN_METADATA = (*SENTENCE_KEYS, "wid")


class Token(NamedTuple):
    """A piece of a graph line; `attached`: no space precedes it."""

    text: str
    kind: str
    line: int
    attached: bool

    @property
    def content(self) -> str:
        """The text without quotes."""
        return self.text[1:-1] if self.kind == "quoted" else self.text


def parse_text(
    text: str,
    source: str = "<text>",
    lengths: Mapping[str, Sentence] | None = None,
    split: bool = False,
) -> list[CamrGraph]:
    """Read all graphs in a string, in order.

    Args:
        text: blocks of metadata and graph lines, separated by blank lines.
        source: the name of the text in error messages.
        lengths: the sentences' lengths by id; they take precedence over ``# ::wid``.
        split: read an id with two concepts as two nodes (else it is an error).

    Raises:
        GraphError: naming `source`, the graph's position, the line and the sentence's id.

    >>> graph, = parse_text('''# ::id export_amr.1 ::2024-01-01 00:00:00
    ... # ::wid x1_他 x2_对 x3_她 x4_说
    ... (x4 / 说-01 :arg0() (x1 / 他) :arg2(x2/对) (x3 / 她))''')
    >>> graph.anchors, graph.arcs[1].rid
    (('4', '1', '3'), 'x2')
    """
    graphs: list[CamrGraph] = []
    for number, lines in _list_graph_blocks(text):
        comments = list(takewhile(lambda line: line.startswith("#"), lines))
        metadata = _parse_metadata(comments)
        sentence_id = metadata.get("id", "").removeprefix(ID_PREFIX)
        with locate_errors(source, len(graphs), number, sentence_id):
            for at, line in enumerate(lines, number):
                with add_line(at):
                    check_visible(line)
            sentence = read_sentence(metadata)
            if lengths is not None:
                sentence = sentence.measured(sentence_id, lengths)
            tokens = list(_split_tokens(lines, number))
            draft = Draft(sentence, split)
            top = _Parser(tokens, draft, number).graph()
            graphs.append(draft.graph(top, sentence_id, metadata))
    if not graphs:
        raise GraphError("contains no graph: is it the right file?", source=source)
    return graphs


def text_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines of each graph as one string, with the number of the first line."""
    return ((number, "\n".join(lines)) for number, lines in _list_graph_blocks(text))


def _list_graph_blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks that contain, or should contain, a graph: all except comments."""
    for number, block in split_blocks(split_lines(text)):
        lines = [line.strip() for line in block]
        if not all(line.startswith("#") and "::id" not in line for line in lines):
            yield number, lines


def _parse_metadata(comments: Sequence[str]) -> dict[str, str]:
    """Return the ``::key value`` parts; a sentence, or its words, extend to the end of the line."""
    metadata = {}
    for comment in comments:
        body = comment.lstrip("# ")
        if not body.startswith("::"):
            continue
        rest = body[2:]
        while rest:
            part, _, following = rest.partition(" ::")
            key, _, value = part.partition(" ")
            if key in PLAIN_METADATA:
                value, following = rest[len(key) :], ""
            metadata[key] = value.strip()
            rest = following
    return metadata


def read_sentence(metadata: Mapping[str, str]) -> Sentence:
    """Return the sentence's words, from ``# ::wid`` or else ``# ::snt``.

    Raises:
        GraphError: a malformed ``# ::wid``.
    """
    words: dict[int, str] = {}
    for item in metadata.get("wid", "").split():
        number, joined, word = item.partition("_")
        if not joined or not re.fullmatch(r"x[0-9]{1,9}", number):
            raise GraphError(
                f"{item!r} in # ::wid is not x1_word, x2_word ...{full_width_hint(number)}"
            )
        if word:
            words[int(number[1:])] = word
    if "wid" not in metadata:
        words = dict(enumerate(metadata.get("snt", "").split(), 1))
    return Sentence(max(words), words) if words else Sentence()


def _split_tokens(lines: Sequence[str], first: int) -> Iterator[Token]:
    started = False
    for number, line in enumerate(lines, first):
        if line.startswith("#"):
            if started:
                raise GraphError(
                    "metadata in the middle of a graph: put a blank line between two sentences",
                    line=number,
                )
            continue
        started, end = True, 0
        for match in TOKEN.finditer(line):
            # Only a quotation mark without its twin matches no token: the line ends before it.
            if line[end : match.start()].strip():
                break
            text = match.group()
            kind = match.lastgroup or "atom"
            yield Token(text, kind, number, match.start() == end and end > 0)
            end = match.end()
        if rest := line[end:].strip():
            raise GraphError(f"a quotation mark in {rest!r} is not closed", line=number)


class _Parser:
    """One pass over the tokens of a block, with the open nodes on a stack."""

    def __init__(self, tokens: Sequence[Token], draft: Draft, line: int) -> None:
        self.tokens, self.draft, self.at = tokens, draft, 0
        self.last_line = tokens[-1].line if tokens else line

    def graph(self) -> str:
        """Read the block's only graph, and return its top."""
        if not self.tokens:
            raise GraphError("has no graph: write one, or delete its lines")
        self.sign("(", "a graph starts with a parenthesis")
        top = self.open_node()
        open_nodes = [top]
        while open_nodes:
            token = self.next("a closing parenthesis or a relation")
            if token.text == ")" and token.kind == "sign":
                open_nodes.pop()
            elif token.kind == "role":
                child = self.relation(open_nodes[-1], token)
                if child:
                    open_nodes.append(child)
            else:
                self.unexpected(
                    token,
                    "a relation or a closing parenthesis",
                    "write a relation as :role(), and quote a concept that contains : / ( ) or "
                    "spaces",
                )
        if self.at < len(self.tokens):
            self.fail(
                self.tokens[self.at],
                "follows the end of the graph: check the parentheses, and put a blank line "
                "between two sentences",
            )
        return top

    def relation(self, node: str, role: Token) -> str:
        """Read the target of a role, and return the node it opens, or ""."""
        if not ROLE.fullmatch(role.text):
            self.fail(role, "is not a role: quote a concept that contains : / ( )")
        rid, word = self.function_words(role)
        target = self.next(f"the target of {role.text}")
        if target.text == "(" and target.kind == "sign":
            child = self.open_node()
            with add_line(target.line):
                self.draft.relate(node, role.text, child, rid, word)
            return child
        if target.kind in ("sign", "role"):
            hint = f" (if ({rid}/{word}) is a node, write {role.text}() before it)" if word else ""
            self.fail(target, f"follows {role.text}, which has no target{hint}")
        constant = target.content
        if target.kind == "atom" and self.peek("/"):
            if not OP.fullmatch(role.text):
                self.fail(
                    target,
                    "with a slash is allowed only for the strings of a name: write a node as "
                    f"({constant} / concept)",
                )
            self.at += 1
            constant = self.word("the string of a name")
        elif target.kind == "atom" and is_id(constant):
            self.draft.mentions.append((constant, target.line))
            with add_line(target.line):
                self.draft.relate(node, role.text, constant, rid, word)
            return ""
        if rid:
            self.fail(target, f"is a constant: {role.text} cannot be aligned to {word}")
        self.draft.attributes.append(Attribute(node, role.text, constant))
        return ""

    def function_words(self, role: Token) -> tuple[str, str]:
        """Read ``()`` or ``(x3/对)`` after a role, if present."""
        # With a space, ``:arg0 (x1 / 他)`` is a relation to a node; without, ``:arg0(x3/对)`` has
        # function words.
        following = self.tokens[self.at : self.at + 2]
        texts = [token.text for token in following if token.kind == "sign"]
        if texts == ["(", ")"]:
            self.at += 2
        elif following and texts[:1] == ["("] and following[0].attached:
            self.at += 1
            rid = self.id("an id of function words").text
            self.sign("/", f"function words are written {role.text}(x3/对)")
            word = self.word("the function words")
            self.sign(")", f"function words are written {role.text}(x3/对)")
            return rid, word
        return "", ""

    def open_node(self) -> str:
        """Read ``x1 / concept`` after a parenthesis, and return the variable."""
        name = self.id("a node id")
        self.sign("/", "a node is written (x1 / concept)")
        concept = self.next(f"the concept of {name.text}")
        if concept.kind in ("sign", "role") or not concept.content:
            self.unexpected(concept, f"the concept of {name.text}")
        with add_line(name.line):
            if concept.kind == "atom" and is_id(concept.text):
                words = anaphor_concept(name.text, self.draft.sentence)
                return self.draft.node(name.text, words, name.line, concept.text)
            return self.draft.node(name.text, concept.content, name.line)

    def id(self, what: str) -> Token:
        token = self.next(what)
        with add_line(token.line):
            check_id(token.text, what)
        return token

    def word(self, what: str) -> str:
        token = self.next(what)
        if token.kind in ("sign", "role") or not token.content:
            self.unexpected(token, what)
        return token.content

    def peek(self, sign: str) -> bool:
        return self.tokens[self.at : self.at + 1] != [] and self.tokens[self.at].text == sign

    def sign(self, sign: str, rule: str) -> None:
        token = self.next(repr(sign))
        if token.kind != "sign" or token.text != sign:
            self.unexpected(token, repr(sign), rule)

    def next(self, what: str) -> Token:
        if self.at == len(self.tokens):
            raise GraphError(
                f"the graph ends where {what} was expected: check its parentheses",
                line=self.last_line,
            )
        self.at += 1
        return self.tokens[self.at - 1]

    def unexpected(self, token: Token, expected: str, rule: str = "") -> NoReturn:
        """Raise an error at a token that is not the expected one."""
        hint = f": {rule}" if rule else ""
        problem = f"expected {expected}, not {token.text!r}{hint}{full_width_hint(token.text)}"
        raise GraphError(problem, line=token.line)

    def fail(self, token: Token, problem: str) -> NoReturn:
        """Raise an error that starts with a token."""
        raise GraphError(f"{token.text!r} {problem}{full_width_hint(token.text)}", line=token.line)
