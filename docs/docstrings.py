"""Makes Markdown of docstrings before the API pages are written (an extension of Griffe)."""

from __future__ import annotations

import re
from typing import Any

import griffe

# A prompt and everything up to the next blank line: the code and what it prints.
EXAMPLE = re.compile(r"^( *)>>> (?:.*\n?)(?: *\S.*\n?)*", re.MULTILINE)
# Several attributes or arguments with one description: `lower, upper: the bounds of each`.
SEVERAL = re.compile(r"^( +)(\w+(?:, \w+)+): (.+(?:\n\1 +\S.*)*)$", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Rewrites every docstring."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """The docstring with its doctests as code blocks and one description per name.

    Markdown would read ``>>>`` as a quotation.
    """

    def block(match: re.Match[str]) -> str:
        indent, code = match[1], match[0].rstrip("\n")
        return f"{indent}```pycon\n{code}\n{indent}```\n"

    def entries(match: re.Match[str]) -> str:
        indent, names, description = match.groups()
        return "\n".join(f"{indent}{name}: {description}" for name in names.split(", "))

    text = re.sub(r"^Class attributes:$", "Attributes:", text, flags=re.MULTILINE)
    return SEVERAL.sub(entries, EXAMPLE.sub(block, text).rstrip("\n"))
