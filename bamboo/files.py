"""Atomic writes of files and folders, and JSON documents with a checksum."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bamboo.documents import json_text, read_json
from metrics.utils.files import replacing

CHECKSUM = "sha256"


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 atomically; see `metrics.utils.files.replacing`."""
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
