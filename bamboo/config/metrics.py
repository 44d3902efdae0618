"""Build metrics from their configuration."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any

from bamboo.config.source_files import dotted_names
from bamboo.config.targets import build, cause, option_types
from bamboo.errors import ConfigError
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
OF_THE_HARNESS = (BY_DATA, TRAINER, LEARNED, OF)  # not options of the class


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
    options = {key: value for key, value in config.items() if key not in OF_THE_HARNESS}
    options |= (config.get(BY_DATA) or {}).get(dataset, {})
    if isinstance(options.get(STANDARDIZE), list):
        options[STANDARDIZE] = [_step_text(name, step) for step in options[STANDARDIZE]]
    does_itself = STANDARDIZE in option_types(options)
    standardize = None if does_itself else options.pop(STANDARDIZE, None)
    if not isinstance(options.get("_target_"), str):
        raise ConfigError(f"metric {name}: its YAML must set _target_ to a class or function")
    try:
        if OF in config:
            parts = {part: build_metric(part, of, dataset) for part, of in config[OF].items()}
            metric = build(options, of=parts)
        else:
            metric = _built_once(options)
    except ConfigError as error:
        text = cause(error)
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


def _built_once(options: Mapping[str, Any]) -> Any:
    """Return the object that `options` describe.

    If its classes are all from this library, later calls return the same object: it does not
    change, and reads its files again if they change. Otherwise every call builds a new one, since
    the user's objects and modules may change.
    """
    key = None
    if _is_plain(options) and all(name.startswith("metrics.") for name in dotted_names(options)):
        key = repr((options, [os.environ.get(name) for name in VARIABLES.values()]))
        if key in _BUILT:
            _BUILT.move_to_end(key)
            return _BUILT[key]
    built = build(options)
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
    from bamboo.config.weights import check_fits, read_weights  # slow to import

    path = Path(learned)
    weights = read_weights(path)
    trained = metric.with_named(weights.values)
    check_fits(weights, trained, path)
    return trained
