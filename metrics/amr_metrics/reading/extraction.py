"""Take the first graph out of a text with other text around it, as language models write it."""

from __future__ import annotations

import re
from typing import NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.utils.text import format_count, split_lines

COMMENT = r"^[ \t]*#.*"
START = re.compile(rf'{COMMENT}|(\(\s*+[^\W\d_][^\s()/:"]*+\s*+/)', re.MULTILINE)
# A string without an end reaches to the end of its line: penman refuses it. All parts are
# possessive, so that the time is linear in the length of the text.
TOKEN = re.compile(rf'{COMMENT}|"(?:[^"\\\n]|\\.)*+\\?"?|[()]', re.MULTILINE)
NO_COMMENT = re.compile(r"^(?![ \t]*#).*", re.MULTILINE)
SHOWN = 60  # characters of a text that a message shows


class Extraction(NamedTuple):
    """The first graph in a text.

    Attributes:
        text: the graph, with the comments before it, in the lines in which the whole text has them.
        is_surrounded: whether there is other text around the graph; comments are none.
        has_several: whether another graph follows.
    """

    text: str
    is_surrounded: bool
    has_several: bool


def extract_first(text: str) -> Extraction:
    r"""Find the first graph in a text, and drop what stands before and after it.

    A graph starts with a parenthesis, a variable and a slash, and ends where its parentheses are
    closed; those in strings and comments do not count. Nothing is repaired.

    Raises:
        GraphError: there is no graph, or it has no end.

    >>> extract_first("Here it is:\n```\n(c / cat)\n```\n")
    Extraction(text='\n\n(c / cat)', is_surrounded=True, has_several=False)
    """
    begin = _find_start(text, 0)
    if begin is None:
        raise GraphError(describe_no_graph(text))
    end = _find_end(text, begin)
    before, after = text[:begin], text[end:]
    is_surrounded = any(map(_is_other, [*split_lines(before), *split_lines(after)]))
    has_several = _find_start(text, end) is not None
    return Extraction(NO_COMMENT.sub("", before) + text[begin:end], is_surrounded, has_several)


def describe_no_graph(text: str) -> str:
    """Say that a text contains no graph, and show how it begins.

    >>> describe_no_graph("I cannot parse this."), describe_no_graph(" ")
    ("there is no graph in 'I cannot parse this.'", 'there is no graph: the text is empty')
    """
    begin = text[: 2 * SHOWN].strip()
    if not begin and not text.strip():
        return "there is no graph: the text is empty"
    excerpt = begin if len(begin) <= SHOWN and len(text) <= 2 * SHOWN else f"{begin[:SHOWN]}..."
    return f"there is no graph in {excerpt!r}"


def _find_start(text: str, position: int) -> int | None:
    """Return where the first graph from a position on starts; None without one."""
    starts = (match.start(1) for match in START.finditer(text, position) if match[1])
    return next(starts, None)


def _find_end(text: str, begin: int) -> int:
    """Return where a graph ends.

    Raises:
        GraphError: it does not.
    """
    depth = 0
    for match in TOKEN.finditer(text, begin):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth and match[0] == ")":
            return match.end()
    line = text.count("\n", 0, begin) + 1
    are = "is" if depth == 1 else "are"
    raise GraphError(
        f"the first graph has no end: {format_count(depth, 'parenthesis', 'parentheses')} {are} "
        "not "
        "closed",
        line=line,
    )


def _is_other(line: str) -> bool:
    """Check that a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")
