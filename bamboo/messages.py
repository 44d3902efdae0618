"""How much commands print on standard error: ``quiet``, ``verbose`` and ``debug``.

A function of the Python API prints nothing, except progress on request; its warnings are Python
warnings.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from pathlib import Path

from bamboo.errors import BambooWarning, ConfigError


@dataclass(frozen=True, kw_only=True)
class Messages:
    """The options of every command on what is printed on standard error (``conf/base.yaml``).

    Attributes:
        quiet: neither progress nor notes; warnings and errors are printed.
        verbose: also a line for each step, on a terminal or not.
        debug: the traceback of an error.

    Raises:
        ConfigError: if both `quiet` and `verbose` are set.
    """

    quiet: bool = False
    verbose: bool = False
    debug: bool = False

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise ConfigError("quiet=true and verbose=true exclude each other")


NAMES = tuple(field.name for field in fields(Messages))
PACKAGE = Path(__file__).resolve().parent
_current = Messages()
_last: list[str] = []  # warnings to print at the end
_in_python: ContextVar[Messages | None] = ContextVar("in_python", default=None)


def take_messages(arguments: list[str]) -> Messages:
    """Remove the options on messages from the arguments, and return their values.

    Raises:
        ConfigError: a value that is neither true nor false, or an option given twice.

    >>> arguments = ["run", "quiet=true", "data=sample"]
    >>> take_messages(arguments).quiet, arguments
    (True, ['run', 'data=sample'])
    """
    given: dict[str, bool] = {}
    for argument in list(arguments):
        key, equals, value = argument.partition("=")
        if key not in NAMES or not equals:
            continue
        if value.lower() not in ("true", "false"):
            raise ConfigError(f"{argument}: expected {key}=true or {key}=false")
        if key in given:
            raise ConfigError(f"{key} is given twice")
        given[key] = value.lower() == "true"
        arguments.remove(argument)
    return replace(Messages(), **given)


def use(messages: Messages) -> None:
    """Print as much as `messages` says from now on."""
    global _current
    _current = messages


def current() -> Messages:
    """How much is printed."""
    return _in_python.get() or _current


@contextmanager
def called_from_python(progress: bool = False) -> Iterator[None]:
    """Print nothing while a function of the Python API runs, and issue warnings as Python does.

    Args:
        progress: show progress on standard error: a bar on a terminal, elsewhere lines.
    """
    verbose = progress and not sys.stderr.isatty()
    token = _in_python.set(Messages(quiet=not progress, verbose=verbose))
    try:
        yield
    finally:
        _in_python.reset(token)


def warned_in_python(text: str) -> bool:
    """Issue a Python warning at the caller's line, if a function of the Python API is running.

    Equal warnings are issued each time; Python would show only the first one from each line.
    """
    if _in_python.get() is None:
        return False
    frame = sys._getframe(1)
    while frame.f_back is not None and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
        frame = frame.f_back
    warnings.warn_explicit(text, BambooWarning, frame.f_code.co_filename, frame.f_lineno)
    return True


def at_end(texts: Iterable[str]) -> None:
    """Have warnings printed after the output of the command, where they are seen."""
    _last.extend(text for text in texts if not warned_in_python(text))


def take_last() -> list[str]:
    """Remove and return the warnings to print after the output of the command."""
    texts = [*_last]
    _last.clear()
    return texts


def note(text: str) -> None:
    """Print a note on standard error, such as where a file was written; not if quiet."""
    if not current().quiet:
        print(text, file=sys.stderr)


def detail(text: str) -> None:
    """Print a line on one step on standard error, if verbose."""
    if current().verbose:
        print(text, file=sys.stderr, flush=True)
