"""Options of the commands that only show information; Hydra, slow to import, is not needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TypeVar

from bamboo.config.options import read_options
from bamboo.errors import ConfigError, unknown

T = TypeVar("T")


def information_options(
    cls: type[T], command: str, arguments: Sequence[str], positional: Sequence[str]
) -> T:
    """Return the options of a command: their defaults, and the arguments.

    Args:
        positional: the options that can be given without a name, in this order.

    Raises:
        ConfigError: an unknown option, an option given twice, too many values, or a value of the
            wrong type.
    """
    defaults = {f.name: f.metadata["default"] for f in fields(cls)}  # type: ignore[arg-type]
    without = [argument for argument in arguments if "=" not in argument]
    if len(without) > len(positional):
        places = " ".join(name.upper() for name in positional)
        raise ConfigError(f"unexpected {without[len(positional)]!r}: {command} takes {places}")
    given = dict(zip(positional, without, strict=False))
    for key, _, value in (argument.partition("=") for argument in arguments if "=" in argument):
        if key not in defaults:
            raise ConfigError(unknown(f"option of {command}", key, defaults))
        if key in given:
            raise ConfigError(f"{key} is given twice: {given[key]!r} and {value!r}")
        given[key] = value
    return read_options(cls, defaults | given)
