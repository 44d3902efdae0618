"""Published values, and the results that they are comparable with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamboo.config.columns import COLUMNS, column_name
from bamboo.config.jobs import Job, compose_metrics
from bamboo.config.metrics import LEARNED, STANDARDIZE, TRAINER, build_metric
from bamboo.config.published import MEANS, PublishedRow, published_file, read_published
from bamboo.errors import ConfigError, unknown
from bamboo.installation import resource
from metrics.catalog import names, registered

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


def definition(job: Job, dataset: str | None = None, weights_given: bool = False) -> str:
    """Return the definition of a job: the metric, the options that define it, and its training.

    Jobs with equal definitions are compared with the same published value. A solver, a seed and
    the file of word vectors are not part of it (`metrics.base.Metric.definition`).

    Args:
        dataset: the data set, since options may differ between data sets.
        weights_given: its parameters come from a weights file instead of its trainer.
    """
    config = {key: value for key, value in job.metric.items() if key != LEARNED}
    text = build_metric(job.name, config, dataset).definition
    trainer = config.get(TRAINER)
    if weights_given:
        return f"{text}|weights given"
    if trainer is None or config.get("weights"):
        return text
    name = trainer.get("name", trainer) if isinstance(trainer, Mapping) else trainer
    return f"{text}|trainer={name}"


def published_job(row: PublishedRow, defaults: Mapping[str, Any]) -> Job:
    """Return the job that computes a published row.

    Args:
        defaults: the configuration of the row's metric, with default options.

    Raises:
        ConfigError: an option that the metric does not have.
    """
    accepted = [*defaults, STANDARDIZE]
    if rejected := [option for option in row.options if option not in accepted]:
        options = [name for name in accepted if not name.startswith("_")]
        raise ConfigError(
            f"{row.where}: {unknown(f'option of {row.metric}', rejected[0], options)}"
        )
    return Job(row.name, {**defaults, **row.options}, row.metric, defaults)


def comparable_job(row: PublishedRow, job: Job) -> Job | None:
    """Return the job that computes a row, or None if the job has a metric of another class."""
    if row.metric == job.base:
        return published_job(row, job.defaults)
    if row.metric not in names() or registered(row.metric).target != job.metric.get("_target_"):
        return None
    (named,) = compose_metrics([(row.name, row.metric, {})])
    return published_job(row, named.defaults)


def published_line(
    file: str,
    job: Job,
    cells: Sequence[tuple[str, str]],
    excluded: Mapping[tuple[str, str], str],
    weights_given: bool = False,
) -> PublishedLine:
    """Return the published values of the row with the same definition as a job.

    Args:
        file: name of a file in ``data/published``.
        cells: (data set, partition) of each cell of the result.
        excluded: cells without a comparable published value, and the reason.
        weights_given: as in `definition`.

    Raises:
        ConfigError: a file that is missing or malformed.
    """
    rows = read_published(published_file(file))
    jobs = [(row, comparable_job(row, job)) for row in rows]
    matches: dict[str, PublishedRow] = {}
    for dataset in dict.fromkeys(d for d, _ in cells):
        job_definition = definition(job, dataset, weights_given)
        for row, row_job in jobs:
            if row_job is not None and definition(row_job, dataset) == job_definition:
                matches[dataset] = row
                break
    values = {
        (d, p): matches[d].values[column_name(d, p)]
        for d, p in cells
        if d in matches and (d, p) not in excluded and column_name(d, p) in matches[d].values
    }
    means = {}
    if len(set(values)) == len(COLUMNS) and len({row.name for row in matches.values()}) == 1:
        (row,) = {row.name: row for row in matches.values()}.values()
        means = {mean: row.values[mean] for mean in MEANS if mean in row.values}
    same_metric = [row for row in rows if job.base in (row.metric, row.name)]
    others = [row for row in same_metric if row not in matches.values()]
    unmatched = [(d, p) for d, p in cells if (d, p) not in values]
    notes = [*_excluded_notes(matches, unmatched, excluded)]
    if len(matches) < len({d for d, _ in cells}):
        notes += [
            note for row in others for note in _other_options_notes(row, job, unmatched, excluded)
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
    row: PublishedRow,
    job: Job,
    cells: Sequence[tuple[str, str]],
    excluded: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    """Describe values published for the metric with other options: one value, or the mean."""
    values = {
        (d, p): row.values[column_name(d, p)]
        for d, p in cells
        if (d, p) not in excluded and column_name(d, p) in row.values
    }
    if not values:
        return
    metric = [f"metric={row.metric}"] if row.metric != job.base else []
    how = " ".join([*metric, row.command_options]).strip() or "the default options"
    if len(values) == 1:
        (value,) = values.values()
        yield f"published with {how}: {value:.2f}"
    elif len(values) == len(COLUMNS) and "amean" in row.values:
        yield f"published with {how}: amean {row.values['amean']:.2f}"
    else:
        listed = ", ".join(f"{d} {p} {value:.2f}" for (d, p), value in values.items())
        yield f"published with {how}: {listed}"
