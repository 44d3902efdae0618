"""A metric from its YAML."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from bamboo.errors import ConfigError
from bamboo.options import fit_options
from metrics.base import Metric
from metrics.errors import MetricError
from metrics.standardize import Standardized

STANDARDIZE = "standardize"
BY_DATA = "by_data"  # options that differ between data sets, by the data set's name


def build_metric(name: str, config: Mapping[str, Any], dataset: str | None = None) -> Metric:
    """The metric that a configuration describes.

    Args:
        name: how errors call it.
        config: its YAML, interpolations resolved. ``_target_`` names the class; options under
            ``by_data: {<data set>: {...}}`` take precedence on that data set; ``standardize``
            (a preset or a list of steps, see `metrics.standardize`) is for any metric.
        dataset: the data set it is wanted for.

    Raises:
        ConfigError: a missing or unimportable ``_target_``, an unknown option, a value that the
            metric refuses, or a target that is no metric.

    >>> build_metric("smatch", {"_target_": "metrics.Smatch", "root": "none"}).root
    'none'
    """
    import hydra.utils
    from hydra.errors import HydraException

    options = {key: value for key, value in config.items() if key != BY_DATA}
    options |= (config.get(BY_DATA) or {}).get(dataset, {})
    if not isinstance(options.get("_target_"), str):
        raise ConfigError(f"metric {name}: its YAML has no _target_, the class or function to use")
    try:
        # A metric that standardises by itself has the option as a field.
        standardize = None
        if STANDARDIZE in options and STANDARDIZE not in _fields(options["_target_"]):
            standardize = options.pop(STANDARDIZE)
        _check_types(options)
        metric = hydra.utils.instantiate(options, _convert_="all")
        if isinstance(metric, Metric) and standardize not in (None, "none"):
            metric = Standardized.of(metric, standardize)
    except (HydraException, ConfigError, MetricError) as error:
        raise ConfigError(f"metric {name}: {_cause(error)}") from None
    if not isinstance(metric, Metric):
        raise ConfigError(
            f"metric {name}: {options['_target_']} is a {type(metric).__name__}, not a metric. "
            "A plain function takes _target_: metrics.external.FunctionMetric"
        )
    return metric


def _check_types(config: Mapping[str, Any], where: str = "") -> None:
    """Make sure that the options of a ``_target_`` are of its fields' types, nested ones too."""
    target = _target(config["_target_"])
    options = {name: value for name, value in config.items() if not name.startswith("_")}
    for name, value in options.items():
        if isinstance(value, Mapping) and "_target_" in value:
            _check_types(value, f"{where}.{name}" if where else name)
    if isinstance(target, type) and is_dataclass(target):
        fit_options(target, options, where)


def _target(name: str) -> Any:
    """What a dotted name names."""
    try:
        return pkgutil.resolve_name(name)
    except Exception as error:  # whatever importing it may raise
        raise ConfigError(f"_target_={name}: {_cause(error)}") from None


def _fields(name: str) -> set[str]:
    """The options of a class by its dotted name."""
    target = _target(name)
    return {field.name for field in fields(target)} if is_dataclass(target) else set()


def _cause(error: BaseException) -> str:
    """What lies at the bottom of a chain of errors, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip() or type(error).__name__).splitlines()[0]
