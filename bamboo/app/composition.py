"""Errors of Hydra in the words of a command: what was typed, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from amr_metrics.configurations import PARTS
from bamboo.config.groups import CHOICES, LISTS, ConfigDir, group_names, parse_names
from bamboo.errors import ConfigError, describe_unknown

LISTED = re.compile(r"Ambiguous value for argument '([^=]*)=([^']*)'")
TYPED = re.compile(r"Could not override '([^']*)'\.( No match in the defaults list)?")
DETAILS = re.compile(
    r"full_key: |object_type=|reference_type=|Config search path|\tprovider=|See http|$"
)


def list_hydra_errors() -> tuple[type[Exception], ...]:
    """Return the errors of Hydra for YAML and options that cannot be used."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    return HydraException, OmegaConfBaseException, YAMLError, UnicodeDecodeError


def describe_problem(error: BaseException, config_dir: ConfigDir = None) -> str:
    """Return the message for an error of Hydra, with the most similar name that is known."""
    if missing := getattr(error, "missing_cfg_file", None):
        return _describe_missing(str(missing), getattr(error, "options", None), config_dir)
    if override := getattr(error, "override", None):
        return f"{override} cannot be read: {str(error).splitlines()[0]}"
    if listed := LISTED.match(str(error)):
        key, names = listed.groups()
        return f"{key}={names}: write '{key}=[{names}]' for a list, or -m for a job of each"
    typed = TYPED.match(str(error))
    cause = error.__cause__
    parent = getattr(cause, "parent_node", None)
    if typed and typed[2]:
        return f"{typed[1]} is no option of this command, or a group that it does not have"
    if typed and isinstance(parent, Mapping):
        full_key, key = str(getattr(cause, "full_key", "")), str(getattr(cause, "key", ""))
        return _describe_key(typed[1], full_key.rpartition(".")[0], key, parent, config_dir)
    return format_in_one_line(error)


def _describe_missing(file: str, known: object, config_dir: ConfigDir) -> str:
    """Describe a name that is not in its group."""
    group, _, name = file.rpartition("/")
    try:
        parse_names(group, name, config_dir)
    except ConfigError as problem:
        if isinstance(known, list) and not group_names(group, config_dir):
            return describe_unknown(group, name, known)
        return str(problem)
    return f"{file}.yaml cannot be found"


def _describe_key(
    typed: str, owner: str, key: str, parent: Mapping[str, object], config_dir: ConfigDir
) -> str:
    """Describe an option that does not exist.

    Args:
        typed: the option as it was typed.
        owner: the path of the mapping that does not have the key.
        parent: that mapping.
    """
    rest = typed.removeprefix(f"{owner}.") if owner else typed
    if not owner and key in CHOICES:  # that of the command is null
        return f"{typed}: also choose a name, {key}=NAME: see help {key}"
    if owner.rpartition(".")[2] in PARTS and owner not in PARTS:  # a reference such as ${solver}
        part = owner.rpartition(".")[2]
        return f"{typed}: write {part}.{key}=..., an option of all metrics of the command"
    if owner not in LISTS:
        names = [str(name) for name in parent if name not in ("hydra", "_target_")]
        problem = describe_unknown(f"option of {owner}" if owner else "option", key, names)
        is_free = owner.partition(".")[0] in LISTS and "did you mean" not in problem
        hint = f". One that is not set is added with +: +{owner}.{key}=..." if is_free else ""
        return f"{problem}{hint}"
    nodes = ", ".join(map(str, parent))
    for name in group_names(owner, config_dir):
        dotted = name.replace("smatch_1_0_2", "smatch_1.0.2").replace("smatch_1_0", "smatch_1.0")
        if dotted != name and rest.startswith(f"{dotted}."):
            option = rest.removeprefix(f"{dotted}.")
            return f"{typed}: a dot ends a key: write {owner}.{name}.{option}=..."
    if key in group_names(owner, config_dir):
        return f"{typed}: {key} is not among the names of {owner}: {nodes}"
    having = [name for name, node in parent.items() if isinstance(node, Mapping) and rest in node]
    name = next(iter(having or parent), "NAME")
    return f"{typed}: options stand below a name: did you mean {owner}.{name}.{rest}=...?"


def check_numbers(words: Iterable[str], config_dir: ConfigDir = None) -> None:
    """Check that no name in a group is a number, which Hydra refuses with a traceback.

    Raises:
        ConfigError: one is, as in ``table=4``.
    """
    for word in words:
        if match := re.fullmatch(rf"({'|'.join(LISTS)})=\[?(.*?)\]?", word):
            for number in filter(str.isdecimal, match[2].split(",")):
                parse_names(match[1], number, config_dir)


def format_in_one_line(error: BaseException) -> str:
    """Return the message of an error from Hydra or YAML and its causes, without details."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    lines = [line.rstrip() for problem in causes for line in str(problem).splitlines()]
    text = " ".join(line.strip() for line in dict.fromkeys(lines) if not DETAILS.match(line))
    key = getattr(error, "full_key", None)
    return f"{key}: {text}" if key else text
