"""Reproduce the published tables of scores: measured, published and difference."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from bamboo.benchmark.columns import BENCHMARK, COLUMNS, MEANS
from bamboo.benchmark.published import (
    PublishedLine,
    comparable_row,
    definition,
    published_file,
    read_published,
)
from bamboo.config.rows import Row, named_rows
from bamboo.display.table import Table
from bamboo.errors import ConfigError, unknown
from bamboo.results.cell_facts import CELL
from bamboo.results.results import Results

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
        computed: the metric with its options.
        published: the published row shown with it, or None.
        same: whether that row was published for the same definition of the metric.
        config: the row in the table's YAML file.
        rank: its rank, if the table has ranks.
    """

    name: str
    computed: Row
    published: PublishedLine | None
    same: bool
    config: str | Mapping[str, Any] = ""
    rank: str | None = None

    @property
    def random(self) -> Literal["drawn", "trained"] | None:
        """Whether the metric draws random numbers or is trained; None if it is deterministic."""
        if self.computed.seed is None:
            return None
        return "trained" if self.computed.needs_training else "drawn"

    def is_of(self, metrics: Collection[str]) -> bool:
        """Check whether the row shows one of some metrics, or is one of some rows.

        The metric that a row shows is the first word of its name: ``wwlk undirected`` is computed
        with ``wwlk_2021``, and is a row of both.

        Args:
            metrics: names of metrics or of rows.
        """
        return not {self.name, self.name.partition(" ")[0], self.computed.base}.isdisjoint(metrics)

    @property
    def other(self) -> str | None:
        """The options of the published values if their definition differs; else None."""
        if self.same or self.published is None:
            return None
        return self.published.command_options or "the default options"

    def by_seed(self, seeds: Seeds) -> list[Row]:
        """Return one metric per seed; a single metric if the metric is deterministic."""
        if self.random is None:
            return [self.computed]
        return [self.computed.with_seed(seed, f"{self.name}#{seed}") for seed in seeds[self.random]]


@dataclass(frozen=True)
class TableSpec:
    """A published table.

    Attributes:
        title: the title.
        protocol: the name of the protocol.
        cells: whether the table shows the twelve cells, or only their means.
        rows: the rows; those of metrics that compare sentences come last.
        ranked: whether the rows are sorted by amean and have ranks.
    """

    title: str
    protocol: str
    cells: bool
    rows: tuple[TableRow, ...]
    ranked: bool = False

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], config_dir: str | Path | None = None
    ) -> TableSpec:
        """Return a table from its YAML file; see `table_rows` for the rows.

        Raises:
            ConfigError: an unknown key, row, metric or option.
        """
        rows = table_rows(config.get("rows"), config.get("published"), config_dir)
        rows = tuple(sorted(rows, key=lambda row: row.computed.reads_sentences))
        cells, ranked = config.get("cells", True), config.get("ranked", False)
        return cls(config["title"], config["protocol"], cells, rows, ranked)

    def by_seed(self, seeds: Seeds) -> list[Row]:
        """Return the metrics of all rows."""
        return [metric for row in self.rows for metric in row.by_seed(seeds)]


def table_rows(
    rows: Sequence[str | Mapping[str, Any]] | None,
    file: str | None,
    config_dir: str | Path | None = None,
) -> tuple[TableRow, ...]:
    """Return the rows of a table from its YAML file.

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
    rows = [*(rows or published)]
    configs = [_row_config(row, published) for row in rows]
    named = [(config["name"], config["metric"], config["options"]) for config in configs]
    computed = named_rows(named, config_dir)
    return tuple(
        TableRow(row.name, row, line := published.get(config["published"]), _same(row, line), given)
        for given, config, row in zip(rows, configs, computed, strict=True)
    )


def _row_config(
    row: str | Mapping[str, Any], published: Mapping[str, PublishedLine]
) -> dict[str, Any]:
    """Return a row of a table's YAML file with defaults for missing keys."""
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


def _same(row: Row, line: PublishedLine | None) -> bool:
    """Return whether a published row has the same definition as a row, on every data set."""
    theirs = None if line is None else comparable_row(line, row)
    return theirs is not None and all(
        definition(row, name) == definition(theirs, name) for name in BENCHMARK
    )


def rows_of_metrics(
    config: Mapping[str, Any], metrics: Collection[str], config_dir: str | Path | None = None
) -> Mapping[str, Any] | None:
    """Return a table's configuration with the rows of some metrics; None if no row is left.

    Tables of other kinds than scores, such as statistics of the data, are returned unchanged.

    Args:
        config: a YAML file of ``conf/table``.
        metrics: names of metrics, as `TableRow.is_of` takes them.
        config_dir: the user's own folder of YAML files, with their metrics.

    >>> config = {"title": "T", "protocol": "paper", "published": "table4.csv"}
    >>> rows_of_metrics({**config, "rows": ["sema", "wlk"]}, {"sema"})["rows"]
    ['sema']
    """
    if config.get("kind", "scores") != "scores":
        return config
    rows = table_rows(config.get("rows"), config.get("published"), config_dir)
    of_metrics = [row.config for row in rows if row.is_of(metrics)]
    return {**config, "rows": of_metrics} if of_metrics else None


class Summary(NamedTuple):
    """A value of a table.

    Attributes:
        row: the name of the row.
        column: ``main_sts`` ... ``arg_para``, ``amean`` or ``hmean``.
        measured: the mean over seeds.
        sd: the standard deviation over seeds; NaN without several.
        published: NaN where nothing is published.
        difference: measured minus published.
    """

    row: str
    column: str
    measured: float
    sd: float
    published: float
    difference: float


def summarise(spec: TableSpec, results: Results, seeds: Seeds) -> list[Summary]:
    """Return the values of a table: one per row of the table and column."""
    row_of = {metric.name: row.name for row in spec.rows for metric in row.by_seed(seeds)}
    values: dict[tuple[str, str], list[float]] = {}
    for score in results.board.scores:
        values.setdefault((row_of[score.system], score.part), []).append(score.value)
    summaries = []
    for row in spec.rows:
        published_values = {} if row.published is None else row.published.values
        for column in (*COLUMNS, *MEANS):
            of_seeds = values.get((row.name, column), [])
            measured = float(np.mean(of_seeds)) if of_seeds else np.nan
            sd = float(np.std(of_seeds, ddof=1)) if len(of_seeds) > 1 else np.nan
            published = published_values.get(column, np.nan)
            difference = measured - published
            summaries.append(Summary(row.name, column, measured, sd, published, difference))
    return summaries


def best_first(
    spec: TableSpec, summary: Sequence[Summary], ranks: Mapping[str, str | None]
) -> TableSpec:
    """Return a table with its rows sorted by measured amean, and with their ranks.

    Rows of metrics that compare sentences still come last.
    """
    amean = {value.row: value.measured for value in summary if value.column == "amean"}
    ordered = sorted(
        spec.rows,
        key=lambda row: (
            row.computed.reads_sentences,
            np.isnan(amean[row.name]),
            -amean[row.name],
        ),
    )
    return replace(spec, rows=tuple(replace(row, rank=ranks.get(row.name)) for row in ordered))


def summary_table(
    spec: TableSpec,
    summary: Sequence[Summary],
    results: Results,
    seeds: Seeds,
    best: Mapping[str, Sequence[str]],
    notes: tuple[str, ...],
) -> Table:
    """Return a line of measured values per row, and lines of what the row has beside them.

    These are the standard deviation over seeds, the published values and the difference.

    Args:
        summary: the values (`summarise`).
        best: for each column, the rows whose measured value is in bold.
    """
    columns = [*(COLUMNS if spec.cells else ()), *MEANS]
    heads = (*(("rank",) if spec.ranked else ()), "metric", "")
    lines: list[tuple[Any, ...]] = []
    rules, marked = [], set()
    for row in spec.rows:
        values = [value for value in summary if value.row == row.name and value.column in columns]
        speed = _speed(results, [metric.name for metric in row.by_seed(seeds)])
        marked |= {
            (len(lines), len(heads) + k)
            for k, value in enumerate(values)
            if not np.isnan(value.measured) and row.name in best.get(value.column, ())
        }
        rounded = None if speed is None else round(speed)
        rank = (row.rank,) if spec.ranked else ()
        blank = ("",) * (1 + len(rank))
        lines.append((*rank, row.name, "measured", *(value.measured for value in values), rounded))
        if row.random:
            sds = (value.sd for value in values)
            lines.append((*blank, f"sd, {len(seeds[row.random])} seeds", *sds, None))
        if any(not np.isnan(value.published) for value in values):
            label = "published" if row.other is None else OTHER
            lines.append((*blank, label, *(value.published for value in values), None))
            lines.append((*blank, "difference", *(value.difference for value in values), None))
        rules.append(len(lines))
    others = [
        f"{row.name}: published with {row.other}." for row in spec.rows if row.other is not None
    ]
    if others:
        explanation = f"{OTHER}: the published values were computed with other options."
        notes = (*notes, explanation, *others)
    body = [tuple(value) for value in summary if value.column in columns]
    headings = tuple(column.replace("_", " ") for column in columns)
    return Table(
        spec.title,
        (*heads, *headings, "pairs/s"),
        tuple(lines),
        notes=notes,
        rules=tuple(rules),
        best=frozenset(marked),
        long=Table(spec.title, ("metric", *Summary._fields[1:]), tuple(body)),
    )


def _speed(results: Results, metrics: Sequence[str]) -> float | None:
    """Return pairs per second, excluding reading; None if nothing was measured."""
    cells = [cell for metric in metrics for cell in results.list_scores(metric, CELL)]
    seconds = math.fsum(facts.seconds for _, facts in cells)
    return sum(row.pairs for row, _ in cells) / seconds if seconds else None
