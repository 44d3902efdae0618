"""Completion of a shell, by Hydra."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence

import hydra
from hydra.errors import HydraException

from bamboo.app.commands import COMMANDS, NAMES, Command
from bamboo.app.composition import describe_problem
from bamboo.app.hydra_apps import register, replace_arguments
from bamboo.app.words import list_values
from bamboo.config.groups import CONF
from bamboo.errors import ConfigError


def complete(words: Sequence[str]) -> None:
    """Print what Hydra's completion needs: the script to install, or the words that fit.

    Hydra completes the words of one of its applications. The name of the command is taken out of
    the line, and completed here, as are values that the type of an option lists, and all words of
    the other commands.

    Args:
        words: ``install=bash``, ``uninstall=bash`` or ``query=bash``, also of another shell.

    Raises:
        ConfigError: another request.
    """
    request = words[0] if words else ""
    program, _, line = os.environ.get("COMP_LINE", "").partition(" ")
    name, space, rest = line.partition(" ")
    if request.startswith("query=") and not space:
        print(" ".join(command for command in NAMES if command.startswith(name)))
        return
    is_application = name in COMMANDS and COMMANDS[name].is_application
    if request.startswith("query="):
        fitting = (
            list(find_fitting(COMMANDS[name], rest.rpartition(" ")[2])) if name in COMMANDS else []
        )
        if fitting or not is_application:
            print(" ".join(fitting))
            return
    os.environ["COMP_LINE"] = f"{program} {rest}"
    register(None)
    try:
        with replace_arguments(["-sc", request]):
            primary = name if is_application else "run"
            hydra.main(str(CONF), primary, version_base="1.3")(lambda config: None)()
    except (HydraException, ValueError) as error:
        raise ConfigError(f"-sc {request}: {describe_problem(error)}") from None


def find_fitting(command: Command, word: str) -> Iterator[str]:
    """Yield what a word can be completed to: values of an option, or options and files.

    Nothing is yielded for a word that Hydra or the shell completes: an option of an application, a
    file as a value, any file.
    """
    key, equals, start = word.partition("=")
    if equals:
        values = list_values(command.options[key]) if key in command.options else []
        yield from (f"{key}={value}" for value in values if value.startswith(start))
    elif word and not command.is_application:
        yield from (f"{name}=" for name in command.options if name.startswith(word))
        if command.positional:
            yield from glob.glob(f"{glob.escape(word)}*")
