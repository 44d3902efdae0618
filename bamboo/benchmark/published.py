"""Published values, and the results that they are comparable with.

A file in ``data/published`` has one line per row of a published table: the row's name, the metric
that computes it here, the protocol under which it does, further options, and its values by column
(``main_sts`` ... ``arg_para``, ``amean``, ``hmean``; in tables of preferences ``sentences``, or
pairs of systems ``A/B``).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from amr_metrics.building import name_target
from amr_metrics.configurations import TARGET, parse_yaml
from amr_metrics.standardize.metric import inner_metric
from bamboo.benchmark.columns import COLUMNS, MEANS, column_name
from bamboo.config.groups import MetricConfig, compose_metric
from bamboo.config.requests import build_named_row
from bamboo.config.rows import Row
from bamboo.errors import ConfigError, describe_unknown
from bamboo.installation import resource

NOT_VALUES = (
    "row",
    "metric",
    "protocol",
    "options",
    "speed",
    "align",
)  # columns that are not numbers


@dataclass(frozen=True, eq=False)
class PublishedLine:
    """Published values: a row of a published table, or those that a result is compared with.

    Attributes:
        values: by column, as printed (correlations and accuracies times 100).
        notes: values published for other options.
        name: the name of the row.
        metric, protocol, options: the metric that computes it here, under this protocol, and its
            further options.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = ""
    metric: str = ""
    protocol: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The words of the command line that compute it."""
        protocol = [f"protocol={self.protocol}"] if self.protocol else []
        options = (f"metric.{self.metric}.{name}={v}" for name, v in self.options.items())
        return " ".join([f"metric={self.metric}", *protocol, *options])


@cache
def read_published(file: str) -> tuple[PublishedLine, ...]:
    """Return the rows of a file of published values.

    Args:
        file: its name below ``data/published``.

    Raises:
        ConfigError: there is no such file.

    >>> row = read_published("table4.csv")[0]
    >>> row.name, row.metric, row.values["main_sts"]
    ('smatch', 'smatch', 58.45)
    """
    folder = resource("data") / "published"
    path = folder / file
    if not path.is_file():
        names = [path.name for path in folder.glob("*.csv")]
        raise ConfigError(describe_unknown("file of published values", file, names))
    with path.open(encoding="utf-8", newline="") as lines:
        return tuple(map(_parse_published_row, csv.DictReader(lines)))


def _parse_published_row(texts: Mapping[str, str]) -> PublishedLine:
    options = dict(part.split("=", 1) for part in (texts.get("options") or "").split())
    values = {
        column: float(text)
        for column, text in texts.items()
        if column not in NOT_VALUES and text not in ("", "-")
    }
    parsed = {option: parse_yaml(value) for option, value in options.items()}
    protocol = texts.get("protocol") or ""
    return PublishedLine(values, (), texts["row"], texts["metric"], protocol, parsed)


def definition(row: Row, dataset: str | None = None) -> str:
    """Return the definition of a row: the metric, the options that define it, and its training.

    Jobs with equal definitions are compared with the same published value. A solver, a seed and
    the file of word vectors are not part of it (`amr_metrics.base.Metric.definition`).

    Args:
        dataset: the data set, since options may differ between data sets.
    """
    text = row.untrained(dataset).definition
    if row.weights_given:
        return f"{text}|weights given"
    if row.trainer is None or row.has_weights_option:
        return text
    return f"{text}|trainer={row.trainer.get('name')}"


@cache
def compose_published_metric(line: PublishedLine) -> MetricConfig:
    """Return the configuration of the metric that computes a published row."""
    return compose_metric(line.metric)


@cache
def build_published_row(line: PublishedLine) -> Row:
    """Return the row that computes a published row."""
    return build_named_row(line.name, line.metric, line.options, line.protocol)


def comparable_row(line: PublishedLine, row: Row) -> Row | None:
    """Return the row that computes a published row; None if its metric is of another class."""
    config = compose_published_metric(line)  # to build the metric would import its module
    same = config.options[TARGET] == name_target(type(inner_metric(row.metric)))
    return build_published_row(line) if same else None


def find_published_line(
    file: str,
    row: Row,
    cells: Sequence[tuple[str, str]],
    excluded: Mapping[tuple[str, str], str],
) -> PublishedLine:
    """Return the published values of the line with the same definition as a row.

    It has ``amean`` and ``hmean`` only if all twelve cells have values.

    Args:
        file: name of a file in ``data/published``.
        cells: (data set, partition) of each cell of the result.
        excluded: cells without a comparable published value, and the reason.

    Raises:
        ConfigError: an unknown file.
    """
    lines = read_published(file)
    if not cells:
        return PublishedLine()
    rows = [(line, comparable_row(line, row)) for line in lines]
    matches: dict[str, PublishedLine] = {}
    for dataset in dict.fromkeys(d for d, _ in cells):
        own_definition = definition(row, dataset)
        for line, their_row in rows:
            if their_row is not None and definition(their_row, dataset) == own_definition:
                matches[dataset] = line
                break
    values = {
        column: matches[d].values[column]
        for d, p in cells
        if d in matches and (d, p) not in excluded
        if (column := column_name(d, p)) in matches[d].values
    }
    unmatched = [(d, p) for d, p in cells if column_name(d, p) not in values]
    if len(values) == len(COLUMNS) and len({line.name for line in matches.values()}) == 1:
        line = next(iter(matches.values()))
        values |= {mean: line.values[mean] for mean in MEANS if mean in line.values}
    same_metric = [
        line for line in lines if row.base in (compose_published_metric(line).base, line.name)
    ]
    others = [line for line in same_metric if line not in matches.values()]
    notes = [*_describe_excluded(matches, unmatched, excluded)]
    if len(matches) < len({d for d, _ in cells}):
        notes += [
            note
            for line in others
            for note in _describe_other_options(line, row, unmatched, excluded)
        ]
    return PublishedLine(values, tuple(notes))


def _describe_excluded(
    matches: Mapping[str, PublishedLine],
    cells: Sequence[tuple[str, str]],
    excluded: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    """Describe values published for cells that differ in more than options."""
    for d, p in cells:
        value = matches[d].values.get(column_name(d, p)) if d in matches else None
        if value is not None and (d, p) in excluded:
            yield f"{d} {p}: published for {excluded[d, p]}: {value:.2f}"


def _describe_other_options(
    line: PublishedLine,
    row: Row,
    cells: Sequence[tuple[str, str]],
    excluded: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    """Describe values published for the metric with other options: one value, or the mean."""
    values = {
        (d, p): line.values[column_name(d, p)]
        for d, p in cells
        if (d, p) not in excluded and column_name(d, p) in line.values
    }
    if not values:
        return
    how = line.words
    if len(values) == 1:
        (value,) = values.values()
        yield f"published with {how}: {value:.2f}"
    elif len(values) == len(COLUMNS) and "amean" in line.values:
        yield f"published with {how}: amean {line.values['amean']:.2f}"
    else:
        listed = ", ".join(f"{d} {p} {value:.2f}" for (d, p), value in values.items())
        yield f"published with {how}: {listed}"
