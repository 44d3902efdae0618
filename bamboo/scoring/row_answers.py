"""Rows as answers: the text and the id at the ends of paths, and the fields that are metadata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral
from typing import Any, NamedTuple

from amr_metrics.errors import GraphError
from bamboo.files import json_text
from bamboo.scoring.answers import Answer, Answers
from bamboo.scoring.field_paths import (
    GRAPH,
    NoFieldError,
    find_value,
    follow_path,
    join_blocks,
    list_graph_paths,
    list_paths,
)
from bamboo.scoring.rows import Row

SENTENCES = ("sentence", "snt", "tok")  # fields with the sentence of a graph
DOCUMENT_ID = "doc.id"  # of samples of lm-evaluation-harness
LONGEST = 200  # characters of another field that serves as metadata: no prompts
MOST_NAMES = 10  # of fields that a message lists
SHOWN = 80  # characters of a value that a message shows
# How rows, or objects in them, say that their text was cut off by its length.
CUT_OFF = {
    "finish_reason": ("length", "max_tokens"),
    "finishReason": ("length", "max_tokens"),
    "stop_reason": ("max_tokens",),
    "status": ("incomplete",),
}


class FoundText(NamedTuple):
    """The text of a row.

    Attributes:
        text: None if there is none.
        reason: why there is none.
        is_missing: whether the row lacks the field.
        is_cut: whether the row says that the text was cut off by its length.
    """

    text: str | None
    reason: str = ""
    is_missing: bool = False
    is_cut: bool = False


def read_row_answers(
    files: Iterable[tuple[str, Iterable[Row]]], answers: Answers
) -> Iterator[Answer]:
    """Yield the answer of each row of some files.

    Args:
        files: the name of each file in messages, and its rows.

    Raises:
        GraphError: no field is named; a row lacks it, unless it reports an error; no row has it; it
            has something other than text; an id is missing, or neither a text nor a whole number.
    """
    has_text, missing = False, None
    for source, rows in files:
        for position, (row, line) in enumerate(rows):
            graph = position if line is None else None
            with _locate_errors(source, graph, line):
                found = _find_text(row, answers)
                answer_id = None if answers.id_field is None else _find_id(row, answers.id_field)
            if found.is_missing and missing is None:
                problem = f"{_describe_missing(row, answers)}. No row has this field"
                missing = GraphError(problem, source=source, graph=graph, line=line)
            has_text = has_text or found.text is not None
            fields = list_fields(row)
            del row  # it may be large
            yield Answer(
                found.text,
                source,
                position,
                line=line or 1,
                is_one_line=line is not None,
                id=answer_id,
                fields=fields,
                reason=found.reason,
                is_cut=found.is_cut,
            )
    if missing is not None and not has_text:
        raise missing


@contextmanager
def _locate_errors(source: str, graph: int | None, line: int | None) -> Iterator[None]:
    """Raise a `GraphError` that names file and line, or the position, for an error about a row."""
    try:
        yield
    except ValueError as error:
        raise GraphError(str(error), source=source, graph=graph, line=line) from None


def _find_text(row: Any, answers: Answers) -> FoundText:
    """Return the text of a row.

    Raises:
        ValueError: see `read_row_answers`.
    """
    field = answers.field
    if not isinstance(row, Mapping | str):
        raise ValueError(f"is no object: expected {{{json_text(field or 'parse')}: ...}}")
    if field is None:
        if isinstance(row, str):
            return FoundText(row)
        raise ValueError(f"name the field with the graphs (field=PATH): {_describe_fields(row)}")
    try:
        passed = [*follow_path(row, field)]
    except NoFieldError as error:
        if answers.is_gold or not (error.is_inside_text or _describe_error(row)):
            raise ValueError(_describe_missing(row, answers)) from None
        return FoundText(None, f"there is no answer: {error}{_describe_error(row)}", True)
    value = passed[-1]
    text = join_blocks(value)
    if isinstance(text, str):
        return FoundText(text, is_cut=any(map(_is_cut, passed)))
    if text is not None:
        raise ValueError(f"the field {field} is no text, but {_describe_value(text, field)}")
    what = "is null" if value is None else "has no block of text"
    if answers.is_gold:
        raise ValueError(f"the field {field} {what}: there is no gold graph. Remove the pair")
    return FoundText(None, f"there is no answer: {field} {what}{_describe_error(row)}")


def _is_cut(value: Any) -> bool:
    """Check that an object says that its text was cut off by its length."""
    return isinstance(value, Mapping) and any(
        str(value.get(key)).lower() in reasons for key, reasons in CUT_OFF.items()
    )


def _find_id(row: Any, path: str) -> str:
    """Return the id of a row.

    Raises:
        ValueError: there is none.
    """
    try:
        value = find_value(row, path)
    except NoFieldError as error:
        raise ValueError(f"id_field={path}: {error}: {_describe_names(row)}") from None
    name = format_id(value)
    if name is None:
        shown = repr(value) if isinstance(value, str) else _describe_value(value, path)
        raise ValueError(f"id_field={path}: expected a text or a whole number, found {shown}")
    return name


def format_id(value: Any) -> str | None:
    """Return an id as text; None for a value that is no id.

    >>> format_id("01"), format_id(1), format_id(1.0), format_id("")
    ('01', '1', None, None)
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if not isinstance(value, str) or not value or _has_surrogate(value):
        return None
    return value


def list_fields(row: Any) -> dict[str, str]:
    """Return the fields of a row that may be its id, or serve as metadata."""
    if not isinstance(row, Mapping):
        return {}
    document = row.get("doc")
    nested = {DOCUMENT_ID: document.get("id")} if isinstance(document, Mapping) else {}
    fields: dict[str, str] = {}
    for name, value in {**row, **nested}.items():
        text = str(value) if isinstance(value, str | int | float) else ""
        is_sentence = name in SENTENCES and not _has_surrogate(text)
        is_short = 0 < len(text) <= LONGEST and text.isprintable() and not GRAPH.search(text)
        if is_sentence or is_short:
            fields[str(name)] = text
    return fields


def _describe_error(row: Any) -> str:
    """Return the error that a row reports, as batch interfaces write it; "" without."""
    if not isinstance(row, Mapping):
        return ""
    if (error := row.get("error")) is not None:
        return f" (error: {_summarize(error)})"
    result = row.get("result")
    kind = result.get("type", "succeeded") if isinstance(result, Mapping) else "succeeded"
    return "" if kind == "succeeded" else f" (result: {_summarize(kind)})"


def _summarize(error: Any) -> str:
    """Return the text of an error, or of its message or code."""
    if isinstance(error, Mapping):
        texts = (error.get(key) for key in ("message", "code", "type"))
        error = next((text for text in texts if isinstance(text, str)), None)
    return error[:SHOWN] if isinstance(error, str) else "yes"


def _describe_missing(row: Any, answers: Answers) -> str:
    return f"there is no field {answers.field}: {_describe_fields(row)}"


def _describe_fields(row: Any) -> str:
    """Return which fields a row has, and which of them contain a graph."""
    if paths := list_graph_paths(row):
        return f"{_describe_names(row)}; fields with a graph: {', '.join(paths)}"
    return f"{_describe_names(row)}; none contains a graph"


def _describe_names(row: Any) -> str:
    if not isinstance(row, Mapping):
        return "it is no object"
    names = [*map(str, row)]
    more = ", ..." if len(names) > MOST_NAMES else ""
    return f"it has {', '.join(names[:MOST_NAMES]) or 'none'}{more}"


def _describe_value(value: Any, path: str) -> str:
    """Return what a value is that is no text, and the paths below it."""
    if not isinstance(value, Mapping | list):
        return str(value)[:SHOWN]
    paths = list_graph_paths(value, path) or list_paths(value, path)
    below = f": name one of {', '.join(paths)}" if paths else ""
    return f"{'an object' if isinstance(value, Mapping) else 'a list'}{below}"


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
