"""Lines and numbers of text files, and words of messages that depend on a number."""

from __future__ import annotations

import re


def split_lines(text: str) -> list[str]:
    r"""Split a string into lines without their line endings.

    A line ends at ``\n``, ``\r\n`` or ``\r``, as in any text file that Python opens, and so in
    what ``penman.load`` reads. `str.splitlines` also ends lines at characters such as U+0085 and
    U+2028, which occur within sentences. There is no empty last line after a final line ending.

    >>> split_lines("(a / b)\r(c / d)\r\n# ::snt e\u2028f\n")
    ['(a / b)', '(c / d)', '# ::snt e\u2028f']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


DECIMAL = re.compile(
    r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)\s*", re.ASCII | re.IGNORECASE
)


def decimal(text: str) -> float:
    """Return the number that a text is, written with the digits 0 to 9, or ``nan`` or ``inf``.

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


def format_count(count: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in the singular or the plural.

    Args:
        plural: if it is not the noun with an s.

    >>> format_count(1, "graph"), format_count(2000, "graph")
    ('1 graph', '2,000 graphs')
    >>> format_count(0, "parse of a", "parses of a")
    '0 parses of a'
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def proven(unproven: int, alignments: int) -> str:
    """Return a sentence on how many alignments are proven optimal.

    >>> proven(0, 3), proven(0, 1), proven(1, 3)
    ('all 3 alignments are proven optimal', 'the alignment is proven optimal', \
'1 of 3 alignments is NOT proven optimal')
    """
    if unproven:
        verb = "is" if unproven == 1 else "are"
        return f"{unproven:,} of {format_count(alignments, 'alignment')} {verb} NOT proven optimal"
    if alignments == 1:
        return "the alignment is proven optimal"
    return f"all {format_count(alignments, 'alignment')} are proven optimal"
