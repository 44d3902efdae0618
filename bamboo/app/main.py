"""``python -m bamboo COMMAND key=value ...``."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from amr_metrics.errors import GraphError, MetricError, is_interrupt
from bamboo.app.commands import COMMANDS, INFORMATION, NAMES, Command
from bamboo.errors import (
    BambooError,
    ChecksFailed,
    ConfigError,
    Interrupted,
    describe_system_problem,
    describe_unknown,
    message,
)
from bamboo.log import Messages, print_messages, take_messages, visible, warnings_printed
from bamboo.user_code import UserCodeError, full_traceback, user_code_error

if TYPE_CHECKING:
    from bamboo.config.groups import ConfigDir

ON_ERROR = "on_error=zero counts parses that cannot be read as empty, on_error=nan leaves them out"
LEAVE_OUT = "on_error=nan leaves out graphs that cannot be read"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status.

    0, 1 for an error, 3 for scores that are too low (`GateFailed`), 130 when interrupted.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    messages = Messages()
    try:
        messages = take_messages(arguments)
        _dispatch(arguments, messages)
        sys.stdout.flush()  # Hydra prints, too
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
        if is_interrupt(error):
            print("interrupted", file=sys.stderr)
            return 130
        if (of_user := user_code_error(error)) is not None:
            return _report(of_user, message(of_user), messages.debug)
        if (text := describe_system_problem(error)) is not None:
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
    print(f"error: {visible(text)}", file=sys.stderr)
    return error.status if isinstance(error, ChecksFailed) else 1


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
    if "--version" in arguments:
        from bamboo.installation import versions

        return _say(versions())
    _check_working_directory()
    arguments, folders = _take_folders(arguments)
    name, *words = arguments or ["help"]
    if name in ("--shell-completion", "-sc"):
        from bamboo.app.completion import complete  # imports Hydra

        return complete(words)
    if name in ("--help", "-h"):
        name = "help"
    if name not in NAMES:
        raise ConfigError(describe_unknown("command", name, NAMES))
    config_dir = folders[0] if len(folders) == 1 else tuple(folders) or None
    # The user's YAML may refer to code in the same folder.
    sys.path[:0] = [str(Path(folder).resolve()) for folder in folders]
    from bamboo.config.groups import check_config_dir  # imports PyYAML

    check_config_dir(config_dir)
    is_application = name in COMMANDS and COMMANDS[name].is_application
    if is_application:
        words = [*_name_folders(folders), *words]
    elif {"--help", "-h"} & {*words}:
        name, words = "help", [name]
    if name in INFORMATION:
        return _say(str(import_module(f"bamboo.app.{name}").main(words, config_dir)))
    with print_messages(messages), warnings_printed():
        _run_command(COMMANDS[name], words, config_dir, messages)


def _take_folders(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words without ``--config-dir FOLDER``, and the folders.

    Raises:
        ConfigError: a flag without a folder.
    """
    others: list[str] = []
    folders: list[str] = []
    left = iter(words)
    for word in left:
        flag, equals, value = word.partition("=")
        if flag not in ("--config-dir", "-cd"):
            others.append(word)
        elif folder := value if equals else next(left, ""):
            folders.append(folder)
        else:
            raise ConfigError(f"{flag} needs a folder: {flag} FOLDER")
    return others, folders


def _name_folders(folders: Sequence[str]) -> list[str]:
    """Return the words that name folders for Hydra, which takes one with ``--config-dir``."""
    first = ["--config-dir", folders[0]] if folders else []
    addresses = [f"file://{Path(folder).resolve()}" for folder in folders[1:]]
    more = ["'" + re.sub(r"(\\*)'", r"\1\1\'", address) + "'" for address in addresses]
    return [*first, *([f"hydra.searchpath=[{','.join(more)}]"] if more else [])]


def _run_command(
    command: Command, words: Sequence[str], config_dir: ConfigDir, messages: Messages
) -> None:
    """Call the function of a command with the arguments that the words mean."""
    if command.is_application:
        from bamboo.app.hydra_apps import run_application  # imports Hydra

        return run_application(command, words, config_dir, partial(_call, command), messages)
    from bamboo.app.words import read_arguments  # slow to import

    _call(command, read_arguments(command, words, config_dir))


def _check_working_directory() -> None:
    """Check that there is a working directory.

    Raises:
        ConfigError: it was deleted.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        raise ConfigError(
            "the working directory was deleted: change to a folder that exists, also if one of "
            "the same name was created since (cd FOLDER)"
        ) from None


def _call(command: Command, arguments: Mapping[str, Any]) -> None:
    """Call the function of a command with composed arguments, and print what it returns."""
    from bamboo.api.call import fit_values, parameter_types
    from bamboo.progress import progress_reported

    of_call = {name: value for name, value in arguments.items() if name in command.parameters}
    output_types = parameter_types(command.show)
    of_output = {name: value for name, value in arguments.items() if name in output_types}
    of_output = fit_values(command.show, of_output)
    if not gc.isenabled():  # in a process of its own, see `bamboo.__main__`
        gc.freeze()
        gc.set_threshold(1_000_000)  # commands make many objects, of which few are in cycles
        gc.enable()
    with progress_reported():
        try:
            text = command.show(partial(command.function, **of_call), **of_output)
        except GraphError as error:
            can_be_left_out = error.graph is not None and error.argument is None
            if can_be_left_out and of_call.get("on_error") == "stop":
                choices = get_args(command.options["on_error"].type)
                error.add_note(ON_ERROR if "zero" in choices else LEAVE_OUT)
            raise
    _say(text)
