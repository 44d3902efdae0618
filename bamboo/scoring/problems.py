"""Pairs that could not be read or scored: the reasons, how they are counted, and warnings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from amr_metrics.errors import GraphError, MetricError, PairError
from amr_metrics.errors import OnError as OnError  # also imported from here
from amr_metrics.utils.text import format_count

CountedAs = Literal["missing", "empty"]
SHOWN = 60  # characters of a text that a message shows


class Problem(NamedTuple):
    """Why a pair could not be read or scored.

    Attributes:
        reason: a description of the problem.
        file, graph, line: the position, if one graph causes the problem: graphs are counted from
            0, lines from 1.
        counted_as: ``missing``: the pair is left out of every score; ``empty``: it counts as if
            the first graph, the parse, were empty.

    >>> str(Problem("a node without a concept", "parser.amr", 3, 17))
    'parser.amr, graph 3, line 17: a node without a concept'
    """

    reason: str
    file: str | None = None
    graph: int | None = None
    line: int | None = None
    counted_as: CountedAs = "missing"

    @classmethod
    def of(cls, error: MetricError) -> Problem:
        """Return the problem that an error reports; the number of a pair is left out."""
        if isinstance(error, GraphError):
            return cls(error.problem, error.source, error.graph, error.line)
        reason = error.problem if isinstance(error, PairError) else str(error)
        return cls(reason)

    def __str__(self) -> str:
        return str(GraphError(self.reason, source=self.file, graph=self.graph, line=self.line))

    def to_json(self) -> dict[str, Any]:
        """Return file, line, reason, and how the pair is counted."""
        return {
            "file": self.file,
            "line": self.line,
            "reason": self.reason,
            "counted_as": self.counted_as,
        }


Problems = Mapping[int, Problem]


def merge_problems(unread: Problems, unscored: Problems) -> dict[int, Problem]:
    """Merge problems of reading and scoring; for a pair with both, the problem of reading."""
    problems = {**unread, **unscored}
    for k in unread.keys() & unscored.keys():
        problems[k] = unread[k]._replace(counted_as=unscored[k].counted_as)
    return dict(sorted(problems.items()))


def count(problems: Problems, counted_as: CountedAs) -> int:
    """Return the number of pairs that are counted this way."""
    return sum(problem.counted_as == counted_as for problem in problems.values())


def summary(problems: Problems, pairs: int, on_error: OnError) -> list[str]:
    """Return warnings about the problems of a parser's pairs, one sentence each.

    Args:
        pairs: the number of all pairs, including those with a problem.

    >>> broken = {1: Problem("no end", "gold.amr", 1, 7), 2: Problem("", counted_as="empty")}
    >>> for text in summary(broken, 3, "zero"):
    ...     print(text.partition(";")[0])
    1 of 3 pairs is missing and left out of every score (gold.amr, graph 1, line 7: no end)
    1 of 3 pairs counts as an empty parse and scores 0
    """
    missing, empty = count(problems, "missing"), count(problems, "empty")
    sentences = []
    if missing:
        first = next(p for p in problems.values() if p.counted_as == "missing")
        text = (
            f"{missing} of {format_count(pairs, 'pair')} {'is' if missing == 1 else 'are'} missing "
            "and "
            f"left out of every score ({'' if missing == 1 else 'the first: '}{first})"
        )
        if on_error == "zero":
            text += (
                "; on_error=zero cannot count such a pair as an empty parse, because its gold "
                "graph or the metric's counts for it are unknown"
            )
        else:
            text += (
                "; a parse that cannot be read therefore does not lower its parser's score, unless "
                "it counts as empty (on_error=zero)"
            )
        sentences.append(text)
    if empty:
        are = (
            "counts as an empty parse and scores"
            if empty == 1
            else "count as empty parses and score"
        )
        sentences.append(
            f"{empty} of {format_count(pairs, 'pair')} {are} 0; in corpus scores, the gold graphs "
            "of "
            "such pairs count in full, which lowers recall but not precision"
        )
    return sentences


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
