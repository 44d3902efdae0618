"""The commands: each reads its options, calls one package and returns the text to print."""

from collections.abc import Iterator
from importlib import import_module

from bamboo.config.path_options import register_option_types


def option_types(command: str) -> Iterator[type]:
    """The dataclasses of a command's options: its own, and those that all commands share.

    A command's module is imported only when its options are needed.
    """
    own = getattr(import_module(f"bamboo.cli.{command}"), "Options", None)
    if own is not None:
        yield own
    yield import_module("bamboo.cli.options").SharedOptions


register_option_types(option_types)
