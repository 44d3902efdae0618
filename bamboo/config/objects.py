"""Metrics that are given as objects, as jobs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from bamboo.config.jobs import Job, differences
from bamboo.config.metrics import OBJECT, STANDARDIZE
from bamboo.config.options import defaults
from bamboo.config.targets import as_yaml
from bamboo.errors import ConfigError
from metrics.base import Metric
from metrics.catalog import get as metric_named
from metrics.catalog import names, registered
from metrics.standardize import PRESETS, Standardized

Metrics = str | Metric | Sequence[str | Metric]


def metrics_given(metric: Metrics, options: Mapping[str, Any]) -> list[str | Job]:
    """Return the value of the option ``metric``: names, and jobs of the metrics among them.

    Args:
        options: the other options.

    Raises:
        ConfigError: another value, or options of a metric although none is given by its name.
    """
    if isinstance(metric, str):
        return [*metric.split(",")]
    entries: list[Any] = [*metric] if isinstance(metric, list | tuple) else [metric]
    if not entries or not all(isinstance(entry, str | Metric) for entry in entries):
        raise ConfigError(
            f"metric={metric!r}: expected the name of a metric, a metric, or a list of them"
        )
    strange = [name for name in options if name.replace("__", ".").startswith("metric.")]
    if strange and not any(isinstance(entry, str) for entry in entries):
        raise ConfigError(
            f"{strange[0]}: set the options of a metric when it is created, as in "
            'metrics.get("wlk", K=3)'
        )
    return [entry if isinstance(entry, str) else job_of(entry) for entry in entries]


def job_of(metric: Metric) -> Job:
    """Return a metric as a job.

    A metric that has no configuration is used as the object that it is: one of a class that other
    processes cannot import, such as a class in a notebook, or with options that are not plain.
    """
    try:
        return Job(label(metric), configuration(metric))
    except ConfigError:
        cls = type(metric)
        target = f"{cls.__module__}.{cls.__qualname__}"
        return Job(label(metric), {"_target_": target, OBJECT: metric})


def configuration(metric: Metric) -> dict[str, Any]:
    """Return the configuration from which `bamboo.config.metrics.build_metric` builds a metric.

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
    config = as_yaml(metric, type(metric).__name__)
    assert isinstance(config, dict)
    return config


def label(metric: Metric) -> str:
    """Return the label of a metric's row: its name, and the options that differ from the name's.

    A class without a name is named by itself.

    >>> from metrics import get
    >>> label(get("wlk", K=3)), label(get("smatch_1.0")), label(get("sema", standardize="amr"))
    ('wlk K=3', 'smatch_1.0', 'sema standardize=amr')
    """
    cls = type(metric.metric if isinstance(metric, Standardized) else metric)
    options = _options(metric)
    usual_options = {
        name: _options(metric_named(name))
        for name in names()
        if registered(name).target == f"{cls.__module__}.{cls.__qualname__}"
    } or {cls.__name__: defaults(cls)}
    labels = []
    for name, usual in usual_options.items():
        parts = [name, *differences(options, usual)]
        labels.append((len(parts), " ".join(parts)))
    return min(labels)[1]


def _options(metric: Metric) -> dict[str, Any]:
    """Return the options of a metric, ``standardize`` as the name of a preset or the steps."""
    inner = metric.metric if isinstance(metric, Standardized) else metric
    options = {field.name: getattr(inner, field.name) for field in dataclasses.fields(inner)}
    if isinstance(metric, Standardized):
        steps = metric.standardizer.steps
        presets = [name for name, preset_steps in PRESETS.items() if preset_steps == steps]
        options[STANDARDIZE] = presets[0] if presets else f"[{','.join(steps)}]"
    return options
