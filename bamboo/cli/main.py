"""``python -m bamboo COMMAND key=value ...``: each command is a module of this package."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bamboo import messages
from bamboo.config.hydra_flags import take_hydra_flags
from bamboo.errors import (
    BambooError,
    ChecksFailed,
    ConfigError,
    Interrupted,
    message,
    unknown,
    with_notes,
)
from bamboo.own_code import OwnCodeError, full_traceback, own_code_error
from bamboo.program import as_called
from bamboo.terminal import visible
from metrics.errors import MetricError

if TYPE_CHECKING:
    from bamboo.config.request import Request

COMMANDS = (
    *("run", "compare", "train", "score", "explain", "tables", "site"),
    *("build", "prefer", "submit", "fetch", "check"),
)
# Commands that compute nothing: they take words, and load neither Hydra nor compiled kernels.
INFORMATION = ("list", "help", "completion")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an error, 130 when interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    messages.use(messages.Messages())
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _say(_dispatch(arguments))
            _warn(messages.take_last())
    except Interrupted as error:
        print(error, file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (BambooError, MetricError) as error:
        return _report(error)
    except BrokenPipeError:
        _discard_output()  # its reader has exited, as in `... | head`
    except Exception as error:
        if (own := own_code_error(error)) is not None:
            return _report(own)
        if (text := _system_problem(error)) is not None:
            return _report(error, text)
        raise  # a defect of this project: the traceback is needed to repair it
    return 0


def _report(error: Exception, text: str | None = None) -> int:
    """Print an error, with its traceback if requested; returns the exit status."""
    if isinstance(error, ChecksFailed):
        _say(error.output)
    if messages.current().debug:
        details = error.details if isinstance(error, OwnCodeError) else full_traceback(error)
        print(details, end="", file=sys.stderr)
    print(f"error: {visible(as_called(text or message(error)))}", file=sys.stderr)
    return 1


def _system_problem(error: Exception) -> str | None:
    """The message of an error of the system or of an input too large for it; None for others."""
    if isinstance(error, OSError):
        return with_notes(_system_error(error), error)
    if isinstance(error, RecursionError):
        return "an input is nested too deeply: use one with fewer levels"
    if isinstance(error, MemoryError):
        reason = f" ({error})" if str(error) else ""
        text = f"not enough memory{reason}: use a smaller input, or fewer processes"
        return with_notes(text, error)
    return None


def _system_error(error: OSError) -> str:
    """The message of an error of the operating system, with the file and a remedy if known."""
    reason = error.strerror or str(error)
    where = f": {error.filename!r}" if error.filename is not None else ""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return f"{reason}{where}{'. Free some space, or choose another folder' if full else ''}"


def _discard_output() -> None:
    """Drop what is still to be written to standard output, which the interpreter tries at exit."""
    with contextlib.suppress(OSError, ValueError):  # standard output may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning of `metrics` like one of this package."""
    _warn([str(message)])


def _warn(texts: Sequence[str]) -> None:
    """Print warnings on standard error."""
    if texts:
        from bamboo.pairs.problems import warn  # slow to import

        warn(texts)


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
    if command not in (*COMMANDS, *INFORMATION):
        raise ConfigError(unknown("command", command, (*COMMANDS, *INFORMATION)))
    if "-h" in rest or "--help" in rest:
        command, rest = "help", [command]
    if command in INFORMATION:
        _refuse_flags(command, rest)
        from bamboo.config.groups import check_config_dir  # imports PyYAML

        check_config_dir(config_dir)
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
    # Slow to import, and not needed for --help.
    from bamboo.cli.available import available, check_command
    from bamboo.cli.session import Session
    from bamboo.progress import compilation_announced

    if config_dir is not None and (folder := str(Path(config_dir).resolve())) not in sys.path:
        sys.path.insert(0, folder)  # in another process, which Hydra started
    check_command(command)
    request, left_out = available(_request(command, arguments, config_dir))
    run = import_module(f"bamboo.cli.{command}").main
    if not gc.isenabled():  # in a process of its own, see `bamboo.__main__`
        gc.freeze()
        gc.enable()
    with compilation_announced():
        output = str(run(Session(request)))
    messages.at_end(left_out)
    return output


def _request(command: str, arguments: Sequence[str], config_dir: str | None) -> Request:
    """The request given by the arguments, or that of the run in ``from=FOLDER``."""
    from bamboo.config.request import read_request  # imports NumPy

    folders = [argument for argument in arguments if argument.startswith("from=")]
    if command != "run" or not folders:
        return read_request(command, arguments, config_dir)
    if config_dir is not None or len(folders) > 1:
        raise ConfigError("from=FOLDER repeats exactly one run, with the --config-dir of that run")
    from bamboo.results.repeat import (
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
