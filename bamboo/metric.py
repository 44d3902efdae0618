"""A metric from its YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bamboo.errors import ConfigError
from metrics.base import Metric
from metrics.errors import MetricError

BY_DATA = "by_data"  # options that differ between data sets, by the data set's name


def build_metric(name: str, config: Mapping[str, Any], dataset: str | None = None) -> Metric:
    """The metric that a configuration describes.

    Args:
        name: how errors call it.
        config: its YAML, interpolations resolved. ``_target_`` names the class; options under
            ``by_data: {<data set>: {...}}`` take precedence on that data set.
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
        metric = hydra.utils.instantiate(options, _convert_="all")
    except HydraException as error:
        raise ConfigError(f"metric {name}: {_cause(error)}") from None
    except MetricError as error:
        raise ConfigError(f"metric {name}: {error}") from None
    if not isinstance(metric, Metric):
        raise ConfigError(
            f"metric {name}: {options['_target_']} is a {type(metric).__name__}, not a metric. "
            "A plain function takes _target_: metrics.external.FunctionMetric"
        )
    return metric


def _cause(error: BaseException) -> str:
    """What lies at the bottom of a chain of errors, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).strip().splitlines()[0]
