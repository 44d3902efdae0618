"""``python -m bamboo COMMAND key=value ...``: each command is a module of this package."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from amr_metrics.errors import GraphError, MetricError
from bamboo.commands import COMMANDS, INFORMATION, command_class
from bamboo.errors import (
    BambooError,
    ChecksFailed,
    ConfigError,
    Interrupted,
    message,
    unknown,
)
from bamboo.installation import as_called
from bamboo.log import Messages, printed, take_messages, visible, warn, warnings_printed
from bamboo.user_code import UserCodeError, full_traceback, user_code_error

HYDRA_FLAGS = re.compile(
    r"(-m|-c|-i|-p|-r|--(multirun|cfg|info|package|resolve|run|hydra-help)(=.*)?)"
    r"|[+~]*hydra[./].*"
)

ON_ERROR = "on_error=zero counts parses that cannot be read as empty, on_error=nan leaves them out"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an error, 130 when interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    messages = Messages()
    try:
        messages = take_messages(arguments)
        _say(_dispatch(arguments, messages))
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
    if not text:  # the jobs of Hydra's have printed theirs
        return
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


def _dispatch(arguments: list[str], messages: Messages) -> str:
    config_dir = _take(arguments, "--config-dir") or _take(arguments, "-cd")
    if config_dir is not None:
        # The user's YAML may refer to code in the same folder.
        sys.path.insert(0, str(Path(config_dir).resolve()))
    if "--version" in arguments:
        from bamboo.installation import versions

        return versions()
    if not arguments or arguments[0] in ("-h", "--help"):
        arguments = ["help"]
    command, *rest = arguments
    if command not in (*COMMANDS, *INFORMATION):
        raise ConfigError(unknown("command", command, (*COMMANDS, *INFORMATION)))
    from bamboo.config.groups import check_config_dir  # imports PyYAML

    check_config_dir(config_dir)
    if "-h" in rest or "--help" in rest:
        command, rest = "help", [command]
    if command in INFORMATION:
        _refuse_flags(command, rest)
        return str(import_module(f"bamboo.commands.{command}").main(rest, config_dir))
    run = partial(run_command, messages)
    if any(map(HYDRA_FLAGS.fullmatch, rest)):
        from bamboo.commands.hydra_app import run_by_hydra  # slow to import

        return run_by_hydra(run, command, rest, config_dir)
    return run(command, rest, config_dir)


def _refuse_flags(command: str, arguments: list[str]) -> None:
    """Check that a command that computes nothing has none of Hydra's flags."""
    if strange := [argument for argument in arguments if argument.startswith("-")]:
        raise ConfigError(f"{strange[0]}: {command} takes no flags except --config-dir and --help")


def run_command(messages: Messages, name: str, words: Sequence[str], config_dir: str | None) -> str:
    """Run one command that computes something; return the text to print."""
    # Slow to import, and not needed for --help.
    from bamboo.commands.base import available, check_extra, configured
    from bamboo.progress import progress_reported

    command = command_class(name)
    with printed(messages), warnings_printed():
        check_extra(command)
        usable, left_out = available(configured(name, words, config_dir))
        if not gc.isenabled():  # in a process of its own, see `bamboo.__main__`
            gc.freeze()
            gc.enable()
        with progress_reported():
            built = command.of(usable)
            try:
                output = built()
            except GraphError as error:
                can_be_left_out = error.graph is not None and error.argument is None
                if can_be_left_out and getattr(built, "on_error", None) == "stop":
                    error.add_note(ON_ERROR)
                raise
        warn(left_out)
    return output


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
