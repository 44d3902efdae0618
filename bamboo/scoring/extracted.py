"""What is found when graphs are taken out of texts, and how it is described."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from amr_metrics.utils.text import format_count

Extract = Literal["first", "last"]


class Extracted(NamedTuple):
    """From how many texts graphs were taken.

    Attributes:
        texts: all of them.
        surrounded: those with other text around the graph.
        several: those with several graphs, none of which is a part of another one.
        reasoning, unfinished: those with reasoning, and those that end in it.
        mentions: those in which a graph was passed over that repeats a part of another one.
        extra: those with closing parentheses after the graph.
        cleaned: those with comments or Unicode blanks in the graph.
        escaped: those with escapes in labels, such as ``&quot;``.
        json: those that are JSON, and so no graph.
    """

    texts: int = 0
    surrounded: int = 0
    several: int = 0
    reasoning: int = 0
    unfinished: int = 0
    mentions: int = 0
    extra: int = 0
    cleaned: int = 0
    escaped: int = 0
    json: int = 0

    @classmethod
    def total(cls, parts: Iterable[Extracted]) -> Extracted:
        """Return the numbers of all parts."""
        return cls(*map(sum, zip(cls(), *parts, strict=True)))

    def describe(self, how: Extract | None) -> str:
        """Return the numbers as a sentence.

        >>> Extracted(200, 137, 1, reasoning=12, unfinished=2).describe("last")
        '137 of 200 texts have other text around the graph; 12 have reasoning, 2 of them without \
an end; 1 has several graphs, of which the last is scored'
        """
        of = f"of {format_count(self.texts, 'text')}"
        phrases = [f"{self.surrounded:,} {of} {_have(self.surrounded)} other text around the graph"]
        if self.reasoning:
            end = f", {self.unfinished:,} of them without an end" if self.unfinished else ""
            phrases.append(f"{self.reasoning:,} {_have(self.reasoning)} reasoning{end}")
        for count, what in (
            (self.several, f"several graphs, of which the {how} is scored"),
            (self.mentions, "a graph that repeats a part of another one, and is passed over"),
            (self.extra, "closing parentheses after the graph: one inside it may be misplaced"),
            (self.cleaned, "comments, Unicode blanks or quotation marks in the graph, left out"),
            (self.escaped, "labels with escapes such as &quot; or \\n: unescape the texts first"),
            (self.json, "JSON in place of a graph: choose a field in it"),
        ):
            if count:
                phrases.append(f"{count:,} {_have(count)} {what}")
        return "; ".join(phrases)


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


class Extraction(NamedTuple):
    """The graph of a text.

    Attributes:
        chosen: its text, also if it is malformed; None without a graph.
        problem: why there is no graph, or why it is malformed.
        counts: what there is to say about the text.
        line: the line on which it begins.
        comments: what precedes it: comment lines, and the ends of all lines.
    """

    chosen: str | None
    problem: str | None
    counts: Extracted
    line: int | None = None
    comments: str = ""

    @property
    def graph(self) -> str | None:
        """The graph, unless it is malformed; its labels and roles are not checked."""
        return self.chosen if self.problem is None else None
