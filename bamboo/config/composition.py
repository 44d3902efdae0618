"""Compose configurations with Hydra: plain values, and error messages with suggestions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from bamboo.config.groups import check_config_dir
from bamboo.config.path_options import in_quotes
from bamboo.errors import ConfigError, unknown
from bamboo.paths import data_folder, resource

# Options that every metric has even if its YAML does not list them (see `bamboo.config.metrics`).
EVERY_METRIC = ("standardize",)


@dataclass(frozen=True)
class Hydra:
    """Composes plain values.

    Attributes:
        attempt: a function of the overrides and of whether to resolve interpolations.
        search: the override that adds the user's folder, if any.
        config_dir: the user's folder, if any.
    """

    attempt: Callable[[tuple[str, ...], bool], dict[str, Any]]
    search: tuple[str, ...] = ()
    config_dir: str | None = None

    def compose(
        self, overrides: Sequence[str], groups: Mapping[str, Sequence[str]]
    ) -> dict[str, Any]:
        """The configuration with the first name of each group, interpolations resolved."""
        try:
            return self.attempt((*group_choices(groups), *overrides), True)
        except ConfigError:
            self.explain(overrides, groups)
            raise

    def explain(self, overrides: Sequence[str], groups: Mapping[str, Sequence[str]]) -> None:
        """Raise a `ConfigError` if an override names an option that cannot be set this way."""
        plain = self.defaults(groups)
        for override in overrides:
            _explain(override, plain, self.config_dir)

    def defaults(self, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The configuration with default options, interpolations not resolved."""
        return self.attempt(group_choices(groups), False)


def group_choices(groups: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The overrides that choose the first name of each group."""
    return tuple(f"{group}={in_quotes(names[0])}" for group, names in groups.items())


@contextmanager
def hydra_context(command: str, config_dir: str | None) -> Iterator[Hydra]:
    """Hydra over ``conf/`` and the user's folder."""
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
    from yaml import YAMLError

    OmegaConf.register_new_resolver("resource", lambda name: str(resource(name)), replace=True)
    OmegaConf.register_new_resolver("data_folder", lambda: str(data_folder()), replace=True)
    check_config_dir(config_dir)
    search = []
    if config_dir is not None:
        search = [f"hydra.searchpath=[{in_quotes(f'file://{Path(config_dir).resolve()}')}]"]

    # Most requests need the same configuration several times. The project's own files do not change
    # while it runs; the user's may.
    composed = cache(_composed_anew) if search else _composed

    @cache
    def attempt(overrides: tuple[str, ...], resolve: bool) -> dict[str, Any]:
        try:
            config = composed(command, (*search, *overrides))
            plain = OmegaConf.to_container(config, resolve=resolve, throw_on_missing=resolve)
        except MissingMandatoryValue as error:
            raise ConfigError(f"{error.full_key}=... is required: see {command} --help") from None
        except (HydraException, OmegaConfBaseException, YAMLError) as error:
            raise ConfigError(_in_one_line(error)) from None
        return _with_words(plain)  # type: ignore[no-any-return]

    # A program that uses Hydra itself may call this package from within its own context.
    state = GlobalHydra.instance()
    outer = state.hydra
    state.clear()
    try:
        with initialize_config_dir(str(resource("conf")), job_name=command, version_base="1.3"):
            yield Hydra(attempt, tuple(search), config_dir)
    finally:
        if outer is not None:
            GlobalHydra.instance().initialize(outer)


@cache
def _unused_groups() -> tuple[str, ...]:
    """Overrides that leave out Hydra's own options, which take a quarter of the time."""
    from hydra.conf import HydraConf

    names = (name for entry in HydraConf().defaults for name, choice in entry.items() if choice)
    return tuple(f"~hydra/{name}" for name in names)


def _composed_anew(command: str, overrides: tuple[str, ...]) -> DictConfig:
    """The configuration of a command, interpolations not resolved; takes about 50 ms."""
    from hydra import compose

    return compose(command, [*_unused_groups(), *map(added, overrides)])


# A program may call functions of this package many times.
_composed = lru_cache(maxsize=64)(_composed_anew)


def _with_words(value: Any) -> Any:
    """A composed value in which ``nan``, parsed by Hydra as a number, is a string again.

    >>> _with_words({"on_error": float("nan"), "scale": [0.0, 1.0]})
    {'on_error': 'nan', 'scale': [0.0, 1.0]}
    """
    if isinstance(value, dict):
        return {name: _with_words(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_words(item) for item in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def _in_one_line(error: BaseException) -> str:
    """The message of an error from Hydra or YAML and its causes, without internal details."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    lines = [line.strip() for problem in causes for line in str(problem).splitlines()]
    details = re.compile(r"full_key: |object_type=|reference_type=|$")
    text = " ".join(line for line in dict.fromkeys(lines) if not details.match(line))
    key = getattr(error, "full_key", None)
    return f"{key}: {text}" if key else text


def added(override: str) -> str:
    """An override; options of every metric use Hydra's notation for keys that may be new."""
    every = override.startswith(tuple(f"metric.{key}=" for key in EVERY_METRIC))
    return f"++{override}" if every else override


def parsed_override(override: str) -> Any:
    """An override as Hydra reads it.

    Raises:
        ConfigError: Hydra cannot read it.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        return OverridesParser.create().parse_override(override)
    except HydraException as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(f"{override!r} cannot be read: {problem}. Quote the value") from None


def _explain(override: str, options: dict[str, Any], config_dir: str | None) -> None:
    """Raise a `ConfigError` if an override names an option that cannot be set this way."""
    typed = override.partition("=")[0]
    name = typed.lstrip("+~")
    path = name.split(".")
    node: Any = options
    for depth, key in enumerate(path):
        owner = ".".join(path[:depth])
        if isinstance(node, str) and (group := re.fullmatch(r"\$\{(\w+)\}", node)):
            option = ".".join([group[1], *path[depth:]])
            raise ConfigError(f"{override}: {owner} is taken from {group[1]}: set {option}=...")
        if isinstance(node, str | int | float | list):
            raise ConfigError(f"{override}: {owner} is a value, without options: set {owner}=...")
        if not isinstance(node, dict):
            return
        if key not in node:
            what = f"option of {owner}" if owner else "option"
            raise ConfigError(unknown(what, key, [name for name in node if name[0] != "_"]))
        node = node[key]
    if config_dir is not None and (folder := Path(config_dir) / name).is_dir():
        raise ConfigError(
            f"{folder}: a folder in --config-dir cannot have the name of the option {name}: "
            "rename it, or use another folder for --config-dir"
        )
    if typed != name:  # Hydra's messages on +, ++ and ~ name the remedy
        return
    given = _value(override)
    if isinstance(node, list) and isinstance(given, dict):
        raise ConfigError(f"{override}: expected a list, as in {name}=[a,b]")
    if isinstance(node, dict) and not isinstance(given, dict | None):
        one = next(iter(node), "option")
        raise ConfigError(f"{override}: {name} has options of its own: set {name}.{one}=...")


def _value(override: str) -> Any:
    """The value of an override, the first of several, or None if Hydra cannot read it."""
    from hydra.core.override_parser.types import ChoiceSweep

    try:
        value = parsed_override(override).value()
    except ConfigError:
        return None
    return value.list[0] if isinstance(value, ChoiceSweep) else value
