"""Options of the command line as overrides of Hydra: quoted paths, lists and sweeps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any

from bamboo.config.composition import Hydra, parsed_override
from bamboo.config.labels import PARTS
from bamboo.config.path_options import (
    holds_path,
    is_list_of_command,
    is_only_list,
    is_only_list_of_command,
    is_path_of_command,
    quoted_paths,
)
from bamboo.errors import ConfigError


def with_quoted_paths(
    command: str, typed: Sequence[str], hydra: Hydra, chosen: Mapping[str, list[str]]
) -> list[str]:
    """The options as typed, ``key=value``, with paths in quotes."""

    @cache
    def composed(metric: str | None) -> dict[str, Any]:
        return hydra.defaults(dict(chosen) | ({"metric": [metric]} if metric else {}))

    def is_path(key: str) -> bool:
        if is_path_of_command(command, key):
            return True
        group, *keys = key.split(".")
        if not keys or group not in ("metric", *PARTS):
            return False
        metrics = chosen.get("metric", [None]) if group == "metric" else [None]
        return any(holds_path(None, composed(name).get(group), keys) for name in metrics)

    return [
        f"{key}={quoted_paths(value)}"
        if equals and key[0] != "~" and is_path(key.lstrip("+"))
        else f"{key}{equals}{value}"
        for key, equals, value in (argument.partition("=") for argument in typed)
    ]


def fixed_and_swept(
    command: str, overrides: Sequence[str], defaults: Callable[[], Iterable[Mapping[str, Any]]]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The overrides with one value, and each combination of those with several.

    Args:
        defaults: composes the configuration with each of the metrics, for the types of their
            options.
    """
    overrides = [_as_list(command, override, defaults) for override in overrides]
    swept = [override for override in overrides if is_sweep(override)]
    for override in swept:
        if not override.lstrip("+").startswith("metric."):
            key, _, values = override.partition("=")
            raise ConfigError(
                f"{override}: only options of a metric can have several values; "
                f"write a list as {key}=[{values}]"
            )
    fixed = [override for override in overrides if override not in swept]
    return fixed, list(itertools.product(*[_sweep(override) for override in swept]))


def _as_list(
    command: str, override: str, defaults: Callable[[], Iterable[Mapping[str, Any]]]
) -> str:
    """An option with commas as a list, ``partition=[main,arg]``, if it can be a list.

    Several values of a metric's option are several rows, unless the option is always a list. A
    single value of a command's option that is always a list is a list of one.
    """
    key, equals, values = override.partition("=")
    name = key.lstrip("+")
    if not equals or key.startswith("~"):
        return override
    if name.startswith("metric."):
        if "," not in values:
            return override
        keys = name.split(".")
        can_be, must_be = any(is_only_list(None, config, keys) for config in defaults()), False
    else:
        can_be = is_list_of_command(command, name)
        must_be = can_be and is_only_list_of_command(command, name)
    if "," in values and is_sweep(override):
        values_given = parsed_override(override).value()
        is_plain = getattr(values_given, "simple_form", False)  # not choice(), range()
        return f"{key}=[{values}]" if is_plain and can_be else override
    if not must_be or values.startswith("${"):
        return override
    is_list = isinstance(parsed_override(override).value(), list | dict | NoneType)
    return override if is_list else f"{key}=[{values}]"


def is_sweep(override: str) -> bool:
    """Whether an override has several values, separated by commas."""
    return bool(parsed_override(override).is_sweep_override())


def _sweep(override: str) -> list[str]:
    swept = parsed_override(override)
    return [f"{swept.get_key_element()}={value}" for value in swept.sweep_string_iterator()]


def is_of_metric(override: str) -> bool:
    """Whether an override sets an option of a metric or one of its parts."""
    return override.lstrip("+~").startswith(tuple(f"{group}." for group in ("metric", *PARTS)))
