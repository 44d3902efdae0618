"""Metrics by name: ``metrics.get("wlk", K=3)``."""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_origin, get_type_hints

import yaml

from metrics.base import Metric
from metrics.errors import MetricError, OptionError
from metrics.options import unknown
from metrics.standardize import Standardized

STANDARDIZE = "standardize"  # an option of every metric


# The YAML files that the harness uses, too: in an installed wheel, and in a checkout.
_INSIDE = Path(__file__).parent / "conf"
CONF = _INSIDE if _INSIDE.is_dir() else Path(__file__).parents[1] / "conf"
OF_THE_HARNESS = ("by_data", "learned", "trainer")  # options that are not those of the class
PARTS = ("solver", "vectors")  # options whose values can be given by name


class RegisteredMetric(NamedTuple):
    """A registered metric: its class and default options.

    Attributes:
        target: the path of the class.
        options: its options that differ from the defaults of the class.
    """

    target: str
    options: Mapping[str, Any]


@cache
def registered(name: str) -> RegisteredMetric:
    """Read a metric's class and default options from its YAML file.

    >>> registered("s2match")
    RegisteredMetric(target='metrics.alignment.s2match.S2match', \
options={'tau': 0.9, 'tau_sense': 0.95})
    """
    content = yaml.safe_load((CONF / "metric" / f"{name}.yaml").read_text("utf-8"))
    for base in content.pop("defaults", ()):
        inherited = registered(base)
        content = {"_target_": inherited.target, **inherited.options, **content}
    target = content.pop("_target_")
    options = {
        option: value
        for option, value in content.items()
        # ${solver} and ${vectors} are options of commands; without one, the class has a default.
        if option not in OF_THE_HARNESS and not str(value).startswith("${")
    }
    return RegisteredMetric(target, options)


def _names(group: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (CONF / group).glob("*.yaml")))


EXPECTED = {bool: "True or False", int: "an integer", float: "a number", str: "a string"}


def names() -> tuple[str, ...]:
    """Return the names that `get` knows.

    >>> names()[:3]
    ('align_smatch', 'blend', 'blend_untrained')
    """
    return _names("metric")


def get(name: str, **options: Any) -> Metric:
    """Return a metric by its name, with options.

    Metrics with learned parameters (``blend``, ``wwlk_theta``) have their initial
    values: the learned weights are not part of this package.

    Args:
        name: one of `names`.
        options: options of the metric, and ``standardize`` (a preset or a list of steps, see
            `metrics.standardize.Standardizer.of`) for any metric. ``solver`` and ``vectors`` can
            be given by name: ``solver="hillclimb"``, ``vectors="wordllama"``.

    Raises:
        OptionError: an unknown name or option, with the most similar one, or an invalid value.

    >>> get("wlk", K=3).K
    3
    >>> get("wkl")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    metrics.errors.OptionError: unknown metric 'wkl': did you mean 'wlk'? Use one of: align_s...
    >>> get("wlk", k=3)
    Traceback (most recent call last):
    metrics.errors.OptionError: unknown option of wlk 'k': did you mean 'K'? Use one of: K, \
direction, level_weights, standardize, variant
    """
    if name not in names():
        raise OptionError(unknown("metric", name, names()))
    entry = registered(name)
    cls = pkgutil.resolve_name(entry.target)
    fields = {field.name for field in dataclasses.fields(cls) if field.init}
    accepted = {*fields, STANDARDIZE, *(("vectors",) if "of" in fields else ())}
    if rejected := [option for option in options if option not in accepted]:
        raise OptionError(unknown(f"option of {name}", rejected[0], accepted))
    hints = get_type_hints(cls)
    values = {
        # YAML reads 2021 as a number.
        option: str(value) if get_origin(hints.get(option)) is Literal else value
        for option, value in entry.options.items()
    } | options
    standardize = None if STANDARDIZE in fields else values.pop(STANDARDIZE, None)
    values = {option: _value(name, option, value) for option, value in values.items()}
    if "of" in fields:
        values["of"] = _metrics(name, values["of"], values.pop("vectors", None))
    _check_types(name, hints, values)
    try:
        metric: Metric = cls(**values)
        return metric if standardize in (None, "none") else Standardized.of(metric, standardize)
    except MetricError as error:
        raise OptionError(f"metric {name}: {error}") from None


def _value(name: str, option: str, value: Any) -> Any:
    """Return the value of an option; a solver or word vectors that are named are created."""
    if option not in PARTS or not isinstance(value, str):
        return value
    if value not in (values := _names(option)):
        raise OptionError(f"metric {name}: {unknown(option, value, values)}")
    content = yaml.safe_load((CONF / option / f"{value}.yaml").read_text("utf-8"))
    return pkgutil.resolve_name(content.pop("_target_"))(**content)


def _metrics(blend: str, entries: Any, vectors: Any) -> dict[str, Metric]:
    """Return the metrics of a blend by name, with its word vectors unless they have their own."""
    if isinstance(entries, Mapping):
        return dict(entries)
    metrics = {}
    for entry in entries:
        options = dict(entry) if isinstance(entry, Mapping) else {"metric": entry}
        metric = str(options.pop("metric", ""))
        part_name = str(options.pop("name", metric))
        if part_name in metrics:
            raise OptionError(f"metric {blend}: of: {part_name} is listed twice: add a name to one")
        if metric in names() and vectors is not None:
            cls = pkgutil.resolve_name(registered(metric).target)
            if any(field.name == "vectors" for field in dataclasses.fields(cls)):
                options.setdefault("vectors", vectors)
        metrics[part_name] = get(metric, **options)
    return metrics


def _check_types(name: str, hints: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    for option, value in values.items():
        kind = hints.get(option)
        if kind not in EXPECTED:
            continue
        allowed = (int, float) if kind is float else kind
        if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
            raise OptionError(f"metric {name}: {option}={value!r}: expected {EXPECTED[kind]}")
