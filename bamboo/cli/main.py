"""``python -m bamboo COMMAND key=value ...``: each command is a module of this package."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TextIO

from bamboo.config.groups import group_names
from bamboo.config.request import Request, read_request, shared
from bamboo.errors import BambooError, ConfigError, Interrupted, message, unknown
from bamboo.pairs.problems import warn
from bamboo.paths import resource
from bamboo.terminal import visible
from metrics.errors import MetricError
from metrics.version import VERSION

VERBS = (
    *("run", "compare", "train", "score", "explain", "tables", "site"),
    *("build", "prefer", "agreement", "submit", "fetch"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an error, 130 when interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _say(_dispatch(arguments))
    except Interrupted as error:
        print(error, file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (BambooError, MetricError) as error:
        return _failed(message(error))
    except BrokenPipeError:
        _discard_output()  # its reader has exited, as in `... | head`
    except OSError as error:
        return _failed(_system_error(error))
    except RecursionError:
        return _failed("an input is nested too deeply: use one with fewer levels")
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        return _failed(f"not enough memory{reason}: use a smaller input, or fewer processes")
    return 0


def _failed(text: str) -> int:
    """Print an error message; returns the exit status."""
    print(f"error: {visible(text)}", file=sys.stderr)
    return 1


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
    warn([str(message)])


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


def _dispatch(arguments: list[str]) -> str:
    config_dir = _take(arguments, "--config-dir")
    if config_dir is not None:
        # The user's YAML may refer to code in the same folder.
        sys.path.insert(0, str(Path(config_dir).resolve()))
    if "--version" in arguments:
        return VERSION
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _help()
    command, *rest = arguments
    if command not in VERBS:
        raise ConfigError(unknown("command", command, VERBS))
    if "-h" in rest or "--help" in rest:
        return _help(command, config_dir)
    from bamboo.cli.session import Session  # slow to import, and not needed for --help

    session = Session(_request(command, rest, config_dir))
    return str(import_module(f"bamboo.cli.{command}").main(session))


def _request(command: str, arguments: Sequence[str], config_dir: str | None) -> Request:
    """The request given by the arguments, or that of the run in ``from=FOLDER``."""
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


def _help(command: str | None = None, config_dir: str | None = None) -> str:
    """The list of commands, or the options of one command from its YAML file."""
    if command is not None:
        text = "\n".join(
            (resource("conf") / f"{name}.yaml").read_text("utf-8")
            for name in (command, *shared(command))
        )
        every = "metric.standardize=amr | generic | none | [step,...] works with every metric"
        return f"{text}\n{every}\nmetrics: {', '.join(group_names('metric', config_dir))}"
    lines = ["python -m bamboo COMMAND key=value ... [--config-dir FOLDER]", ""]
    for name in VERBS:
        first = (resource("conf") / f"{name}.yaml").read_text("utf-8").split("\n", 1)[0]
        lines.append(f"  {name:9} {first.removeprefix('# ')}")
    more = [
        "python -m bamboo COMMAND --help shows the options of a command.",
        f"The pages docs/... mentioned in help and messages are in {resource('docs')}",
    ]
    return "\n".join([*lines, "", *more])
