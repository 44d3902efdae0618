"""``python -m bamboo COMMAND key=value ...``: each command is a module of this package."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from bamboo.config.groups import group_names
from bamboo.config.request import Request, read_request, shared
from bamboo.errors import BambooError, ConfigError, Interrupted, message, unknown
from bamboo.paths import resource
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
        _say(_dispatch(arguments))
    except Interrupted as error:
        print(error, file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (BambooError, MetricError) as error:
        print(f"error: {message(error)}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has exited, as in `... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _say(text: str) -> None:
    """Print; in UTF-8 if the encoding of the output lacks a character."""
    try:
        print(text)
    except UnicodeEncodeError:
        sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.flush()


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
