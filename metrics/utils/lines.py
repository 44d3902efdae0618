"""Split text into lines, with the same line endings for every file."""

from __future__ import annotations


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
