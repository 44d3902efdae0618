"""What names of metrics and engines stand for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from amr_metrics.base import Metric
from amr_metrics.errors import VectorError
from bamboo.api.call import ConfigDir, fit_values
from bamboo.config.groups import compose_group, parse_names
from bamboo.config.rows import Options as Options  # also imported from here
from bamboo.config.rows import Row, build_rows, usual_options
from bamboo.engines import AnyEngine
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
    published: str | None = None,
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
    published: str | None = None,
    config_dir: ConfigDir = None,
) -> tuple[tuple[Row, ...], bool]:
    """Return the rows of metrics, and whether they are those of ``metric=all``.

    A name means the row that was published for it; of several rows, that whose options are nearest
    to the metric's defaults. Without a published row, it means the metric with its defaults.
    ``all`` means all rows of the published table, followed by the metrics that it does not contain.

    Args:
        metric: names, metrics, or rows.
        options: options of the metrics that are given by name, as `build_rows` takes them.
        published: the file of published values whose rows the names mean.

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
    lines: Sequence[PublishedLine] = ()
    if published is not None:
        from bamboo.benchmark.published import locate_published_file, read_published

        lines = read_published(locate_published_file(published))
    rows: list[Row] = []

    def add(title: str, name: str, first: Options) -> None:
        several = count > 1
        rows.extend(
            build_rows(title, name, first, options or {}, several=several, config_dir=config_dir)
        )

    for line in lines if every else ():
        add(line.name, line.metric, line.options)
    for entry in entries:
        if not isinstance(entry, str):
            rows.append(entry if isinstance(entry, Row) else Row.of_object(entry))
            continue
        first = [line.options for line in lines if line.metric == entry]
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


def resolve_engine(engine: str | AnyEngine, config_dir: ConfigDir = None) -> AnyEngine:
    """Return an engine by its name, or the engine itself."""
    if not isinstance(engine, str):
        return engine
    (name,) = parse_names("engine", engine, config_dir)
    config = compose_group("engine", name, config_dir)
    resolved: AnyEngine = fit_values(resolve_engine, {"engine": config})["engine"]
    return resolved
