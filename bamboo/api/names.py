"""What names of metrics and engines stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amr_metrics.base import Metric
from amr_metrics.errors import VectorError
from bamboo.api.call import ConfigDir
from bamboo.config.composition import compose_group
from bamboo.config.groups import names_in
from bamboo.config.named import Named, metric_rows
from bamboo.config.options import read_options
from bamboo.config.rows import Row, distinct
from bamboo.engines import SERIAL, AnyEngine, Processes
from bamboo.errors import ConfigError, message
from bamboo.log import warn

ENGINES = {"serial": SERIAL, "loky": Processes(name="loky", jobs=-1)}


@dataclass(frozen=True)
class All:
    """The entries that ``all`` stands for."""

    entries: tuple[Any, ...]


# Names, what they stand for, or lists of these.
Metrics = str | Metric | Named | Row | All | Sequence[str | Metric | Named | Row]
Options = Mapping[str, Any]


def entries_of(value: Any, group: str, config_dir: ConfigDir) -> tuple[list[Any], bool]:
    """Return what is given for a group, and whether it is ``all``; a name as `Named`.

    Raises:
        ConfigError: an unknown name, or one that is given twice.
    """
    if isinstance(value, All):
        return list(value.entries), True
    listed = [*value] if isinstance(value, list | tuple) and not isinstance(value, Named) else value
    if isinstance(value, str):
        listed = value.split(",")
    given = listed if isinstance(listed, list) else [listed]
    names = [entry for entry in given if isinstance(entry, str)]
    found = iter(names_in(group, names, config_dir) if names else ())
    if not given:
        raise ConfigError(f"{group}: expected a name, or a list of them")
    if names == given:
        return [Named.of(group, name, config_dir) for name in found], names == ["all"]
    return [
        Named.of(group, next(found), config_dir) if isinstance(entry, str) else entry
        for entry in given
    ], False


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
        ConfigError: another value; an unknown name, option or value; two rows with one label.
    """
    entries, every = entries_of(metric, "metric", config_dir)
    if not all(isinstance(entry, Named | Row | Metric) for entry in entries):
        raise ConfigError(
            f"metric={metric!r}: expected the name of a metric, a metric, or a list of them"
        )
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
                rows.append(entry if isinstance(entry, Row) else Row.of_object(entry))
    return distinct(rows), every


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
    if engine in ENGINES:
        return ENGINES[engine]
    (name,) = names_in("engine", engine, config_dir)
    holder = {"engine": compose_group("engine", name, config_dir)}
    return read_options(_Engine, holder).engine


@dataclass(frozen=True)
class _Engine:
    engine: AnyEngine
