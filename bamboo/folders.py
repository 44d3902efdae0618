"""Folders that are written atomically."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """Write a folder as a whole: a new one replaces `folder` when the block ends without an error.

    After an error, an interruption or a kill, `folder` is unchanged. Each call writes to a new
    folder of its own beside it, so that several processes can write the same one: each version is
    complete, and the last one stays. Parent folders are created. Permissions are those of the
    folder that is replaced, or those that the umask gives a new one.

    Raises:
        OSError: the folder cannot be created or replaced.
    """
    with create_beside(folder) as new:
        yield new
        put_in_place(new, folder)


@contextmanager
def create_beside(folder: Path, *, may_be_current: bool = False) -> Iterator[Path]:
    """Create a folder for the files of `folder`, beside it; what is at its path is removed later.

    Args:
        may_be_current: whether `folder` may be the working directory.

    Raises:
        OSError: it cannot be created, or `folder` cannot be replaced; files have the names that
            they will have in `folder`.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()  # a link to a folder stays a link
    is_current = Path.cwd() == place and may_be_current
    if (Path.cwd().is_relative_to(place) and not is_current) or place.is_mount():
        reason = "the working directory and mount points cannot be replaced"
        raise OSError(errno.EBUSY, reason, str(folder))
    new = place.with_name(f".{place.name}.{os.urandom(8).hex()}")
    new.mkdir()
    try:
        if place.is_dir():
            new.chmod(place.stat().st_mode & 0o777)
        yield new
    except OSError as error:
        name = "" if error.filename is None else os.fsdecode(error.filename)
        if Path(name).is_relative_to(new):
            error.filename = str(folder / Path(name).relative_to(new))
        raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def put_in_place(
    new: Path, folder: Path, may_replace: Callable[[Path, Path], bool] = lambda new, folder: True
) -> Path:
    """Rename a new folder to `folder`; afterwards the folder that it replaces has the name `new`.

    Into the working directory, the files are moved one by one.

    Args:
        may_replace: whether the new folder may replace one that exists. If not, it gets the first
            name with a number for which it may, or which is free.

    Returns:
        the path of the folder.
    """
    target, number = folder, 1
    while True:
        place = target.resolve()
        replace = _move_files if place == Path.cwd() else _swap_folders
        with suppress_errors(errno.ENOTEMPTY, errno.EEXIST):
            if replace is _swap_folders:
                new.rename(place)
                return target
        # Another process may exchange the folder at the same time: then it is tried again.
        with suppress_errors(errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            if may_replace(new, place):
                replace(new, place)
                return target
            number += 1
            target = folder.with_name(f"{folder.name}-{number}")


def _move_files(new: Path, folder: Path) -> None:
    """Move the files and folders in a folder to another one, where they replace others."""
    for path in new.iterdir():
        if (folder / path.name).is_dir():
            shutil.rmtree(folder / path.name)
        path.replace(folder / path.name)


def _swap_folders(new: Path, folder: Path) -> None:
    """Exchange two folders: on Linux in one call, so that a kill always leaves one in place."""
    import ctypes

    if rename := getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None):
        here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
        if rename(here, os.fsencode(new), here, os.fsencode(folder), exchange) == 0:
            return
        if ctypes.get_errno() == errno.ENOENT:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    # Another system or file system: a kill between two renamings leaves both folders complete.
    old = new.with_name(f"{new.name}.old")
    folder.rename(old)
    try:
        new.rename(folder)
    except BaseException:
        with suppress(OSError):
            old.rename(folder)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def suppress_errors(*codes: int) -> Iterator[None]:
    """Suppress errors of the system with these codes, such as `errno.ENOENT`."""
    try:
        yield
    except OSError as error:
        if error.errno not in codes:
            raise
