"""Build metrics from their configuration."""

from __future__ import annotations

import os
import pkgutil
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any

from bamboo.config.options import fit_options
from bamboo.config.source_files import dotted_names
from bamboo.errors import ConfigError
from bamboo.own_code import location
from metrics.base import Metric
from metrics.errors import MetricError
from metrics.options import call_text
from metrics.parameters import Parametric
from metrics.vectors.sources import VARIABLES

STANDARDIZE = "standardize"
BY_DATA = "by_data"  # options that differ between data sets, by the data set's name
TRAINER = "trainer"  # how a metric's parameters are learned (conf/trainer)
LEARNED = "learned"  # learned values of its parameters, by name, or a file of weights
OBJECT = "_object_"  # a metric that was given as an object; it is used as it is
OF = "of"  # the configurations of the metrics that a blend consists of, by name


def build_metric(name: str, config: Mapping[str, Any], dataset: str | None = None) -> Metric:
    """Return the metric that a configuration describes.

    Args:
        name: the metric's name in error messages.
        config: its YAML, interpolations resolved. ``_target_`` names the class; options under
            ``by_data: {<data set>: {...}}`` take precedence on that data set; ``standardize``
            (a preset or a list of steps, see `metrics.standardize`; a step that is a function of
            the user's can be a mapping with ``_target_`` and options) works with any metric;
            ``learned`` maps names of parameters to values, or is a file written by ``train``;
            ``of`` maps names to configurations of other metrics, which the metric receives as
            objects; ``trainer`` is ignored here.
        dataset: the data set that the metric will be used on.

    Raises:
        ConfigError: a missing or unimportable ``_target_``, an unknown option, a value that the
            metric rejects, or a target that is not a metric.
        WeightsError: a file of weights that cannot be read, or of another metric.

    >>> build_metric("smatch", {"_target_": "metrics.Smatch", "root": "none"}).root
    'none'
    """
    if OBJECT in config:
        metric_object: Metric = config[OBJECT]
        return metric_object
    from hydra.errors import HydraException

    not_of_class = (BY_DATA, TRAINER, LEARNED, OF)
    options = {key: value for key, value in config.items() if key not in not_of_class}
    options |= (config.get(BY_DATA) or {}).get(dataset, {})
    if isinstance(options.get(STANDARDIZE), list):
        options[STANDARDIZE] = [_step_text(name, step) for step in options[STANDARDIZE]]
    standardize = None if _has_field(options, STANDARDIZE) else options.pop(STANDARDIZE, None)
    if not isinstance(options.get("_target_"), str):
        raise ConfigError(f"metric {name}: its YAML must set _target_ to a class or function")
    try:
        if OF in config:
            parts = {
                part: build_metric(part, part_config, dataset)
                for part, part_config in config[OF].items()
            }
            # Passed on as they are: Hydra would turn metrics back into mappings.
            metric = _instantiated(options, partial=True)(of=parts)
        else:
            metric = _instantiated(options)
    except (HydraException, ConfigError, MetricError) as error:
        text = _cause(error)
        function = str(options["_target_"]).rpartition(".")[2]
        hint = f". {_for_function(options)}" if f"{function}() missing " in text else ""
        raise ConfigError(f"metric {name}: {text}{hint}") from None
    if not isinstance(metric, Metric):
        raise ConfigError(
            f"metric {name}: {options['_target_']} is a {type(metric).__name__}, not a metric. "
            f"{_for_function(options)}"
        )
    result: Metric = metric
    try:
        if standardize not in (None, "none"):
            from metrics.standardize import Standardized  # slow to import

            result = Standardized.of(result, standardize)
        if isinstance(result, Parametric) and config.get(LEARNED) is not None:
            result = _with_learned(result, config[LEARNED])
        return result
    except MetricError as error:
        raise ConfigError(f"metric {name}: {error}") from None


# The objects that this process built or used last: the cells and trainings of a run have the same
# metrics.
_BUILT: OrderedDict[str, Any] = OrderedDict()
MAX_BUILT = 50  # a metric may hold word vectors


def _instantiated(options: Mapping[str, Any], partial: bool = False) -> Any:
    """Return the object that `options` describe.

    If its classes are all from this library, later calls return the same object: it does not
    change, and reads its files again if they change. Otherwise every call builds a new one, since
    the user's objects and modules may change.

    Args:
        partial: return a function of the options that are missing.
    """
    key = None
    if _is_plain(options) and all(name.startswith("metrics.") for name in dotted_names(options)):
        key = repr((options, partial, [os.environ.get(name) for name in VARIABLES.values()]))
        if key in _BUILT:
            _BUILT.move_to_end(key)
            return _BUILT[key]
    import hydra.utils  # slow to import

    built = hydra.utils.instantiate(_fitted(options), _convert_="all", _partial_=partial)
    if key is not None:
        _BUILT[key] = built
        if len(_BUILT) > MAX_BUILT:
            _BUILT.popitem(last=False)
    return built


def _for_function(options: Mapping[str, Any]) -> str:
    return (
        "For a function of two graphs use _target_: metrics.external.FunctionMetric, with "
        f"function: {options['_target_']}"
    )


def _is_plain(value: Any) -> bool:
    """Check that a value has only types of YAML: different values have different texts."""
    if type(value) is dict:
        return all(_is_plain(part) for item in value.items() for part in item)
    if type(value) in (list, tuple):
        return all(map(_is_plain, value))
    return type(value) in (str, int, float, bool, NoneType)


def _step_text(metric: str, step: Any) -> str:
    if not isinstance(step, Mapping):
        return str(step)
    if not isinstance(target := step.get("_target_"), str):
        raise ConfigError(
            f"metric {metric}: standardize: {step}: expected a name, or a function as _target_"
        )
    try:
        return call_text(target, {key: v for key, v in step.items() if key != "_target_"})
    except MetricError as error:
        raise ConfigError(f"metric {metric}: standardize: {error}") from None


def _with_learned(metric: Parametric, learned: str | Mapping[str, float]) -> Parametric:
    if isinstance(learned, Mapping):
        return metric.with_named(learned)
    from bamboo.train.weights import check_fits, read_weights  # slow to import

    path = Path(learned)
    weights = read_weights(path)
    trained = metric.with_named(weights.values)
    check_fits(weights, trained, path)
    return trained


def _has_field(options: Mapping[str, Any], option: str) -> bool:
    try:
        target = pkgutil.resolve_name(options["_target_"])
    except Exception:  # any error is reported when the metric is built
        return False
    return is_dataclass(target) and option in {field.name for field in fields(target)}


def _fitted(config: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """Return a configuration with options converted to the field types of its ``_target_``.

    Nested configurations are converted too.
    """
    try:
        target = pkgutil.resolve_name(config["_target_"])
    except Exception as error:  # importing it may raise anything
        raise ConfigError(f"_target_={config['_target_']}: {_cause(error)}") from None
    options = {name: value for name, value in config.items() if not name.startswith("_")}
    for name, value in options.items():
        if isinstance(value, Mapping) and "_target_" in value:
            options[name] = _fitted(value, f"{where}.{name}" if where else name)
    if isinstance(target, type) and is_dataclass(target):
        fitted = fit_options(target, options, where)
        # Hydra would turn an instance of a dataclass back into a mapping.
        options |= {name: value for name, value in fitted.items() if not is_dataclass(value)}
    return {name: value for name, value in config.items() if name.startswith("_")} | options


def _cause(error: BaseException) -> str:
    """Return the cause of an error in one line, with the line of the user's code if any."""
    where = None if isinstance(error, ConfigError | MetricError) else location(error)
    while error.__cause__ is not None:
        error = error.__cause__
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return text if where is None else f"{text} ({where})"
