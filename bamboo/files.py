"""Files: text and folders that are written atomically, strict JSON, CSV.

JSON has neither NaN nor infinity. In this project NaN marks an undefined number; `plain`
converts it to null. Any other number that is not finite is an error.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from amr_metrics.utils.files import replacing
from amr_metrics.utils.text import split_lines
from bamboo.errors import BambooError, DataError

LARGEST = 64_000_000  # bytes of a file that `load_json` reads
DIGITS = 40  # of an integer: the state of a random generator has 39
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a character, in JSON's notation
CHECKSUM = "sha256"  # the member of a JSON object with the checksum of the rest


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


def shown(value: Any) -> str:
    """Return a value as it is written on the command line, for labels and messages.

    >>> shown([True, None, {"a": 0.5}])
    '[true,null,{a:0.5}]'
    """
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{key}:{shown(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(shown, value))}]"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return type(value).__name__ if dataclasses.is_dataclass(value) else str(value)


def json_text(document: Any, **layout: Any) -> str:
    """Serialize a document as strict JSON.

    Args:
        layout: arguments of `json.dumps`, such as ``indent``.

    Raises:
        DocumentError: a number that is not finite; the message names its position.

    >>> json_text({"value": None, "interval": [0.25, 0.5]})
    '{"value": null, "interval": [0.25, 0.5]}'
    >>> json_text({"rows": [{"value": float("inf")}]})
    Traceback (most recent call last):
    bamboo.files.DocumentError: rows[0].value is inf: JSON has no such number
    """
    try:
        return json.dumps(document, allow_nan=False, **layout)
    except ValueError:
        for position, number in _numbers(document, ""):
            if not math.isfinite(number):
                raise DocumentError(f"{position} is {number}: JSON has no such number") from None
        raise


def read_json(text: str) -> Any:
    """Parse a JSON document.

    Every number of the result is finite and can be converted to a float, and every string can be
    written in UTF-8.

    Raises:
        ValueError: invalid JSON, including NaN and infinity, which Python accepts; numbers and
            nesting beyond the limits of Python's types; half of a surrogate pair.

    >>> read_json("[1, NaN]")
    Traceback (most recent call last):
    ValueError: NaN is not JSON
    >>> read_json("[1e400]")
    Traceback (most recent call last):
    ValueError: 1e400 is too large a number
    """

    def reject(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    def integer(digits: str) -> int:
        if len(digits.removeprefix("-")) > DIGITS:
            raise ValueError(f"an integer has {len(digits)} digits")
        return int(digits)

    def number(digits: str) -> float:
        if math.isinf(value := float(digits)):
            raise ValueError(f"{digits[:DIGITS]} is too large a number")
        return value

    try:
        document = json.loads(text, parse_constant=reject, parse_int=integer, parse_float=number)
        if SURROGATE.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it has half of a surrogate pair (\\ud800 to \\udfff)") from None
    return document


def load_json(path: Path, largest: int = LARGEST) -> Any:
    """Read a JSON file; see `read_json`.

    Args:
        largest: the number of bytes above which the file is refused, before it is parsed.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too large, not in UTF-8, or not JSON.
    """
    return read_json(load_text(path, largest))


def parse_yaml(text: str) -> Any:
    """Return the content of a YAML document.

    Raises:
        ValueError: it is not valid; the message is one line.

    >>> parse_yaml("metric: [smatch, sema]")
    {'metric': ['smatch', 'sema']}
    """
    import yaml

    try:
        return yaml.safe_load(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except Exception as error:  # constructors of YAML's types may raise anything
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from None


def load_text(path: Path, largest: int = LARGEST) -> str:
    """Read a text file in UTF-8; files above `largest` bytes are refused.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too large or not in UTF-8.
    """
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f"it has more than {largest:,} bytes")
    return content.decode("utf-8")


def _numbers(value: Any, position: str) -> Iterator[tuple[str, float]]:
    """Yield all floats of a document, each with its position."""
    if isinstance(value, float):
        yield position or "the document", value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _numbers(item, f"{position}.{name}" if position else str(name))
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from _numbers(item, f"{position}[{k}]")


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 atomically; see `amr_metrics.utils.files.replacing`."""
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Write a folder atomically: a new one replaces `folder` when the block ends without an error.

    After an error `folder` is unchanged, and the new one is removed. Parent folders are created.

    Raises:
        OSError: the folder cannot be created or replaced.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield new
        new.chmod(0o755)  # mkdtemp makes it private
        old = new.with_name(f"{new.name}.old")
        if folder.exists():
            os.replace(folder, old)
        try:
            os.replace(new, folder)
        except OSError:
            if old.exists():
                os.replace(old, folder)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def sealed(document: Mapping[str, Any]) -> str:
    """Serialize a document as JSON whose first member is the SHA-256 of its content.

    >>> text = sealed({"step": 3})
    >>> unsealed(text)
    {'step': 3}
    >>> unsealed(text.replace("3", "4", 1))
    Traceback (most recent call last):
    ...
    ValueError: its content does not match its checksum
    """
    return _with_checksum(json_text(document, indent=1, ensure_ascii=False))


def _with_checksum(content: str) -> str:
    """Insert the checksum into a serialized document."""
    checksum = hashlib.sha256(content.encode()).hexdigest()
    separator = "\n" if content == "{}" else ","
    return f'{{\n "{CHECKSUM}": "{checksum}"{separator}{content[1:]}\n'


def unsealed(text: str) -> dict[str, Any]:
    """Parse a document that was serialized by `sealed`, and verify its checksum.

    Any change of the text is detected, even whitespace that JSON ignores.

    Raises:
        ValueError: invalid JSON, a missing checksum, or modified content.
    """
    document = read_json(text)
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")
    if CHECKSUM not in document:
        raise ValueError("it has no checksum")
    content = {name: value for name, value in document.items() if name != CHECKSUM}
    # What is left without the checksum need not be serialized again.
    length = len(_with_checksum("{}")) - len("\n}\n")
    original = "{" + text[length + 1 : -1] if content else "{}"
    if _with_checksum(original) != text:
        raise ValueError("its content does not match its checksum")
    return content


def csv_rows(
    path: Path, lines: Iterable[str] | None = None, **dialect: Any
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, each with the number of its last line.

    Args:
        path: the file.
        lines: its lines, if they have been read; they are read otherwise.
        dialect: as for `csv.reader`, such as ``delimiter``.

    Raises:
        DataError: a file that cannot be read, or is not such a table; it names file and line.
    """
    if lines is None:
        try:
            lines = split_lines(load_text(path))
        except (OSError, ValueError) as error:
            raise DataError(f"{path} cannot be read: {error}") from None
    reader = csv.reader(lines, **dialect)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.line_num}: {error}") from None
        yield reader.line_num, cells
