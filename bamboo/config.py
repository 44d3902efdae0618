"""What the user typed, as checked configurations: a thin layer over Hydra's compose.

Hydra reads ``conf/`` and understands ``key=value``. Added here: the verb in front, paths taken as
typed, lists of metrics and data sets, sweeps (``metric.K=1,2,3``) as several rows, configuration
from a folder of the user's (``--config-dir``), and errors that say what was meant.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from bamboo.errors import ConfigError, unknown
from bamboo.paths import resource

PATH_KEYS = ("src", "tgt", "out", "ratings", "lengths", "weights", "submissions")
BENCHMARK = ("sts", "sick", "para")
ALL = {"data": BENCHMARK, "table": ("4", "5", "6", "leaderboard")}
LISTS = ("metric", "data", "table")
# What every metric takes, though its YAML need not say so (see `bamboo.metric.build_metric`).
EVERY_METRIC = ("standardize",)


@dataclass(frozen=True)
class Job:
    """One metric with its options, as one row of a table.

    Attributes:
        name: the metric's name, with the options that a sweep gave it.
        metric: its configuration, interpolations resolved.
    """

    name: str
    metric: dict[str, Any]


@dataclass(frozen=True)
class Request:
    """Everything a command was asked for.

    Attributes:
        options: the command's own options, and those of its single groups.
        jobs: the metrics to run; one a row.
        data: the data sets' configurations.
        tables: the published tables' configurations.
    """

    options: DictConfig
    jobs: tuple[Job, ...]
    data: tuple[DictConfig, ...]
    tables: tuple[DictConfig, ...] = ()


def read_request(verb: str, arguments: Sequence[str], config_dir: str | None = None) -> Request:
    """The request behind ``python -m bamboo VERB ARGUMENTS``.

    Raises:
        ConfigError: an argument that is not ``key=value``, or names an unknown verb, group or
            option; the message offers the nearest name.

    >>> request = read_request("run", ["metric=smatch", "metric.root=none", "data=all"])
    >>> request.jobs[0].metric["root"], [data.name for data in request.data]
    ('none', ['sts', 'sick', 'para'])
    """
    with _hydra(config_dir) as compose:
        groups = _default_choices(verb)
        plain = []
        for argument in arguments:
            key, value = _key_value(argument, verb)
            if key in groups:
                groups[key] = _names_given(key, value)
            else:
                plain.append(f"{key}={_quoted_paths(value)}" if key in PATH_KEYS else argument)
        swept = [override for override in plain if _is_sweep(override)]
        fixed = [override for override in plain if override not in swept]
        if swept and not swept[0].startswith("metric."):
            raise ConfigError(f"{swept[0]}: only options of a metric take several values")
        sweeps = list(itertools.product(*[_sweep(override) for override in swept]))
        jobs = [
            _job(name, sweep, compose(verb, [*fixed, *sweep], groups | {"metric": [name]}))
            for name in groups.get("metric", ())
            for sweep in sweeps
        ]
        lists = {
            group: tuple(
                compose(verb, fixed, groups | {group: [name]})[group]
                for name in groups.get(group, ())
            )
            for group in ("data", "table")
        }
        options = compose(verb, fixed, groups)
        return Request(options, tuple(jobs), lists["data"], lists["table"])


def metric_names(config_dir: str | None = None) -> list[str]:
    """The metrics there are a YAML file for.

    >>> "smatch" in metric_names()
    True
    """
    return _names("metric", _user_folder(config_dir))


def compose_metrics(
    wanted: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: str | None = None
) -> list[Job]:
    """Metrics with options, as jobs.

    Args:
        wanted: name of the job, name of the metric, and its options.

    >>> compose_metrics([("rootless", "smatch", {"root": "none"})])[0].metric["root"]
    'none'
    """
    with _hydra(config_dir) as compose:
        jobs = []
        for name, metric, options in wanted:
            config = compose("run", [], {"metric": [metric]})
            for key, value in options.items():
                if key not in (known := [*map(str, config.metric), *EVERY_METRIC]):
                    raise ConfigError(unknown(f"option of {metric}", key, known))
                OmegaConf.update(config.metric, key, value, force_add=True)
            jobs.append(Job(name, resolved(config)["metric"]))
        return jobs


def compose_protocol(name: str) -> dict[str, Any]:
    """A protocol's YAML by its name."""
    with _hydra(None) as compose:
        return dict(resolved(compose("run", [], {"protocol": [name]}))["protocol"])


def resolved(config: DictConfig) -> dict[str, Any]:
    """A configuration as plain values, interpolations resolved."""
    return OmegaConf.to_container(config, resolve=True, throw_on_missing=True)  # type: ignore[return-value]


@contextmanager
def _hydra(config_dir: str | None) -> Iterator[Any]:
    """Hydra over ``conf/`` and the user's folder; yields `compose` with our errors."""
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    OmegaConf.register_new_resolver("resource", lambda name: str(resource(name)), replace=True)
    ours, folder = resource("conf"), _user_folder(config_dir)
    search = [] if folder is None else [f"hydra.searchpath=['{folder.as_uri()}']"]

    def composed(verb: str, overrides: Sequence[str], groups: dict[str, list[str]]) -> DictConfig:
        for group, names in groups.items():
            for name in names:
                if name not in (known := _names(group, folder)):
                    raise ConfigError(unknown(group, name, known))
                if folder and all((r / group / f"{name}.yaml").is_file() for r in (ours, folder)):
                    raise ConfigError(
                        f"{group} {name!r} exists already: rename {folder / group / name}.yaml"
                    )
        choices = [f"{group}='{names[0]}'" for group, names in groups.items()]
        try:
            return compose(verb, [*search, *choices, *map(_added, overrides)])
        except (HydraException, OmegaConfBaseException) as error:
            for override in overrides:
                _explain(override, compose(verb, [*search, *choices]))
            raise ConfigError(str(error).splitlines()[0]) from None

    with initialize_config_dir(str(ours), version_base="1.3"):
        yield composed


def _user_folder(config_dir: str | None) -> Path | None:
    """The user's folder of configurations.

    Raises:
        ConfigError: if there is no such folder.
    """
    if config_dir is None:
        return None
    folder = Path(config_dir).expanduser().resolve()
    if not folder.is_dir():
        raise ConfigError(f"--config-dir {config_dir}: no such folder")
    return folder


def _names(group: str, folder: Path | None) -> list[str]:
    """The options of a group: ours, and those in the user's folder."""
    roots = [resource("conf"), *([folder] if folder else [])]
    return sorted({path.stem for root in roots for path in (root / group).glob("*.yaml")})


def _default_choices(verb: str) -> dict[str, list[str]]:
    """The groups a verb has, each with the names it takes unless told otherwise."""
    entries = OmegaConf.load(resource("conf") / f"{verb}.yaml").defaults
    pairs = (pair for entry in entries if OmegaConf.is_dict(entry) for pair in entry.items())
    return {str(group): _names_given(str(group), str(name)) for group, name in pairs}


def _key_value(argument: str, verb: str) -> tuple[str, str]:
    key, equals, value = argument.partition("=")
    if not equals:
        raise ConfigError(f"{argument!r} is not of the form key=value: see {verb} --help")
    return key, value


def _names_given(group: str, value: str) -> list[str]:
    """The names in ``a``, ``a,b``, ``[a,b]`` or ``all``."""
    names = [name.strip() for name in value.strip("[]").split(",") if name.strip()]
    if names == ["all"] and group in ALL:
        return list(ALL[group])
    if not names or (len(names) > 1 and group not in LISTS):
        raise ConfigError(f"{group}={value}: {group} takes one name")
    return names


def _quoted_paths(value: str) -> str:
    """A path as typed, or a list of them, quoted for Hydra."""
    if value.startswith("[") and value.endswith("]") and not Path(value).exists():
        return "[" + ",".join(_quoted(part.strip()) for part in value[1:-1].split(",")) + "]"
    return "null" if value == "null" else _quoted(value)


def _quoted(value: str) -> str:
    if value.endswith("\\"):
        raise ConfigError(f"{value!r}: a path cannot end in a backslash")
    escaped = value.replace("'", "\\'").replace("${", "\\${")
    return f"'{escaped}'"


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


def _job(name: str, sweep: Sequence[str], options: DictConfig) -> Job:
    suffix = ",".join(override.removeprefix("metric.") for override in sweep).replace("\\:", ":")
    return Job(f"{name}({suffix})" if suffix else name, resolved(options)["metric"])


def _added(override: str) -> str:
    """An override, in Hydra's notation for keys that may be new if it is one of every metric."""
    every = override.startswith(tuple(f"metric.{key}=" for key in EVERY_METRIC))
    return f"++{override}" if every else override


def _explain(override: str, options: DictConfig) -> None:
    """Raise a `ConfigError` if an override names an option there is none of."""
    path = re.sub(r"^[+~]*", "", override.partition("=")[0]).split(".")
    here: Any = options
    for depth, key in enumerate(path):
        if not OmegaConf.is_dict(here):
            return
        if key not in here:
            owner = ".".join(path[:depth])
            what = f"option of {owner}" if owner else "option"
            raise ConfigError(unknown(what, key, [str(name) for name in here]))
        here = None if OmegaConf.is_missing(here, key) else here[key]
