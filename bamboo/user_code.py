"""The user's own code: its modules, for a limited time, and errors that are raised in it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path

from amr_metrics.utils.user_code import format_error, is_user_file, location
from bamboo.errors import BambooError


class UserCodeError(BambooError):
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


def user_code_error(error: BaseException) -> UserCodeError | None:
    """Return the error to report for an exception from the user's code; None for others."""
    if isinstance(error, UserCodeError):
        return error
    where = location(error)
    if where is None:
        return None
    problem = f"{where}: {format_error(error)} (debug=true shows the traceback)"
    return UserCodeError(problem, full_traceback(error))


def full_traceback(error: BaseException) -> str:
    """Return the tracebacks of an error and of all errors that led to it, the first one first."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None:
        chain.insert(0, current)
        current = current.__cause__ or current.__context__
    return "\n".join("".join(traceback.format_exception(e, chain=False)) for e in chain)


@contextmanager
def reserve_output() -> Iterator[None]:
    """Reserve standard output for what is printed in Python, in a process that ends afterwards.

    All else goes to standard error: what C code, other processes such as workers, and functions
    called at exit write there.
    """
    sys.stdout.flush()
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    report = os.fdopen(os.dup(1), "w", encoding=encoding, errors=errors, closefd=False)
    os.dup2(2, 1)
    with redirect_stdout(report):
        yield


@contextmanager
def find_modules_in(folder: str | Path) -> Iterator[None]:
    """Find modules in a folder first. Afterwards, those imported from there are forgotten.

    Otherwise the module of the same name in another folder would not be imported by a later call.
    """
    resolved = str(Path(folder).resolve())
    if resolved in sys.path:
        yield
        return
    sys.path.insert(0, resolved)
    try:
        yield
    finally:
        sys.path[:] = [entry for entry in sys.path if entry != resolved]
        forget_user_modules(Path(resolved))


def forget_user_modules(folder: Path | None = None) -> None:
    """Forget the user's modules, or those of them below a folder, so that they are read again."""
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        if "." in name or name == "__main__" or file is None:
            continue
        place = _find_user_file(file)
        if place is not None and (folder is None or folder in place.parents):
            for module_name in [*sys.modules]:
                if module_name == name or module_name.startswith(f"{name}."):
                    del sys.modules[module_name]


@cache  # each call of this package asks for all modules
def _find_user_file(file: str) -> Path | None:
    """Return the resolved path of a file of the user; None for others."""
    path = Path(file).resolve()
    return path if is_user_file(path) else None
