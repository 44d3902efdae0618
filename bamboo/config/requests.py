"""Find the rows that names of metrics, metrics and options stand for."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from amr_metrics.base import Metric
from amr_metrics.building import OF, OF_THE_HARNESS, check_options, default_options, merge_options
from amr_metrics.configurations import NAME, PARTS, STANDARDIZE, TARGET
from amr_metrics.errors import OptionError, VectorError
from amr_metrics.options import fit
from amr_metrics.standardize import PRESETS
from bamboo.config.groups import (
    ConfigDir,
    MetricConfig,
    compose_group,
    compose_metric,
    describe_metric,
    group_names,
    list_bases,
    list_folders,
    parse_names,
)
from bamboo.config.rows import BY_DATA, Options, Row, differences
from bamboo.errors import ConfigError, message
from bamboo.log import warn

# Names, metrics, or lists of these; "all" is a name.
Metrics = str | Metric | Row | Sequence[str | Metric | Row]


def resolve_names(
    value: Any,
    group: str,
    config_dir: ConfigDir = None,
    others: Collection[str] = (),
    protocol: str | None = None,
) -> tuple[list[Any], bool]:
    """Resolve the names given for a group. Return them and whether they mean all members.

    Objects among them, and `others`, are returned as they are.

    Args:
        protocol: that of the rows that ``all`` stands for.

    Raises:
        ConfigError: an unknown name, or one that is given twice.
    """
    entries = value.split(",") if isinstance(value, str) else value
    entries = [*entries] if isinstance(entries, list | tuple) else [entries]
    if not entries:
        raise ConfigError(f"{group}: expected a name, or a list of them")
    names = [entry for entry in entries if isinstance(entry, str) and entry not in others]
    if "all" in names and len(entries) > 1:
        raise ConfigError(f"{group}: all cannot be combined with other names")
    parsed = parse_names(group, names, config_dir, protocol) if names else []
    # A single name may stand for a list.
    members = iter([parsed] if len(names) == 1 else [[name] for name in parsed])
    lists = [
        next(members) if isinstance(entry, str) and entry not in others else [entry]
        for entry in entries
    ]
    return [entry for resolved in lists for entry in resolved], names == entries == ["all"]


def resolve_rows(
    metric: Any,
    options: Options | None = None,
    *,
    protocol: str | None = None,
    config_dir: ConfigDir = None,
) -> tuple[Row, ...]:
    """Return the rows of metrics, without those of ``metric=all`` that cannot be computed here.

    Args:
        metric: names, metrics, or rows.
        options: options of the metrics that are given by name, as `build_rows` takes them; below
            the name of one of them, options of this metric alone.
        protocol: the name of a protocol, under which a name may have the options of a published
            row, and ``all`` means the rows of its published table, followed by further metrics.

    Raises:
        ConfigError: an unknown name, option or value; two rows with one label; a metric that was
            named cannot be computed.
    """
    entries, every = resolve_names(metric, "metric", config_dir, protocol=protocol)
    configs = [
        compose_metric(entry, config_dir, protocol) if isinstance(entry, str) else entry
        for entry in entries
    ]
    named = {entry: c for entry, c in zip(entries, configs, strict=True) if isinstance(entry, str)}
    options = dict(options or {})
    if options and not named:
        raise ConfigError(
            "options: set the options of a metric when it is created, as in "
            'amr_metrics.get("wlk", K=3)'
        )
    own = {entry: dict(options.pop(entry, None) or {}) for entry in named}
    rows: list[Row] = []
    for entry, config in zip(entries, configs, strict=True):
        if isinstance(config, MetricConfig):
            several = len(named) > 1
            rows += build_rows(
                config, {**options, **own[entry]}, several=several, config_dir=config_dir
            )
        else:
            rows.append(config if isinstance(config, Row) else Row.from_metric(config))
    labels = [row.name for row in rows]
    if repeated := [label for label in labels if labels.count(label) > 1]:
        raise ConfigError(f"{repeated[0]} is requested twice: give each option value once")
    return drop_uncomputable(tuple(rows), every)


def build_composed_rows(
    name: str,
    node: Options,
    about: Options,
    typed: Collection[str] = (),
    *,
    protocol: str | None = None,
    config_dir: ConfigDir = None,
) -> list[Row]:
    """Return the rows of a metric that Hydra composed.

    The options that differ from those of its file are part of the label, and hold on every data
    set.

    Args:
        node: ``_target_`` and the options.
        about: what is known of it.
        typed: the options that were typed, which hold on every data set even if they do not differ.
    """
    try:
        usual = compose_metric(name, config_dir, protocol)
    except ConfigError:  # it has no file, as `+metric.NAME={...}`, or one with Hydra's grammar
        folders = [f for folder in list_folders(config_dir) for f in (folder / "metric", folder)]
        config = describe_metric(name, node, about, tuple(folders))
        return [Row.of(config.title, config.options, config.base, config_dir)]
    config = describe_metric(name, node, about, list_bases(name, config_dir))
    options = {
        key: value
        for key, value in config.node.items()
        if key in typed or key not in usual.node or value != usual.node[key]
    }
    left_out = usual.node.keys() - config.node.keys()
    of_class = default_options(config.options)
    options |= {key: value for key, value in of_class.items() if key in left_out}
    for part in PARTS:  # they come last in labels
        value = options.pop(part, None)
        if isinstance(value, Mapping):
            options[part] = name_part(part, value, usual.node.get(part), config_dir)
        elif value is not None:  # a name
            options[part] = value
    known = {key: value for key, value in config.options.items() if key not in config.node}
    of_file = {key: value for key, value in usual.options.items() if key in usual.node}
    usual = usual._replace(options={**of_file, **known})
    return build_rows(usual, options, config_dir=config_dir)


def name_part(part: str, value: Options, usual: Any, config_dir: ConfigDir = None) -> Options:
    """Return a solver or word vectors by the options that differ, with the name of another kind.

    >>> name_part("solver", {**compose_group("solver", "hillclimb"), "seed": 3},
    ...           compose_group("solver", "exact"))
    {'name': 'hillclimb', 'seed': 3}
    """
    names = group_names(part, config_dir)
    members = {name: compose_group(part, name, config_dir) for name in names}
    if not isinstance(usual, Mapping) or value.get(TARGET) != usual.get(TARGET):
        same = [name for name in names if members[name].get(TARGET) == value.get(TARGET)]
        if not same:
            return value
        usual = members[same[0]]
        return {NAME: same[0]} | {k: v for k, v in value.items() if v != usual.get(k)}
    return {k: v for k, v in value.items() if v != usual.get(k)}


def drop_uncomputable(rows: tuple[Row, ...], every: bool) -> tuple[Row, ...]:
    """Leave out the rows of ``metric=all`` that lack word vectors or a package, with a warning."""
    if len(rows) == 1:  # the metric says what it lacks when it is used
        return rows
    computable, reasons = [], dict[str, list[str]]()
    for row in rows:
        try:
            _ = row.on().signature  # includes a digest of word vectors
            computable.append(row)
        except VectorError as error:
            reasons.setdefault(message(error), []).append(row.name)
        except Exception:  # reported when the metric is used
            computable.append(row)
    problems = [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]
    if problems and (not every or not computable):
        raise ConfigError(problems[0])
    warn(f"metric=all without {problem}" for problem in problems)
    return tuple(computable)


def one_row(rows: Sequence[Row], problem: str) -> Row:
    """Return the only row.

    Raises:
        ConfigError: with `problem`, if there are several.
    """
    if len(rows) != 1:
        raise ConfigError(problem)
    return rows[0]


def build_named_row(
    title: str,
    metric: str,
    options: Options | None = None,
    protocol: str | None = None,
    config_dir: ConfigDir = None,
) -> Row:
    """Return a metric with options as a row of a table.

    Args:
        title: label of the row, whatever its options.
        protocol: under which the metric's name may have other options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> build_named_row("rootless", "smatch", {"root": "none"}).metric.root
    'none'
    """
    config = compose_metric(metric, config_dir, protocol)
    _check_options(config, options or {}, several=False)
    merged = merge_options(_prefer_options(config.options, options or {}), options or {})
    return Row.of(title, merged, config.base, config_dir)


def _check_options(config: MetricConfig, options: Options, *, several: bool) -> Options:
    """Check that a metric has some options, and return the types of its options.

    Raises:
        ConfigError: it does not have one of them.
    """
    also = [*config.options, *OF_THE_HARNESS, *(PARTS if several else ())]
    try:
        return check_options(config.title, config.options, options, also)
    except OptionError as error:
        hint = (
            ". Options metric.* apply to every metric of a command: give those of one metric as "
            "metric.NAME.OPTION"
        )
        raise ConfigError(f"{error}{hint if several else ''}") from None


def build_rows(
    config: MetricConfig,
    options: Options,
    *,
    several: bool = False,
    config_dir: ConfigDir = None,
) -> list[Row]:
    """Return a row of a metric for each combination of options that have several values.

    The options that differ from the usual ones follow the metric's name in the labels.

    Args:
        config: the metric.
        options: further options. A list, for an option that is not a list, gives a row for each of
            its values.
        several: whether the options are those of several metrics, which need not all have a solver
            or word vectors.

    Raises:
        ConfigError: an unknown option, or an unsuitable value.
    """
    types = _check_options(config, options, several=several)
    usual = usual_options(config.options)
    options = {
        key: _drop_usual_name(key, value, usual, config_dir)
        for key, value in options.items()
        if key not in PARTS or key in usual or OF in usual
    }
    hints = {**types, STANDARDIZE: Literal["none", *PRESETS]}
    alternatives = [
        value if _has_several(value, hints.get(option)) else [value]
        for option, value in options.items()
    ]
    preferred = _prefer_options(config.options, options)
    rows = []
    for values in itertools.product(*alternatives):
        combination = dict(zip(options, values, strict=True))
        text = " ".join([config.title, *differences(combination, usual)])
        rows.append(Row.of(text, merge_options(preferred, combination), config.base, config_dir))
    return rows


def _drop_usual_name(key: str, value: Any, usual: Options, config_dir: ConfigDir) -> Any:
    """Return a solver or word vectors without their name if it is that of the usual ones.

    Those without options are returned by their name.
    """
    if key not in PARTS or not isinstance(value, str | Mapping):
        return value
    options = {NAME: value} if isinstance(value, str) else value
    if NAME in options and isinstance(usual.get(key), Mapping):
        target = compose_group(key, str(options[NAME]), config_dir).get(TARGET)
        if target == usual[key].get(TARGET):
            return {k: v for k, v in options.items() if k != NAME}
    return options[NAME] if [*options] == [NAME] else options


def _prefer_options(config: Options, options: Options) -> Options:
    """Return a configuration in which no data set has another value of an option that is set."""
    values = {name for name, value in options.items() if not isinstance(value, Mapping)}
    by_data = {
        dataset: {name: value for name, value in different.items() if name not in values}
        for dataset, different in (config.get(BY_DATA) or {}).items()
    }
    return {**config, BY_DATA: by_data} if by_data else config


def usual_options(config: Options) -> dict[str, Any]:
    """Return the options of a metric with the defaults of its class."""
    return {**default_options(config), **{k: v for k, v in config.items() if k != TARGET}}


def _has_several(value: Any, hint: Any) -> bool:
    """Check that a value is a list of values for an option that is not a list.

    >>> _has_several([1, 2], int), _has_several([1, 2], list[int]), _has_several([[1], [2]], list)
    (True, False, True)
    """
    if hint is None or not isinstance(value, list | tuple) or len(value) < 2:
        return False
    if any(isinstance(item, list | tuple) for item in value):
        return True
    return not _is_fitting(value, hint) and all(_is_fitting(item, hint) for item in value)


def _is_fitting(value: Any, hint: Any) -> bool:
    with contextlib.suppress(OptionError):
        fit(value, hint, "")
        return True
    return False
