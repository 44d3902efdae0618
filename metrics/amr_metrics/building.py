"""Objects from configurations and back: mappings whose ``_target_`` names a class or function."""

from __future__ import annotations

import contextlib
import pkgutil
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_origin

from amr_metrics.errors import MetricError, OptionError
from amr_metrics.options import defaults, field_types, fit_options
from amr_metrics.utils.user_code import location

TARGET = "_target_"


def target_of(config: Mapping[str, Any] | None) -> Any:
    """Return the class or function that a configuration names; None if it cannot be imported.

    >>> target_of({"_target_": "amr_metrics.features.sema.Sema"}).__name__
    'Sema'
    """
    try:
        return pkgutil.resolve_name((config or {})[TARGET])
    except Exception:  # importing it may raise anything; `build` reports it
        return None


def option_types(config: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the type of each option of the dataclass that a configuration names.

    The result is empty for functions, for other classes, and if there is no such class.
    """
    target = target_of(config)
    return field_types(target) if isinstance(target, type) and is_dataclass(target) else {}


def build(config: Mapping[str, Any], where: str = "", **objects: Any) -> Any:
    """Call the ``_target_`` of a configuration with its options.

    Options are converted to the types of the target's fields if it is a dataclass. Those that have
    a ``_target_`` themselves are built first.

    Args:
        where: the prefix of option names in messages; ``solver`` gives ``solver.seed=...``.
        objects: further options, which are passed on as they are.

    Raises:
        OptionError: a target that cannot be imported, an unknown option or unsuitable value, or
            any error that the target raises.

    >>> climb = {"_target_": "amr_metrics.HillClimb"}
    >>> build({"_target_": "amr_metrics.Smatch", "solver": climb}).solver
    HillClimb(restarts=4, seed=0)
    """
    try:
        target = pkgutil.resolve_name(config[TARGET])
    except Exception as error:  # importing it may raise anything
        former = str(config[TARGET]).startswith("metrics.")
        hint = ". The library of metrics is now called amr_metrics" if former else ""
        raise OptionError(f"{TARGET}={config[TARGET]}: {_cause(error)}{hint}") from None
    options = {name: value for name, value in config.items() if name != TARGET}
    if isinstance(target, type) and is_dataclass(target):
        options = fit_options(target, options, where)
    prefix = f"{where}." if where else ""
    options = {name: _built(value, f"{prefix}{name}") for name, value in options.items()}
    try:
        return target(**options, **objects)
    except Exception as error:  # it may be the user's code
        raise OptionError(_cause(error)) from error


def _built(value: Any, where: str) -> Any:
    if isinstance(value, Mapping):
        if TARGET in value:
            return build(value, where)
        return {name: _built(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, list):
        return [_built(item, f"{where}[{k}]") for k, item in enumerate(value)]
    return value


def _cause(error: BaseException) -> str:
    """Return the cause of an error in one line, with the line of the user's code if any."""
    place = None if isinstance(error, MetricError) else location(error)
    while error.__cause__ is not None:
        error = error.__cause__
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return text if place is None else f"{text} ({place})"


def default_options(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of the dataclass that a configuration names, as YAML would set them.

    The result is empty for functions, for other classes, and if there is no such class.

    >>> default_options({"_target_": "amr_metrics.features.wlk.Wlk"})["variant"]
    2021
    """
    types, values = option_types(config), {}
    for name, value in defaults(target_of(config)).items() if types else ():
        if get_origin(types[name]) is Literal and value.isdigit():
            value = int(value)  # as YAML and the command line read it
        with contextlib.suppress(OptionError):  # only Python can set such an option
            values[name] = configuration(value, name)
    return values


def configuration(value: Any, where: str = "") -> Any:
    """Return a value as YAML would hold it: an object as a mapping with ``_target_``.

    Raises:
        OptionError: a value of another type, or of a class that cannot be imported.

    >>> from amr_metrics import HillClimb
    >>> configuration(HillClimb())["restarts"]
    4
    """
    if is_dataclass(value) and not isinstance(value, type):
        cls = type(value)
        target = f"{cls.__module__}.{cls.__qualname__}"
        if target_of({TARGET: target}) is not cls or cls.__module__ == "__main__":
            raise OptionError(
                f"{where}: the class {cls.__qualname__} cannot be imported: define it in a module, "
                "so that its scores can be cached and computed in other processes"
            )
        names = [field.name for field in fields(value) if field.init]
        return {TARGET: target} | {
            name: configuration(getattr(value, name), f"{where}.{name}") for name in names
        }
    if isinstance(value, Mapping):
        return {str(key): configuration(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [configuration(item, where) for item in value]
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise OptionError(
        f"{where}={value!r}: only metrics whose options are strings, numbers, lists, mappings or "
        "dataclasses can be run on the benchmark"
    )
