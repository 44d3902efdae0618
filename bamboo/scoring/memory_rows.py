"""Rows in memory: lists of dictionaries, data frames, data sets, and texts with ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from amr_metrics.utils.text import format_count
from bamboo.errors import ConfigError
from bamboo.files import plain
from bamboo.scoring.answers import Answer, Answers, is_missing
from bamboo.scoring.row_answers import format_id, read_row_answers
from bamboo.scoring.rows import Row

SRC_IDS = "src_ids"  # in place of a field
INDEX = "index"  # of a series, likewise


def list_elements(side: Any) -> list[Any]:
    """Return the elements of a side that is no single graph: the rows of a data frame."""
    is_frame = hasattr(side, "columns") and hasattr(side, "to_dict")
    return [*(side.to_dict("records") if is_frame else side)]


def list_answers(
    side: Any, elements: Sequence[Any], name: str, answers: Answers
) -> list[Answer] | None:
    """Return the answers of rows, or of a series, whose index may be its ids; None for others.

    Args:
        elements: those of the side: rows are mappings.
        name: of the side, in messages.

    Raises:
        GraphError: see `read_row_answers`.
    """
    if any(isinstance(element, Mapping) for element in elements):
        rows = (Row(_clean_row(element), None) for element in elements)
        return [*read_row_answers([(name, rows)], answers)]
    index = getattr(side, "index", None)
    if index is None or callable(index):  # as of a list
        return None
    ids = [None] * len(elements) if type(index).__name__ == "RangeIndex" else map(format_id, index)
    fields = ({} if row_id is None else {INDEX: row_id} for row_id in ids)
    pairs = zip(elements, fields, strict=True)
    return [Answer(text, name, k, fields=field) for k, (text, field) in enumerate(pairs)]


def _clean_row(row: Any) -> Any:
    """Return a row with the values that JSON has, and None for what is missing."""
    if not isinstance(row, Mapping):
        return row
    return {key: None if is_missing(value) else plain(value) for key, value in row.items()}


def list_named_answers(side: Any, name: str, ids: Iterable[Any]) -> list[Answer]:
    """Return the texts or graphs of a list with their ids.

    Args:
        name: of the side, in messages.

    Raises:
        ConfigError: a side that is no list, another number of ids, or one that is neither a text
            nor a whole number.
    """
    if not isinstance(side, Iterable) or isinstance(side, str | bytes | Mapping):
        raise ConfigError(f"{SRC_IDS} has the ids of a list: {name} is {type(side).__name__}")
    listed, names = list_elements(side), [*map(format_id, ids)]
    if len(listed) != len(names):
        raise ConfigError(
            f"{name} has {format_count(len(listed), 'element')}, but {SRC_IDS} has {len(names)}"
        )
    if None in names:
        k = names.index(None)
        raise ConfigError(f"{SRC_IDS}[{k}]: expected a text or a whole number")
    return [
        Answer(text, name, k, id=row_id)
        for k, (text, row_id) in enumerate(zip(listed, names, strict=True))
    ]


def check_parsers(src: Mapping[Any, Any], list_ids: Callable[[], Iterable[str | None]]) -> None:
    """Check that a mapping is one of parsers, not of the answers of one parser by id.

    Args:
        list_ids: returns the ids of the gold graphs.

    Raises:
        ConfigError: its keys are ids of gold graphs, and its values texts with a parenthesis.
    """
    if not all(isinstance(text, str) and "(" in text for text in src.values()):
        return
    ids = {*list_ids()}
    if len(ids) > 1 and {*map(format_id, src)} <= ids - {None}:
        raise ConfigError(
            'src: a mapping is several parsers; for answers by id pass [{"id": i, "answer": t} for '
            'i, t in answers.items()], field="answer", id_field="id"'
        )
