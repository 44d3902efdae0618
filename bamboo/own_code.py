"""Errors in the user's code: where they were raised, in the user's own file."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

import metrics
from bamboo.errors import BambooError
from bamboo.paths import PACKAGE

PROJECT = (PACKAGE, Path(metrics.__file__).resolve().parent)
KNOWN = (*PROJECT, Path(sysconfig.get_path("stdlib")).resolve())
INSTALLED = {"site-packages", "dist-packages"}  # of any environment


class OwnCodeError(BambooError):
    """An exception raised in the user's code, such as a metric of their own.

    Attributes:
        details: the traceback, for ``debug=true``; it is kept when the error comes from another
            process.
    """

    def __init__(self, problem: str, details: str = "") -> None:
        self.details = details
        super().__init__(problem, details)

    def __str__(self) -> str:
        return str(self.args[0])


def location(error: BaseException) -> str | None:
    """Return the innermost line of the user's code that this project called, from the traceback.

    The tracebacks of the causes of the error are searched as well. Code of this project, of the
    standard library and of installed packages is not the user's.
    """
    current: BaseException | None = error
    while current is not None:
        frames = traceback.extract_tb(current.__traceback__)
        paths = [Path(frame.filename).resolve() for frame in frames]
        calling = [k for k, path in enumerate(paths) if _is_in(path, PROJECT)]
        for k in reversed(range(len(frames))):
            if calling and k > calling[0] and paths[k].is_file() and is_own(paths[k]):
                return f"{frames[k].filename}, line {frames[k].lineno}, in {frames[k].name}"
        current = current.__cause__ or current.__context__
    return None


def own_code_error(error: BaseException) -> OwnCodeError | None:
    """Return the error to report for an exception from the user's code; None for others."""
    if isinstance(error, OwnCodeError):
        return error
    where = location(error)
    if where is None:
        return None
    text = " ".join(str(error).split())
    problem = f"{type(error).__name__}: {text}" if text else type(error).__name__
    problem = f"{where}: {problem} (debug=true shows the traceback)"
    return OwnCodeError(problem, full_traceback(error))


def full_traceback(error: BaseException) -> str:
    """Return the tracebacks of an error and of all errors that led to it, the first one first."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None:
        chain.insert(0, current)
        current = current.__cause__ or current.__context__
    return "\n".join("".join(traceback.format_exception(e, chain=False)) for e in chain)


def is_own(path: Path) -> bool:
    """Return whether a file is the user's: not of this project, the library or a package."""
    resolved = path.resolve()
    return not (_is_in(resolved, KNOWN) or INSTALLED & {*resolved.parts})


def _is_in(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
