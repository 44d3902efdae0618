"""Rows of metrics that are given by name, with options."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from amr_metrics.building import TARGET, default_options, option_types
from amr_metrics.catalog import OF_THE_HARNESS, STANDARDIZE
from amr_metrics.errors import OptionError
from amr_metrics.fields import fit
from amr_metrics.options import unknown
from bamboo.config.composition import PARTS, compose_group
from bamboo.config.published import named_metrics
from bamboo.config.rows import Row, differences
from bamboo.errors import ConfigError


class Named(NamedTuple):
    """A name in a group, with its configuration.

    Attributes:
        labels: what the labels of metrics say of the solver and the word vectors that they use.
    """

    name: str
    config: Mapping[str, Any]
    labels: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def of(cls, group: str, name: str, config_dir: str | Path | None = None) -> Named:
        """Return a name with the content of its YAML.

        Raises:
            ConfigError: an unknown name, or a YAML file that cannot be read.
        """
        return cls(name, compose_group(group, name, config_dir))


def metric_rows(
    metrics: Sequence[Named],
    options: Mapping[str, Any],
    published: str | None = None,
    every: bool = False,
    config_dir: str | Path | None = None,
) -> list[Row]:
    """Return a row for each metric and combination of options.

    Args:
        options: options of the metrics. A list, for an option that is not a list, gives a row for
            each of its values.
        published: a file of published values, whose rows a name means (`named_metrics`).
        every: the metrics are those of ``metric=all``.

    Raises:
        ConfigError: an unknown option, or an unsuitable value.
    """
    known = {metric.name: metric.config for metric in metrics}
    labels = metrics[0].labels if metrics else {}
    meanings = named_metrics([*known], published, every, lambda name: _usual(known[name]))
    rows = []
    for meaning in meanings:
        if meaning.metric not in known:
            known[meaning.metric] = compose_group("metric", meaning.metric, config_dir)
        config = merged(known[meaning.metric], meaning.options)
        usual = _usual(config)
        _check_options(options, meaning.metric, config, len(metrics))
        used = [text for part, text in labels.items() if part in usual]
        for part, default in PARTS.items():  # options of the default solver or word vectors
            if part in usual and part not in config and isinstance(options.get(part), Mapping):
                config = {**config, part: compose_group(part, default)}
        for given in combinations(options, config):
            label = " ".join([meaning.label, *filter(None, used), *differences(given, usual)])
            rows.append(Row.of(label, merged(config, given), meaning.metric, config_dir))
    return rows


def _check_options(
    options: Mapping[str, Any], metric: str, config: Mapping[str, Any], metrics: int = 1
) -> None:
    """Check that a metric has some options; those of a function are not known.

    Raises:
        ConfigError: if it does not have one of them.
    """
    types = option_types(config)
    if types and "of" in types:
        types = {**types, "vectors": None}
    accepted = [*types, *config, *OF_THE_HARNESS, STANDARDIZE]
    rejected = [key for key in options if types and key not in accepted]
    if rejected:
        hint = (
            ". Options metric.* apply to every metric of a command: use one command for each "
            "metric, or a name of your own for a metric with options (docs/extend/metric.md)"
        )
        shown = [name for name in accepted if name != TARGET]
        problem = unknown(f"option of {metric}", rejected[0], shown)
        raise ConfigError(f"{problem}{hint if metrics > 1 else ''}")


def _usual(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a metric with the defaults of its class."""
    return {**default_options(config), **{k: v for k, v in config.items() if k != TARGET}}


def merged(config: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with other options, also of the objects in it.

    An object given with a class of its own replaces the other.

    >>> merged({"sif": {"a": 1, "file": None}, "K": 2}, {"sif": {"a": 3}})
    {'sif': {'a': 3, 'file': None}, 'K': 2}
    """
    result = dict(config)
    for key, value in options.items():
        old = result.get(key)
        nested = isinstance(value, Mapping) and isinstance(old, Mapping) and TARGET not in value
        result[key] = merged(old, value) if nested else value  # type: ignore[arg-type]
    return result


def combinations(options: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the combinations of options that have several values.

    >>> list(combinations({"K": [1, 2]}, {"_target_": "amr_metrics.Wlk"}))
    [{'K': 1}, {'K': 2}]
    """
    types = dict(option_types(config))
    if STANDARDIZE in options:
        from amr_metrics.standardize import PRESETS  # slow to import

        types[STANDARDIZE] = Literal["none", *PRESETS]
    alternatives = [
        list(value) if _is_several(value, types.get(option)) else [value]
        for option, value in options.items()
    ]
    for values in itertools.product(*alternatives):
        yield dict(zip(options, values, strict=True))


def _is_several(value: Any, hint: Any) -> bool:
    """Check that a value is a list of values for an option that is not a list."""
    if hint is None or not isinstance(value, list | tuple) or len(value) < 2:
        return False
    if any(isinstance(one, list | tuple) for one in value):
        return True
    return not _fits(value, hint) and all(_fits(one, hint) for one in value)


def _fits(value: Any, hint: Any) -> bool:
    try:
        fit(value, hint, "")
    except OptionError:
        return False
    return True


def named_rows(
    requests: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: str | Path | None = None
) -> list[Row]:
    """Return metrics with options as rows.

    Args:
        requests: label of the row, name of the metric, and its options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> named_rows([("rootless", "smatch", {"root": "none"})])[0].metric.root
    'none'
    """
    rows = []
    for name, metric, options in requests:
        config = compose_group("metric", metric, config_dir)
        _check_options(options, metric, config)
        rows.append(Row.of(name, merged(config, options), metric, config_dir))
    return rows
