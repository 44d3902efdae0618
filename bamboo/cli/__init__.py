"""The commands: each reads its options, calls one package and returns the text to print."""

from collections.abc import Iterator
from importlib import import_module

from bamboo.config.path_options import register_option_types


def option_types(command: str) -> Iterator[type]:
    """The dataclasses of a command's options: those that all commands share, and its own.

    A command's module is imported only when its options are needed.
    """
    yield import_module("bamboo.cli.session").SharedOptions
    own = getattr(import_module(f"bamboo.cli.{command}"), "Options", None)
    if own is not None:
        yield own


register_option_types(option_types)
