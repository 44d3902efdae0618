"""The rows that a request selects of tables, and those that it adds to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from amr_metrics.errors import MetricError
from bamboo.config.groups import ConfigDir
from bamboo.config.rows import Row, tell_apart
from bamboo.config.weighted_rows import set_weights
from bamboo.errors import BambooError, ConfigError, message
from bamboo.published_tables.score_tables import RowConfig, shows_metric, table_rows

TableConfig = Mapping[str, Any]  # a YAML file of ``conf/table``
WITHOUT_METRICS = ("data", "transforms")  # kinds of tables
CLOSED = (*WITHOUT_METRICS, "gains")  # those to which no metric is added


def has_metrics(table: TableConfig) -> bool:
    """Check whether the rows of a table are metrics."""
    return table.get("kind") not in WITHOUT_METRICS


def list_rows(table: TableConfig, config_dir: ConfigDir) -> list[tuple[Row, RowConfig]]:
    """Return the rows of a table, each with its entry in the YAML file; none without metrics.

    Raises:
        ConfigError: see `table_rows`.
    """
    if not has_metrics(table):
        return []
    lines = table_rows(table.get("rows"), table.get("published"), config_dir)
    return [(row, entry) for row, _, entry in lines]


def choose_rows(
    tables: Sequence[TableConfig],
    metrics: Sequence[Row] | None = None,
    names: Collection[str] = (),
    *,
    weights: Sequence[Path] = (),
    added: Sequence[Row] | None = None,
    config_dir: ConfigDir = None,
) -> list[TableConfig]:
    """Return tables with the rows of some metrics; a metric without a row becomes one of each.

    Tables without rows are left out.

    Args:
        metrics: the metrics; None for all rows, and tables without metrics.
        names: of further rows.
        weights: files of weights, each of which gives another row of the metrics that it fits, as
            `set_weights` does.
        added: the metrics that become rows if no table has a row of them; by default `metrics`. A
            row of one protocol is added to its tables only.

    Raises:
        ConfigError, WeightsError: weights that fit no row.

    >>> table = {"title": "T", "protocol": "paper", "published": "table4.csv"}
    >>> choose_rows([table], names=["sema"], metrics=[])[0]["rows"]
    ['sema']
    """
    lines = [list_rows(table, config_dir) for table in tables]
    present = [row for of_table in lines for row, _ in of_table]
    requested = [*names]
    requested += [row.base or row.name for row in metrics or () if is_shown(row, present)]
    further = [
        row for row in (metrics if added is None else added) or () if not is_shown(row, present)
    ]
    selected: list[TableConfig] = []
    problems, has_weighted = list[BambooError](), False
    for table, of_table in zip(tables, lines, strict=True):
        if not has_metrics(table):
            selected += [table] if metrics is None else []
            continue
        kept = [(r, e) for r, e in of_table if metrics is None or shows_metric(r, requested)]
        rows, entries = [row for row, _ in kept], [entry for _, entry in kept]
        protocol = str(table.get("protocol"))
        if table.get("kind") in CLOSED:
            selected += [{**table, "rows": entries}] if entries else []
            continue
        more = [tell_apart(r, rows) for r in further if protocol in (r.protocols or (protocol,))]
        if weights and (rows or more):
            try:
                weighted = set_weights([*rows, *more], weights)
                plain = {row.name for row in rows}
                more = [row for row in weighted if row.name not in plain]
                has_weighted = True
            except BambooError as error:
                problems.append(error)
        if entries or more or not of_table:
            selected.append({**table, "rows": [*entries, *more]})
    if problems and not has_weighted:
        raise problems[0]
    return selected


def is_shown(row: Row, rows: Sequence[Row]) -> bool:
    """Check whether one of the rows shows the metric of a row.

    A metric that is given as an object is shown by a row with the same options.
    """
    if row.base:
        return any(shows_metric(present, [row.base]) for present in rows)
    return any((present.name, present.document) == (row.name, row.document) for present in rows)


def leave_out(
    tables: Sequence[TableConfig], config_dir: ConfigDir = None
) -> tuple[list[TableConfig], list[str]]:
    """Leave out the rows that cannot be computed here, since word vectors or a package are missing.

    Returns:
        the tables that have rows, and a warning for each reason to leave out some.

    Raises:
        ConfigError: nothing is left.
    """
    computable: list[TableConfig] = []
    reasons: dict[str, list[str]] = {}  # what lacks rows, by the reason
    for table in tables:
        rows, names = [], dict[str, list[str]]()
        for row, entry in list_rows(table, config_dir):
            try:
                _ = row.on().signature
                rows.append(entry)
            except MetricError as error:
                names.setdefault(message(error), []).append(row.name)
        if rows or not names:
            computable.append({**table, "rows": rows} if has_metrics(table) else table)
        for reason, missing in names.items():
            text = f"{table['title']} without {', '.join(missing)}"
            reasons.setdefault(reason, []).append(text)
    problems = [f"{'; '.join(texts)}: {reason}" for reason, texts in reasons.items()]
    if not computable:
        raise ConfigError("; ".join(problems))
    return computable, problems
