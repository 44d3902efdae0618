"""Standard JSON: all JSON documents of the project are written with this module.

JSON has neither NaN nor infinity. In this project NaN marks an undefined number; `plain`
converts it to null. Any other non-finite number is an error.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bamboo.errors import BambooError

LARGEST = 64_000_000  # bytes of a file that `load_json` reads
DIGITS = 40  # of an integer: the state of a random generator has 39
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a character, in JSON's notation


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
    bamboo.documents.DocumentError: rows[0].value is inf: JSON has no such number
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
