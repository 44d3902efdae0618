"""Build metrics, by name as in ``amr_metrics.get("wlk", K=3)`` or from their configurations.

A configuration is a mapping, as YAML holds it, whose ``_target_`` names a class or function and
whose other entries are its options.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from amr_metrics import configurations
from amr_metrics.base import Metric
from amr_metrics.configurations import (
    NAME,
    PARTS,
    STANDARDIZE,
    TARGET,
    expand_name,
    list_members,
    unwrap_standardized,
)
from amr_metrics.errors import ExitError, MetricError, OptionError
from amr_metrics.options import defaults, describe_unknown, field_types, fit_options
from amr_metrics.utils.functions import call_text
from amr_metrics.utils.user_code import guard_user_code, import_user_code, location

# From a group and a name in it to a configuration.
ReadMember = Callable[[str, str], Mapping[str, Any]]

# Keys that are not options: Hydra calls no function with ``_partial_``, and gives the object plain
# lists and mappings with ``_convert_``.
OF_HYDRA = (TARGET, "_partial_", "_convert_")
OF = "of"  # the metrics of a blend
# Entries of YAML that are not options of a class.
OF_THE_HARNESS = ("by_data", "learned", "reference", "title", "trainer")
# Beginnings of targets of earlier versions, and what a message says of them.
RENAMED = {
    "bamboo.train.spsa.": "SPSA is now called bamboo.SPSA",
    "metrics.": "The library of metrics is now called amr_metrics",
    "amr_metrics.sif.": "SIF is now called amr_metrics.SIF",
    "amr_metrics.wordllama.": "WordLlama is now called amr_metrics.WordLlama",
}


def names() -> tuple[str, ...]:
    """Return the names that `get` knows, without those that stand for others.

    >>> names()[:3]
    ('align_smatch', 'ancast', 'ancast_sentences')
    """
    return tuple(list_members("metric"))


def read_member(group: str, name: str) -> Mapping[str, Any]:
    """Return the options of a metric, a solver or word vectors by its name.

    Raises:
        OptionError: an unknown name, with the most similar one; one that stands for several.

    >>> read_member("metric", "sema")
    {'_target_': 'amr_metrics.Sema', 'variant': 'published', 'hypothesis': 'src'}
    """
    member, *others = expand_name(group, name)
    if others:
        raise OptionError(f"{group} {name} stands for several: {', '.join([member, *others])}")
    return unwrap_standardized(configurations.read_member(group, member).node)


def get(name: str, /, **options: Any) -> Metric:
    """Return a metric by its name, with options.

    Metrics with learned parameters (``blend``, ``wwlk_theta``) have their initial values: the
    learned weights are not part of this package.

    Args:
        name: one of `names`.
        options: options of the metric, and ``standardize`` (a preset or a list of steps, see
            `amr_metrics.standardize.Standardizer.of`) for any metric. ``solver`` and ``vectors``
            are objects, names, or mappings: ``solver="hillclimb"``,
            ``solver={"name": "hillclimb", "seed": 1}``; without a name, options of the metric's
            own: ``solver={"node_limit": 1000}``. A mapping keeps the options that it does not name.

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
    config = read_member("metric", name)
    check_options(name, config, options)
    return build_metric(name, merge_options(config, options))


def check_options(
    metric: str, config: Mapping[str, Any], options: Iterable[str], also: Iterable[str] = ()
) -> Mapping[str, Any]:
    """Check that a metric has some options, and return the types of its options.

    The options of a function are not known: nothing is checked, and the result is empty.

    Args:
        metric: its name in error messages.
        also: further options.

    Raises:
        OptionError: it does not have one of them; the message lists those that it has.
    """
    target = import_target(config)
    if not (isinstance(target, type) and is_dataclass(target)):
        return {}
    types = field_types(target)
    accepted = {*types, STANDARDIZE, *(("vectors",) if OF in types else ()), *also} - {*OF_HYDRA}
    for option in options:
        if option not in (*accepted, *OF_HYDRA):
            raise OptionError(describe_unknown(f"option of {metric}", option, accepted))
    return types


def build_metric(name: str, config: Mapping[str, Any], read: ReadMember = read_member) -> Metric:
    """Return the metric that a configuration describes, without the options of the harness.

    Args:
        name: the metric's name in error messages.
        config: ``_target_``, the path of a class or function, and its options, as plain values or
            as objects. ``solver`` and ``vectors`` can be names, or mappings with ``name`` or
            ``_target_`` and options. ``standardize`` (a preset or a list
            of steps; a step that is a function of the user's can be a mapping with ``_target_`` and
            options) works with any metric. ``of`` maps the names of the metrics of a blend to
            their configurations.
        read: finds the configurations of names.

    Raises:
        OptionError: a missing or unimportable ``_target_``, an unknown option, a value that the
            metric rejects, or a target that is not a metric.
        ExitError: as `build`.

    >>> build_metric("smatch", {"_target_": "amr_metrics.Smatch", "root": "none"}).root
    'none'
    """
    options = {key: value for key, value in config.items() if key not in OF_THE_HARNESS}
    if not isinstance(target := options.get(TARGET), str):
        raise OptionError(f"metric {name}: its YAML must set _target_ to a class or function")
    types = check_options(name, options, options)
    try:
        if isinstance(options.get(STANDARDIZE), list | tuple):
            options[STANDARDIZE] = [_format_step(step) for step in options[STANDARDIZE]]
        standardize = None if STANDARDIZE in types else options.pop(STANDARDIZE, None)
        for part in PARTS:
            if isinstance(value := options.get(part), str | Mapping):
                options[part] = part_options(part, value, read)
        if OF in types:
            options[OF] = _build_metrics(options.get(OF), options.pop("vectors", None), read)
        metric = build(options)
        if not isinstance(metric, Metric):
            kind = type(metric).__name__
            raise OptionError(f"{target} is a {kind}, not a metric. {_suggest_wrapper(target)}")
        if standardize in (None, "none"):
            return metric
        from amr_metrics.standardize import Standardized  # slow to import

        return Standardized.of(metric, standardize)
    except ExitError:
        raise
    except MetricError as error:
        text = str(error)
        function = target.rpartition(".")[2]
        hint = f". {_suggest_wrapper(target)}" if f"{function}() missing " in text else ""
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


def walk_metrics(value: Any) -> Iterator[Metric]:
    """Yield a metric and the metrics among its options."""
    if isinstance(value, Metric):
        yield value
        for field in fields(value):
            yield from walk_metrics(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from walk_metrics(item)


def describe_document(metric: Metric) -> dict[str, Any]:
    """Return the configuration of a metric; only its class for a metric that has none."""
    try:
        return metric_options(metric)
    except OptionError:
        return {TARGET: name_target(type(metric))}


def part_options(group: str, part: str | Mapping[str, Any], read: ReadMember) -> dict[str, Any]:
    """Return the configuration of a solver or of word vectors.

    Args:
        part: its name; or a mapping of options, with ``name`` or ``_target_`` if it is not the
            usual one.

    Raises:
        OptionError: an unknown name.

    >>> part_options("solver", {"name": "hillclimb", "seed": 1}, read_member)["seed"]
    1
    """
    options = {NAME: part} if isinstance(part, str) else dict(part)
    if TARGET in options:
        return options
    return merge_options(read(group, options.pop(NAME, PARTS[group])), options)


def merge_options(config: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with other options, also of the objects in it.

    An object with a class of its own, or a name in place of a class, replaces the other, and the
    metrics of a blend replace the others.

    >>> merge_options({"sif": {"a": 1, "file": None}, "K": 2}, {"sif": {"a": 3}})
    {'sif': {'a': 3, 'file': None}, 'K': 2}
    >>> merge_options({"vectors": "wordllama"}, {"vectors": {"cache": "words"}})
    {'vectors': {'name': 'wordllama', 'cache': 'words'}}
    """
    result = dict(config)
    for key, value in options.items():
        old = result.get(key)
        if isinstance(value, Mapping) and TARGET not in value:
            if key in PARTS:
                old = {NAME: old} if isinstance(old, str) else old
                old = {} if isinstance(old, Mapping) and NAME in value and TARGET in old else old
            if isinstance(old, Mapping) and key != OF:
                value = merge_options(old, value)
        result[key] = value
    return result


def _build_metrics(entries: Any, vectors: Any, read: ReadMember) -> Mapping[str, Metric]:
    """Return the metrics of a blend by name; `vectors` replaces the word vectors of all of them.

    Raises:
        OptionError: they are no mapping, or one is neither a metric nor a configuration.
    """
    if not isinstance(entries, Mapping):
        raise OptionError(
            f"of={entries}: expected a mapping from names to metrics, such as "
            "of: {smatch: {_target_: amr_metrics.Smatch}}"
        )
    metrics: dict[str, Metric] = {}
    for name, entry in entries.items():
        if isinstance(entry, Mapping):
            more = {"vectors": vectors} if vectors and "vectors" in option_types(entry) else {}
            entry = build_metric(str(name), {**entry, **more}, read)
        if not isinstance(entry, Metric):
            raise OptionError(f"of: {name}: expected a metric, or a mapping with {TARGET}")
        metrics[str(name)] = entry
    return metrics


def _suggest_wrapper(target: str) -> str:
    return (
        "For a function of two graphs use _target_: amr_metrics.external.FunctionMetric, with "
        f"function: {target}"
    )


def _format_step(step: Any) -> str:
    if not isinstance(step, Mapping):
        return str(step)
    if not isinstance(target := step.get(TARGET), str):
        raise OptionError(f"standardize: {step}: expected a name, or a function as _target_")
    return call_text(target, {key: value for key, value in step.items() if key != TARGET})


def name_target(cls: type) -> str:
    """Return the name of a class for ``_target_``: its public name if it has one.

    >>> from amr_metrics.features.wlk import Wlk
    >>> name_target(Wlk)
    'amr_metrics.Wlk'
    """
    package = cls.__module__.partition(".")[0]
    public = f"{package}.{cls.__qualname__}"
    return (
        public
        if package == "amr_metrics" and import_target({TARGET: public}) is cls
        else f"{cls.__module__}.{cls.__qualname__}"
    )


def import_target(config: Mapping[str, Any] | None) -> Any:
    """Return the class or function that a configuration names; None if it cannot be imported.

    Raises:
        ExitError: its module ends the process.

    >>> import_target({"_target_": "amr_metrics.Sema"}).__name__
    'Sema'
    """
    try:
        return import_user_code((config or {})[TARGET])
    except ExitError:
        raise
    except Exception:  # importing it may raise anything; `build` reports it
        return None


def option_types(config: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the type of each option of the dataclass that a configuration names.

    The result is empty for functions, for other classes, and if there is no such class.
    """
    target = import_target(config)
    return field_types(target) if isinstance(target, type) and is_dataclass(target) else {}


def build(config: Mapping[str, Any], prefix: str = "", **objects: Any) -> Any:
    """Call the ``_target_`` of a configuration with its options.

    Options are converted to the types of the target's fields if it is a dataclass. Those that have
    a ``_target_`` themselves are built first.

    Args:
        prefix: begins the option names in messages; ``solver`` gives ``solver.seed=...``.
        objects: further options, which are passed on as they are.

    Raises:
        OptionError: a target that cannot be imported, an unknown option or unsuitable value, or
            any error that the target raises.
        ExitError: the target's code ends the process.

    >>> climb = {"_target_": "amr_metrics.HillClimb"}
    >>> build({"_target_": "amr_metrics.Smatch", "solver": climb}).solver
    HillClimb(restarts=4, seed=0)
    """
    try:
        target = import_user_code(config[TARGET])
    except ExitError:
        raise
    except Exception as error:  # importing it may raise anything
        target = str(config[TARGET])
        hints = [f". {text}" for old, text in RENAMED.items() if target.startswith(old)]
        raise OptionError(f"{TARGET}={target}: {_describe_cause(error)}{''.join(hints)}") from None
    options = {name: value for name, value in config.items() if name not in OF_HYDRA}
    if isinstance(target, type) and is_dataclass(target):
        options = fit_options(target, options, prefix)
    below = f"{prefix}." if prefix else ""
    options = {name: _build_value(value, f"{below}{name}") for name, value in options.items()}
    try:
        with guard_user_code():
            return target(**options, **objects)
    except ExitError:
        raise
    except Exception as error:  # it may be the user's code
        raise OptionError(_describe_cause(error)) from error


def _build_value(value: Any, option: str) -> Any:
    if isinstance(value, Mapping):
        if TARGET in value:
            return build(value, option)
        return {name: _build_value(item, f"{option}.{name}") for name, item in value.items()}
    if isinstance(value, list):
        return [_build_value(item, f"{option}[{k}]") for k, item in enumerate(value)]
    return value


def _describe_cause(error: BaseException) -> str:
    """Return the cause of an error in one line, with the line of the user's code if any."""
    place = None if isinstance(error, MetricError) else location(error)
    while error.__cause__ is not None:
        error = error.__cause__
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return text if place is None else f"{text} ({place})"


def default_options(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of the dataclass that a configuration names, as YAML would set them.

    The result is empty for functions, for other classes, and if there is no such class.

    >>> default_options({"_target_": "amr_metrics.Wlk"})["variant"]
    '2021'
    """
    types, values = option_types(config), {}
    for name, value in defaults(import_target(config)).items() if types else ():
        with contextlib.suppress(OptionError):  # only Python can set such an option
            values[name] = configuration(value, name)
    return values


def configuration(value: Any, option: str = "") -> Any:
    """Return a value as YAML would hold it: an object as a mapping with ``_target_``.

    Raises:
        OptionError: a value of another type, or of a class that cannot be imported.

    >>> from amr_metrics import HillClimb
    >>> configuration(HillClimb())["restarts"]
    4
    """
    if is_dataclass(value) and not isinstance(value, type):
        cls = type(value)
        target = name_target(cls)
        if import_target({TARGET: target}) is not cls or cls.__module__ == "__main__":
            raise OptionError(
                f"{option}: the class {cls.__qualname__} cannot be imported: define it in a module"
                ", so that its scores can be cached and computed in other processes"
            )
        names = [field.name for field in fields(value) if field.init]
        return {TARGET: target} | {
            name: configuration(getattr(value, name), f"{option}.{name}") for name in names
        }
    if isinstance(value, Mapping):
        return {str(key): configuration(item, f"{option}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [configuration(item, option) for item in value]
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise OptionError(
        f"{option}={value!r}: only metrics whose options are strings, numbers, lists, mappings or "
        "dataclasses can be run on the benchmark"
    )
