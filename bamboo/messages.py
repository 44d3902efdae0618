"""How much commands print on standard error: ``quiet``, ``verbose`` and ``debug``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from bamboo.errors import ConfigError


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
_current = Messages()
_last: list[str] = []  # warnings to print at the end


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
    return _current


def at_end(warnings: Iterable[str]) -> None:
    """Have warnings printed after the output of the command, where they are seen."""
    _last.extend(warnings)


def take_last() -> list[str]:
    """Remove and return the warnings to print after the output of the command."""
    warnings = [*_last]
    _last.clear()
    return warnings


def note(text: str) -> None:
    """Print a note on standard error, such as where a file was written; not if quiet."""
    if not _current.quiet:
        print(text, file=sys.stderr)


def detail(text: str) -> None:
    """Print a line on one step on standard error, if verbose."""
    if _current.verbose:
        print(text, file=sys.stderr, flush=True)
