"""SHA-256 of files, each file read once as long as it does not change."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

State = tuple[str, int, int, int, int, int]

SETTLED = 2_000_000_000  # ns; a file changed more recently may change again within one clock tick

_DIGESTS: dict[State, str] = {}


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal.

    A digest is reused while the file's path, device, inode, size and times of modification and
    status change stay the same, and only if the file had not changed for two seconds when it was
    read: within one tick of the file system's clock, two versions can have the same times.

    Raises:
        OSError: the file cannot be read.
    """
    before = _state(path)
    if before in _DIGESTS:
        return _DIGESTS[before]
    started = time.time_ns()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    # Only if the file did not change while it was read, and will not change unnoticed.
    if _state(path) == before and max(before[-2:]) < started - SETTLED:
        _DIGESTS[before] = digest
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
