"""Validated configurations from the command line: a thin layer over Hydra's compose.

Hydra reads ``conf/`` and understands ``key=value``. This module adds the command, paths that are
used as typed, lists of metrics and data sets, sweeps (``metric.K=1,2,3``) as several rows, the
user's own configuration folder (``--config-dir``), and error messages with suggestions.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

from omegaconf import OmegaConf

from bamboo.config.composition import EVERY_METRIC, Hydra, hydra_context
from bamboo.config.groups import LISTS, all_names, group_names
from bamboo.config.labels import PARTS, label
from bamboo.config.metrics import LEARNED, OF, TRAINER
from bamboo.config.path_options import (
    holds_path,
    is_list_of_command,
    is_only_list,
    is_only_list_of_command,
    is_path_of_command,
    positional_options,
    quoted_paths,
)
from bamboo.config.yaml_files import check_user_yaml
from bamboo.errors import ConfigError, unknown
from bamboo.messages import NAMES as MESSAGES
from bamboo.paths import resource

VECTORS = "vectors"  # the group of word vectors, and the option of metrics that use them


@dataclass(frozen=True)
class Job:
    """One metric with its options, as one row of a table.

    Attributes:
        name: the row's label: the metric's name and its options that differ from the defaults, such
            as ``smatch root=none``. Unique within a request.
        metric: its configuration, interpolations resolved; ``trainer`` is the
            configuration of its trainer.
        base: the metric's name, which is that of its YAML file; empty for a job created in code.
        defaults: its configuration with default options.
    """

    name: str
    metric: Mapping[str, Any]
    base: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needs_training(self) -> bool:
        """Whether the metric has a trainer and no weights yet."""
        given = self.metric.get("weights") or self.metric.get(LEARNED)
        return self.metric.get(TRAINER) is not None and not given


@dataclass(frozen=True)
class Request:
    """Everything that a command was asked to do, as plain values with interpolations resolved.

    Attributes:
        options: the command's own options, and those of the groups with one name.
        jobs: the metrics to run; one per row.
        data: the data sets' configurations.
        tables: the published tables' configurations.
        config_dir: the user's own folder of YAML.
        command: the command line as typed, starting with the command's name.
        repeats: the folder of the run that is repeated.
        every_metric: whether the metrics were chosen by ``metric=all``.
    """

    options: dict[str, Any]
    jobs: tuple[Job, ...]
    data: tuple[dict[str, Any], ...]
    tables: tuple[dict[str, Any], ...] = ()
    config_dir: str | None = None
    command: tuple[str, ...] = ()
    repeats: Path | None = None
    every_metric: bool = False

    @property
    def command_name(self) -> str:
        """The name of the command; ``run`` for a request created in code."""
        return self.command[0] if self.command else "run"


def read_request(command: str, arguments: Sequence[str], config_dir: str | None = None) -> Request:
    """The request for ``python -m bamboo COMMAND ARGUMENTS``.

    Raises:
        ConfigError: an argument that is not ``key=value``, or names an unknown command, group or
            option; the message suggests the closest name.

    >>> import bamboo.cli  # registers the options of its commands
    >>> request = read_request("run", ["metric=smatch", "metric.root=none", "data=all"])
    >>> request.jobs[0].metric["root"], [data["name"] for data in request.data]
    ('none', ['sts', 'sick', 'para'])
    """
    chosen, typed = choices_and_options(command, arguments, config_dir)
    named = chosen.keys() & {argument.partition("=")[0] for argument in arguments}
    usual = default_choices(command, config_dir)
    usual_parts = {group: names for group, names in usual.items() if group in PARTS}
    for group, names in chosen.items():
        known = group_names(group, config_dir)
        if strange := [name for name in names if name not in known]:
            raise ConfigError(unknown(group, strange[0], known))
        for name in names:
            check_user_yaml(config_dir, group, name)
    with hydra_context(command, config_dir) as hydra:
        overrides = with_quoted_paths(command, typed, hydra, chosen)

        def plain() -> Iterator[dict[str, Any]]:
            for name in chosen.get("metric", ()):
                yield hydra.defaults(chosen | {"metric": [name]})

        fixed, sweeps = _fixed_and_swept(command, overrides, plain)

        def options_of(group: str, name: str, overrides: Sequence[str]) -> dict[str, Any]:
            options = hydra.compose(overrides, chosen | {group: [name]})[group]
            if not isinstance(options, dict):
                raise ConfigError(f"{group} {name}: its YAML is not a mapping of options")
            return options

        def first(choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
            return {group: names[0] for group, names in choices.items()}

        def job_of(name: str, overrides: Sequence[str]) -> Job:
            config = options_of("metric", name, overrides)
            others = [override for override in overrides if not _of_metric(override)]
            usual = hydra.compose(others, chosen | {"metric": [name]})["metric"]
            defaults = hydra.compose(others, chosen | usual_parts | {"metric": [name]})["metric"]
            choices, usual_choices = first(chosen), first(usual_parts)
            if isinstance(own := usual.get(VECTORS), str):  # the metric has its own default
                usual_choices[VECTORS] = own
                choices[VECTORS] = choices[VECTORS] if VECTORS in named else own
            row = label(name, overrides, choices, usual_choices, usual, config)
            return Job(row, config, name, defaults)

        jobs = [
            job_of(name, [*fixed, *sweep]) for name in chosen.get("metric", ()) for sweep in sweeps
        ]
        data = tuple(
            data_options(name, options_of("data", name, fixed), fixed, config_dir)
            for name in chosen.get("data", ())
        )
        tables = tuple(options_of("table", name, fixed) for name in chosen.get("table", ()))
        options = {k: v for k, v in hydra.compose(fixed, chosen).items() if k not in MESSAGES}
    names = [job.name for job in jobs]
    if duplicates := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"{duplicates[0]} is requested twice: give each option value once")
    words = (command, *arguments, *(["--config-dir", config_dir] if config_dir else []))
    vectors = chosen["vectors"][0] if VECTORS in named else None
    jobs = [_with_parts(job, config_dir, vectors) for job in jobs]
    every = any(argument in ("metric=all", "metric=[all]") for argument in arguments)
    return Request(options, tuple(jobs), data, tables, config_dir, words, every_metric=every)


def data_options(
    name: str, options: Mapping[str, Any], overrides: Sequence[str], config_dir: str | None
) -> dict[str, Any]:
    """The options of a data set with their defaults: name, title, and the folder of its YAML.

    In the user's YAML, the root is relative to the folder of the file; on the command line, it is
    relative to the current folder.

    Raises:
        ConfigError: a root that exists only relative to the current folder.
    """
    complete = {"name": name, "title": options.get("name", name), "root": ".", **options}
    typed = any(override.lstrip("+").startswith("data.root=") for override in overrides)
    folder = Path(config_dir or "") / "data"
    own = config_dir is not None and (folder / f"{name}.yaml").is_file()
    root = complete["root"]
    if typed or not own or not isinstance(root, str) or Path(root).expanduser().is_absolute():
        return complete
    path = os.path.abspath(folder / root)
    if not Path(path).exists() and Path(root).exists():
        raise ConfigError(
            f"{folder / name}.yaml: root: a relative path starts from the folder of the file: "
            f"write root: {os.path.relpath(root, folder)}"
        )
    return {**complete, "root": path}


def choices_and_options(
    command: str, arguments: Sequence[str], config_dir: str | None = None
) -> tuple[dict[str, list[str]], list[str]]:
    """The names chosen in each group of a command, and the other arguments.

    Raises:
        ConfigError: an argument that is not ``key=value``, or a group with a prefix.
    """
    chosen = default_choices(command, config_dir)
    typed = []
    for argument in with_names(command, arguments):
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


def _fixed_and_swept(
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


def compose_metrics(
    wanted: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: str | None = None
) -> list[Job]:
    """Metrics with options, as jobs.

    Args:
        wanted: name of the job, name of the metric, and its options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> compose_metrics([("rootless", "smatch", {"root": "none"})])[0].metric["root"]
    'none'
    """
    known = group_names("metric", config_dir)
    configs: dict[str, dict[str, Any]] = {}
    jobs = []
    with hydra_context("run", config_dir) as hydra:
        for name, metric, options in wanted:
            if metric not in known:
                raise ConfigError(unknown("metric", metric, known))
            if metric not in configs:
                check_user_yaml(config_dir, "metric", metric)
                configs[metric] = hydra.compose([], {"metric": [metric]})["metric"]
            known_options = [*configs[metric], *EVERY_METRIC]
            if strange := [key for key in options if key not in known_options]:
                raise ConfigError(unknown(f"option of {metric}", strange[0], known_options))
            jobs.append(Job(name, configs[metric] | dict(options), metric, configs[metric]))
    return [_with_parts(job, config_dir) for job in jobs]


def _with_parts(job: Job, config_dir: str | None, vectors: str | None = None) -> Job:
    """A job with the configurations of what its metric refers to by name.

    These are its trainer, its word vectors, and the metrics that a blend consists of, which use the
    word vectors of the blend.

    Args:
        vectors: the word vectors chosen on the command line; None for those that the metric names.
    """
    config = dict(job.metric)
    for option, command in ((TRAINER, "train"), (VECTORS, "run")):
        if isinstance(name := config.get(option), str):
            chosen = vectors if option == VECTORS and vectors is not None else name
            config[option] = compose_group(command, option, chosen, config_dir)
    if OF in config:
        own = config.pop(VECTORS, None)
        config[OF] = _metrics_of(job.name, config[OF], own, config_dir)
    return replace(job, metric=config)


def _metrics_of(
    blend: str, entries: Any, vectors: Any, config_dir: str | None
) -> dict[str, dict[str, Any]]:
    """The configurations of the metrics of a blend, by name.

    Args:
        entries: for each metric its name, or a mapping with its name as ``metric``, options, and
            optionally a ``name`` that distinguishes it from others.
    """
    if not isinstance(entries, list):
        raise ConfigError(f"metric {blend}: of={entries}: expected a list of metrics")
    wanted: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
    for entry in entries:
        options = dict(entry) if isinstance(entry, Mapping) else {"metric": str(entry)}
        if "metric" not in options:
            raise ConfigError(f"metric {blend}: of: {entry} names no metric: add metric: NAME")
        metric = str(options.pop("metric"))
        name = str(options.pop("name", metric))
        if name in wanted:
            raise ConfigError(f"metric {blend}: of: {name} is listed twice: add a name to one")
        wanted[name] = (name, metric, options)
    jobs = compose_metrics(list(wanted.values()), config_dir)
    return {
        job.name: {**job.metric, VECTORS: vectors}
        if vectors is not None and VECTORS in job.metric and VECTORS not in wanted[job.name][2]
        else dict(job.metric)
        for job in jobs
    }


def compose_group(
    command: str, group: str, name: str, config_dir: str | None = None
) -> dict[str, Any]:
    """The configuration of one name in a group of a command.

    Raises:
        ConfigError: an unknown name.

    >>> compose_group("run", "protocol", "v0.2")["statistic"]["arg"]
    'pair_accuracy'
    """
    if name not in (known := group_names(group, config_dir)):
        raise ConfigError(unknown(group, name, known))
    check_user_yaml(config_dir, group, name)
    with hydra_context(command, config_dir) as hydra:
        chosen = default_choices(command, config_dir) | {group: [name]}
        config: dict[str, Any] = hydra.compose([], chosen)[group]
        return config


def default_choices(command: str, config_dir: str | None = None) -> dict[str, list[str]]:
    """The groups of a command, each with its default names."""
    entries = OmegaConf.load(resource("conf") / f"{command}.yaml").defaults
    pairs = (pair for entry in entries if OmegaConf.is_dict(entry) for pair in entry.items())
    return {
        str(group): _names_given(str(group), str(name), config_dir)
        for group, name in pairs
        if name is not None  # a group without a default
    }


def shared(command: str) -> list[str]:
    """The names of the option files that a command shares with other commands.

    >>> shared("tables") == shared("site") == ["seeds"]
    True
    """
    entries = OmegaConf.load(resource("conf") / f"{command}.yaml").defaults
    return [name for name in entries if isinstance(name, str) and name not in ("base", "_self_")]


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
        is_plain = getattr(_parsed(override).value(), "simple_form", False)  # not choice(), range()
        return f"{key}=[{values}]" if is_plain and can_be else override
    if not must_be or values.startswith("${"):
        return override
    is_list = isinstance(_parsed(override).value(), list | dict | NoneType)
    return override if is_list else f"{key}=[{values}]"


def is_sweep(override: str) -> bool:
    """Whether an override has several values, separated by commas."""
    return bool(_parsed(override).is_sweep_override())


def _sweep(override: str) -> list[str]:
    parsed = _parsed(override)
    return [f"{parsed.get_key_element()}={value}" for value in parsed.sweep_string_iterator()]


def _parsed(override: str) -> Any:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        return OverridesParser.create().parse_override(override)
    except HydraException as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(f"{override!r} cannot be read: {problem}. Quote the value") from None


def _of_metric(override: str) -> bool:
    """Whether an override sets an option of a metric or one of its parts."""
    return override.lstrip("+~").startswith(tuple(f"{group}." for group in ("metric", *PARTS)))
