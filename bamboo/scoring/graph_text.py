"""Graphs in a text with other text around them: where one ends, and what it contains.

Graphs are not parsed here: what is well-formed may still be no graph for penman. The time is linear
in the length of the text: all repetitions in the regular expressions are possessive or bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from amr_metrics.utils.text import format_count

COMMENT = r"^[^\S\n]*+#.*"
STRING = r'"(?:[^"\\\n]|\\.)*+"?+'  # one without an end reaches to the end of its line
GAP = r"[^\S\n]*+\n?[^\S\n]*+"  # blanks without an empty line
VARIABLE = r"[^\W\d_][\w.-]*+"
ROLE = r":[A-Za-z][\w-]*+(?:~[\w.,]++)?"
START = rf"\({GAP}{VARIABLE}{GAP}/"
# Empty lines, and whether text follows that does not continue a graph.
PARAGRAPH = r"\n(?:[^\S\n]*+\n)++(?P<paragraph>(?=[^\s:)#]))?"
# What may begin a graph in prose; `start` is also what a graph cut off at the end of a text has.
PROSE = re.compile(
    rf"{COMMENT}|(?:(?P<role>{ROLE}\s*+)|(?<![A-Za-z0-9_]))"
    rf"(?P<start>{START}|\({GAP}(?:{VARIABLE}\s*+)?\Z)|[()]|{PARAGRAPH}",
    re.MULTILINE,
)
# `next`: an unindented line begins with a graph, possibly after a label such as "Final:", and no
# role before it.
TOKEN = re.compile(
    rf"{COMMENT}|{STRING}|[()]|(?P<role>{ROLE})(?:{GAP}(?=\())?|{PARAGRAPH}"
    rf"|(?P<next>\n(?=(?:[^\s:()\"#][^\n:：()\"]{{0,40}}+[:：][*_`' ]*+)?{START}))"
    r"|\n(?P<indent>[^\S\n]*+)(?=:)",
    re.MULTILINE,
)
CLOSING = re.compile(rf'[\s)]*+(?P<role>{ROLE}\s++[\w("+-])?')
PART = re.compile(
    rf"\(\s*+(?P<variable>{VARIABLE})\s*+/\s*+(?P<concept>{STRING}|[^\s()\":~]*+)|[()]|{STRING}"
    rf"|(?P<role>{ROLE})(?:\s++(?P<target>{VARIABLE})(?=[\s)]))?"
)
LEFT_OUT = re.compile(rf"(?P<string>{STRING})|{COMMENT}|[^\S \t\r\n\v\f]", re.MULTILINE)
QUOTED = re.compile(r"[ \t]*+>")
# In labels; a quotation mark that stands for the delimiter of a string follows a blank.
ESCAPED = re.compile(r"&(?:quot|amp|apos|lt|gt|#\w{1,6});|\s[“”„«]|\\n")
OTHER = re.compile(r"^[^\S\n]*+[^\s#]", re.MULTILINE)  # text that is no comment
NO_COMMENT = re.compile(r"^(?![^\S\n]*+#).*", re.MULTILINE)

NO_ROOT = "the graph has no root: expected a parenthesis, a variable and a slash"
EXTRA = "there is a closing parenthesis too many inside the graph"


@dataclass
class GraphText:
    """A graph in a text, which may be malformed.

    Attributes:
        text: what it consists of.
        begin: its position.
        has_roles: whether there is a role in it.
        has_extra: whether more parentheses are closed after it than were open before it.
        problem: why it is malformed.
    """

    text: str
    begin: int
    has_roles: bool = False
    has_extra: bool = False
    problem: str | None = None

    @property
    def end(self) -> int:
        """The position after it."""
        return self.begin + len(self.text)

    @property
    def is_node(self) -> bool:
        """Whether it is well-formed and has no roles."""
        return not self.has_roles and self.problem is None

    @property
    def is_rootless(self) -> bool:
        """Whether its first parenthesis lacks a variable and a slash."""
        return re.match(START, self.text) is None

    @cached_property
    def parts(self) -> tuple[dict[tuple[str, str], None], set[tuple[str, str, str]]]:
        """Its nodes, the root first, as variable and concept, and edges from node to value."""
        nodes: dict[tuple[str, str], None] = {}
        edges, path, role = set(), [""], ""  # the path consists of the variables down to a node
        for part in PART.finditer(self.text):
            role = part["role"] or role
            if (target := part["variable"] or part["target"]) and path[-1]:
                edges.add((path[-1], role, target))
            if part["variable"]:
                nodes[part["variable"], part["concept"]] = None
            if part[0].startswith("("):
                path.append(part["variable"] or "")
            elif part[0] == ")" and len(path) > 1:
                path.pop()
        return nodes, edges

    def is_part_of(self, whole: GraphText) -> bool:
        """Check that it repeats a part of another graph: not all nodes, and another root."""
        (nodes, edges), (all_nodes, all_edges) = self.parts, whole.parts
        if not nodes.keys() <= all_nodes.keys():
            return False
        if self.is_rootless:
            return True
        is_smaller = len(nodes) < len(all_nodes) and edges <= all_edges
        return is_smaller and (self.is_node or next(iter(nodes)) != next(iter(all_nodes)))


def read_graph(text: str, begin: int, limit: int, enclosing: int = 0) -> GraphText:
    """Read a graph up to its end; without an end, up to the next paragraph or graph.

    Args:
        begin: the position of its first parenthesis.
        limit: where it ends at the latest.
        enclosing: how many parentheses are open before it.

    >>> read_graph("So (c / cat :mod (b / big)) is it", 3, 33).text
    '(c / cat :mod (b / big))'
    """
    depth, end, problem = 0, limit, None
    has_roles = has_extra = False
    lines: list[tuple[int, int]] = []  # indentation and depth
    for token in TOKEN.finditer(text, begin, limit):
        if token["paragraph"] is not None or token["next"] is not None:
            end = token.start()
            break
        if token["indent"] is not None:
            lines.append((len(token["indent"]), depth))
        has_roles = has_roles or token["role"] is not None
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        is_end = token[0] == ")" and depth == 0 and problem is None
        if is_end and (closing := CLOSING.match(text, token.end(), limit)):
            has_extra = closing[0].count(")") > enclosing
            if closing["role"] is None and not (has_extra and _contradicts(lines)):
                end = token.end()
                break
            problem = EXTRA  # what follows belongs to the graph
    if depth > 0 and problem is None:
        is_open = format_count(depth, "parenthesis is", "parentheses are")
        problem = f"the graph has no end: {is_open} not closed"
    graph = GraphText(text[begin:end].rstrip(), begin, has_roles, has_extra, problem)
    if graph.is_rootless and problem is None:
        graph.problem = NO_ROOT
    return graph


def clean(graph: str) -> str:
    r"""Replace comment lines and Unicode blanks, except for those in strings, by blanks.

    The marks of a quotation are left out if all lines but the first begin with them.

    >>> clean('(c / cat\n# big\n :mod\u00a0(b / "b\u00a0g"))'), clean("(c / cat\n> :mod (b / big))")
    ('(c / cat\n \n :mod (b / "b\xa0g"))', '(c / cat\n :mod (b / big))')
    """
    first, *lines = graph.split("\n")
    if lines and all(map(QUOTED.match, lines)):
        graph = "\n".join([first, *(QUOTED.sub("", line, 1) for line in lines)])
    return LEFT_OUT.sub(lambda part: part["string"] or " ", graph)


def _contradicts(lines: Sequence[tuple[int, int]]) -> bool:
    """Check that the indentation of lines gives another graph than their depth in parentheses."""
    if len({indent for indent, _ in lines}) < 2:  # they are not indented
        return False
    outer: list[tuple[int, int]] = []
    for indent, depth in lines:
        while outer and outer[-1][0] > indent:
            outer.pop()
        if outer and (depth <= outer[-1][1] if indent > outer[-1][0] else depth != outer[-1][1]):
            return True
        outer.append((indent, depth))
    return False
