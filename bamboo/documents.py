"""Standard JSON: all JSON documents of the project are written with this module.

JSON has neither NaN nor infinity. In this project NaN marks an undefined number; `plain`
converts it to null. Any other non-finite number is an error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bamboo.errors import BambooError


class DocumentError(BambooError):
    """A document with a number that JSON cannot represent."""


def plain(value: Any) -> Any:
    """Convert to JSON values: arrays and tuples to lists, NumPy to Python numbers, NaN to None.

    >>> plain({"scores": np.array([0.5, np.nan]), "optimal": (np.bool_(True), float("nan"))})
    {'scores': [0.5, None], 'optimal': [True, None]}
    """
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

    Raises:
        ValueError: invalid JSON, including NaN and infinity, which Python accepts.

    >>> read_json("[1, NaN]")
    Traceback (most recent call last):
    ValueError: NaN is not JSON
    """

    def reject(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=reject)


def _numbers(value: Any, position: str) -> Iterator[tuple[str, float]]:
    """All floats of a document, each with its position."""
    if isinstance(value, float):
        yield position or "the document", value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _numbers(item, f"{position}.{name}" if position else str(name))
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from _numbers(item, f"{position}[{k}]")
