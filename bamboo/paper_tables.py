"""The published score tables, computed again: measured, published and difference."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from bamboo.config import BENCHMARK, Job, compose_metrics
from bamboo.datasets import PARTITIONS
from bamboo.errors import ConfigError
from bamboo.paths import resource
from bamboo.results import Result, Row
from bamboo.tables import Table

COLUMNS = tuple(f"{p}_{d}" for p in PARTITIONS for d in BENCHMARK)
Seeds = Mapping[str, Sequence[int]]  # of rows with randomness, by their kind
MEANS = ("amean", "hmean")
PUBLISHED = resource("data") / "published"


@dataclass(frozen=True)
class TableRow:
    """A row as ``conf/table/<name>.yaml`` gives it.

    Attributes:
        name: the row's name.
        metric, options: the metric it is computed with.
        published: what finds its line in the published table: values by column.
        random: whether it is computed once a seed: ``drawn`` (what is random is drawn),
            ``trained``, or None.
    """

    name: str
    metric: str
    options: Mapping[str, Any]
    published: Mapping[str, str]
    random: Literal["drawn", "trained"] | None

    def seeds(self, seeds: Seeds) -> Sequence[int | None]:
        """Its seeds; None alone without chance."""
        return seeds[self.random] if self.random else (None,)

    def jobs(self, seeds: Seeds) -> list[str]:
        """The names of its jobs, one a seed."""
        return [self.name if s is None else f"{self.name}#{s}" for s in self.seeds(seeds)]


@dataclass(frozen=True)
class TableSpec:
    """A published table.

    Attributes:
        title: its title; protocol: the name of its protocol.
        published: its file below ``data/published``, or None.
        cells: whether the table prints the twelve cells, or their means only.
        rows: its rows.
    """

    title: str
    protocol: str
    published: str | None
    cells: bool
    rows: tuple[TableRow, ...]

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> TableSpec:
        """A table from its YAML."""
        rows = []
        for row in config["rows"]:
            known = {"name", "metric", "options", "published", "random"}
            if extra := set(row) - known:
                raise ConfigError(f"table row {row.get('name')}: unknown key {min(extra)!r}")
            rows.append(
                TableRow(
                    row["name"],
                    row.get("metric", row["name"]),
                    row.get("options", {}),
                    row.get("published", {"metric": row["name"]}),
                    row.get("random"),
                )
            )
        published = config.get("published")
        if published is not None and not (PUBLISHED / published).is_file():
            raise ConfigError(f"table {config['title']}: there is no {PUBLISHED / published}")
        return cls(
            config["title"], config["protocol"], published, config.get("cells", True), tuple(rows)
        )

    def jobs(self, seeds: Seeds, config_dir: str | None = None) -> list[Job]:
        """One job a row, or one a seed where chance has a part."""
        wanted: list[tuple[str, str, Mapping[str, Any]]] = []
        for row in self.rows:
            for seed, name in zip(row.seeds(seeds), row.jobs(seeds), strict=True):
                options = row.options if seed is None else {**row.options, "seed": seed}
                wanted.append((name, row.metric, options))
        return compose_metrics(wanted, config_dir)


@dataclass(frozen=True)
class Summary:
    """One row of a reproduced table.

    Attributes:
        name: the row's name.
        measured: values by column: ``main_sts`` ... ``arg_para``, ``amean``, ``hmean``.
        spread: standard deviations over seeds, likewise; empty without seeds.
        published: the published values there are.
        speed: pairs a second, without reading.
        seeds: number of seeds, 0 without.
    """

    name: str
    measured: Mapping[str, float | None]
    spread: Mapping[str, float]
    published: Mapping[str, float]
    speed: float | None
    seeds: int


def published_line(file: str | None, where: Mapping[str, str]) -> dict[str, float]:
    """The numbers of the line of a published table whose columns have the given values.

    Empty if there is no such line, or no table.

    >>> published_line("table5.csv", {"metric": "wlk", "K": "2"})["amean"]
    50.4
    """
    if file is None:
        return {}
    with (PUBLISHED / file).open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            if all(line.get(column) == str(value) for column, value in where.items()):
                return {
                    column: float(text)
                    for column, text in line.items()
                    if column in (*COLUMNS, *MEANS)
                }
    return {}


def summarise(spec: TableSpec, result: Result, seeds: Seeds) -> list[Summary]:
    """The rows of a table from the rows of its run."""
    by_name = {row.metric: row for row in result.rows}
    found = []
    for row in spec.rows:
        names = row.jobs(seeds)
        draws = [_values(by_name[name]) for name in names]
        columns = {column: [draw[column] for draw in draws] for column in draws[0]}
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
        found.append(
            Summary(
                row.name,
                measured,
                spread,
                published_line(spec.published, row.published),
                sum(cell.n for cell in cells) / seconds if seconds else None,
                len(names) if row.random else 0,
            )
        )
    return found


def _values(row: Row) -> dict[str, float | None]:
    values = {f"{cell.partition}_{cell.dataset}": cell.value for cell in row.cells}
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
    """Three lines a row, or four with the spread over seeds.

    Args:
        best: by column the rows whose measured value is set apart.
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
        lines.append(("", "published", *published, None))
        lines.append(("", "difference", *difference, None))
        rules.append(len(lines))
    headings = tuple(column.replace("_", " ") for column in columns)
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
    """The rows in the schema of ``result.json``, with the spread over seeds."""
    draws = {row.metric.partition("#")[0]: row for row in reversed(result.rows)}
    merged = [
        Row(
            row.name,
            draws[row.name].signature,
            tuple(
                replace(
                    cell,
                    value=row.measured[f"{cell.partition}_{cell.dataset}"],
                    published=row.published.get(f"{cell.partition}_{cell.dataset}"),
                    cached=None,
                )
                for cell in draws[row.name].cells
            ),
            row.published.get("amean"),
            row.published.get("hmean"),
        )
        for row in rows
    ]
    # The merged cells are those of the first seed: the cache's share is that of all seeds.
    document = {
        **Result(spec.protocol, tuple(merged)).to_json(),
        "cache": asdict(result.cache),
    }
    for entry, row in zip(document["rows"], rows, strict=True):
        # Over seeds, the mean of the means is reported, not the mean of the mean cells.
        entry |= {
            "amean": row.measured["amean"],
            "hmean": row.measured["hmean"],
            "pairs_per_second": row.speed,
            "seeds": row.seeds,
            "sd": dict(row.spread),
        }
    named = {column: list(names) for column, names in best.items()}
    return {"title": spec.title, **document, "best": named, "notes": list(notes)}
