"""``python -m bamboo VERB key=value ...``: each verb is a module of this package."""

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
        # The reader of our output has gone, as in `... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _say(text: str) -> None:
    """Print, in UTF-8 where the terminal's or pipe's own encoding lacks a character."""
    try:
        print(text)
    except UnicodeEncodeError:
        sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.flush()


def _dispatch(arguments: list[str]) -> str:
    config_dir = _take(arguments, "--config-dir")
    if config_dir is not None:
        # Code that a user's YAML names may lie beside it.
        sys.path.insert(0, str(Path(config_dir).resolve()))
    if "--version" in arguments:
        return VERSION
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _help()
    verb, *rest = arguments
    if verb not in VERBS:
        raise ConfigError(unknown("command", verb, VERBS))
    if "-h" in rest or "--help" in rest:
        return _help(verb, config_dir)
    from bamboo.cli.session import Session  # takes time to import, which --help does without

    session = Session(_request(verb, rest, config_dir))
    return str(import_module(f"bamboo.cli.{verb}").main(session))


def _request(verb: str, arguments: Sequence[str], config_dir: str | None) -> Request:
    """The request that was typed, or that of the run that ``from=FOLDER`` names."""
    folders = [argument for argument in arguments if argument.startswith("from=")]
    if verb != "run" or not folders:
        return read_request(verb, arguments, config_dir)
    if config_dir is not None or len(folders) > 1:
        raise ConfigError("from=FOLDER names one run, which has its own --config-dir")
    from bamboo.running.repeat import (
        repeated,
    )  # takes time to import, and most commands need none of it

    request = repeated(
        Path(folders[0].removeprefix("from=")),
        [argument for argument in arguments if argument not in folders],
    )
    if request.config_dir is not None:
        sys.path.insert(0, str(Path(request.config_dir).resolve()))
    return request


def _take(arguments: list[str], name: str) -> str | None:
    """Take ``name VALUE`` or ``name=VALUE`` out of the arguments."""
    for k, argument in enumerate(arguments):
        if argument == name:
            if k + 1 == len(arguments):
                raise ConfigError(f"{name} takes a folder")
            del arguments[k]
            return arguments.pop(k)
        if argument.startswith(f"{name}="):
            return arguments.pop(k).partition("=")[2]
    return None


def _help(verb: str | None = None, config_dir: str | None = None) -> str:
    """The verbs, or what a verb's YAML says of its options."""
    if verb is not None:
        text = "\n".join(
            (resource("conf") / f"{name}.yaml").read_text("utf-8") for name in (verb, *shared(verb))
        )
        every = "metric.standardize=amr | generic | none | [step,...] works with every metric"
        return f"{text}\n{every}\nmetrics: {', '.join(group_names('metric', config_dir))}"
    lines = ["python -m bamboo VERB key=value ... [--config-dir FOLDER]", ""]
    for name in VERBS:
        first = (resource("conf") / f"{name}.yaml").read_text("utf-8").split("\n", 1)[0]
        lines.append(f"  {name:8} {first.removeprefix('# ')}")
    more = [
        "python -m bamboo VERB --help shows a verb's options.",
        f"The pages that help and messages call docs/... are in {resource('docs')}",
    ]
    return "\n".join([*lines, "", *more])
