"""Reproduce the published tables of scores: measured, published and difference."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bamboo.benchmark.columns import (
    BENCHMARK,
    COLUMNS,
    MEANS,
    PARTITIONS,
    TWELVE,
    column_name,
)
from bamboo.benchmark.protocols import Protocol
from bamboo.benchmark.published import (
    PublishedLine,
    comparable_row,
    definition,
    read_published,
)
from bamboo.board import NAN
from bamboo.config.groups import ConfigDir
from bamboo.config.requests import build_named_row
from bamboo.config.rows import Row
from bamboo.display.table import Table
from bamboo.errors import ConfigError, describe_unknown
from bamboo.results.cell_facts import CELL
from bamboo.results.results import Results
from bamboo.statistics.ranking import order_descending

Seeds = Mapping[str, Sequence[int]]  # by kind of randomness, see `find_randomness`
RowConfig = str | Mapping[str, Any] | Row  # a row in the YAML file of a table, or of a request
OTHER = "published, other definition"
SUMMARY = ("metric", "column", "measured", "sd", "published", "difference")


def check_seeds(seeds: Seeds) -> None:
    """Check that there are seeds of each kind.

    Raises:
        ConfigError: a kind without seeds, or a seed given twice.
    """
    for kind, values in seeds.items():
        if not values or len(set(values)) < len(values):
            raise ConfigError(f"seeds.{kind}: expected one or more different seeds")


def find_randomness(row: Row) -> Literal["drawn", "trained"] | None:
    """Return whether a metric draws random numbers or is trained; None if it is deterministic."""
    if row.seed is None or row.learned is not None:
        return None
    return "trained" if row.needs_training else "drawn"


def refuse_randomness(rows: Sequence[Row], kind: str) -> None:
    """Check that no row of a table uses random numbers.

    Raises:
        ConfigError: a row does.
    """
    if random := [row.name for row in rows if find_randomness(row)]:
        raise ConfigError(
            f"table row {random[0]}: a table of {kind} cannot contain metrics that use random "
            "numbers"
        )


def vary_seeds(row: Row, seeds: Seeds) -> list[Row]:
    """Return one metric per seed; a single metric if the metric is deterministic."""
    kind = find_randomness(row)
    return [row] if kind is None else [row.with_seed(k, f"{row.name}#{k}") for k in seeds[kind]]


def shows_metric(row: Row, metrics: Collection[str]) -> bool:
    """Check whether a row of a table shows one of some metrics, or is one of some rows.

    The metric that a row shows is the first word of its name: ``wwlk undirected`` is computed with
    ``wwlk_2021``, and is a row of both.

    Args:
        metrics: names of metrics or of rows.
    """
    return not {row.name, row.name.partition(" ")[0], row.base}.isdisjoint(metrics)


@dataclass(frozen=True)
class TableSpec:
    """A published table.

    Attributes:
        title: the title.
        protocol: the name of the protocol.
        cells: whether the table shows the twelve cells, or only their means.
        rows: the metrics; those that compare sentences come last.
        published: the published values shown with each row, by its name; rows may be missing.
        ranked: whether the rows are sorted by amean and have ranks.
    """

    title: str
    protocol: str
    cells: bool
    rows: tuple[Row, ...]
    published: Mapping[str, PublishedLine]
    ranked: bool = False

    @classmethod
    def from_config(cls, config: Mapping[str, Any], config_dir: ConfigDir = None) -> TableSpec:
        """Return a table from its YAML file; see `table_rows` for the rows.

        Raises:
            ConfigError: an unknown key, row, metric or option.
        """
        lines = table_rows(config.get("rows"), config.get("published"), config_dir)
        rows = sorted((row for row, _, _ in lines), key=lambda row: row.reads_sentences)
        published = {row.name: line for row, line, _ in lines if line is not None}
        cells, ranked = config.get("cells", True), config.get("ranked", False)
        return cls(config["title"], config["protocol"], cells, tuple(rows), published, ranked)

    def under(self, protocol: Protocol, usual: Protocol) -> TableSpec:
        """Return the table under another protocol.

        Published values are those of the partitions whose statistic is the same in both.
        """
        same = {name for name in PARTITIONS if protocol.of(name) == usual.of(name)}
        columns = {column_name(d, p) for d, p in TWELVE if p in same}
        columns |= {*MEANS} if len(same) == len(PARTITIONS) else set()
        published = {
            name: replace(line, values={c: v for c, v in line.values.items() if c in columns})
            for name, line in self.published.items()
        }
        title = f"{self.title.partition(' (')[0]}, protocol {protocol.name} (x 100)"
        return replace(self, title=title, published=published, protocol=protocol.name)

    def by_seed(self, seeds: Seeds) -> list[Row]:
        """Return the metrics of all rows."""
        return [metric for row in self.rows for metric in vary_seeds(row, seeds)]

    def find_other(self, row: Row) -> str | None:
        """Return the options of the published values if their definition differs; else None."""
        line = self.published.get(row.name)
        if line is None or has_same_definition(row, line):
            return None
        return line.words


def table_rows(
    rows: Sequence[RowConfig] | None, file: str | None, config_dir: ConfigDir = None
) -> list[tuple[Row, PublishedLine | None, RowConfig]]:
    """Return the rows of a table from its YAML file.

    Args:
        rows: names of rows of the published file, or mappings with ``name`` and optionally
            ``metric``, ``protocol``, ``options`` and ``published`` (the published row shown with
            it; by default the one of the same name), or rows without published values. None for all
            rows of the file.
        file: the file of published values below ``data/published``, or None.
        config_dir: the user's own folder of YAML files, with their metrics.

    Returns:
        each metric with its options, the published values shown with it, and its entry in `rows`.

    Raises:
        ConfigError: an unknown key, row, metric or option, or a file that does not exist.
    """
    lines = () if file is None else read_published(file)
    published = {line.name: line for line in lines}
    rows = [*(rows or published)]
    lines_of_rows: list[tuple[Row, PublishedLine | None, RowConfig]] = []
    for row in rows:
        if isinstance(row, Row):
            lines_of_rows.append((row, None, row))
            continue
        config, beside = _complete_row(row, published)
        computed = build_named_row(**config, config_dir=config_dir)
        lines_of_rows.append((computed, published.get(beside or ""), row))
    return lines_of_rows


def _complete_row(
    row: str | Mapping[str, Any], published: Mapping[str, PublishedLine]
) -> tuple[dict[str, Any], str | None]:
    """Return the arguments of `build_named_row`, and the published row that is shown beside it."""
    if isinstance(row, str):
        if row not in published:
            raise ConfigError(describe_unknown("row of the published table", row, published))
        line = published[row]
        given = {"metric": line.metric, "options": line.options, "protocol": line.protocol}
        return {"title": row, **given}, row
    keys = ("name", "metric", "protocol", "options", "published")
    if extra := set(row) - set(keys):
        raise ConfigError(
            f"table row {row.get('name')}: {describe_unknown('key', min(extra), keys)}"
        )
    if (beside := row.get("published")) is not None and beside not in published:
        raise ConfigError(
            f"table row {row['name']}: "
            f"{describe_unknown('row of the published table', beside, published)}"
        )
    same = row["name"] if row["name"] in published else None
    given = {key: row[key] for key in ("protocol", "options") if key in row}
    return {"title": row["name"], "metric": row.get("metric", row["name"]), **given}, row.get(
        "published", same
    )


def has_same_definition(row: Row, line: PublishedLine) -> bool:
    """Return whether a published row has the same definition as a row, on every data set."""
    theirs = comparable_row(line, row)
    return theirs is not None and all(
        definition(row, name) == definition(theirs, name) for name in BENCHMARK
    )


def choose_rows(
    rows: Sequence[RowConfig] | None, file: str | None, config_dir: ConfigDir, kind: str
) -> tuple[list[Row], dict[str, Mapping[str, float]]]:
    """Return the rows of a table (`table_rows`), and what is published for their definitions.

    Raises:
        ConfigError: see `table_rows` and `refuse_randomness`.
    """
    lines = table_rows(rows, file, config_dir)
    refuse_randomness([row for row, _, _ in lines], kind)
    same = [(row, line) for row, line, _ in lines if line and has_same_definition(row, line)]
    return [row for row, _, _ in lines], {row.name: line.values for row, line in same}


def collect_values(
    spec: TableSpec, results: Results, seeds: Seeds
) -> dict[tuple[str, str], list[float]]:
    """Return the values of each row of a table in each column, one per seed."""
    row_of = {metric.name: row.name for row in spec.rows for metric in vary_seeds(row, seeds)}
    values: dict[tuple[str, str], list[float]] = {}
    for score in results.board.scores:
        values.setdefault((row_of[score.system], score.part), []).append(score.value)
    return values


def _find_average(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else NAN


def order_rows(rows: Sequence[Row], values: Mapping[tuple[str, str], list[float]]) -> list[Row]:
    """Return rows by measured amean, the best first; metrics that compare sentences come last."""
    means = [_find_average(values.get((row.name, "amean"), [])) for row in rows]
    best_first = [rows[k] for k in order_descending(means)]
    return sorted(best_first, key=lambda row: row.reads_sentences)


def summary_table(
    spec: TableSpec,
    results: Results,
    seeds: Seeds,
    best: Mapping[str, Sequence[str]],
    ranks: Mapping[str, str | None],
    notes: tuple[str, ...],
) -> Table:
    """Return a line of measured values per row, and lines of what the row has beside them.

    These are the standard deviation over seeds, the published values and the difference.

    Args:
        best: for each column, the rows whose measured value is in bold.
        ranks: of the rows.
    """
    columns = [*(COLUMNS if spec.cells else ()), *MEANS]
    heads = (*(("rank",) if spec.ranked else ()), "metric", "")
    by_seed = collect_values(spec, results, seeds)
    rows = order_rows(spec.rows, by_seed) if spec.ranked else spec.rows
    others = {row.name: spec.find_other(row) for row in rows}
    summaries: list[tuple[Any, ...]] = []
    lines: list[tuple[Any, ...]] = []
    rules, marked = [], set()
    for row in rows:
        of_seeds = [by_seed.get((row.name, column), []) for column in columns]
        line = spec.published.get(row.name, PublishedLine())
        measured = [*map(_find_average, of_seeds)]
        sds = [float(np.std(v, ddof=1)) if len(v) > 1 else NAN for v in of_seeds]
        published = [line.values.get(column, NAN) for column in columns]
        differences = [a - b for a, b in zip(measured, published, strict=True)]
        lists = columns, measured, sds, published, differences
        summaries += [(row.name, *values) for values in zip(*lists, strict=True)]
        marked |= {
            (len(lines), len(heads) + k)
            for k, value in enumerate(measured)
            if not math.isnan(value) and row.name in best.get(columns[k], ())
        }
        speed = _measure_speed(results, [metric.name for metric in vary_seeds(row, seeds)])
        rank = (ranks.get(row.name),) if spec.ranked else ()
        blank = ("",) * (1 + len(rank))
        rounded = None if speed is None else round(speed)
        lines.append((*rank, row.name, "measured", *measured, rounded))
        if kind := find_randomness(row):
            lines.append((*blank, f"sd, {len(seeds[kind])} seeds", *sds, None))
        if not all(map(math.isnan, published)):
            label = "published" if others[row.name] is None else OTHER
            lines.append((*blank, label, *published, None))
            lines.append((*blank, "difference", *differences, None))
        rules.append(len(lines))
    different = {name: options for name, options in others.items() if options is not None}
    if different:
        texts = [f"{name}: published with {options}." for name, options in different.items()]
        explanation = f"{OTHER}: the published values were computed with other options."
        notes = (*notes, explanation, *texts)
    order = [row.name for row in spec.rows]
    summaries.sort(key=lambda summary: order.index(summary[0]))
    headings = tuple(column.replace("_", " ") for column in columns)
    return Table(
        spec.title,
        (*heads, *headings, "pairs/s"),
        tuple(lines),
        notes=notes,
        rules=tuple(rules),
        best=frozenset(marked),
        long=Table(spec.title, SUMMARY, tuple(summaries)),
    )


def _measure_speed(results: Results, metrics: Sequence[str]) -> float | None:
    """Return pairs per second of CPU time, without reading; None if nothing was measured."""
    cells = [cell for metric in metrics for cell in results.list_scores(metric, CELL)]
    seconds = math.fsum(facts.seconds for _, facts in cells)
    return sum(row.pairs for row, _ in cells) / seconds if seconds else None
