"""Reproduce the published tables of scores: measured, published and difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from bamboo.benchmark.published import comparable_job, definition
from bamboo.config.columns import BENCHMARK, COLUMNS, column_name
from bamboo.config.jobs import Job, compose_metrics
from bamboo.config.published import MEANS, PublishedRow, published_file, read_published
from bamboo.errors import ConfigError, unknown
from bamboo.running.results import Result, Row
from bamboo.tables.model import Table

Seeds = Mapping[str, Sequence[int]]  # by kind of randomness, see `TableRow.random`
OTHER = "published, other definition"


def check_seeds(seeds: Seeds) -> None:
    """Check that there are seeds of each kind.

    Raises:
        ConfigError: a kind without seeds, or a seed given twice.
    """
    for kind, values in seeds.items():
        if not values or len(set(values)) < len(values):
            raise ConfigError(f"seeds.{kind}: expected one or more different seeds")


@dataclass(frozen=True)
class TableRow:
    """A row of a reproduced table.

    Attributes:
        name: the row's name.
        job: the metric with its options.
        published: the published row shown with it, or None.
        same: whether that row was published for the same definition of the metric.
    """

    name: str
    job: Job
    published: PublishedRow | None
    same: bool

    @property
    def random(self) -> Literal["drawn", "trained"] | None:
        """Whether the metric draws random numbers or is trained; None if it is deterministic."""
        if "seed" not in self.job.metric:
            return None
        return "trained" if self.job.needs_training else "drawn"

    def jobs(self, seeds: Seeds) -> list[Job]:
        """One job per seed; a single job if the metric is deterministic."""
        if self.random is None:
            return [self.job]
        return [
            replace(self.job, name=f"{self.name}#{seed}", metric={**self.job.metric, "seed": seed})
            for seed in seeds[self.random]
        ]


@dataclass(frozen=True)
class TableSpec:
    """A published table.

    Attributes:
        title: the title.
        protocol: the name of the protocol.
        cells: whether the table shows the twelve cells, or only their means.
        rows: the rows.
    """

    title: str
    protocol: str
    cells: bool
    rows: tuple[TableRow, ...]

    @classmethod
    def from_config(cls, config: Mapping[str, Any], config_dir: str | None = None) -> TableSpec:
        """A table from its YAML file; see `table_rows` for the rows.

        Raises:
            ConfigError: an unknown key, row, metric or option.
        """
        rows = table_rows(config.get("rows"), config.get("published"), config_dir)
        return cls(config["title"], config["protocol"], config.get("cells", True), rows)

    def jobs(self, seeds: Seeds) -> list[Job]:
        """The jobs of all rows."""
        return [job for row in self.rows for job in row.jobs(seeds)]


def table_rows(
    rows: Sequence[str | Mapping[str, Any]] | None, file: str | None, config_dir: str | None = None
) -> tuple[TableRow, ...]:
    """The rows of a table from its YAML file.

    Args:
        rows: names of rows of the published file, or mappings with ``name`` and optionally
            ``metric``, ``options`` and ``published`` (the published row shown with it; by default
            the one of the same name). None for all rows of the file.
        file: the file of published values below ``data/published``, or None.
        config_dir: the user's own folder of YAML files, with their metrics.

    Raises:
        ConfigError: an unknown key, row, metric or option, or a file that does not exist.
    """
    lines = () if file is None else read_published(published_file(file))
    published = {line.name: line for line in lines}
    configs = [_row_config(row, published) for row in rows or published]
    metrics = [(row["name"], row["metric"], row["options"]) for row in configs]
    jobs = compose_metrics(metrics, config_dir)
    return tuple(
        TableRow(job.name, job, line := published.get(row["published"]), _same(job, line))
        for row, job in zip(configs, jobs, strict=True)
    )


def _row_config(
    row: str | Mapping[str, Any], published: Mapping[str, PublishedRow]
) -> dict[str, Any]:
    """A row of a table's YAML file with defaults for missing keys."""
    if isinstance(row, str):
        if row not in published:
            raise ConfigError(unknown("row of the published table", row, published))
        line = published[row]
        return {"name": row, "metric": line.metric, "options": line.options, "published": row}
    known = ("name", "metric", "options", "published")
    if extra := set(row) - set(known):
        raise ConfigError(f"table row {row.get('name')}: {unknown('key', min(extra), known)}")
    if (other := row.get("published")) is not None and other not in published:
        raise ConfigError(
            f"table row {row['name']}: {unknown('row of the published table', other, published)}"
        )
    own = row["name"] if row["name"] in published else None
    return {"metric": row["name"], "options": {}, "published": own, **row}


def _same(job: Job, line: PublishedRow | None) -> bool:
    """Whether a published row has the same definition as a job, on every data set."""
    theirs = None if line is None else comparable_job(line, job)
    return theirs is not None and all(
        definition(job, name) == definition(theirs, name) for name in BENCHMARK
    )


@dataclass(frozen=True)
class Summary:
    """One row of a reproduced table.

    Attributes:
        name: the row's name.
        measured: values by column: ``main_sts`` ... ``arg_para``, ``amean``, ``hmean``.
        spread: standard deviations over seeds, by column; empty without seeds.
        published: the published values, by column.
        other: the options of the published values if their definition differs; else None.
        speed: pairs per second, excluding reading.
        seeds: number of seeds; 0 for a deterministic metric.
    """

    name: str
    measured: Mapping[str, float | None]
    spread: Mapping[str, float]
    published: Mapping[str, float]
    other: str | None
    speed: float | None
    seeds: int

    @property
    def comparable(self) -> Mapping[str, float]:
        """The published values if they have the same definition; else none."""
        return self.published if self.other is None else {}


def summarise(spec: TableSpec, result: Result, seeds: Seeds) -> list[Summary]:
    """The rows of a table from the rows of its run."""
    by_name = {row.metric: row for row in result.rows}
    summaries = []
    for row in spec.rows:
        names = [job.name for job in row.jobs(seeds)]
        runs = [_values(by_name[name]) for name in names]
        columns = {column: [run[column] for run in runs] for column in runs[0]}
        measured = {
            column: None if None in values else float(np.mean([v for v in values if v is not None]))
            for column, values in columns.items()
        }
        spread = {
            column: float(np.std([v for v in values if v is not None], ddof=1))
            for column, values in columns.items()
            if len(values) > 1 and None not in values
        }
        cells = [cell for name in names for cell in by_name[name].cells]
        seconds = sum(cell.seconds for cell in cells)
        summaries.append(
            Summary(
                row.name,
                measured,
                spread,
                {} if row.published is None else row.published.values,
                None
                if row.same or row.published is None
                else row.published.command_options or "the default options",
                sum(cell.n for cell in cells) / seconds if seconds else None,
                len(names) if row.random else 0,
            )
        )
    return summaries


def _values(row: Row) -> dict[str, float | None]:
    values = {column_name(cell.dataset, cell.partition): cell.value for cell in row.cells}
    return {
        **{column: values.get(column) for column in COLUMNS},
        "amean": row.amean,
        "hmean": row.hmean,
    }


def summary_table(
    spec: TableSpec,
    rows: Sequence[Summary],
    best: Mapping[str, Sequence[str]],
    notes: tuple[str, ...],
) -> Table:
    """Three lines per row, or four with the standard deviation over seeds.

    Args:
        best: for each column, the rows whose measured value is in bold.
    """
    columns = (*(COLUMNS if spec.cells else ()), *MEANS)
    lines: list[tuple[Any, ...]] = []
    rules, marked = [], set()
    for row in rows:
        measured = [row.measured[column] for column in columns]
        marked |= {
            (len(lines), k + 2)
            for k, name in enumerate(columns)
            if measured[k] is not None and row.name in best.get(name, ())
        }
        published = [row.published.get(column) for column in columns]
        difference = [
            None if a is None or b is None else a - b
            for a, b in zip(measured, published, strict=True)
        ]
        speed = None if row.speed is None else round(row.speed)
        lines.append((row.name, "measured", *measured, speed))
        if row.seeds:
            spread = [row.spread.get(column) for column in columns]
            lines.append(("", f"sd, {row.seeds} seeds", *spread, None))
        lines.append(("", "published" if row.other is None else OTHER, *published, None))
        lines.append(("", "difference", *difference, None))
        rules.append(len(lines))
    headings = tuple(column.replace("_", " ") for column in columns)
    others = [f"{row.name}: published with {row.other}." for row in rows if row.other is not None]
    if others:
        notes = (
            *notes,
            f"{OTHER}: the published values were computed with other options.",
            *others,
        )
    return Table(
        spec.title,
        ("metric", "", *headings, "pairs/s"),
        tuple(lines),
        notes=notes,
        rules=tuple(rules),
        best=frozenset(marked),
    )


def summary_json(
    spec: TableSpec,
    rows: Sequence[Summary],
    result: Result,
    best: Mapping[str, Sequence[str]],
    notes: tuple[str, ...],
) -> dict[str, Any]:
    """The rows in the schema of ``result.json``, with standard deviations over seeds."""
    first = {row.metric.partition("#")[0]: row for row in reversed(result.rows)}
    merged = [
        Row(
            row.name,
            first[row.name].signature,
            tuple(
                replace(
                    cell,
                    value=row.measured[column_name(cell.dataset, cell.partition)],
                    published=row.comparable.get(column_name(cell.dataset, cell.partition)),
                    cached=None,
                )
                for cell in first[row.name].cells
            ),
            row.comparable.get("amean"),
            row.comparable.get("hmean"),
        )
        for row in rows
    ]
    # The merged cells are those of the first seed, but the cache's share counts all seeds.
    document = {
        **Result(spec.protocol, tuple(merged)).to_json(),
        "cache": asdict(result.cache),
    }
    for entry, row in zip(document["rows"], rows, strict=True):
        # With several seeds, report the mean of the means, not the mean of the mean cells.
        entry |= {
            "amean": row.measured["amean"],
            "hmean": row.measured["hmean"],
            "pairs_per_second": row.speed,
            "seeds": row.seeds,
            "sd": dict(row.spread),
        }
        if row.other is not None:
            entry["published_other"] = {"options": row.other, "values": dict(row.published)}
    best_rows = {column: list(names) for column, names in best.items()}
    return {
        "title": spec.title,
        **document,
        "best": best_rows,
        "notes": list(notes),
        "data": dict(result.data),
    }
