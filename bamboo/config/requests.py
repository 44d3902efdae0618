"""Find the rows that names of metrics, metrics and options stand for."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from amr_metrics.base import Metric
from amr_metrics.building import (
    OF,
    OF_THE_HARNESS,
    STANDARDIZE,
    TARGET,
    check_options,
    default_options,
    merge_options,
)
from amr_metrics.errors import OptionError, VectorError
from amr_metrics.options import fit
from amr_metrics.standardize import PRESETS
from amr_metrics.utils.conf import NAME, PARTS
from bamboo.config.groups import ConfigDir, compose_group, parse_names
from bamboo.config.rows import BY_DATA, Options, Row, differences
from bamboo.errors import ConfigError, message
from bamboo.log import warn

if TYPE_CHECKING:
    from bamboo.benchmark.published import PublishedLine

# Names, metrics, or lists of these; "all" is a name.
Metrics = str | Metric | Row | Sequence[str | Metric | Row]


def resolve_names(
    value: Any, group: str, config_dir: ConfigDir = None, others: Collection[str] = ()
) -> tuple[list[Any], bool]:
    """Resolve the names given for a group. Return them and whether they mean all members.

    Objects among them, and `others`, are returned as they are.

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
    parsed = parse_names(group, names, config_dir) if names else []
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
    published: Sequence[PublishedLine] = (),
    config_dir: ConfigDir = None,
) -> tuple[Row, ...]:
    """Return the rows of metrics, without those of ``metric=all`` that cannot be computed here.

    Args: as `resolve_requested_rows`.

    Raises:
        ConfigError: as `resolve_requested_rows`, or a metric that was named cannot be computed.
    """
    rows, every = resolve_requested_rows(
        metric, options, published=published, config_dir=config_dir
    )
    return _drop_uncomputable(rows, every)


def resolve_requested_rows(
    metric: Any,
    options: Options | None = None,
    *,
    published: Sequence[PublishedLine] = (),
    config_dir: ConfigDir = None,
) -> tuple[tuple[Row, ...], bool]:
    """Return the rows of metrics, and whether they are those of ``metric=all``.

    A name means the row that was published for it; of several rows, that whose options are nearest
    to the metric's defaults. Without a published row, it means the metric with its defaults.
    ``all`` means all rows of the published table, followed by the metrics that it does not contain.

    Args:
        metric: names, metrics, or rows.
        options: options of the metrics that are given by name, as `build_rows` takes them.
        published: the lines of the table whose rows the names mean.

    Raises:
        ConfigError: an unknown name, option or value; two rows with one label.
    """
    entries, every = resolve_names(metric, "metric", config_dir)
    count = sum(isinstance(entry, str) for entry in entries)
    if options and not count:
        raise ConfigError(
            "options: set the options of a metric when it is created, as in "
            'amr_metrics.get("wlk", K=3)'
        )
    rows: list[Row] = []

    def add(title: str, name: str, first: Options) -> None:
        several = count > 1
        rows.extend(
            build_rows(title, name, first, options or {}, several=several, config_dir=config_dir)
        )

    for line in published if every else ():
        add(line.name, line.metric, line.options)
    for entry in entries:
        if not isinstance(entry, str):
            rows.append(entry if isinstance(entry, Row) else Row.of_object(entry))
            continue
        first = [line.options for line in published if line.metric == entry]
        if not (every and first):
            add(entry, entry, _find_nearest(first, entry, config_dir))
    names = [row.name for row in rows]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"{repeated[0]} is requested twice: give each option value once")
    return tuple(rows), every


def _find_nearest(published: Sequence[Options], metric: str, config_dir: ConfigDir) -> Options:
    """Return the published options that differ least from the usual ones; without any, none."""
    if not published:
        return {}
    usual = usual_options(compose_group("metric", metric, config_dir))
    return min(published, key=lambda o: sum(str(v) != str(usual.get(k)) for k, v in o.items()))


def _drop_uncomputable(rows: tuple[Row, ...], every: bool) -> tuple[Row, ...]:
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


def build_named_rows(
    requests: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: ConfigDir = None
) -> list[Row]:
    """Return metrics with options as rows.

    Args:
        requests: label of the row, name of the metric, and its options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> build_named_rows([("rootless", "smatch", {"root": "none"})])[0].metric.root
    'none'
    """
    return [
        row
        for title, metric, options in requests
        for row in build_rows(title, metric, options, {}, config_dir=config_dir)
    ]


def build_rows(
    title: str,
    metric: str,
    first: Options,
    options: Options,
    *,
    several: bool = False,
    config_dir: ConfigDir = None,
) -> list[Row]:
    """Return a row of a metric for each combination of options that have several values.

    Args:
        title: begins the labels; the options that differ from the usual ones follow.
        metric: its name.
        first: options that the title stands for.
        options: further options. A list, for an option that is not a list, gives a row for each of
            its values.
        several: whether the options are those of several metrics, which need not all have a solver
            or word vectors.

    Raises:
        ConfigError: an unknown metric or option, or an unsuitable value.
    """
    config = compose_group("metric", metric, config_dir)
    also = [*config, *OF_THE_HARNESS, *(PARTS if several else ())]
    try:
        types = check_options(metric, config, [*first, *options], also)
    except OptionError as error:
        hint = (
            ". Options metric.* apply to every metric of a command: use one command for each "
            "metric, or a name of your own for a metric with options (docs/extend/metric.md)"
        )
        raise ConfigError(f"{error}{hint if several else ''}") from None
    config = merge_options(_prefer_options(config, options), first)
    options, usual = _name_parts(options, config, config_dir)
    hints = {**types, STANDARDIZE: Literal["none", *PRESETS]}
    alternatives = [
        value if _has_several(value, hints.get(option)) else [value]
        for option, value in options.items()
    ]
    rows = []
    for values in itertools.product(*alternatives):
        combination = dict(zip(options, values, strict=True))
        text = " ".join([title, *differences(combination, usual)])
        rows.append(Row.of(text, merge_options(config, combination), metric, config_dir))
    return rows


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


def _name_parts(
    options: Options, config: Options, config_dir: ConfigDir
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return options, and what is usual, with the names of the solver and the word vectors.

    Those that the metric does not have are left out.
    """
    if not options:
        return {}, {}
    usual = usual_options(config)
    named = {k: v for k, v in options.items() if k not in PARTS or k in usual or OF in usual}
    for part, usual_name in PARTS.items():
        value, default = named.get(part), usual.get(part)
        if not isinstance(value, Mapping) or TARGET in value:
            continue
        if NAME in value or not isinstance(config.get(part), Mapping):
            name = default if isinstance(default, str) else usual_name
            named[part] = {NAME: name, **value}
            part_config = compose_group(part, named[part][NAME], config_dir)
            usual[part] = {NAME: name, **default_options(part_config)}
    return named, usual


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
