"""What the user typed, as checked configurations: a thin layer over Hydra's compose.

Hydra reads ``conf/`` and understands ``key=value``. Added here: the verb in front, paths taken as
typed, lists of metrics and data sets, sweeps (``metric.K=1,2,3``) as several rows, configuration
from a folder of the user's (``--config-dir``), and errors that say what was meant.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from bamboo.config.groups import LISTS, all_names, group_names
from bamboo.config.labels import PARTS, label
from bamboo.config.metrics import TRAINER
from bamboo.config.path_options import holds_path, in_quotes, is_path_of_command, quoted_paths
from bamboo.errors import ConfigError, unknown
from bamboo.paths import data_folder, resource

# Options of every metric, which its YAML need not list (see `bamboo.config.metrics`).
EVERY_METRIC = ("standardize",)


@dataclass(frozen=True)
class Job:
    """One metric with its options, as one row of a table.

    Attributes:
        name: the row's label: the metric's name, and each option that is not at its default, as in
            ``smatch root=none``. Different for each job of a request.
        metric: its configuration, interpolations resolved; its ``trainer`` is that trainer's.
        base: the metric's name alone, that of its YAML file; empty for a job made in code.
        defaults: its configuration without any option set.
    """

    name: str
    metric: Mapping[str, Any]
    base: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """Everything a command was asked for, as plain values with interpolations resolved.

    Attributes:
        options: the command's own options, and those of the groups that take one name.
        jobs: the metrics to run; one a row.
        data: the data sets' configurations.
        tables: the published tables' configurations.
        config_dir: the user's own folder of YAML.
        command: what was typed, from the command's name on.
        repeats: the folder of the run that is repeated.
    """

    options: dict[str, Any]
    jobs: tuple[Job, ...]
    data: tuple[dict[str, Any], ...]
    tables: tuple[dict[str, Any], ...] = ()
    config_dir: str | None = None
    command: tuple[str, ...] = ()
    repeats: Path | None = None

    @property
    def verb(self) -> str:
        """The command's name."""
        return self.command[0] if self.command else "run"


def read_request(verb: str, arguments: Sequence[str], config_dir: str | None = None) -> Request:
    """The request behind ``python -m bamboo VERB ARGUMENTS``.

    Raises:
        ConfigError: an argument that is not ``key=value``, or names an unknown verb, group or
            option; the message offers the nearest name.

    >>> request = read_request("run", ["metric=smatch", "metric.root=none", "data=all"])
    >>> request.jobs[0].metric["root"], [data["name"] for data in request.data]
    ('none', ['sts', 'sick', 'para'])
    """
    chosen = _default_choices(verb, config_dir)
    typed = []
    for argument in arguments:
        key, value = _key_value(argument, verb)
        if key in chosen:
            chosen[key] = _names_given(key, value, config_dir)
        elif key == "data" and verb == "prefer":
            if value in group_names("data", config_dir):
                chosen["data"] = [value]
            else:  # a folder; Hydra would take the key for the group
                typed.append(f"folder={value}")
        else:
            typed.append(argument)
    usual = _default_choices(verb, config_dir)
    usual_parts = {group: names for group, names in usual.items() if group in PARTS}
    for group, names in chosen.items():
        known = group_names(group, config_dir)
        if strange := [name for name in names if name not in known]:
            raise ConfigError(unknown(group, strange[0], known))
    with _hydra(verb, config_dir) as hydra:
        overrides = _with_quoted_paths(verb, typed, hydra, chosen)
        fixed, sweeps = _fixed_and_swept(overrides)

        def options_of(group: str, name: str, overrides: Sequence[str]) -> dict[str, Any]:
            options = hydra.compose(overrides, chosen | {group: [name]})[group]
            if not isinstance(options, dict):
                raise ConfigError(f"{group} {name}: its YAML holds no options")
            return options

        def first(choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
            return {group: names[0] for group, names in choices.items()}

        def job_of(name: str, overrides: Sequence[str]) -> Job:
            config = options_of("metric", name, overrides)
            others = [override for override in overrides if not _of_metric(override)]
            usual = hydra.compose(others, chosen | {"metric": [name]})["metric"]
            defaults = hydra.compose(others, chosen | usual_parts | {"metric": [name]})["metric"]
            row = label(name, overrides, first(chosen), first(usual_parts), usual, config)
            return Job(row, config, name, defaults)

        jobs = [
            job_of(name, [*fixed, *sweep]) for name in chosen.get("metric", ()) for sweep in sweeps
        ]
        data, tables = (
            tuple(options_of(group, name, fixed) for name in chosen.get(group, ()))
            for group in ("data", "table")
        )
        options = hydra.compose(fixed, chosen)
    names = [job.name for job in jobs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"{twice[0]} is asked for twice: give each option value once")
    command = (verb, *arguments, *(["--config-dir", config_dir] if config_dir else []))
    jobs = _with_trainers(jobs, config_dir)
    return Request(options, tuple(jobs), data, tables, config_dir, command)


def _with_quoted_paths(
    verb: str, typed: Sequence[str], hydra: _Hydra, chosen: Mapping[str, list[str]]
) -> list[str]:
    """The options as typed, ``key=value``, with paths in quotes."""

    @cache
    def composed(metric: str | None) -> dict[str, Any]:
        return hydra.defaults(dict(chosen) | ({"metric": [metric]} if metric else {}))

    def is_path(key: str) -> bool:
        if is_path_of_command(verb, key):
            return True
        group, *keys = key.split(".")
        if not keys or group not in ("metric", *PARTS):
            return False
        metrics = chosen.get("metric", [None]) if group == "metric" else [None]
        return any(holds_path(None, composed(name).get(group), keys) for name in metrics)

    pairs = [argument.partition("=") for argument in typed]
    return [
        f"{key}={quoted_paths(value)}" if is_path(key) else f"{key}={value}"
        for key, _, value in pairs
    ]


def _fixed_and_swept(overrides: Sequence[str]) -> tuple[list[str], list[tuple[str, ...]]]:
    """The overrides with one value, and each combination of those with several."""
    swept = [override for override in overrides if _is_sweep(override)]
    for override in swept:
        if not override.startswith("metric."):
            key, _, values = override.partition("=")
            raise ConfigError(
                f"{override}: only options of a metric take several values; "
                f"a list is written {key}=[{values}]"
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
        ConfigError: a metric, or an option of one, that there is none of.

    >>> compose_metrics([("rootless", "smatch", {"root": "none"})])[0].metric["root"]
    'none'
    """
    known = group_names("metric", config_dir)
    configs: dict[str, dict[str, Any]] = {}
    jobs = []
    with _hydra("run", config_dir) as hydra:
        for name, metric, options in wanted:
            if metric not in known:
                raise ConfigError(unknown("metric", metric, known))
            if metric not in configs:
                configs[metric] = hydra.compose([], {"metric": [metric]})["metric"]
            options_there = [*configs[metric], *EVERY_METRIC]
            if strange := [key for key in options if key not in options_there]:
                raise ConfigError(unknown(f"option of {metric}", strange[0], options_there))
            jobs.append(Job(name, configs[metric] | dict(options), metric, configs[metric]))
    return _with_trainers(jobs, config_dir)


def _with_trainers(jobs: Sequence[Job], config_dir: str | None) -> list[Job]:
    """The jobs with the trainers that their metrics name."""
    named = {name for job in jobs if isinstance(name := job.metric.get(TRAINER), str)}
    trainers = {name: compose_group("train", TRAINER, name, config_dir) for name in sorted(named)}
    return [
        replace(job, metric={**job.metric, TRAINER: trainers[name]})
        if isinstance(name := job.metric.get(TRAINER), str)
        else job
        for job in jobs
    ]


def compose_group(
    verb: str, group: str, name: str, config_dir: str | None = None
) -> dict[str, Any]:
    """The YAML of one name of a verb's group.

    Raises:
        ConfigError: if there is none of that name.

    >>> compose_group("run", "protocol", "v0.2")["statistic"]["arg"]
    'pair_accuracy'
    """
    if name not in (known := group_names(group, config_dir)):
        raise ConfigError(unknown(group, name, known))
    with _hydra(verb, config_dir) as hydra:
        chosen = _default_choices(verb, config_dir) | {group: [name]}
        found: dict[str, Any] = hydra.compose([], chosen)[group]
        return found


@dataclass(frozen=True)
class _Hydra:
    """Composes plain values; `attempt` takes overrides and whether to resolve interpolations."""

    attempt: Callable[[tuple[str, ...], bool], dict[str, Any]]

    def compose(
        self, overrides: Sequence[str], groups: Mapping[str, Sequence[str]]
    ) -> dict[str, Any]:
        """The configuration with the first name of each group, interpolations resolved."""
        try:
            return self.attempt((*_choices(groups), *overrides), True)
        except ConfigError:
            plain = self.defaults(groups)
            for override in overrides:
                _explain(override, plain)
            raise

    def defaults(self, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The configuration without any option set, interpolations not resolved."""
        return self.attempt(_choices(groups), False)


def _choices(groups: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(f"{group}={in_quotes(names[0])}" for group, names in groups.items())


@contextmanager
def _hydra(verb: str, config_dir: str | None) -> Iterator[_Hydra]:
    """Hydra over ``conf/`` and the user's folder."""
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
    from yaml import YAMLError

    OmegaConf.register_new_resolver("resource", lambda name: str(resource(name)), replace=True)
    OmegaConf.register_new_resolver("data_folder", lambda: str(data_folder()), replace=True)
    search = []
    if config_dir is not None:
        folder = Path(config_dir).resolve()
        if not folder.is_dir():
            raise ConfigError(f"--config-dir {config_dir}: no such folder")
        search = [f"hydra.searchpath=[{in_quotes(f'file://{folder}')}]"]

    @cache  # a composition takes Hydra some 50 ms, and most requests need the same one thrice
    def attempt(overrides: tuple[str, ...], resolve: bool) -> dict[str, Any]:
        try:
            config = compose(verb, [*search, *map(_added, overrides)])
            plain = OmegaConf.to_container(config, resolve=resolve, throw_on_missing=resolve)
        except MissingMandatoryValue as error:
            raise ConfigError(f"{error.full_key}=... is needed: see {verb} --help") from None
        except (HydraException, OmegaConfBaseException, YAMLError) as error:
            raise ConfigError(_in_one_line(error)) from None
        return _with_words(plain)  # type: ignore[no-any-return]

    with initialize_config_dir(str(resource("conf")), version_base="1.3"):
        yield _Hydra(attempt)


def _with_words(value: Any) -> Any:
    """A composed value in which ``nan`` is the word again that Hydra takes for a number.

    >>> _with_words({"on_error": float("nan"), "scale": [0.0, 1.0]})
    {'on_error': 'nan', 'scale': [0.0, 1.0]}
    """
    if isinstance(value, dict):
        return {name: _with_words(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_words(item) for item in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def _in_one_line(error: BaseException) -> str:
    """What an error of Hydra's or YAML's says, with its cause, without the trimmings."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    lines = [line.strip() for one in causes for line in str(one).splitlines()]
    trimmings = re.compile(r"full_key: |object_type=|reference_type=|$")
    told = " ".join(line for line in dict.fromkeys(lines) if not trimmings.match(line))
    key = getattr(error, "full_key", None)
    return f"{key}: {told}" if key else told


def _default_choices(verb: str, config_dir: str | None) -> dict[str, list[str]]:
    """The groups a verb has, each with the names it takes unless told otherwise."""
    entries = OmegaConf.load(resource("conf") / f"{verb}.yaml").defaults
    pairs = (pair for entry in entries if OmegaConf.is_dict(entry) for pair in entry.items())
    return {
        str(group): _names_given(str(group), str(name), config_dir)
        for group, name in pairs
        if name is not None  # a group that need not be chosen
    }


def shared(verb: str) -> list[str]:
    """The files of options that a verb shares with some others, by name.

    >>> shared("tables") == shared("site") == ["seeds"]
    True
    """
    entries = OmegaConf.load(resource("conf") / f"{verb}.yaml").defaults
    return [name for name in entries if isinstance(name, str) and name not in ("base", "_self_")]


def _key_value(argument: str, verb: str) -> tuple[str, str]:
    key, equals, value = argument.partition("=")
    if not (key and equals):
        raise ConfigError(f"{argument!r} is not of the form key=value: see {verb} --help")
    return key, value


def _names_given(group: str, value: str, config_dir: str | None) -> list[str]:
    """The names in ``a``, ``a,b``, ``[a,b]`` or ``all``."""
    names = [name.strip() for name in value.strip("[]").split(",") if name.strip()]
    if names == ["all"] and group in LISTS:
        return all_names(group, config_dir)
    if not names or (len(names) > 1 and group not in LISTS):
        raise ConfigError(f"{group}={value}: {group} takes one name")
    if len(set(names)) < len(names):
        raise ConfigError(f"{group}={value} gives the same name twice")
    return names


def _is_sweep(override: str) -> bool:
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
        raise ConfigError(f"{override!r} cannot be read: {problem}. Quote values") from None


def _of_metric(override: str) -> bool:
    """Whether an override sets an option of a metric, or of what it consists of."""
    return override.lstrip("+~").startswith(tuple(f"{group}." for group in ("metric", *PARTS)))


def _added(override: str) -> str:
    """An override, in Hydra's notation for keys that may be new if it is one of every metric."""
    every = override.startswith(tuple(f"metric.{key}=" for key in EVERY_METRIC))
    return f"++{override}" if every else override


def _explain(override: str, options: dict[str, Any]) -> None:
    """Raise a `ConfigError` if an override names an option that cannot be set like that."""
    path = re.sub(r"^[+~]*", "", override.partition("=")[0]).split(".")
    here: Any = options
    for depth, key in enumerate(path):
        owner = ".".join(path[:depth])
        if isinstance(here, str) and here.startswith("${"):
            source = here.strip("${}")
            option = ".".join([source, *path[depth:]])
            raise ConfigError(f"{override}: {owner} is taken from {source}: set {option}=...")
        if not isinstance(here, dict):
            return
        if key not in here:
            what = f"option of {owner}" if owner else "option"
            raise ConfigError(unknown(what, key, [name for name in here if name[0] != "_"]))
        here = here[key]
