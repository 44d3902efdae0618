"""Errors of Hydra in the words of a command: what was typed, and what was probably meant."""

from __future__ import annotations

import contextlib
import io
import re
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra._internal.utils import get_args_parser
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from amr_metrics.building import OF_HYDRA, option_types
from amr_metrics.configurations import (
    ABOUT,
    PARTS,
    STANDARDIZE,
    TARGET,
    expand_name,
    find_files,
    find_node,
)
from amr_metrics.errors import OptionError
from bamboo.app.commands import Command
from bamboo.app.words import describe_other_word
from bamboo.config.groups import (
    CHOICES,
    CONF,
    LISTS,
    ConfigDir,
    group_names,
    list_files,
    list_folders,
    parse_names,
)
from bamboo.errors import ConfigError, describe_unknown

TYPED = re.compile(r"Could not override '([^']*)'\.( No match in the defaults list)?")
SEVERAL = re.compile(r"Ambiguous value for argument '([^=]*)=(.*)'")
DETAILS = re.compile(
    r"full_key: |object_type=|reference_type=|Config search path|provider=|See http|$"
)
GROUPS = (*LISTS, *CHOICES, *PARTS)


def check_words(
    command: Command, words: Sequence[str], config_dir: ConfigDir = None
) -> tuple[list[str], list[str]]:
    """Check words for what Hydra would refuse without saying what to type.

    Returns:
        the flags, with their values, and the other words.

    Raises:
        ConfigError: an unknown flag, or one that does not fit; a word that is not ``key=value``; a
            name that is a number, null or a file; ``out`` for several jobs; a file of the user's
            with a name of the project's.
    """
    problem = io.StringIO()
    try:
        with contextlib.redirect_stderr(problem):
            typed = get_args_parser().parse_intermixed_args(words)
    except SystemExit:
        raise ConfigError(problem.getvalue().strip().rpartition(" error: ")[2]) from None
    for word in typed.overrides:
        key, equals, value = word.partition("=")
        if not (equals and key) and not word.startswith("~"):
            raise ConfigError(describe_other_word(word, command))
        if key in GROUPS and value.lower() in ("", "null", "true", "false"):
            raise ConfigError(f"{word}: expected a name; without {key}=... it is the usual one")
        for name in re.split("[][,]", value) if key in GROUPS else ():
            if name.isdecimal() or (key == "data" and re.search(r"[./\\]", name)):
                parse_names(key, name, config_dir)
        own = find_files(key.lstrip("+"), list_folders(config_dir))
        for name in re.findall(r"[^][,]+", value):
            if name in own:
                _check_file(key.lstrip("+"), name, own[name])
        if key in ("out", "hydra.run.dir") and "\\${" in value:
            raise ConfigError(f"{word}: Hydra takes no folder whose name contains ${{")
        if key == "out" and typed.multirun:
            raise ConfigError(f"{word}: with --multirun write hydra.sweep.dir={value}")
    for group in GROUPS:
        list_files(group, config_dir)
    return [word for word in words if word not in typed.overrides], typed.overrides


def _check_file(group: str, name: str, path: Path) -> None:
    """Check that a file can be read, and has its options below its name.

    Raises:
        ConfigError: it does not.
    """
    try:
        find_node(group, name, path)
    except OptionError as error:
        raise ConfigError(str(error)) from None


def check_files(settings: Any, config_dir: ConfigDir) -> None:
    """Check that the user's files that Hydra used have their options below their names.

    Raises:
        ConfigError: one of them has another key.
    """
    problems: dict[str, ConfigError] = {}
    for group in LISTS:
        for name, path in find_files(group, list_folders(config_dir)).items():
            try:
                _check_file(group, name, path)
            except ConfigError as error:
                problems[f"{group}/{name}"] = error
    if problems:
        loader: Any = GlobalHydra.instance().config_loader()
        overrides = [*settings.overrides.hydra, *settings.overrides.task]
        used = loader.compute_defaults_list(settings.job.config_name, overrides, settings.mode)
        for place in (default.config_path for default in used.defaults):
            if place in problems:
                raise problems[place]


def is_of_hydra(error: Exception) -> bool:
    """Return whether an error that left Hydra is one of Hydra or of a plug-in, for what was typed.

    Others come from the function of a command, which Hydra calls.
    """
    known = (HydraException, OmegaConfBaseException, YAMLError, UnicodeDecodeError, RecursionError)
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][1:]
    packages = {str(frame.f_globals.get("__name__")).partition(".")[0] for frame in frames}
    is_raised_there = "bamboo" not in packages and not isinstance(error, OSError)
    return isinstance(error, known) or is_raised_there


def describe_problem(error: Exception, config_dir: ConfigDir = None) -> str:
    """Return the message for an error of Hydra, with the most similar name that is known."""
    if missing := getattr(error, "missing_cfg_file", None):
        return _describe_missing(str(missing), getattr(error, "options", None), config_dir)
    if override := getattr(error, "override", None):
        key = str(override).partition("=")[0]
        return f"{override} cannot be read: quote text, also for the shell: \"{key}='TEXT'\""
    if several := SEVERAL.match(str(error)):
        key, value = several.groups()
        as_list = "" if key in (*CHOICES, *PARTS) else f"write '{key}=[{value}]' for a list, or "
        return f"{key}={value}: {as_list}add --multirun for a job with each of them"
    if isinstance(error, RecursionError):
        return _describe_cycle(config_dir)
    typed = TYPED.match(str(error))
    cause = error.__cause__
    parent = getattr(cause, "parent_node", None)
    if typed and typed[2]:
        return f"{typed[1]} is no option of this command, or a group that it does not have"
    if typed and isinstance(parent, Mapping):
        full_key, key = str(getattr(cause, "full_key", "")), str(getattr(cause, "key", ""))
        return _describe_key(typed[1], full_key.rpartition(".")[0], key, parent, config_dir)
    return format_in_one_line(error)


def _describe_cycle(config_dir: ConfigDir) -> str:
    """Describe a defaults list that leads back to its file."""
    folders = list_folders(config_dir)
    for path in sorted(path for folder in folders for path in folder.glob("*/*.yaml")):
        try:
            expand_name(path.parent.name, path.stem, [CONF, *folders])
        except OptionError as error:
            if "contains itself" in str(error):
                return str(error)
    return "a defaults list leads back to its own file"


def _describe_missing(file: str, known: object, config_dir: ConfigDir) -> str:
    """Describe a name that is not in its group."""
    group, _, name = file.rpartition("/")
    if not group:
        return describe_unknown("--config-name", name, group_names(group))
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
        further = [STANDARDIZE] if owner.startswith("metric.") else []
        if TARGET in parent and key in (*option_types(parent), *further):
            return f"{typed} is not in the configuration yet: add it with +{typed}=..."
        names = [str(name) for name in parent if name not in ("hydra", *OF_HYDRA)]
        problem = describe_unknown(f"option of {owner}" if owner else "option", key, names)
        is_free = owner.partition(".")[0] in (*LISTS, ABOUT) and "did you mean" not in problem
        place = f"{owner}.{key}"
        place = typed if typed.startswith(place) else place
        hint = f". One that is not set is added with +: +{place}=..." if is_free else ""
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


def format_in_one_line(error: BaseException) -> str:
    """Return the message of an error from Hydra or YAML and its causes, without details."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    lines = [line.strip() for problem in causes for line in str(problem).splitlines()]
    text = " ".join(line for line in dict.fromkeys(lines) if not DETAILS.match(line))
    key = getattr(error, "full_key", None) or "hydra"
    return text if key.startswith("hydra") else f"{key}: {text}"
