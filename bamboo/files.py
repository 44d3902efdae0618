"""Files that are written whole or not at all, and JSON documents that carry a checksum."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from bamboo.documents import json_text, read_json

CHECKSUM = "sha256"


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `path` when the block ends without an error.

    Each call writes to a temporary file of its own beside `path`, so that several processes can
    write the same file: each version is whole, and the last one stays. After an error or an
    interruption `path` is as it was, and the temporary file is gone.

    Raises:
        OSError: the folder cannot be created or written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        with partial.open("xb") as file:
            yield file
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all; see `replacing`."""
    with replacing(path) as file:
        file.write(text.encode())


def sealed(document: Mapping[str, Any]) -> str:
    """A document as JSON text that carries the SHA-256 of its content as its first member.

    >>> text = sealed({"step": 3})
    >>> unsealed(text)
    {'step': 3}
    >>> unsealed(text.replace("3", "4", 1))
    Traceback (most recent call last):
    ...
    ValueError: its content does not match its checksum
    """
    content = json_text(document, indent=1, ensure_ascii=False)
    checksum = hashlib.sha256(content.encode()).hexdigest()
    whole = {CHECKSUM: checksum, **document}
    return json_text(whole, indent=1, ensure_ascii=False) + "\n"


def unsealed(text: str) -> dict[str, Any]:
    """The document that `sealed` made into this text.

    Any change of the text is noticed, also one that JSON would overlook, such as a space.

    Raises:
        ValueError: no JSON, no checksum, or a text that was changed.
    """
    document = read_json(text)
    if not isinstance(document, dict):
        raise ValueError("it is no JSON object")
    if CHECKSUM not in document:
        raise ValueError("it has no checksum")
    content = {name: value for name, value in document.items() if name != CHECKSUM}
    if sealed(content) != text:
        raise ValueError("its content does not match its checksum")
    return content
