"""SHA-256 of files, each file read once as long as it does not change."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path

from metrics.utils.files import replacing

State = tuple[str, int, int, int, int, int]

SETTLED = 2_000_000_000  # ns; a file changed more recently may change again within one clock tick

_DIGESTS: dict[State, str] = {}


def file_digest(path: Path, memory: Path | None = None) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal.

    A digest is reused while the file's path, device, inode, size and times of modification and
    status change stay the same, and only if the file had not changed for two seconds when it was
    read: within one tick of the file system's clock, two versions can have the same times.

    Args:
        path: the file.
        memory: a folder where the digest is remembered for later processes; None: only this one.

    Raises:
        OSError: the file cannot be read.
    """
    before = _state(path)
    if before in _DIGESTS:
        return _DIGESTS[before]
    note = None
    if memory is not None:
        note = memory / f"sha256-{hashlib.sha256(before[0].encode()).hexdigest()[:16]}.json"
        if (noted := _remembered(note, before)) is not None:
            _DIGESTS[before] = noted
            return noted
    started = time.time_ns()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    # Only if the file did not change while it was read, and will not change unnoticed.
    if _state(path) == before and max(before[-2:]) < started - SETTLED:
        _DIGESTS[before] = digest
        if note is not None:
            _remember(note, before, digest)
    return digest


def _state(path: Path) -> State:
    """Return the attributes of a file that change with its content, obtained without reading it."""
    status = path.stat()
    return (
        # Symbolic links need not be resolved: device and inode are those of the file itself.
        os.path.abspath(path),
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _remembered(note: Path, state: State) -> str | None:
    """Return the digest that an earlier process noted for this state; None if there is none."""
    try:
        text, digest, check = json.loads(note.read_text("utf-8"))
    except (OSError, ValueError, TypeError, RecursionError):
        return None  # missing or damaged: the file is read again
    if (text, check) != (repr(state), _check(text, digest)):
        return None
    return str(digest)


def _remember(note: Path, state: State, digest: str) -> None:
    """Note a digest for later processes; without the note they read the file again."""
    text = repr(state)
    with contextlib.suppress(OSError), replacing(note) as file:
        file.write(json.dumps([text, digest, _check(text, digest)]).encode())


def _check(text: object, digest: object) -> str:
    return hashlib.sha256(f"{text}\n{digest}".encode()).hexdigest()
