"""Convert docstrings to Markdown before the API pages are written (an extension of Griffe)."""

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

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Called once all modules of a package are loaded."""
        rewrite(pkg)


def rewrite(obj: griffe.Object) -> None:
    """The docstrings of an object and of everything that is defined in it, as Markdown."""
    if obj.docstring:
        obj.docstring.value = as_markdown(obj.docstring.value)
    for member in obj.members.values():
        if isinstance(member, griffe.Object):  # not what is imported from other modules
            rewrite(member)


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
