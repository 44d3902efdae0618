"""Files: text that is written atomically, strict JSON, CSV.

JSON has neither NaN nor infinity. In this project NaN marks an undefined number; `plain`
converts it to null. Any other number that is not finite is an error.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from amr_metrics.errors import GraphError
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.files import replace_file
from bamboo.errors import BambooError, ConfigError, DataError

LONGEST_CELL = 1 << 24  # characters of a cell of a table; without a closing quote, it has no end
UNCLOSED = "a quotation mark is not closed before the end of the file"


class DocumentError(BambooError):
    """A document with a number that JSON cannot represent."""


def plain(value: Any) -> Any:
    """Convert to JSON values: arrays and tuples to lists, NumPy to Python numbers, NaN to None.

    >>> import numpy as np
    >>> plain({"scores": np.array([0.5, np.nan]), "optimal": (np.bool_(True), float("nan"))})
    {'scores': [0.5, None], 'optimal': [True, None]}
    """
    import numpy as np  # slow to import, and not needed for reading

    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def format_value(value: Any) -> str:
    """Return a value as it is written on the command line, for labels and messages.

    >>> format_value([True, None, {"a": 0.5}])
    '[true,null,{a:0.5}]'
    """
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{key}:{format_value(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(format_value, value))}]"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return type(value).__name__ if dataclasses.is_dataclass(value) else str(value)


def json_text(document: Any, **layout: Any) -> str:
    """Serialize a document as strict JSON; a dataclass becomes an object of its fields.

    Args:
        layout: arguments of `json.dumps`, such as ``indent``.

    Raises:
        DocumentError: a number that is not finite.

    >>> json_text({"value": None, "interval": [0.25, 0.5]})
    '{"value": null, "interval": [0.25, 0.5]}'
    """
    try:
        return json.dumps(document, allow_nan=False, **{"default": _name_fields} | layout)
    except ValueError as error:
        raise DocumentError(f"a result cannot be written: {error}") from None


def _name_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name.

    Raises:
        TypeError: another value that JSON does not have.
    """
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def read_json(text: str) -> Any:
    """Parse a JSON document.

    Raises:
        ValueError: invalid JSON, including NaN and infinity, which Python accepts.

    >>> read_json("[1, NaN]")
    Traceback (most recent call last):
    ValueError: NaN is not JSON
    """

    def reject(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=reject)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def load_json(path: Path) -> Any:
    """Read a JSON file; see `read_json`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not in UTF-8, or not JSON.
    """
    try:
        return read_json(load_text(path))
    except GraphError as error:
        raise ValueError(str(error)) from None


def check_folder(file: Path) -> None:
    """Check that a file can have its place; a folder that is not there is probably a mistake.

    Raises:
        ConfigError: there is no such folder.
    """
    if not file.parent.is_dir():
        raise ConfigError(f"cannot write {file}: there is no folder {file.parent}")


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 atomically; see `amr_metrics.utils.files.replace_file`."""
    with replace_file(path) as file:
        file.write(text.encode())


def csv_rows(
    path: str | Path, lines: Iterable[str], **dialect: Any
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, each with the number of its first line.

    Args:
        path: the file, for messages.
        dialect: as for `csv.reader`, such as ``delimiter``.

    Raises:
        DataError: a row that cannot be read; it names file and line.
    """
    reader = csv.reader(lines, **dialect)
    while True:
        line = reader.line_num + 1
        limit = csv.field_size_limit(LONGEST_CELL)  # it is one for all readers
        try:
            cells = next(reader, None)
        except csv.Error as error:
            problem = UNCLOSED if str(error) == "unexpected end of data" else error
            raise DataError(f"{path}, line {line}: {problem}") from None
        finally:
            csv.field_size_limit(limit)
        if cells is None:
            return
        yield line, cells
