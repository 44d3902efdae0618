"""The arguments of a command's function, where the words need no Hydra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bamboo.app.commands import REQUIRED, Command, report_missing
from bamboo.app.words import OF_HYDRA, OTHERS, HydraNeeded, Setting, read_words
from bamboo.config.groups import CHOICES, ConfigDir, add_name, compose_plain, list_folders


def resolve_arguments(
    command: Command, words: Sequence[str], config_dir: ConfigDir
) -> dict[str, Any] | None:
    """Return the arguments of a command's function; None if Hydra has to compose them.

    They are those that `bamboo.app.application.run_command` composes.

    Raises:
        ConfigError: as `read_words`; an option that is required.
    """
    settings = read_words(command, words, config_dir)
    try:
        values = {**command.defaults, **_compose_choices(command, settings, config_dir)}
        for setting in settings:
            if setting.key not in CHOICES:
                values = _set_value(values, _split_key(setting.key), setting.value)
    except HydraNeeded:
        return None
    for name, value in values.items():
        if value == REQUIRED:
            raise report_missing(command.name, name)
    return complete_arguments(command, values, words, config_dir)


def complete_arguments(
    command: Command, values: Mapping[str, Any], words: Sequence[str], config_dir: ConfigDir
) -> dict[str, Any]:
    """Return the values of options as arguments, with the words for functions that record them."""
    arguments = {**values, "config_dir": config_dir}
    if "command_line" in command.parameters:
        flags = [part for f in list_folders(config_dir) for part in ("--config-dir", str(f))]
        arguments["command_line"] = (command.name, *words, *flags)
    return arguments


def _compose_choices(
    command: Command, settings: Sequence[Setting], config_dir: ConfigDir
) -> dict[str, Any]:
    """Return the configurations of the names in groups with one choice."""
    choices = [setting for setting in settings if setting.key in CHOICES]
    typed = {setting.key: setting.parts[0] for setting in choices}
    if len(typed) < len(choices):  # an error of Hydra
        raise HydraNeeded
    configs = {}
    for group in CHOICES:
        default = command.options[group].default if group in command.options else None
        name = typed.get(group, default)
        if name is None:
            continue
        # A default is the project's, also if the user has a file of this name.
        folder = config_dir if group in typed else None
        config = None if OTHERS.fullmatch(name) else compose_plain(group, name, folder)
        if config is None:
            raise HydraNeeded
        configs[group] = add_name(group, name, config)
    return configs


def _split_key(key: str) -> list[str]:
    """Return the names in a key with dots.

    Raises:
        HydraNeeded: characters that only Hydra reads, or its own options.
    """
    names = key.split(".")
    is_plain = key.isascii() and all(map(str.isidentifier, names))
    if not is_plain or key.startswith(OF_HYDRA):
        raise HydraNeeded
    return names


def _set_value(values: Any, names: Sequence[str], value: Any) -> Any:
    """Return options in which one has another value; mappings on the way to it are created.

    >>> _set_value({"a": 1, "b": {"c": 2}}, ["b", "d"], 3)
    {'a': 1, 'b': {'c': 2, 'd': 3}}
    """
    if not names:
        if isinstance(value, list) and isinstance(values, Mapping):  # an error of Hydra
            raise HydraNeeded
        return value
    options = dict(values) if isinstance(values, Mapping) else {}
    first, *others = names
    return {**options, first: _set_value(options.get(first), others, value)}
