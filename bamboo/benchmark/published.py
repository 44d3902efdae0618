"""Published values, and the results that they are comparable with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_metrics.building import TARGET
from amr_metrics.catalog import names, registered
from bamboo.config.columns import COLUMNS, column_name
from bamboo.config.named import named_rows
from bamboo.config.published import MEANS, PublishedRow, published_file, read_published
from bamboo.config.rows import Row, inner_metric
from bamboo.errors import ConfigError
from bamboo.installation import resource

if TYPE_CHECKING:
    import pandas as pd
# The columns of `published_frame`, and their types.
TEXTS = ("file", "row", "metric", "options", "column", "dataset", "partition")
FRAME = {**dict.fromkeys(TEXTS, "string"), "value": "float64"}


@dataclass(frozen=True)
class PublishedLine:
    """The published values for one row of a result.

    Attributes:
        values: by (data set, partition).
        means: ``amean`` and ``hmean``; only if all twelve cells have values.
        notes: values published for other options.
    """

    values: Mapping[tuple[str, str], float] = field(default_factory=dict)
    means: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def published_statistics(file: str) -> dict[str, dict[str, float]]:
    """Return the published statistics in ``table1.csv`` or ``table3.csv``, by row and column."""
    import pandas as pd  # slow to import, and not needed for scoring

    path = resource("data") / "published" / file
    table: Any = pd.read_csv(path, index_col=0)
    return table.to_dict("index")  # type: ignore[no-any-return]


def published_frame() -> pd.DataFrame:
    """Return all files of published values as one data frame, one row per value.

    Columns: file, row (its name in the file), metric and options (which compute the row here;
    options as ``key=value`` separated by spaces; both missing in tables 1 and 3, which are about
    data), column (its name in the file), dataset and partition (missing for means and preferences),
    value (as printed).

    Raises:
        ConfigError: a file that is malformed, as `read_published`.

    >>> frame = published_frame().set_index(["file", "row", "column"])
    >>> float(frame.loc[("table4.csv", "smatch", "main_sts"), "value"])
    58.45
    """
    import pandas as pd  # slow to import, and not needed for scoring

    paths = sorted((resource("data") / "published").glob("*.csv"))
    values = [value for path in paths for value in _published_values(path)]
    return pd.DataFrame(values, columns=list(FRAME)).astype(FRAME)


def _published_values(path: Path) -> Iterator[tuple[object, ...]]:
    file = path.name
    if file in ("table1.csv", "table3.csv"):
        for name, statistics in published_statistics(file).items():
            for column, value in statistics.items():
                if file == "table1.csv":
                    yield file, name, None, None, column, name, "main", value
                else:
                    yield file, name, None, None, column, column.partition("_")[0], name, value
    else:
        for row in read_published(path):
            options = " ".join(f"{option}={value}" for option, value in row.options.items())
            for column, value in row.values.items():
                place = reversed(column.split("_")) if column in COLUMNS else (None, None)
                yield file, row.name, row.metric, options, column, *place, value


def definition(row: Row, dataset: str | None = None, weights_given: bool = False) -> str:
    """Return the definition of a row: the metric, the options that define it, and its training.

    Jobs with equal definitions are compared with the same published value. A solver, a seed and
    the file of word vectors are not part of it (`amr_metrics.base.Metric.definition`).

    Args:
        dataset: the data set, since options may differ between data sets.
        weights_given: its parameters come from a weights file instead of its trainer.
    """
    text = row.untrained(dataset).definition
    if weights_given:
        return f"{text}|weights given"
    if row.trainer is None or row.has_weights_option:
        return text
    return f"{text}|trainer={row.trainer.get('name')}"


@cache
def published_row(line: PublishedRow) -> Row:
    """Return the row that computes a published row.

    Raises:
        ConfigError: an unknown metric, or an option that it does not have.
    """
    try:
        (row,) = named_rows([(line.name, line.metric, line.options)])
    except ConfigError as error:
        raise ConfigError(f"{line.where}: {error}") from None
    return row


def comparable_row(line: PublishedRow, row: Row) -> Row | None:
    """Return the row that computes a published row; None if its metric is of another class."""
    cls = type(inner_metric(row.metric))
    target = registered(line.metric)[TARGET] if line.metric in names() else None
    same = line.metric == row.base or target == f"{cls.__module__}.{cls.__qualname__}"
    return published_row(line) if same else None


def published_line(
    file: str,
    row: Row,
    cells: Sequence[tuple[str, str]],
    excluded: Mapping[tuple[str, str], str],
    weights_given: bool = False,
) -> PublishedLine:
    """Return the published values of the line with the same definition as a row.

    Args:
        file: name of a file in ``data/published``.
        cells: (data set, partition) of each cell of the result.
        excluded: cells without a comparable published value, and the reason.
        weights_given: as in `definition`.

    Raises:
        ConfigError: a file that is missing or malformed.
    """
    lines = read_published(published_file(file))
    rows = [(line, comparable_row(line, row)) for line in lines]
    matches: dict[str, PublishedRow] = {}
    for dataset in dict.fromkeys(d for d, _ in cells):
        own_definition = definition(row, dataset, weights_given)
        for line, their_row in rows:
            if their_row is not None and definition(their_row, dataset) == own_definition:
                matches[dataset] = line
                break
    values = {
        (d, p): matches[d].values[column_name(d, p)]
        for d, p in cells
        if d in matches and (d, p) not in excluded and column_name(d, p) in matches[d].values
    }
    means = {}
    if len(set(values)) == len(COLUMNS) and len({line.name for line in matches.values()}) == 1:
        (line,) = {line.name: line for line in matches.values()}.values()
        means = {mean: line.values[mean] for mean in MEANS if mean in line.values}
    same_metric = [line for line in lines if row.base in (line.metric, line.name)]
    others = [line for line in same_metric if line not in matches.values()]
    unmatched = [(d, p) for d, p in cells if (d, p) not in values]
    notes = [*_excluded_notes(matches, unmatched, excluded)]
    if len(matches) < len({d for d, _ in cells}):
        notes += [
            note for line in others for note in _other_options_notes(line, row, unmatched, excluded)
        ]
    return PublishedLine(values, means, tuple(notes))


def _excluded_notes(
    matches: Mapping[str, PublishedRow],
    cells: Sequence[tuple[str, str]],
    excluded: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    """Describe values published for cells that differ in more than options."""
    for d, p in cells:
        value = matches[d].values.get(column_name(d, p)) if d in matches else None
        if value is not None and (d, p) in excluded:
            yield f"{d} {p}: published for {excluded[d, p]}: {value:.2f}"


def _other_options_notes(
    line: PublishedRow,
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
    metric = [f"metric={line.metric}"] if line.metric != row.base else []
    how = " ".join([*metric, line.command_options]).strip() or "the default options"
    if len(values) == 1:
        (value,) = values.values()
        yield f"published with {how}: {value:.2f}"
    elif len(values) == len(COLUMNS) and "amean" in line.values:
        yield f"published with {how}: amean {line.values['amean']:.2f}"
    else:
        listed = ", ".join(f"{d} {p} {value:.2f}" for (d, p), value in values.items())
        yield f"published with {how}: {listed}"
