"""The words of a command line: names chosen in groups, options, and files without a name."""

from __future__ import annotations

from collections.abc import Sequence

from omegaconf import OmegaConf

from bamboo.config.groups import LISTS, all_names, group_names
from bamboo.config.path_options import is_list_of_command, positional_options
from bamboo.errors import ConfigError
from bamboo.paths import resource


def default_choices(command: str, config_dir: str | None = None) -> dict[str, list[str]]:
    """The groups of a command, each with its default names."""
    entries = OmegaConf.load(resource("conf") / f"{command}.yaml").defaults
    pairs = (pair for entry in entries if OmegaConf.is_dict(entry) for pair in entry.items())
    return {
        str(group): _names_given(str(group), str(name), config_dir)
        for group, name in pairs
        if name is not None  # a group without a default
    }


def choices_and_options(
    command: str, arguments: Sequence[str], config_dir: str | None = None
) -> tuple[dict[str, list[str]], list[str]]:
    """The names chosen in each group of a command, and the other arguments.

    Raises:
        ConfigError: an argument that is not ``key=value``, or a group with a prefix.
    """
    chosen = default_choices(command, config_dir)
    typed = []
    arguments = with_names(command, arguments)
    if command == "explain" and any(argument.startswith("src=") for argument in arguments):
        chosen["metric"] = default_choices("score")["metric"]  # files, not a data set
    for argument in arguments:
        prefix, key, value = _key_value(argument, command)
        if key in chosen:
            if prefix:
                raise ConfigError(f"{argument}: choose a name with {key}=NAME, without {prefix}")
            chosen[key] = _names_given(key, value, config_dir)
        elif key == "data" and command == "prefer":
            if value in group_names("data", config_dir):
                chosen["data"] = [value]
            else:  # a folder; Hydra would interpret the key as the group
                typed.append(f"folder={value}")
        else:
            typed.append(argument)
    return chosen, typed


def with_names(command: str, arguments: Sequence[str]) -> list[str]:
    """The arguments, with names for options that are given by their position.

    Raises:
        ConfigError: too many of them, or one that is also given by its name.

    >>> with_names("score", ["a.amr", "gold.amr", "ids=check"])
    ['src=a.amr', 'tgt=gold.amr', 'ids=check']
    """
    known = positional_options(command)
    words = [argument for argument in arguments if "=" not in argument and argument[:1] != "~"]
    if not words or not known:
        return list(arguments)
    if len(words) > len(known):
        several = [
            f"several: {key}=a.amr,b.amr; " for key in known if is_list_of_command(command, key)
        ]
        raise ConfigError(
            f"{words[len(known)]!r}: {command} takes {len(known)} files without a name, "
            f"{' and '.join(known)}; {''.join(several)}options: key=value"
        )
    named = {argument.partition("=")[0]: argument for argument in arguments if "=" in argument}
    for name, word in zip(known, words, strict=False):
        if name in named:
            free = [other for other in known if other not in named]
            one = len(words) == 1 and free
            hint = f"did you mean {free[0]}={word}?" if one else "leave out one of them"
            raise ConfigError(f"{name} is given twice: {word} and {named[name]}; {hint}")
    names = iter(known)
    return [f"{next(names)}={text}" if text in words else text for text in arguments]


def _key_value(argument: str, command: str) -> tuple[str, str, str]:
    """Prefix (``+``, ``++`` or ``~``), key and value; ``~key`` needs no value."""
    key, equals, value = argument.partition("=")
    name = key.lstrip("+~")
    prefix = key[: len(key) - len(name)]
    if not (name and prefix in ("", "+", "++", "~") and (equals or prefix == "~")):
        raise ConfigError(f"{argument!r} is not of the form key=value: see {command} --help")
    return prefix, name, value


def _names_given(group: str, value: str, config_dir: str | None) -> list[str]:
    """The names in ``a``, ``a,b``, ``[a,b]`` or ``all``."""
    names = [name.strip() for name in value.strip("[]").split(",") if name.strip()]
    if names == ["all"] and group in LISTS:
        return all_names(group, config_dir)
    if not names or (len(names) > 1 and group not in LISTS):
        raise ConfigError(f"{group}={value}: expected one name")
    if len(set(names)) < len(names):
        raise ConfigError(f"{group}={value} gives the same name twice")
    return names
