"""Import and call the user's own code, and find the line of it that raised an error."""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from amr_metrics.errors import ExitError, is_interrupt

if TYPE_CHECKING:
    from traceback import FrameSummary

LIBRARY = Path(__file__).resolve().parents[1]
# The harness: beside the library when installed, one folder up in a checkout.
HARNESS = (LIBRARY.with_name("bamboo"), LIBRARY.parents[1] / "bamboo")
STANDARD_LIBRARY = Path(os.__file__).resolve().parent
INSTALLED = {"site-packages", "dist-packages"}  # of any environment


@contextmanager
def guard_user_code() -> Iterator[None]:
    """Call code that may be the user's: it cannot end this process, and prints to standard error.

    Standard output belongs to the report. Threads share it, so only the main thread redirects it.

    Raises:
        ExitError: for SystemExit, whatever its status, and the like; it names file and line.
        KeyboardInterrupt: Ctrl-C, also if the code exits because of it.
    """
    in_main_thread = current_thread() is main_thread()  # which Ctrl-C interrupts
    try:
        with redirect_stdout(sys.stderr) if in_main_thread else nullcontext():
            yield
    except Exception:
        raise
    except BaseException as error:
        if in_main_thread and isinstance(error, KeyboardInterrupt):
            raise
        if in_main_thread and is_interrupt(error):
            raise KeyboardInterrupt from error
        where = location(error) or _find_last_line(error)
        raise ExitError(f"{where}: {format_error(error)}") from error


def import_user_code(name: str) -> Any:
    """Return the object that a dotted name refers to, which may be the user's.

    Raises:
        ExitError: as `guard_user_code`.
        Exception: any other error of importing it.
    """
    with guard_user_code():
        return pkgutil.resolve_name(name)


def describe_error(error: Exception) -> str:
    """Describe an error of the user's code in one line, with its file and line if known."""
    if isinstance(error, ExitError):
        return str(error)
    where = location(error)
    return format_error(error) if where is None else f"{format_error(error)} ({where})"


def format_error(error: BaseException) -> str:
    """Return the type of an error and its message in one line.

    >>> format_error(KeyError("key")), format_error(SystemExit())
    ("KeyError: 'key'", 'SystemExit')
    """
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def location(error: BaseException) -> str | None:
    """Return the innermost line of the user's code that this project called, from the traceback.

    The tracebacks of the causes of the error are searched as well. Code of this project, of the
    standard library and of installed packages is not the user's.
    """
    import traceback

    current: BaseException | None = error
    while current is not None:
        frames = traceback.extract_tb(current.__traceback__)
        paths = [Path(frame.filename).resolve() for frame in frames]
        calling = [k for k, path in enumerate(paths) if _is_in(path, (LIBRARY, *HARNESS))]
        for k in reversed(range(len(frames))):
            if calling and k > calling[0] and paths[k].is_file() and is_user_file(paths[k]):
                return _format_frame(frames[k])
        current = current.__cause__ or current.__context__
    return None


def _find_last_line(error: BaseException) -> str:
    """Return the line that raised an error, also in code that is not the user's."""
    import traceback

    return _format_frame(traceback.extract_tb(error.__traceback__)[-1])


def _format_frame(frame: FrameSummary) -> str:
    return f"{frame.filename}, line {frame.lineno}, in {frame.name}"


def is_user_file(path: Path) -> bool:
    """Return whether a file is the user's: not of this project, the library or a package."""
    resolved = path.resolve()
    folders = (LIBRARY, *HARNESS, STANDARD_LIBRARY)
    return not (_is_in(resolved, folders) or INSTALLED & {*resolved.parts})


def _is_in(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
