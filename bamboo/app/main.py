"""``python -m bamboo COMMAND key=value ...``."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from amr_metrics.errors import GraphError, MetricError
from bamboo.app.commands import COMMANDS, INFORMATION, Command
from bamboo.errors import (
    BambooError,
    ChecksFailed,
    ConfigError,
    Interrupted,
    message,
    unknown,
)
from bamboo.installation import as_called
from bamboo.log import Messages, printed, take_messages, visible, warnings_printed
from bamboo.user_code import UserCodeError, full_traceback, user_code_error

# Flags of Hydra's; those in the second line have a value.
FLAGS = {"-m", "--multirun", "--run", "-r", "--resolve", "--hydra-help"}
WITH_VALUE = {"-c", "--cfg", "-p", "--package", "-i", "--info"}
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")

ON_ERROR = "on_error=zero counts parses that cannot be read as empty, on_error=nan leaves them out"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an error, 130 when interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    messages = Messages()
    try:
        messages = take_messages(arguments)
        _dispatch(arguments, messages)
    except Interrupted as error:
        print(error, file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (BambooError, MetricError) as error:
        return _report(error, message(error), messages.debug)
    except BrokenPipeError:
        _discard_output()  # its reader has exited, as in `... | head`
    except Exception as error:
        if (own := user_code_error(error)) is not None:
            return _report(own, message(own), messages.debug)
        if (text := _system_problem(error)) is not None:
            return _report(error, text, messages.debug)
        raise  # a defect of this project: the traceback is needed to repair it
    return 0


def _report(error: Exception, text: str, debug: bool) -> int:
    """Print an error, with its traceback if requested; returns the exit status."""
    if isinstance(error, ChecksFailed):
        _say(error.output)
    if debug:
        details = error.details if isinstance(error, UserCodeError) else full_traceback(error)
        print(details, end="", file=sys.stderr)
    print(f"error: {visible(as_called(text))}", file=sys.stderr)
    return 1


def _system_problem(error: Exception) -> str | None:
    """Return the message of an error of the system, the input or the output; None for others."""
    if isinstance(error, OSError):
        return _system_error(error)
    if isinstance(error, RecursionError):
        return "an input is nested too deeply: use one with fewer levels"
    if isinstance(error, MemoryError):
        reason = f" ({error})" if str(error) else ""
        return f"not enough memory{reason}: use a smaller input, or fewer processes"
    if sys.stdout is not None and sys.stdout.closed:
        return "standard output was closed by a metric or other code of yours: remove that"
    return None


def _system_error(error: OSError) -> str:
    """Return the message of a system error, with the file and a remedy if known."""
    reason = error.strerror or str(error)
    where = f": {error.filename!r}" if error.filename is not None else ""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return f"{reason}{where}{'. Free some space, or choose another folder' if full else ''}"


def _discard_output() -> None:
    """Drop what is still to be written to standard output, which the interpreter tries at exit."""
    with contextlib.suppress(OSError, ValueError):  # standard output may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    """Print; in UTF-8 if the encoding of the output lacks a character."""
    try:
        try:
            print(text)
        except UnicodeEncodeError:
            sys.stdout.buffer.write(f"{text}\n".encode())
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard_output()
        raise OSError(error.errno, error.strerror, "standard output") from None


def _dispatch(arguments: list[str], messages: Messages) -> None:
    config_dir = _take(arguments, "--config-dir") or _take(arguments, "-cd")
    if config_dir is not None:
        # The user's YAML may refer to code in the same folder.
        sys.path.insert(0, str(Path(config_dir).resolve()))
    if "--version" in arguments:
        from bamboo.installation import versions

        return _say(versions())
    if not arguments or arguments[0] in ("-h", "--help"):
        arguments = ["help"]
    name, *rest = arguments
    if name in ("-sc", "--shell-completion"):
        from bamboo.app.application import complete  # slow to import

        return complete("".join(rest))
    if name not in (*COMMANDS, *INFORMATION):
        raise ConfigError(unknown("command", name, (*COMMANDS, *INFORMATION)))
    from bamboo.config.groups import check_config_dir  # imports PyYAML

    check_config_dir(config_dir)
    if "-h" in rest or "--help" in rest:
        name, rest = "help", [name]
    if name in INFORMATION:
        if strange := [argument for argument in rest if argument.startswith("-")]:
            raise ConfigError(f"{strange[0]}: {name} takes no flags except --config-dir and --help")
        return _say(str(import_module(f"bamboo.app.{name}").main(rest, config_dir)))
    from bamboo.app.application import run_command  # slow to import

    flags, words = _flags(rest)
    with printed(messages), warnings_printed():
        run_command(COMMANDS[name], words, flags, config_dir, partial(_call, COMMANDS[name]))


def _flags(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the flags of Hydra's, with their values, and the other words."""
    flags: list[str] = []
    words: list[str] = []
    for word in arguments:
        before = flags[-1] if flags else ""
        choices = INFO if before in ("-i", "--info") else ()
        is_value = before in WITH_VALUE and "=" not in word and word[:1] != "-"
        is_value = is_value and (not choices or word in choices)
        is_flag = word in FLAGS or word.partition("=")[0] in WITH_VALUE
        (flags if is_flag or is_value else words).append(word)
    return flags, words


def _call(command: Command, arguments: Mapping[str, Any]) -> None:
    """Call the function of a command with composed arguments, and print what it returns."""
    from bamboo.api.call import fitting
    from bamboo.progress import progress_reported

    given = {name: value for name, value in arguments.items() if name in command.parameters}
    shown = {name: value for name, value in arguments.items() if name not in given}
    shown = fitting(command.show, shown)
    if not gc.isenabled():  # in a process of its own, see `bamboo.__main__`
        gc.freeze()
        gc.enable()
    with progress_reported():
        try:
            text = command.show(partial(command.function, **given), **shown)
        except GraphError as error:
            can_be_left_out = error.graph is not None and error.argument is None
            if can_be_left_out and given.get("on_error") == "stop":
                error.add_note(ON_ERROR)
            raise
    _say(text)


def _take(arguments: list[str], name: str) -> str | None:
    """Remove ``name VALUE`` or ``name=VALUE`` from the arguments and return the value."""
    for k, argument in enumerate(arguments):
        if argument == name:
            if k + 1 == len(arguments):
                raise ConfigError(f"{name} requires a folder")
            del arguments[k]
            return arguments.pop(k)
        if argument.startswith(f"{name}="):
            return arguments.pop(k).partition("=")[2]
    return None
