"""Requests from Python values: the options of a command as keyword arguments.

The names and values of options are those of the command line. ``__`` stands for the dot of nested
options, as in scikit-learn: ``metric__K=3`` is ``metric.K=3``.
"""

from __future__ import annotations

import dataclasses
import os
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from bamboo.config.jobs import Job
from bamboo.config.metrics import STANDARDIZE
from bamboo.config.path_options import in_quotes
from bamboo.config.request import Request, read_request
from bamboo.errors import ConfigError
from bamboo.messages import NAMES as MESSAGES
from metrics.base import Metric
from metrics.catalog import ENTRIES
from metrics.catalog import get as metric_named
from metrics.standardize import PRESETS, Standardized

Metrics = str | Metric | Sequence[str | Metric]

# Text that Hydra reads as one string, so that it needs no quotes.
BARE = re.compile(r"[A-Za-z_./][\w./+@-]*")
KEY = re.compile(r"[A-Za-z_]\w*(\.\w+)*")


def request(
    command: str, metric: Metrics | None, options: Mapping[str, Any], config_dir: str | Path | None
) -> Request:
    """The request of a command.

    Args:
        metric: names of metrics, or metrics; None for the default of the command.
        options: the other options. None stands for null.

    Raises:
        ConfigError: an unknown name or option, or a value that is not plain.

    >>> import bamboo.cli  # registers the options of its commands
    >>> request("run", "wlk", {"metric__K": 3, "data": "sample"}, None).command
    ('run', 'metric=wlk', 'metric.K=3', 'data=sample')
    """
    words = [_word(name, value) for name, value in options.items()]
    folder = None if config_dir is None else str(config_dir)
    if metric is None or isinstance(metric, str):
        return _request(command, metric, words, folder)
    entries: list[Any] = [*metric] if isinstance(metric, list | tuple) else [metric]
    if not entries or not all(isinstance(entry, str | Metric) for entry in entries):
        raise ConfigError(
            f"metric={metric!r}: expected the name of a metric, a metric, or a list of them"
        )
    named = [entry for entry in entries if isinstance(entry, str)]
    if named == entries:
        return _request(command, ",".join(named), words, folder)
    if not named:
        check_metric_options(options)
    jobs: list[Job] = []
    for entry in entries:
        if isinstance(entry, str):
            jobs += _request(command, entry, words, folder).jobs
        else:
            jobs.append(Job(label(entry), configuration(entry)))
    names = [job.name for job in jobs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"{twice[0]} is requested twice: give each metric once")
    base = _request(command, named[0] if named else None, words, folder)
    of_metrics = [f"metric={name}" for name in names]
    return replace(base, jobs=tuple(jobs), command=(command, *of_metrics, *words))


def _request(
    command: str, metric: str | None, words: Sequence[str], config_dir: str | None
) -> Request:
    given = (*([f"metric={metric}"] if metric else []), *words)
    if config_dir is not None:  # its files may change
        return read_request(command, given, config_dir)
    variables = sorted((k, v) for k, v in os.environ.items() if k.startswith("BAMBOO_"))
    return _cached_request(command, given, tuple(variables), os.getcwd())


@lru_cache(maxsize=64)
def _cached_request(
    command: str, words: tuple[str, ...], variables: tuple[tuple[str, str], ...], folder: str
) -> Request:
    """The request of a command; composing it takes much longer than scoring a few pairs.

    Args:
        variables, folder: the environment variables and the working directory, on which paths in
            the request depend.
    """
    return read_request(command, words)


def check_metric_options(options: Mapping[str, Any]) -> None:
    """Check that there are no options of a metric, since the metric is given with its own.

    Raises:
        ConfigError: there is one.
    """
    if strange := [name for name in options if name.replace("__", ".").startswith("metric.")]:
        raise ConfigError(
            f"{strange[0]}: set the options of a metric when it is created, as in "
            'metrics.get("wlk", K=3)'
        )


def _word(name: str, value: Any) -> str:
    """An option as on the command line."""
    # Keys that are not in the default value can only be added.
    prefix = "++" if isinstance(value, Mapping) else ""
    return f"{prefix}{_key(name)}={_value(name, value)}"


def _key(name: str) -> str:
    """The name of an option on the command line."""
    key = name.replace("__", ".")
    if key in MESSAGES:
        raise ConfigError(f"{name}: functions print nothing; progress=True shows progress")
    if not KEY.fullmatch(key):
        raise ConfigError(f"{name!r} is not the name of an option")
    return key


def _value(name: str, value: Any) -> str:
    """A value as on the command line: strings and paths as they are, others in Hydra's syntax."""
    return str(value) if isinstance(value, str | Path) else _inner(name, value)


def _inner(name: str, value: Any) -> str:
    """A value in Hydra's syntax, as a part of another one."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        return str(value) if BARE.fullmatch(str(value)) else in_quotes(str(value))
    if isinstance(value, Mapping):
        # Hydra reads no quotes around keys.
        keys = [re.sub(r"([^\w.-])", r"\\\1", str(key)) for key in value]
        items = (
            f"{key}:{_inner(name, item)}" for key, item in zip(keys, value.values(), strict=True)
        )
        return f"{{{','.join(items)}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(_inner(name, item) for item in value)}]"
    raise ConfigError(
        f"{name}: {type(value).__name__} is not the value of an option: expected a string, a "
        "number, True, False, None, or a list or dictionary of these"
    )


def configuration(metric: Metric) -> dict[str, Any]:
    """The configuration of a metric, from which `bamboo.config.metrics.build_metric` builds it.

    Raises:
        ConfigError: a metric that has no configuration, because its class cannot be imported or an
            option is neither plain nor a dataclass.

    >>> from metrics import Smatch
    >>> configuration(Smatch(root="none"))["root"]
    'none'
    """
    if isinstance(metric, Standardized):
        inner = configuration(metric.metric)
        if STANDARDIZE not in inner:  # else it is an option of the metric itself
            return {**inner, STANDARDIZE: [*metric.standardizer.steps]}
    config = _plain(metric, type(metric).__name__)
    assert isinstance(config, dict)
    return config


def _plain(value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        cls = type(value)
        target = f"{cls.__module__}.{cls.__qualname__}"
        try:
            known = pkgutil.resolve_name(target)
        except (ImportError, AttributeError, ValueError):
            known = None
        if known is not cls or cls.__module__ == "__main__":
            raise ConfigError(
                f"{where}: the class {cls.__qualname__} cannot be imported: define it in a module, "
                "so that its scores can be cached and computed in other processes"
            )
        fields = [field.name for field in dataclasses.fields(value) if field.init]
        return {"_target_": target} | {
            name: _plain(getattr(value, name), f"{where}.{name}") for name in fields
        }
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, where) for item in value]
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise ConfigError(
        f"{where}={value!r}: only metrics whose options are strings, numbers, lists, mappings or "
        "dataclasses can be run on the benchmark"
    )


def label(metric: Metric) -> str:
    """The label of a metric's row: its name, and the options that differ from the name's.

    A class without a name is named by itself.

    >>> from metrics import get
    >>> label(get("wlk", K=3)), label(get("smatch_1.0")), label(get("sema", standardize="amr"))
    ('wlk K=3', 'smatch_1.0', 'sema standardize=amr')
    """
    cls = type(metric.metric if isinstance(metric, Standardized) else metric)
    own = _options(metric)
    named = {
        name: _options(metric_named(name))
        for name, entry in ENTRIES.items()
        if entry.target == f"{cls.__module__}.{cls.__qualname__}"
    }
    labels = []
    for name, usual in (named or {cls.__name__: _defaults(cls)}).items():
        differing = [key for key in {**own, **usual} if own.get(key) != usual.get(key)]
        parts = [name, *(f"{key}={_shown(own.get(key))}" for key in differing)]
        labels.append((len(parts), " ".join(parts)))
    return min(labels)[1]


def _options(metric: Metric) -> dict[str, Any]:
    """The options of a metric, ``standardize`` as the name of a preset or the steps."""
    inner = metric.metric if isinstance(metric, Standardized) else metric
    options = {field.name: getattr(inner, field.name) for field in dataclasses.fields(inner)}
    if isinstance(metric, Standardized):
        steps = metric.standardizer.steps
        presets = [name for name, of_preset in PRESETS.items() if of_preset == steps]
        options[STANDARDIZE] = presets[0] if presets else f"[{','.join(steps)}]"
    return options


def _defaults(cls: type[Metric]) -> dict[str, Any]:
    """The default values of the options of a class that have one."""
    return {
        field.name: field.default
        if field.default_factory is dataclasses.MISSING
        else field.default_factory()
        for field in dataclasses.fields(cls)
    }


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float | None) else type(value).__name__
