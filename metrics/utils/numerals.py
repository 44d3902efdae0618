"""Numbers in text files, read more strictly than by `float`."""

from __future__ import annotations

import re

DECIMAL = re.compile(
    r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)\s*", re.ASCII | re.IGNORECASE
)


def decimal(text: str) -> float:
    """The number that a text is, written with the digits 0 to 9, or ``nan`` or ``inf``.

    `float` also accepts underscores between digits and the digits of other scripts, which in a
    file of numbers are errors.

    Raises:
        ValueError: the text is not such a number.

    >>> decimal(" 2.5e-1 ")
    0.25
    >>> decimal("1_0")
    Traceback (most recent call last):
    ValueError: '1_0' is not a number
    """
    if DECIMAL.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a number")
    return float(text)
