"""Tables of the package, and atomic writes of files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

TABLES = Path(__file__).parents[1] / "tables"  # that come with the package


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a file atomically: it replaces `path` when the block ends without an error.

    Each call writes to a temporary file of its own beside `path`, so that several processes can
    write the same file: each version is complete, and the last one stays. After an error or an
    interruption `path` is unchanged, and the temporary file is removed. Parent folders are
    created. A symbolic link is replaced, so that the file it points to stays as it is. A pipe or
    a device such as ``/dev/stdout`` cannot be replaced and is written to directly.

    Raises:
        OSError: the folder cannot be created or written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if _is_stream(path):
        with _name_file(path), path.open("wb") as file:
            yield file
        return
    partial = path.with_name(f".{path.name}.{os.urandom(16).hex()}.partial")
    try:
        with _name_file(path, partial):
            with partial.open("xb") as file:
                yield file
            os.replace(partial, path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Return whether a path is a pipe, a device, or a link of the system to an open file."""
    if path.is_symlink():  # such as /dev/stdout, or /proc/self/fd/3 also called /dev/fd/3
        folder = path.parent.resolve()
        return folder == Path("/dev") or folder.is_relative_to("/proc")
    return path.exists() and not path.is_file()


@contextmanager
def _name_file(path: Path, partial: Path | None = None) -> Iterator[None]:
    """Name the file in errors of the operating system, which leave it out for a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(partial)):
            error.filename = str(path)
        raise
