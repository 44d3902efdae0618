"""Completion of a shell, by Hydra."""

from __future__ import annotations

import os
from collections.abc import Sequence

import hydra
from hydra.errors import HydraException

from bamboo.app.commands import COMMANDS, NAMES
from bamboo.app.composition import describe_problem
from bamboo.app.hydra_apps import register, replace_arguments
from bamboo.config.groups import CONF
from bamboo.errors import ConfigError


def complete(words: Sequence[str]) -> None:
    """Print what Hydra's completion needs: the script to install, or the words that fit.

    Hydra completes the words of one application: the name of the command is taken out of the line,
    and completed here.

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
    os.environ["COMP_LINE"] = f"{program} {rest}"
    is_application = name in COMMANDS and COMMANDS[name].is_application
    register(None)
    try:
        with replace_arguments(["-sc", request]):
            primary = name if is_application else "run"
            hydra.main(str(CONF), primary, version_base="1.3")(lambda config: None)()
    except (HydraException, ValueError) as error:
        raise ConfigError(f"-sc {request}: {describe_problem(error)}") from None
