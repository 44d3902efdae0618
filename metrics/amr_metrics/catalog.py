"""Build metrics: by name, as in ``amr_metrics.get("wlk", K=3)``, and from configurations."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from amr_metrics.base import Metric
from amr_metrics.building import TARGET, build, configuration, option_types
from amr_metrics.errors import MetricError, OptionError
from amr_metrics.options import unknown
from amr_metrics.utils.functions import call_text

STANDARDIZE = "standardize"  # an option of every metric
PARTS = ("solver", "vectors")  # options whose values can be given by name
OF_THE_HARNESS = ("by_data", "learned", "trainer")  # options in YAML that are not those of a class

# The YAML files that the harness uses, too: in an installed wheel, and in a checkout.
_INSIDE = Path(__file__).parent / "conf"
CONF = _INSIDE if _INSIDE.is_dir() else Path(__file__).parents[2] / "conf"


def names() -> tuple[str, ...]:
    """Return the names that `get` knows.

    >>> names()[:3]
    ('align_smatch', 'blend', 'blend_untrained')
    """
    return _names("metric")


@cache
def _names(group: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (CONF / group).glob("*.yaml")))


@cache
def registered(name: str) -> Mapping[str, Any]:
    """Return the configuration of a name: its class as ``_target_``, and what differs from it.

    Options of the harness are left out.

    Raises:
        OptionError: an unknown name, with the most similar one.

    >>> registered("s2match")
    {'_target_': 'amr_metrics.alignment.s2match.S2match', 'tau': 0.9, 'tau_sense': 0.95}
    """
    if name not in names():
        raise OptionError(unknown("metric", name, names()))
    content = _read("metric", name)
    inherited: dict[str, Any] = {}
    for base in content.pop("defaults", ()):
        inherited |= registered(base)
    own = {option: value for option, value in content.items() if option not in OF_THE_HARNESS}
    return inherited | own


def _read(group: str, name: str) -> dict[str, Any]:
    content = yaml.safe_load((CONF / group / f"{name}.yaml").read_text("utf-8"))
    assert isinstance(content, dict)
    return content


def get(name: str, **options: Any) -> Metric:
    """Return a metric by its name, with options.

    Metrics with learned parameters (``blend``, ``wwlk_theta``) have their initial values: the
    learned weights are not part of this package.

    Args:
        name: one of `names`.
        options: options of the metric, and ``standardize`` (a preset or a list of steps, see
            `amr_metrics.standardize.Standardizer.of`) for any metric. ``solver`` and ``vectors``
            can be given by name: ``solver="hillclimb"``, ``vectors="wordllama"``.

    Raises:
        OptionError: an unknown name or option, with the most similar one, or an invalid value.

    >>> get("wlk", K=3).K
    3
    >>> get("wkl")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    amr_metrics.errors.OptionError: unknown metric 'wkl': did you mean 'wlk'? Use one of: align_s...
    >>> get("wlk", k=3)
    Traceback (most recent call last):
    amr_metrics.errors.OptionError: unknown option of wlk 'k': did you mean 'K'? Use one of: K, \
direction, level_weights, standardize, variant
    """
    return build_metric(name, {**registered(name), **options})


def build_metric(name: str, config: Mapping[str, Any]) -> Metric:
    """Return the metric that a configuration describes.

    Args:
        name: the metric's name in error messages.
        config: ``_target_``, the path of a class or function, and its options, as plain values or
            as objects. ``solver`` and ``vectors`` can be names. ``standardize`` (a preset or a list
            of steps; a step that is a function of the user's can be a mapping with ``_target_`` and
            options) works with any metric. ``of``, the metrics of a blend, can be a list of names,
            or of mappings with ``metric`` or ``_target_``, options, and optionally a ``name``.

    Raises:
        OptionError: a missing or unimportable ``_target_``, an unknown option, a value that the
            metric rejects, or a target that is not a metric.

    >>> build_metric("smatch", {"_target_": "amr_metrics.Smatch", "root": "none"}).root
    'none'
    """
    options = dict(config)
    if not isinstance(target := options.get(TARGET), str):
        raise OptionError(f"metric {name}: its YAML must set _target_ to a class or function")
    fields = option_types(options)
    if fields:
        accepted = {*fields, STANDARDIZE, *(("vectors",) if "of" in fields else ())}
        if rejected := [key for key in options if key not in (*accepted, TARGET)]:
            raise OptionError(unknown(f"option of {name}", rejected[0], accepted))
    try:
        if isinstance(options.get(STANDARDIZE), list | tuple):
            options[STANDARDIZE] = [_step_text(step) for step in options[STANDARDIZE]]
        standardize = None if STANDARDIZE in fields else options.pop(STANDARDIZE, None)
        for part in PARTS:
            if isinstance(options.get(part), str):
                options[part] = named_part(part, options[part])
        if "of" in fields:
            options["of"] = _metrics(options.get("of"), options.pop("vectors", None))
        metric = build(options)
        if not isinstance(metric, Metric):
            kind = type(metric).__name__
            raise OptionError(f"{target} is a {kind}, not a metric. {_for_function(target)}")
        if standardize in (None, "none"):
            return metric
        from amr_metrics.standardize import Standardized  # slow to import

        return Standardized.of(metric, standardize)
    except MetricError as error:
        text = str(error)
        function = target.rpartition(".")[2]
        hint = f". {_for_function(target)}" if f"{function}() missing " in text else ""
        raise OptionError(f"metric {name}: {text}{hint}") from None


def metric_options(metric: Metric) -> dict[str, Any]:
    """Return the configuration from which `build_metric` builds a metric.

    Raises:
        OptionError: a metric that has no configuration, because its class cannot be imported or an
            option is neither plain nor a dataclass.

    >>> from amr_metrics import Smatch
    >>> metric_options(Smatch(root="none"))["root"]
    'none'
    """
    from amr_metrics.standardize import Standardized  # slow to import

    if isinstance(metric, Standardized):
        inner = metric_options(metric.metric)
        if STANDARDIZE not in inner:  # else it is an option of the metric itself
            return {**inner, STANDARDIZE: [*metric.standardizer.steps]}
    config = configuration(metric, type(metric).__name__)
    assert isinstance(config, dict)
    return config


def metrics_in(value: Any) -> Iterator[Metric]:
    """Yield a metric and the metrics among its options."""
    if isinstance(value, Metric):
        yield value
        for field in dataclasses.fields(value):
            yield from metrics_in(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from metrics_in(item)


def document_of(metric: Metric) -> dict[str, Any]:
    """Return the configuration of a metric; only its class for a metric that has none."""
    try:
        return metric_options(metric)
    except OptionError:
        return {TARGET: f"{type(metric).__module__}.{type(metric).__qualname__}"}


def named_part(group: str, name: str) -> Mapping[str, Any]:
    """Return the configuration of a solver or of word vectors by its name.

    Raises:
        OptionError: an unknown name.

    >>> named_part("solver", "exact")["_target_"]
    'amr_metrics.alignment.exact.Exact'
    """
    if name not in (known := _names(group)):
        raise OptionError(unknown(group, name, known))
    return _read(group, name)


def _metrics(entries: Any, vectors: Any) -> Mapping[str, Metric]:
    """Return the metrics of a blend by name, with its word vectors unless they have their own."""
    if isinstance(entries, Mapping):
        return entries
    if not isinstance(entries, list | tuple):
        raise OptionError(f"of={entries}: expected a list of metrics")
    metrics: dict[str, Metric] = {}
    for entry in entries:
        options = dict(entry) if isinstance(entry, Mapping) else {"metric": str(entry)}
        if not {"metric", TARGET} & options.keys():
            raise OptionError(f"of: {entry} names no metric: add metric: NAME")
        metric = options.pop("metric", None)
        name = str(options.pop("name", metric))
        if name in metrics:
            raise OptionError(f"of: {name} is listed twice: add a name to one")
        config = options if metric is None else {**registered(str(metric)), **options}
        if vectors is not None and "vectors" in option_types(config):
            config.setdefault("vectors", vectors)
        metrics[name] = build_metric(name, config)
    return metrics


def _for_function(target: str) -> str:
    return (
        "For a function of two graphs use _target_: amr_metrics.external.FunctionMetric, with "
        f"function: {target}"
    )


def _step_text(step: Any) -> str:
    if not isinstance(step, Mapping):
        return str(step)
    if not isinstance(target := step.get(TARGET), str):
        raise OptionError(f"standardize: {step}: expected a name, or a function as _target_")
    return call_text(target, {key: value for key, value in step.items() if key != TARGET})
