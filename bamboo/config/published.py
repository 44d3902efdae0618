"""The rows of published tables, and what a metric's name means under a protocol.

A file in ``data/published`` has one line per row of a published table: the row's name, the metric
and the options here that compute it, and its values by column (``main_sts`` ... ``arg_para``,
``amean``, ``hmean``; in tables of preferences ``sentences``, or pairs of systems ``A/B``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from amr_metrics.utils.text import counted, decimal
from bamboo.config.columns import COLUMNS
from bamboo.errors import ConfigError, unknown
from bamboo.files import csv_rows, parse_yaml
from bamboo.installation import resource

PROTOCOLS = ("paper", "v0.2")  # the protocols of results on the site
MEANS = ("amean", "hmean")
SENTENCES = "sentences"
BINDING = ("row", "metric", "options")
OTHER = ("speed", "align")  # columns of Table 4 that are not numbers


@dataclass(frozen=True, eq=False)
class PublishedRow:
    """A row of a published table.

    Attributes:
        name: the row's name.
        metric, options: the metric and options that compute it here.
        values: by column, as printed (correlations and accuracies times 100).
        where: file and line, for messages.
    """

    name: str
    metric: str
    options: Mapping[str, Any]
    values: Mapping[str, float]
    where: str

    @property
    def command_options(self) -> str:
        """The command-line options to compute it, besides ``metric=NAME``."""
        return " ".join(f"metric.{option}={value}" for option, value in self.options.items())


def published_file(name: str) -> Path:
    """Return the path of a file of published values.

    Raises:
        ConfigError: an unknown file name.
    """
    folder = resource("data") / "published"
    if not (folder / name).is_file():
        raise ConfigError(unknown("file of published values", name, _names(folder)))
    return folder / name


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*.csv")]


@cache
def read_published(path: Path) -> tuple[PublishedRow, ...]:
    """Return the rows of a file of published values.

    Raises:
        ConfigError: a column that is unknown, missing or given twice, a row given twice, options
            that are not ``key=value``, or a value that is not a number; with file and line.
        DataError: a file that cannot be read.

    >>> row = read_published(published_file("table4.csv"))[0]
    >>> row.name, row.metric, row.values["main_sts"]
    ('smatch', 'smatch', 58.45)
    """
    table = csv_rows(path)
    _, header = next(table, (1, []))
    columns = (*BINDING, *COLUMNS, *MEANS, SENTENCES, *OTHER)
    if rejected := [c for c in header if c not in columns and "/" not in c]:
        raise ConfigError(f"{path}, line 1: " + unknown("column", rejected[0], columns))
    if missing := [name for name in BINDING if name not in header]:
        raise ConfigError(f"{path}, line 1: the column {missing[0]!r} is missing")
    if len(set(header)) < len(header):
        raise ConfigError(f"{path}, line 1: a column is given twice")
    rows: dict[str, PublishedRow] = {}
    for line, cells in table:
        where = f"{path}, line {line}"
        if len(cells) != len(header):
            raise ConfigError(
                f"{where}: expected {counted(len(header), 'column')}, got {len(cells)}"
            )
        row = _row(dict(zip(header, cells, strict=True)), where)
        if row.name in rows:
            raise ConfigError(f"{where}: row {row.name!r} is given twice")
        rows[row.name] = row
    return tuple(rows.values())


def _row(texts: Mapping[str, str], where: str) -> PublishedRow:
    options = {}
    for part in texts["options"].split():
        option, equals, value = part.partition("=")
        if not (option and equals and value):
            raise ConfigError(f"{where}: options: {part!r} is not of the form key=value")
        try:
            options[option] = parse_yaml(value)
        except ValueError as error:
            raise ConfigError(f"{where}: options: {part!r} cannot be read: {error}") from None
    values = {}
    for column, text in texts.items():
        if column not in (*BINDING, *OTHER) and text not in ("", "-"):
            try:
                values[column] = decimal(text)
            except ValueError:
                raise ConfigError(f"{where}: {column}: {text!r} is not a number") from None
    return PublishedRow(texts["row"], texts["metric"], options, values, where)


@dataclass(frozen=True)
class NamedMetric:
    """The meaning of a metric's name on the command line.

    Attributes:
        label: the label of its row, without the user's options.
        metric: its name in ``conf/metric``.
        options: the options of the published row with this name.
    """

    label: str
    metric: str
    options: Mapping[str, Any] = field(default_factory=dict)


def named_metrics(
    names: Sequence[str],
    published: str | None,
    every: bool,
    defaults: Callable[[str], Mapping[str, Any]],
) -> list[NamedMetric]:
    """Return what names of metrics mean under a protocol: the rows that were published for them.

    Of several rows of one metric, a name means the one whose options are nearest to the metric's
    defaults. Without a published row, it means the metric with its defaults.

    Args:
        published: the protocol's file of published values; None without one.
        every: the names are those of ``metric=all``: return all rows of the published table,
            followed by the names that it does not contain.
        defaults: returns the default options of a metric.
    """
    rows = () if published is None else read_published(published_file(published))
    if every:
        meanings = [NamedMetric(row.name, row.metric, row.options) for row in rows]
        covered = {row.metric for row in rows}
        return meanings + [NamedMetric(name, name) for name in names if name not in covered]

    def meaning(name: str) -> NamedMetric:
        def distance(row: PublishedRow) -> int:
            usual = defaults(name)
            return sum(str(value) != str(usual.get(key)) for key, value in row.options.items())

        same = [row for row in rows if row.metric == name]
        return NamedMetric(name, name, min(same, key=distance).options if same else {})

    return [meaning(name) for name in names]
