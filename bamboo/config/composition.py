"""Compose configurations from YAML files and options, with OmegaConf."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
from yaml import YAMLError

from amr_metrics.building import default_options, option_types
from bamboo.config.groups import check_config_dir, group_file
from bamboo.config.settings import Setting
from bamboo.errors import ConfigError, unknown
from bamboo.installation import PATHS, data_folder, resource

# Options that every metric has even if its YAML does not list them (see `bamboo.config.rows`).
EVERY_METRIC = ("standardize",)
# Names that metrics refer to with ${solver} and ${vectors}, and their defaults.
PARTS = {"solver": "exact", "vectors": "glove"}
DEFAULTS = "defaults"  # in a user's YAML: names whose options it starts from, as in Hydra


class UnknownOptionError(ConfigError):
    """An option that a command, a metric or another name does not have."""


OmegaConf.register_new_resolver("resource", lambda name: str(resource(name)), replace=True)
OmegaConf.register_new_resolver("data_folder", lambda: str(data_folder()), replace=True)


def composed(
    options: Mapping[str, Any], choices: Mapping[str, str], config_dir: str | None = None
) -> DictConfig:
    """Return options with the configurations of the names selected in groups; not resolved.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.
    """
    config = OmegaConf.create(dict(options))
    for group, name in choices.items():
        config[group] = loaded(group, name, config_dir)
    return config


def base_config(config_dir: str | None = None) -> DictConfig:
    """Return the configuration that YAML can refer to outside of a command: folders and parts."""
    return composed({"paths": dict(PATHS)}, PARTS, config_dir)


def named_config(
    group: str, name: str, root: DictConfig, settings: Sequence[Setting], config_dir: str | None
) -> dict[str, Any]:
    """Return the configuration of a name in a group, with interpolations resolved.

    Args:
        root: the configuration that its YAML can refer to.
        settings: options to set, whose keys start with the group.

    Raises:
        ConfigError: an unknown name or option, or a YAML file that cannot be read.
    """
    whole = root.copy()
    whole[group] = loaded(group, name, config_dir)
    if group == "table" and isinstance(data := whole[group].get("data"), str):
        whole[group].data = loaded("data", data, config_dir)  # so that it can be set
    for setting in settings:
        set_option(whole, setting, {group: name})
    return resolved(whole, f"see help {group} {name}")[group]  # type: ignore[no-any-return]


def loaded(group: str, name: str, config_dir: str | None) -> DictConfig:
    """Return the options of a YAML file and, where it does not set them, those of its class."""
    config = _file(group, name, config_dir)
    usual = default_options(config)
    usual = {k: v for k, v in usual.items() if k in config or k not in PARTS}
    # Not merged: an object with options of its own replaces the default object.
    return OmegaConf.create(usual | {key: config._get_node(key) for key in config})


def _file(group: str, name: str, config_dir: str | None) -> DictConfig:
    path = group_file(group, name, config_dir)
    in_project = path.is_relative_to(resource("conf"))
    content = _project_file(path).copy() if in_project else _user_file(path)
    if not isinstance(content, DictConfig):
        raise ConfigError(f"{group} {name}: its YAML is not a mapping of options")
    bases = content.pop(DEFAULTS, None) or []
    if not isinstance(bases, list | ListConfig):
        raise ConfigError(f"{path}: {DEFAULTS}: expected a list of names in {group}")
    configs = [_file(group, str(base), config_dir) for base in bases if base != "_self_"]
    return OmegaConf.merge(*configs, content) if configs else content  # type: ignore[return-value]


def _user_file(path: Path) -> Any:
    try:
        return OmegaConf.load(path)
    except (OSError, ValueError, RecursionError, YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"{path} cannot be read: {in_one_line(error)}") from None


@cache
def _project_file(path: Path) -> Any:
    return OmegaConf.load(path)


def resolved(config: DictConfig, hint: str) -> dict[str, Any]:
    """Return a configuration as plain values.

    Raises:
        ConfigError: an option without a value, or an interpolation that cannot be resolved.
    """
    try:
        container = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except MissingMandatoryValue as error:
        raise ConfigError(f"{error.full_key}=... is required: {hint}") from None
    except OmegaConfBaseException as error:
        raise ConfigError(in_one_line(error)) from None
    return container  # type: ignore[return-value]


def set_option(
    config: DictConfig,
    setting: Setting,
    names: Mapping[str, str] | None = None,
    others: Sequence[str] = (),
) -> None:
    """Set or remove one option.

    Args:
        names: the name that is selected in a group, for messages.
        others: other keys that messages can suggest.

    Raises:
        UnknownOptionError: the message names the most similar option.
        ConfigError: an option of something that has no options.
    """
    *owners, last = setting.key.split(".")
    node: Any = config
    for depth, key in enumerate([*owners, last]):
        owner = ".".join(setting.key.split(".")[:depth])
        if isinstance(node, str) and (group := re.fullmatch(r"\$\{(\w+)\}", node)):
            option = ".".join([group[1], *setting.key.split(".")[depth:]])
            raise ConfigError(f"{setting.word}: {owner} is taken from {group[1]}: set {option}=...")
        if not isinstance(node, DictConfig | None):
            raise ConfigError(
                f"{setting.word}: {owner} is a value, without options: set {owner}=..."
            )
        if node is None or key not in node:
            options = _options(node, owner)
            if key not in options and "+" not in setting.prefix:
                owner_name = (names or {}).get(owner, owner)
                kind = f"option of {owner_name}" if owner else "option"
                suggestions = options if owner else [*options, *others]
                raise UnknownOptionError(unknown(kind, key, suggestions))
            break
        node = node._get_node(key)
        node = node if isinstance(node, DictConfig) and not node._is_none() else _value_of(node)
    try:
        if setting.prefix == "~":
            parent = OmegaConf.select(config, ".".join(owners)) if owners else config
            del parent[last]
        else:
            OmegaConf.update(config, setting.key, setting.value, merge=True, force_add=True)
    except OmegaConfBaseException as error:
        raise ConfigError(f"{setting.word}: {in_one_line(error)}") from None


def _value_of(node: Any) -> Any:
    return node if isinstance(node, ListConfig) else node._value()


def _options(node: DictConfig | None, owner: str) -> list[str]:
    """Return the options of a node: its keys, and the fields of the class that it names."""
    names = [] if node is None else [str(name) for name in node if str(name)[0] != "_"]
    if owner == "metric":
        names += EVERY_METRIC
    return list(dict.fromkeys([*names, *option_types(node)]))


def in_one_line(error: BaseException) -> str:
    """Return the message of an error from Hydra or YAML and its causes, without details."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    lines = [line.strip() for problem in causes for line in str(problem).splitlines()]
    details = re.compile(r"full_key: |object_type=|reference_type=|$")
    text = " ".join(line for line in dict.fromkeys(lines) if not details.match(line))
    key = getattr(error, "full_key", None)
    return f"{key}: {text}" if key else text


def compose_group(group: str, name: str, config_dir: str | None = None) -> dict[str, Any]:
    """Return the configuration of one name in a group.

    Raises:
        ConfigError: an unknown name.

    >>> compose_group("protocol", "v0.2")["statistic"]["arg"]
    'pair_accuracy'
    """
    check_config_dir(config_dir)
    return named_config(group, name, base_config(config_dir), (), config_dir)
