"""Atomic writes of files and folders, and JSON documents with a checksum."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from bamboo.documents import json_text, read_json

CHECKSUM = "sha256"


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file atomically: it replaces `path` when the block ends without an error.

    Each call writes to a temporary file of its own beside `path`, so that several processes can
    write the same file: each version is complete, and the last one stays. After an error or an
    interruption `path` is unchanged, and the temporary file is removed. Parent folders are
    created. A link, a pipe or a device such as ``/dev/stdout`` cannot be replaced and is written
    to directly.

    Raises:
        OSError: the folder cannot be created or written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        with _naming(path), path.open("wb") as file:
            yield file
        return
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        with _naming(path, partial):
            with partial.open("xb") as file:
                yield file
            os.replace(partial, path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def _naming(path: Path, partial: Path | None = None) -> Iterator[None]:
    """Errors of the operating system name the file, also if they do not (as for a full disk)."""
    try:
        yield
    except OSError as error:
        if error.filename is None or error.filename == str(partial):
            error.filename = str(path)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 atomically; see `replacing`."""
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
    content = json_text(document, indent=1, ensure_ascii=False)
    checksum = hashlib.sha256(content.encode()).hexdigest()
    whole = {CHECKSUM: checksum, **document}
    return json_text(whole, indent=1, ensure_ascii=False) + "\n"


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
    if sealed(content) != text:
        raise ValueError("its content does not match its checksum")
    return content
