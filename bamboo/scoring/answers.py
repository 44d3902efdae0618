"""Texts with one graph each, such as the answers of language models, and where they come from."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading import from_penman, parse_graph
from amr_metrics.reading.scanner import block_spans
from amr_metrics.utils.decoding import decode, strip_marks
from bamboo.errors import ConfigError
from bamboo.files import DocumentError, json_text
from bamboo.scoring.extracted import Extract, Extracted
from bamboo.scoring.notation import Notation
from bamboo.scoring.problems import describe_no_graph

JSON_LINES = (".jsonl", ".jsonl.gz")  # how names of files of JSON Lines end
ID = re.compile(rb"[ \t]*#.*::id\s")  # a comment with one


@dataclass(frozen=True, kw_only=True)
class Answers:
    """How the texts of one side become graphs.

    Attributes:
        field: in JSON Lines, the field with the text.
        extract: take the ``first`` or ``last`` graph out of the text around it; None: the text is
            the graph.
        is_gold: whether a text that is not there is an error, not a parse that cannot be read.
    """

    field: str | None = None
    extract: Extract | None = None
    is_gold: bool = False


class Answer(NamedTuple):
    """A text with one graph.

    Attributes:
        text: a string, or a graph in memory; None if there is nothing.
        line: of a file, its first line.
        is_one_line: whether line ends in the text are not those of the file.
    """

    text: Any
    line: int = 1
    is_one_line: bool = False

    def locate(self, line: int | None) -> int | None:
        """Return the line of the file, given that of the text."""
        return line if line is None else self.line + (0 if self.is_one_line else line - 1)


def read_answer(
    answer: Any,
    source: str,
    position: int,
    notation: Notation,
    answers: Answers,
    extracted: list[Extracted],
) -> Graph:
    """Return the graph of a text; a graph is returned unchanged.

    Args:
        source: the name of the side in messages.
        position: that of the text in the list.
        extracted: the list to which what stands around the graph is added, also if it cannot be
            read.

    Raises:
        GraphError: a text that cannot be read, or that is not there; it has no position.
        ConfigError: a value of another type, or None in a list of gold graphs.
    """
    if isinstance(answer, Graph):
        return answer
    if is_graph(answer):
        return from_penman(answer)
    if answer is None or (isinstance(answer, float) and math.isnan(answer)):
        if answers.is_gold:
            raise ConfigError(f"{source}[{position}]: {answer} is no gold graph: remove the pair")
        raise GraphError(f"there is no parse: {answer}")
    if isinstance(answer, PathLike):
        raise ConfigError(
            f"{source}[{position}]: a path in a list of graphs. Give several parsers as a mapping "
            "from names to files; the gold standard as one file, folder or pattern"
        )
    if not isinstance(answer, str):
        raise ConfigError(
            f"{source}[{position}]: {type(answer).__name__} is not a graph: expected a text or a "
            "graph"
        )
    if answers.extract is not None:
        from bamboo.scoring.extraction import extract_graph  # its expressions take time to compile

        extraction = extract_graph(answer, answers.extract)
        extracted.append(extraction.counts)
        if extraction.graph is None:
            raise GraphError(str(extraction.problem), line=extraction.line)
        answer = extraction.comments + extraction.graph
    if notation.format == "penman":
        if "(" not in answer:
            raise GraphError(describe_no_graph(answer))
        return parse_graph(answer)
    graphs = notation.parse(encode(answer, source), source, "stop").graphs
    if len(graphs) != 1:
        raise GraphError(f"expected one graph, found {len(graphs)}")
    return graphs[0]


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


def encode(text: str, name: str) -> bytes:
    """Encode a text that is not a file.

    Raises:
        GraphError: it contains half of a surrogate pair.
    """
    try:
        return strip_marks(text.encode())
    except UnicodeEncodeError:
        raise GraphError("the text contains half of a surrogate pair", source=name) from None


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
        for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
            yield Answer(b"".join(lines[begin:end]).decode(), begin + 1)
        return
    line, position = 1, 0
    for begin, end in block_spans(data):
        line += len(data[position:begin].splitlines())
        yield Answer(data[begin:end].decode(), line)
        line, position = line + len(data[begin:end].splitlines()), end


def _is_comment_without_id(line: bytes) -> bool:
    return line.lstrip().startswith(b"#") and ID.match(line) is None


def read_json_lines(data: bytes, source: str, answers: Answers) -> Iterator[Answer]:
    """Yield a field of the objects in a file of JSON Lines; blank lines are skipped.

    Raises:
        GraphError: a line that is no JSON object, lacks the field, or has something other than text
            in it; null is no error, except for gold graphs.
    """
    for number, content in enumerate(data.split(b"\n"), 1):
        if content.strip():
            yield Answer(_read_field(content, source, number, answers), number, is_one_line=True)


def _read_field(content: bytes, source: str, line: int, answers: Answers) -> str | None:
    try:
        row = json.loads(decode(content, source, line))
    except (ValueError, RecursionError) as error:
        problem = f"is not valid JSON ({error}): a file of JSON Lines has one object in each line"
        raise GraphError(problem, source=source, line=line) from None
    if not isinstance(row, Mapping):
        problem = f"is JSON, but no object: expected {{{json_text(answers.field or 'parse')}: ...}}"
        raise GraphError(problem, source=source, line=line)
    fields = f"it has {', '.join(row) or 'none'}"
    if answers.field is None:
        problem = f"JSON Lines: name the field with the graphs (score field=NAME); {fields}"
        raise GraphError(problem, source=source, line=line)
    if answers.field not in row:
        raise GraphError(f"there is no field {answers.field}: {fields}", source=source, line=line)
    text = row[answers.field]
    if text is None and answers.is_gold:
        problem = f"the field {answers.field} is null: there is no gold graph. Remove the pair"
        raise GraphError(problem, source=source, line=line)
    if text is not None and not isinstance(text, str):
        problem = f"the field {answers.field} is no text, but {_write_value(text)}"
        raise GraphError(problem, source=source, line=line)
    return text


def _write_value(value: Any) -> str:
    """Return the beginning of a value as JSON writes it, and Python what JSON cannot write."""
    try:
        return json_text(value)[:40]
    except DocumentError:
        return str(value)


def is_json_lines(path: Any) -> bool:
    """Check that a file, by its name, is in JSON Lines."""
    return str(path).lower().endswith(JSON_LINES)
