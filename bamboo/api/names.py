"""What names of metrics and engines stand for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from amr_metrics.base import Metric
from amr_metrics.building import STANDARDIZE, TARGET, default_options, option_types
from amr_metrics.errors import OptionError, VectorError
from amr_metrics.options import fit
from amr_metrics.standardize import PRESETS
from bamboo.api.call import ConfigDir
from bamboo.config.groups import PARTS, compose_group, names_in
from bamboo.config.options import read_options
from bamboo.config.rows import NAME, Row, check_options, differences, label, merged
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, message
from bamboo.log import warn

if TYPE_CHECKING:
    from bamboo.benchmark.published import PublishedLine

# Names, metrics, or lists of these; "all" is a name.
Metrics = str | Metric | Row | Sequence[str | Metric | Row]
Options = Mapping[str, Any]


class Named(NamedTuple):
    """A name in a group, with its configuration."""

    name: str
    config: Mapping[str, Any]

    @classmethod
    def of(cls, group: str, name: str, config_dir: ConfigDir = None) -> Named:
        """Return a name with the content of its YAML.

        Raises:
            ConfigError: an unknown name, or a YAML file that cannot be read.
        """
        return cls(name, compose_group(group, name, config_dir))


def entries_of(value: Any, group: str, config_dir: ConfigDir) -> tuple[list[Any], bool]:
    """Return what is given for a group, and whether it is ``all``; a name as `Named`.

    Raises:
        ConfigError: an unknown name, or one that is given twice.
    """
    given = value.split(",") if isinstance(value, str) else value
    given = [*given] if isinstance(given, list | tuple) else [given]
    names = [entry for entry in given if isinstance(entry, str)]
    found = names_in(group, names, config_dir) if names else []
    if not given:
        raise ConfigError(f"{group}: expected a name, or a list of them")
    if len(found) > len(names):  # the name of a list
        return [Named.of(group, name, config_dir) for name in found], names == ["all"]
    named = iter(Named.of(group, name, config_dir) for name in found)
    return [next(named) if isinstance(entry, str) else entry for entry in given], False


def rows_of(
    metric: Any,
    options: Options | None = None,
    *,
    published: str | None = None,
    config_dir: ConfigDir = None,
) -> tuple[Row, ...]:
    """Return the rows of metrics, without those of ``metric=all`` that cannot be computed here.

    Args: as `requested_rows`.

    Raises:
        ConfigError: as `requested_rows`, or a metric that was named cannot be computed.
    """
    rows, every = requested_rows(metric, options, published=published, config_dir=config_dir)
    return _computable(rows, every)


def requested_rows(
    metric: Any,
    options: Options | None = None,
    *,
    published: str | None = None,
    config_dir: ConfigDir = None,
) -> tuple[tuple[Row, ...], bool]:
    """Return the rows of metrics, and whether they are those of ``metric=all``.

    Args:
        metric: names, metrics, or rows.
        options: options of the metrics that are given by name.
        published: the file of published values whose rows the names mean.

    Raises:
        ConfigError: an unknown name, option or value; two rows with one label.
    """
    entries, every = entries_of(metric, "metric", config_dir)
    named = [entry for entry in entries if isinstance(entry, Named)]
    if options and not named:
        raise ConfigError(
            "options: set the options of a metric when it is created, as in "
            'amr_metrics.get("wlk", K=3)'
        )
    # Several names are looked up at once: metric=all means the rows of the published table.
    rows: list[Row] = []
    if len(named) == len(entries):
        rows = metric_rows(named, options or {}, published, every, config_dir)
    else:
        for entry in entries:
            if isinstance(entry, Named):
                rows += metric_rows([entry], options or {}, published, False, config_dir)
            else:
                rows.append(entry if isinstance(entry, Row) else Row(label(entry), entry))
    names = [row.name for row in rows]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"{repeated[0]} is requested twice: give each option value once")
    return tuple(rows), every


def metric_rows(
    metrics: Sequence[Named],
    options: Options,
    published: str | None = None,
    every: bool = False,
    config_dir: ConfigDir = None,
) -> list[Row]:
    """Return a row for each metric and combination of options.

    A name means the row that was published for it; of several rows, that whose options are nearest
    to the metric's defaults. Without a published row, it means the metric with its defaults.

    Args:
        options: options of the metrics. A list, for an option that is not a list, gives a row for
            each of its values.
        published: a file of published values.
        every: the metrics are those of ``metric=all``: return all rows of the published table,
            followed by the metrics that it does not contain.

    Raises:
        ConfigError: an unknown option, or an unsuitable value.
    """
    lines: Sequence[PublishedLine] = ()
    if published is not None:
        from bamboo.benchmark.published import published_file, read_published

        lines = read_published(published_file(published))
    known = {metric.name: metric for metric in metrics}
    requests: list[tuple[str, str, Options]] = []  # title, metric, and published options
    if every:
        requests = [(line.name, line.metric, line.options) for line in lines]
    for name in known:
        same = [line.options for line in lines if line.metric == name]
        if not (every and same):
            usual = _usual(known[name].config)
            nearest = min(same, key=lambda given: len(_unusual(given, usual)), default={})
            requests.append((name, name, nearest))
    rows = []
    for title, name, published_options in requests:
        if name not in known:  # a published row of another metric
            known[name] = Named.of("metric", name, config_dir)
        config = merged(known[name].config, published_options)
        usual = _usual(config)
        check_options(options, name, config, len(metrics))
        own, usual = _with_parts(options, config, usual, config_dir)
        for given in combinations(own, config):
            text = " ".join([title, *differences(given, usual)])
            rows.append(Row.of(text, merged(config, given), name, config_dir))
    return rows


def _usual(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a metric with the defaults of its class."""
    return {**default_options(config), **{k: v for k, v in config.items() if k != TARGET}}


def _with_parts(
    options: Options, config: Options, usual: Options, config_dir: ConfigDir
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return options, and what is usual, with the names of the solver and the word vectors.

    Those that the metric does not have are left out.
    """
    own = {key: value for key, value in options.items() if key not in PARTS or key in usual}
    usual = dict(usual)
    for part in own.keys() & PARTS.keys():
        value = own[part]
        has_own = isinstance(config.get(part), Mapping) and NAME not in value
        if isinstance(value, Mapping) and TARGET not in value and not has_own:
            default = usual[part] if isinstance(usual[part], str) else PARTS[part]
            own[part] = {NAME: default, **value}
            chosen = compose_group(part, own[part][NAME], config_dir)
            usual[part] = {NAME: default, **default_options(chosen)}
    return own, usual


def _unusual(given: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    return [key for key, value in given.items() if str(value) != str(usual.get(key))]


def combinations(options: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the combinations of options that have several values.

    >>> list(combinations({"K": [1, 2]}, {"_target_": "amr_metrics.Wlk"}))
    [{'K': 1}, {'K': 2}]
    """
    types = dict(option_types(config))
    if STANDARDIZE in options:
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


def _computable(rows: tuple[Row, ...], every: bool) -> tuple[Row, ...]:
    """Leave out the rows of ``metric=all`` that lack word vectors or a package, with a warning."""
    if len(rows) == 1:  # the metric says what it lacks when it is used
        return rows
    found, reasons = [], dict[str, list[str]]()
    for row in rows:
        try:
            _ = row.on().signature  # includes a digest of word vectors
            found.append(row)
        except VectorError as error:
            reasons.setdefault(message(error), []).append(row.name)
        except Exception:  # reported when the metric is used
            found.append(row)
    problems = [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]
    if problems and (not every or not found):
        raise ConfigError(problems[0])
    warn(f"metric=all without {problem}" for problem in problems)
    return tuple(found)


def one_row(rows: Sequence[Row], problem: str) -> Row:
    """Return the only row.

    Raises:
        ConfigError: with `problem`, if there are several.
    """
    if len(rows) != 1:
        raise ConfigError(problem)
    return rows[0]


def engine_of(engine: str | AnyEngine, config_dir: ConfigDir = None) -> AnyEngine:
    """Return an engine by its name, or the engine itself."""
    if not isinstance(engine, str):
        return engine
    (name,) = names_in("engine", engine, config_dir)
    holder = {"engine": compose_group("engine", name, config_dir)}
    return read_options(_Engine, holder).engine


@dataclass(frozen=True)
class _Engine:
    engine: AnyEngine
