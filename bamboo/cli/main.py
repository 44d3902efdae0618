"""``python -m bamboo COMMAND key=value ...``: each command is a module of this package."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bamboo import messages
from bamboo.config.hydra_flags import take_hydra_flags
from bamboo.errors import BambooError, ChecksFailed, ConfigError, Interrupted, message, unknown
from bamboo.own_code import OwnCodeError, full_traceback, own_code_error
from bamboo.program import as_called
from metrics.errors import MetricError

if TYPE_CHECKING:
    from bamboo.config.request import Request

VERBS = (
    *("run", "compare", "train", "score", "explain", "tables", "site"),
    *("build", "prefer", "agreement", "submit", "fetch", "check"),
)
# Commands that compute nothing: they take words, and load neither Hydra nor compiled kernels.
INFORMATION = ("list", "help", "completion")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an error, 130 when interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    messages.use(messages.Messages())
    try:
        _say(_dispatch(arguments))
    except Interrupted as error:
        print(error, file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (BambooError, MetricError) as error:
        return _report(error)
    except BrokenPipeError:
        # The reader of the output has exited, as in `... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        own = own_code_error(error)
        if own is None and not isinstance(error, OSError):
            raise  # a defect of this project: the traceback is needed to repair it
        return _report(error if own is None else own)
    return 0


def _report(error: Exception) -> int:
    """Print an error, with its traceback if requested; returns the exit status."""
    if isinstance(error, ChecksFailed):
        _say(error.output)
    if messages.current().debug:
        details = error.details if isinstance(error, OwnCodeError) else full_traceback(error)
        print(details, end="", file=sys.stderr)
    print(f"error: {as_called(message(error))}", file=sys.stderr)
    return 1


def _say(text: str) -> None:
    """Print; in UTF-8 if the encoding of the output lacks a character."""
    if not text:  # the jobs of Hydra's have printed theirs
        return
    try:
        print(text)
    except UnicodeEncodeError:
        sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.flush()


def _dispatch(arguments: list[str]) -> str:
    if arguments[:2] == ["completion", "query"]:  # the words of an unfinished command
        return str(import_module("bamboo.cli.completion").main(arguments[1:], None))
    messages.use(messages.take_messages(arguments))
    config_dir = _take(arguments, "--config-dir") or _take(arguments, "-cd")
    if config_dir is not None:
        # The user's YAML may refer to code in the same folder.
        sys.path.insert(0, str(Path(config_dir).resolve()))
    if "--version" in arguments:
        from bamboo.version import versions

        return versions()
    if not arguments or arguments[0] in ("-h", "--help"):
        arguments = ["help"]
    command, *rest = arguments
    if command not in (*VERBS, *INFORMATION):
        raise ConfigError(unknown("command", command, (*VERBS, *INFORMATION)))
    if "-h" in rest or "--help" in rest:
        command, rest = "help", [command]
    if command in INFORMATION:
        _refuse_flags(command, rest)
        if config_dir is not None and not Path(config_dir).is_dir():
            raise ConfigError(f"--config-dir {config_dir}: no such folder")
        return str(import_module(f"bamboo.cli.{command}").main(rest, config_dir))
    flags = take_hydra_flags(rest)
    if not (flags.runs or flags.shows):
        return run_command(command, rest, config_dir)
    from bamboo.cli.hydra_app import run_by_hydra, show  # slow to import

    if any(argument.startswith("from=") for argument in rest):
        raise ConfigError("from=FOLDER repeats a run unchanged, without flags of Hydra's")
    if flags.shows:
        return show(command, rest, config_dir, flags)
    return run_by_hydra(run_command, command, rest, config_dir, flags)


def _refuse_flags(command: str, arguments: list[str]) -> None:
    """Check that a command that computes nothing has none of Hydra's flags."""
    if strange := [argument for argument in arguments if argument.startswith("-")]:
        raise ConfigError(f"{strange[0]}: {command} takes no flags except --config-dir and --help")


def run_command(command: str, arguments: list[str], config_dir: str | None) -> str:
    """Run one command that computes something; returns the text to print."""
    from bamboo.cli.session import Session  # slow to import, and not needed for --help

    if config_dir is not None and (folder := str(Path(config_dir).resolve())) not in sys.path:
        sys.path.insert(0, folder)  # in another process, which Hydra started
    session = Session(_request(command, arguments, config_dir))
    return str(import_module(f"bamboo.cli.{command}").main(session))


def _request(command: str, arguments: Sequence[str], config_dir: str | None) -> Request:
    """The request given by the arguments, or that of the run in ``from=FOLDER``."""
    from bamboo.config.request import read_request  # imports NumPy

    folders = [argument for argument in arguments if argument.startswith("from=")]
    if command != "run" or not folders:
        return read_request(command, arguments, config_dir)
    if config_dir is not None or len(folders) > 1:
        raise ConfigError("from=FOLDER repeats exactly one run, with the --config-dir of that run")
    from bamboo.running.repeat import (
        repeated,
    )  # slow to import, and needed only for from=FOLDER

    request = repeated(
        Path(folders[0].removeprefix("from=")),
        [argument for argument in arguments if argument not in folders],
    )
    if request.config_dir is not None:
        sys.path.insert(0, str(Path(request.config_dir).resolve()))
    return request


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
