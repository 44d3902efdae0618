"""The commands: each module declares a command's options, does its work and returns a value."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bamboo.commands.base import Command

COMMANDS = (
    *("run", "compare", "train", "score", "explain", "tables", "site"),
    *("build", "fetch", "check"),
)
# Commands that compute nothing; they do not need Hydra.
INFORMATION = ("list", "help")


def command_class(name: str) -> type[Command]:
    """Return the class of a command, whose module is imported only now."""
    command: type[Command] = getattr(import_module(f"bamboo.commands.{name}"), name.capitalize())
    return command
