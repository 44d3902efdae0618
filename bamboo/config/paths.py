"""Paths in the user's YAML, which start from the folder of the YAML file."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

OF_FILES = ("file", "learned")  # options whose values are paths
COMMAND = "command"
WORD = re.compile(r"(?<!\S)[^\s'\"{}]+(?!\S)")  # of a command, without quotation marks


def resolve_paths(options: Mapping[str, Any], folders: Sequence[Path]) -> dict[str, Any]:
    """Return options with the paths that exist in one of the folders, the first that has the file.

    Other paths stay as they are: they start from the working directory. In a command, these are
    words with a slash, and those after the first one.
    """

    def resolve(key: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return resolve_paths(value, folders)
        if key in OF_FILES and isinstance(value, str):
            return _find(value, folders)
        if key == COMMAND and isinstance(value, str):
            return WORD.sub(lambda match: _find_word(match, folders), value)
        return value

    return {key: resolve(key, value) for key, value in options.items()}


def _find_word(match: re.Match[str], folders: Sequence[Path]) -> str:
    word = match[0]
    is_path = "/" in word or match.string[: match.start()].strip() != ""
    path = _find(word, folders) if is_path else word
    return word if path == word else shlex.quote(path)


def _find(text: str, folders: Sequence[Path]) -> str:
    """Return the path of a file, from the working directory if it lies below it."""
    path = Path(text).expanduser()
    if path.is_absolute():
        return text
    for folder in folders:
        if (folder / path).is_file():
            absolute = os.path.abspath(folder / path)
            relative = os.path.relpath(absolute)
            below = absolute if relative.startswith(os.pardir) else relative
            return below if os.sep in below else os.path.join(os.curdir, below)
    return text
