"""Find the graph in a text, such as the answer of a language model.

1. Reasoning is never the answer.
2. The answer is in the last tag such as ``<amr>``, else in the last code fence, else anywhere.
3. A graph begins with a parenthesis, a variable and a slash, and ends where its parentheses close.
4. Graphs that stand by themselves are preferred to those in running text.
5. The last of these is the answer, whether or not it can be read, unless it repeats a part of
   another one. With ``first``, it is the first, in the first tag or fence.
6. In the graph, comment lines are dropped, and Unicode blanks are blanks.

The time is linear in the length of the text: see `bamboo.scoring.graph_text`, `NEAR`, `COMPARED`.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from amr_metrics.graphs.notation import LEVELS
from bamboo.scoring import graph_text
from bamboo.scoring.extracted import Extract, Extracted, Extraction
from bamboo.scoring.graph_text import ROLE, STRING, GraphText
from bamboo.scoring.problems import describe_no_graph

NEAR = 40  # characters before and after a graph that show whether it stands by itself
COMPARED = 50  # graphs before, and after, of which a graph may be a part

# What looks like a tag in the string of a role, or between two quotes or backticks, is none.
TAG = rf"{ROLE}\s++{STRING}|([\"'`])</?\w++>\1|<(?P<slash>/?)(?P<name>NAMES)(?:\s[^<>]*+)?>"
THOUGHT = re.compile(
    TAG.replace("NAMES", "think|thinking|thought|reasoning|reflection|scratchpad|analysis")
    + r"|<\|channel\|>\s*+(?P<channel>\w++)[^<]*+(?:<\|message\|>)?",
    re.IGNORECASE,
)
MARK = re.compile(
    TAG.replace("NAMES", "amr|answer|graph|output|final|final_answer|result")
    + r"|(?P<fence>`{3,}+|^[^\S\n]*+~{3,}+)",
    re.IGNORECASE | re.MULTILINE,
)
# The line before a graph that stands by itself, and the rest of one that goes on or explains it.
BY_ITSELF = re.compile(
    r"""(?:[\s>*+•–-]*(?:\d+[.)])?|.*(?:[:：`|]|<(?:code|pre|td|p|li)>))["'*_`\s]*""", re.IGNORECASE
)
GOES_ON = re.compile(r"(?:[^\w(<]|<[^<>]*+>)*+[\w(]")
GLOSS = re.compile(r"[^\w\s(:：=→–—-]*+\s*+(?:[:：]\s|[=→–—-])[\s>=-]*+\S")
LANGUAGE = re.compile(r"\w++\s*+")  # of a fence

CUT = "the text ends where a graph is expected"
IS_JSON = "the text is JSON, or a string with escapes, not a graph"


class Region(NamedTuple):
    """A part of a text in one tag and one fence, which are numbered; 0 outside."""

    begin: int
    end: int
    tag: int
    fence: int


class Candidate(NamedTuple):
    """A graph that may be the answer.

    Attributes:
        is_alone: whether its line has at most a label before it, and only marks after it.
        stands: whether it stands by itself.
    """

    graph: GraphText
    region: Region
    is_alone: bool
    stands: bool


def extract_graph(text: str, how: Extract) -> Extraction:
    r"""Find the graph of a text.

    >>> extract_graph("Here it is:\n```\n(c / cat)\n```\n", "last").graph
    '(c / cat)'
    """
    answer, thought = _drop_reasoning(text)
    counts = Extracted(1, reasoning=answer is not text, unfinished=thought is not None)
    if _is_json(answer):
        return Extraction(None, IS_JSON, counts._replace(json=True))
    found = [graph for region in _split(answer) for graph in _find_graphs(answer, region)]
    if not found:
        problem = f"the answer ends inside <{thought}>" if thought else describe_no_graph(answer)
        return Extraction(None, problem, counts)
    preferred = _sort(found, how)
    answers = (k for k in preferred if not _is_mention(found, k, how))
    graph, region, *_ = found[place := next(answers)]
    before, after = answer[: graph.begin], answer[graph.end :]
    is_in_string = before.endswith(('"', "'")) and "\\" in graph.text
    is_json = is_in_string or _is_json(answer[region.begin : region.end])
    cleaned = graph_text.clean(graph.text)
    counts = counts._replace(
        surrounded=answer is not text or any(map(graph_text.OTHER.search, (before, after))),
        several=next(answers, None) is not None,
        mentions=place != preferred[0],
        extra=graph.has_extra,
        cleaned=cleaned != graph.text,
        escaped=graph_text.ESCAPED.search(cleaned) is not None,
        json=is_json,
    )
    line, comments = before.count("\n") + 1, graph_text.NO_COMMENT.sub("", before)
    return Extraction(cleaned, IS_JSON if is_json else graph.problem, counts, line, comments)


def _drop_reasoning(text: str) -> tuple[str, str | None]:
    """Drop reasoning, except for its line ends. Also return the tag of one without an end.

    Whatever precedes a closing tag that was not opened is reasoning: the prompt opened it. In the
    format harmony, reasoning is what is in another channel than ``final``.
    """
    kept: list[tuple[int, int]] = []
    begin, thought = 0, None
    for mark in THOUGHT.finditer(text):
        name = mark["channel"] or (mark["name"] or "").lower()
        if name == "final" or (mark["slash"] and thought is None):
            kept.clear()
            begin, thought = mark.end(), None
        elif mark["slash"] and thought == name:
            begin, thought = mark.end(), None
        elif name and not mark["slash"] and thought is None:
            kept.append((begin, mark.start()))
            thought = name
    if begin == 0 and not kept:
        return text, None
    if thought is None:
        kept.append((begin, len(text)))
    parts, position = [], 0
    for begin, end in kept:
        parts += ["\n" * text.count("\n", position, begin) or " ", text[begin:end]]
        position = end
    return "".join(parts), thought


def _is_json(text: str) -> bool:
    """Check that a text is an object or list of JSON, lines of these, or a string with escapes."""
    text = re.sub(r"\A\s*+\w*+\s*+", "", text).strip()  # without the language of a fence
    for parts in ([text], text.split("\n")) if text.startswith(("{", "[", '"')) else ():
        try:
            values = [json.loads(part) for part in parts if part.strip()]
        except (ValueError, RecursionError):
            continue
        return all(isinstance(value, dict | list) or "\\" in text for value in values)
    return False


def _split(text: str) -> Iterator[Region]:
    """Divide a text at tags and fences."""
    tags = array("L", [0])  # the numbers of the open ones; an array, because they may be millions
    opened, fence, fences, begin = 0, "", 0, 0
    for mark in MARK.finditer(text):
        kind = (mark["fence"] or "").lstrip()[:1]
        if not (mark["name"] or kind) or (kind and fence not in ("", kind)):
            continue
        yield Region(begin, mark.start(), tags[-1], fences if fence else 0)
        if kind:
            fence, fences = "" if fence else kind, fences + 1
        elif not mark["slash"]:
            opened += 1
            tags.append(opened)
        elif len(tags) > 1:
            tags.pop()
        begin = mark.end()
    yield Region(begin, len(text), tags[-1], fences if fence else 0)


def _find_graphs(text: str, region: Region) -> Iterator[Candidate]:
    """Yield the graphs of a region, and what may have been meant as one."""
    position, is_broken = region.begin, False
    brackets: deque[int] = deque(maxlen=LEVELS)  # those that are open
    while match := graph_text.PROSE.search(text, position, region.end):
        position = match.end()
        if match["paragraph"] is not None:
            brackets.clear()
            is_broken = False
        elif match["start"]:
            # A role before a graph makes it an inner one: of prose, unless a bracket is open.
            is_inner = match["role"] is not None
            begin = brackets.pop() if is_inner and brackets else match.start("start")
            graph = graph_text.read_graph(text, begin, region.end, len(brackets))
            position = max(position, graph.end)
            brackets.clear()
            if is_broken and graph.has_extra:  # it may be inside of the malformed graph before it
                graph.problem = graph_text.EXTRA
            is_broken = is_broken or graph.problem is not None
            candidate = _place(text, graph, region)
            is_mention = is_inner and not graph.is_rootless
            if not is_mention and (candidate.is_alone or not graph.is_node):
                yield candidate
        elif match[0] == "(":
            brackets.append(match.start())
        elif match[0] == ")" and brackets:
            brackets.pop()
    # What is opened where the text ends is the answer; a fence without a language may be closed.
    if region.end == len(text):
        rest = text[region.begin :]
        if LANGUAGE.fullmatch(rest) if region.fence else region.tag and not rest.strip():
            yield Candidate(GraphText("", region.end, problem=CUT), region, True, True)


def _place(text: str, graph: GraphText, region: Region) -> Candidate:
    """Find out whether a graph stands by itself, in its region or on its line."""
    before = text[max(region.begin, graph.begin - NEAR) : graph.begin].rpartition("\n")[2]
    after = text[graph.end : min(region.end, graph.end + NEAR)].partition("\n")[0]
    begins = BY_ITSELF.fullmatch(before) is not None
    is_alone = begins and GOES_ON.match(after) is None
    stands = (begins or region.tag > 0 or region.fence > 0) and GLOSS.match(after) is None
    return Candidate(graph, region, is_alone, stands)


def _sort(found: Sequence[Candidate], how: Extract) -> list[int]:
    """Return the positions of graphs, beginning with the one that is most likely the answer."""
    sign = 1 if how == "last" else -1
    # In running text, a node on a line of its own corrects a graph.
    promoted = how == "last" and any(item.stands and not item.graph.is_node for item in found)

    def rank(k: int) -> tuple[int, ...]:
        graph, (_, _, tag, fence), _, stands = found[k]
        kind = 2 if stands else 1
        if graph.is_node:
            kind = 2 if promoted and not (tag or fence) else 0
        return tag > 0, sign * tag, fence > 0, sign * fence, kind, sign * k

    return sorted(range(len(found)), key=rank, reverse=True)


def _is_mention(found: Sequence[Candidate], k: int, how: Extract) -> bool:
    """Check that a graph repeats a part of an earlier one; for ``last``, or of a later one.

    What is in a tag can only repeat what is in a tag, and what is in a fence nothing of running
    text: a draft never takes the place of an answer.
    """
    part = found[k]
    near = [*found[max(0, k - COMPARED) : k]]
    if part.graph.is_rootless and part.is_alone:
        return False
    if how == "last" and not part.graph.is_rootless:
        near += found[k + 1 : k + 1 + COMPARED]
    if part.region.tag:
        near = [whole for whole in near if whole.region.tag]
    elif part.region.fence:
        near = [whole for whole in near if whole.stands]
    return any(part.graph.is_part_of(whole.graph) for whole in near)
