"""What commands print on standard error: the logger ``bamboo`` of the standard library.

Notes have the level INFO, single steps DEBUG. Warnings are Python warnings (`BambooWarning`), which
commands print. A function of the Python API prints nothing, except progress on request.
"""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bamboo.errors import BambooWarning, ConfigError, FileNote

LOG = logging.getLogger("bamboo")
PACKAGE = Path(__file__).resolve().parent

# Control characters except tab and line feed; line separators; characters that have no width or
# change the direction of the text around them, but not the joiners U+200C and U+200D, which are
# part of words and emoji; halves of surrogate pairs; what XML forbids.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\ufffe\uffff]"
)


@dataclass(frozen=True, kw_only=True)
class Messages:
    """The options of every command on what is printed on standard error.

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

    @property
    def level(self) -> int:
        """The lowest level of what is printed."""
        if self.quiet:
            return logging.WARNING
        return logging.DEBUG if self.verbose else logging.INFO


NAMES = tuple(field.name for field in fields(Messages))


def take_messages(arguments: list[str]) -> Messages:
    """Remove the options on messages from the arguments, and return their values.

    Raises:
        ConfigError: a value that is neither true nor false, or an option given twice.

    >>> arguments = ["run", "quiet=true", "data=sample"]
    >>> take_messages(arguments).quiet, arguments
    (True, ['run', 'data=sample'])
    """
    values: dict[str, bool] = {}
    for argument in list(arguments):
        key, equals, value = argument.partition("=")
        if key not in NAMES or not equals:
            continue
        if value.lower() not in ("true", "false"):
            raise ConfigError(f"{argument}: expected {key}=true or {key}=false")
        if key in values:
            raise ConfigError(f"{key} is given twice")
        values[key] = value.lower() == "true"
        arguments.remove(argument)
    return Messages(**values)


def visible(text: str) -> str:
    r"""Return the text with control characters as escapes, as in JSON.

    A terminal obeys control characters, and they may come from any file: the id of a graph could
    clear the screen or hide the rest of a message.

    >>> print(visible("id \x1b[2J"))
    id \u001b[2J
    """
    return HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escape_name(name: str) -> str:
    r"""Return a name in one line, with control characters and line breaks as escapes.

    >>> print(escape_name("a\nb"))
    a\u000ab
    """
    return visible(name).replace("\n", "\\u000a")


class _Handler(logging.Handler):
    """Prints to `sys.stderr`, which a progress bar replaces while it is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        prefix = "warning: " if record.levelno == logging.WARNING else ""
        print(visible(prefix + record.getMessage()), file=sys.stderr, flush=True)


@contextmanager
def print_messages(messages: Messages) -> Iterator[None]:
    """Print what is logged on standard error for a limited time."""
    before = LOG.handlers, LOG.level, LOG.propagate
    LOG.handlers, LOG.propagate = [_Handler()], False
    LOG.setLevel(messages.level)
    try:
        yield
    finally:
        LOG.handlers, LOG.propagate = before[0], before[2]
        LOG.setLevel(before[1])


@contextmanager
def warnings_printed() -> Iterator[None]:
    """Print Python warnings as those of a command."""

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:
        LOG.log(logging.INFO if category is FileNote else logging.WARNING, "%s", message)

    with warnings.catch_warnings():
        warnings.simplefilter("always", BambooWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def warn(texts: Iterable[str], category: type[BambooWarning] = BambooWarning) -> None:
    """Issue Python warnings at the line that called this package, each time if they are equal."""
    for text in texts:
        frame = sys._getframe(1)
        while frame.f_back is not None and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            frame = frame.f_back
        place = frame.f_code.co_filename, frame.f_lineno
        warnings.warn_explicit(visible(text), category, *place)


def note(text: str) -> None:
    """Log a note, such as where a file was written."""
    LOG.info("%s", text)
