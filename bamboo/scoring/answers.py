"""Texts with one graph each, such as the answers of language models, and how they are read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading import from_penman, parse_graph
from amr_metrics.reading.scanner import block_spans
from amr_metrics.utils.decoding import decode, encode
from bamboo.errors import ConfigError
from bamboo.scoring.extracted import Extract, Extracted
from bamboo.scoring.notation import Notation
from bamboo.scoring.problems import describe_no_graph
from bamboo.scoring.repaired import Repaired
from bamboo.scoring.rows import InputFormat

COMMENTS = re.compile(r"(?:\s*+#[^\r\n]*+)*+")
ID = re.compile(rb"[ \t]*#.*::id\s")  # a comment with one


@dataclass(frozen=True, kw_only=True)
class Answers:
    """How the texts of one side become graphs.

    Attributes:
        field: the path in rows to the text.
        id_field: the path in rows to the id; None if they have none, or it is not known.
        input_format: of the rows that standard input has; None if it has graphs.
        extract: take the ``first`` or ``last`` graph out of the text around it; None: the text is
            the graph.
        repair: the rules by which graphs that cannot be read are repaired.
        is_gold: whether a text that is not there is an error, not a parse that cannot be read.
    """

    field: str | None = None
    id_field: str | None = None
    input_format: InputFormat | None = None
    extract: Extract | None = None
    repair: tuple[str, ...] = ()
    is_gold: bool = False


class Answer(NamedTuple):
    """A text with one graph.

    Attributes:
        text: a string, or a graph in memory; None if there is nothing.
        source: the file, or the name of the side, in messages.
        position: among the answers of the source; None if it has none.
        line: of a file, its first line.
        is_one_line: whether line ends in the text are not those of the file.
        id: what takes the place of the ``::id`` in the text, if it is known.
        fields: of a row, what may be its id, and what serves as metadata of the graph.
        reason: why there is nothing.
        is_cut: whether its row says that it was cut off by its length.
    """

    text: Any
    source: str
    position: int | None
    line: int = 1
    is_one_line: bool = False
    id: str | None = None
    fields: Mapping[str, str] = MappingProxyType({})
    reason: str = ""
    is_cut: bool = False

    def locate(self, line: int | None) -> int | None:
        """Return the line of the file, given that of the text."""
        return line if line is None else self.line + (0 if self.is_one_line else line - 1)


def read_answer(
    answer: Answer,
    notation: Notation,
    answers: Answers,
    extracted: list[Extracted],
    repaired: list[Repaired],
) -> Graph:
    """Return the graph of a text; a graph is returned unchanged.

    Args:
        extracted: the list to which what stands around the graph is added, also if it cannot be
            read.
        repaired: likewise for how the graph was repaired, of a text that cannot be read.

    Raises:
        GraphError: a text that cannot be read, or that is not there; it has no position.
        ConfigError: a value of another type, or None in a list of gold graphs.
    """
    text, place = answer.text, f"{answer.source}[{answer.position}]"
    if isinstance(text, Graph):
        return text
    if is_graph(text):
        return from_penman(text)
    if is_missing(text):
        if answers.is_gold:
            raise ConfigError(f"{place}: {text} is no gold graph: remove the pair")
        raise GraphError(answer.reason or f"there is no parse: {text}")
    if isinstance(text, PathLike):
        raise ConfigError(
            f"{place}: a path in a list of graphs. Give several parsers as a mapping from names to "
            "files; the gold standard as one file, folder or pattern"
        )
    if isinstance(text, list | tuple):
        raise ConfigError(
            f"{place}: a list: choose one of several candidates for a sentence, or give a list for "
            'each as parsers: {"first": [...], "second": [...]}'
        )
    if not isinstance(text, str):
        raise ConfigError(
            f"{place}: {type(text).__name__} is not a graph: expected a text or a graph"
        )
    problem, line = None, None
    if answers.extract is not None:
        from bamboo.scoring.extraction import extract_graph  # its expressions take time to compile

        extraction = extract_graph(text, answers.extract)
        extracted.append(extraction.counts)
        if extraction.chosen is None or extraction.counts.json:
            raise GraphError(str(extraction.problem), line=extraction.line)
        text = extraction.comments + extraction.chosen
        problem, line = extraction.problem, extraction.line
    if notation.format == "penman":
        try:
            if problem is not None:
                raise GraphError(problem, line=line)
            if "(" not in text:
                raise GraphError(describe_no_graph(text))
            return parse_graph(text)
        except GraphError:
            graph = _repair(text, answer, answers, repaired)
            if graph is None:
                raise
            return graph
    graphs = notation.parse(encode(text, answer.source), answer.source, "stop").graphs
    if len(graphs) != 1:
        raise GraphError(f"expected one graph, found {len(graphs)}")
    return graphs[0]


def _repair(text: str, answer: Answer, answers: Answers, repaired: list[Repaired]) -> Graph | None:
    """Return the repaired graph of a text that cannot be read; None if it cannot be repaired."""
    if not answers.repair:
        return None
    if answer.is_cut:
        repaired.append(Repaired(cut=1))
        return None
    from bamboo.scoring.repair import repair_text  # its expressions take time to compile

    repair = repair_text(text, answers.repair)
    if repair is None:
        return None
    try:
        graph = parse_graph(repair.text)
    except GraphError:
        return None
    repaired.append(Repaired(graphs=1, **dict.fromkeys(repair.done, 1)))
    return graph


def list_metadata(fields: Mapping[str, str]) -> dict[str, str]:
    r"""Return the fields of a row as the metadata of its graph, each in one line.

    >>> list_metadata({"id": "1", "genre": "news", "sentence": "A\ndog."})
    {'genre': 'news', 'snt': 'A dog.'}
    """
    names = {name: "snt" if name == "sentence" else name for name in fields if name != "id"}
    return {
        key: " ".join(fields[name].split())
        for name, key in names.items()
        if not re.search(r"\s|::", key)
    }


def is_missing(value: Any) -> bool:
    """Check that a value stands for a text that is not there: None, NaN, or NA of pandas."""
    if isinstance(value, Real):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def can_be_extracted(text: str, notation: Notation, answers: Answers) -> bool:
    """Check that `extract` is not set, but would take a graph out of a text."""
    if answers.extract is not None or answers.is_gold or notation.format != "penman":
        return False
    from bamboo.scoring.extraction import extract_graph

    try:
        parse_graph(extract_graph(text, "last").graph or "")
    except GraphError:
        return False
    return True


def is_graph(value: Any) -> bool:
    """Check that a value is one graph, of this project or of penman (also a sequence)."""
    return isinstance(value, Graph) or (
        type(value).__module__.partition(".")[0] == "penman" and hasattr(value, "triples")
    )


def find_comments(text: Any) -> bytes:
    """Return the comments at the start of a text, which has an id that counts if it is no graph."""
    match = COMMENTS.match(text) if isinstance(text, str) else None
    return b"" if match is None else match[0].encode(errors="replace")


def split_answers(data: bytes, source: str) -> Iterator[Answer]:
    """Yield the answers of a file.

    One begins with the comments among which there is an ``::id``. In a file without, they are
    separated by blank lines: an answer ends where an unindented line follows a blank one, unless it
    has only comments.

    Raises:
        GraphError: the file is not in UTF-8.
    """
    decode(data, source)
    lines = data.splitlines(keepends=True)
    begins = [k for k, line in enumerate(lines) if ID.match(line)]
    for k in range(len(begins)):
        while begins[k] > 0 and _is_comment_without_id(lines[begins[k] - 1]):
            begins[k] -= 1
    if begins and any(line.strip() for line in lines[: begins[0]]):
        begins.insert(0, 0)  # the first answer has no id
    if begins:
        for k, (begin, end) in enumerate(pairwise([*begins, len(lines)])):
            yield Answer(b"".join(lines[begin:end]).decode(), source, k, begin + 1)
        return
    line, position = 1, 0
    for k, (begin, end) in enumerate(block_spans(data)):
        line += len(data[position:begin].splitlines())
        yield Answer(data[begin:end].decode(), source, k, line)
        line, position = line + len(data[begin:end].splitlines()), end


def _is_comment_without_id(line: bytes) -> bool:
    return line.lstrip().startswith(b"#") and ID.match(line) is None
