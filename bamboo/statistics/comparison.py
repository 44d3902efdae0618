"""Metrics against each other: which differences of which statistics are real."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from bamboo.benchmark.cells import COLUMNS, Cell
from bamboo.benchmark.protocols import Protocol, rescaled
from bamboo.documents import plain
from bamboo.errors import ConfigError, StatisticsError
from bamboo.running.missing import Unreadable, missing_pairs
from bamboo.running.runner import Scored
from bamboo.statistics import (
    MEAN,
    Sample,
    best_cluster,
    clusters,
    holm,
    joint_bootstrap,
    mcnemar,
    mean_of,
    perm_both,
    williams,
)
from bamboo.tables.model import Table
from metrics.types import Floats, Ints
from metrics.version import VERSION

SCHEMA = 1
TESTS = {"pearson": "williams", "pair_accuracy": "mcnemar"}


@dataclass(frozen=True)
class Draws:
    """How much chance is used, and where it starts."""

    resamples: int = 1000
    permutations: int = 10_000
    seed: int = 0
    level: float = 0.05

    def __post_init__(self) -> None:
        if min(self.resamples, self.permutations) < 20:
            raise ConfigError("resamples and permutations must be 20 at least")
        if self.seed < 0:
            raise ConfigError(f"seed={self.seed}: use 0 or more")
        if not 0 < self.level < 1:
            raise ConfigError(f"level={self.level}: a level lies between 0 and 1")


@dataclass(frozen=True, eq=False)
class Column:
    """All metrics on one statistic: a cell's, or the mean over the twelve (``amean``).

    Attributes:
        name: as in the published tables: ``main_sts`` ... ``arg_para``, ``amean``.
        statistic: ``pearson``, ``spearman``, ``pair_accuracy`` or ``amean``.
        pairs: how many pairs the values rest on: all that can be read.
        values: (metrics,), times 100.
        intervals: (metrics, 2), times 100: joint percentile bootstrap.
        differences: (metrics, metrics), times 100: row less column.
        bounds: (metrics, metrics, 2), times 100: joint percentile bootstrap.
        p: (metrics, metrics): PERM-BOTH. p_holm: corrected for all pairs of metrics.
        check: (metrics, metrics): p of Williams' test, or McNemar's for pair accuracy.
        cluster: (metrics,): 1 for the best, from `p_holm`; 0 without a value.
    """

    name: str
    statistic: str
    pairs: int
    values: Floats
    intervals: Floats
    differences: Floats
    bounds: Floats
    p: Floats
    p_holm: Floats
    check: Floats
    cluster: Ints


@dataclass(frozen=True, eq=False)
class Comparison:
    """Metrics compared under one protocol.

    Attributes:
        metrics: those compared: the ones with a score for every pair that can be read.
        incomplete: the others, each with its number of missing pairs by column. They take no part
            in anything here, so that what is shown of a metric never depends on another's gaps.
    """

    protocol: str
    metrics: tuple[str, ...]
    columns: tuple[Column, ...]
    draws: Draws
    incomplete: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def ranking(self) -> Column:
        """The column that metrics are ranked by: the mean, or without it the first cell."""
        return next((one for one in self.columns if one.name == MEAN), self.columns[0])

    def best(self) -> dict[str, tuple[str, ...]]:
        """By column the metrics that are not significantly worse than its best, best first."""
        return {
            column.name: tuple(
                self.metrics[k]
                for k in best_cluster(column.values, column.p_holm, self.draws.level)
            )
            for column in self.columns
        }

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values; None for what does not exist."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "protocol": self.protocol,
            "metrics": list(self.metrics),
            "incomplete": {name: dict(missing) for name, missing in self.incomplete.items()},
            **{name: getattr(self.draws, name) for name in Draws.__dataclass_fields__},
            "best": {name: list(metrics) for name, metrics in self.best().items()},
            "columns": [
                plain({name: getattr(column, name) for name in Column.__dataclass_fields__})
                for column in self.columns
            ],
        }


def compare(
    names: Sequence[str],
    cells: Sequence[Cell],
    scored: Scored,
    protocol: Protocol,
    draws: Draws,
    unreadable: Unreadable = MappingProxyType({}),
) -> Comparison:
    """Compare the metrics that have a score for every pair, on the cells they were scored on.

    Args:
        unreadable: pairs that count for no metric (`unreadable_pairs`).

    Raises:
        StatisticsError: cells with too few pairs.
    """
    incomplete = missing_pairs(names, cells, scored, unreadable)
    whole = [name for name in names if name not in incomplete]
    samples = {
        cell.column: sample(whole, cell, scored, protocol, unreadable.get(cell, ()))
        for cell in cells
    }
    return Comparison(protocol.name, tuple(whole), _columns(samples, draws), draws, incomplete)


def compare_incomplete(
    names: Sequence[str],
    cells: Sequence[Cell],
    scored: Scored,
    protocol: Protocol,
    draws: Draws,
    unreadable: Unreadable = MappingProxyType({}),
) -> tuple[Comparison, ...]:
    """Each metric with missing pairs beside each other metric, on the pairs that both have.

    The values of such a comparison rest on fewer pairs than those of `compare`; a column says on
    how many. Two metrics with too few pairs in common have no comparison.
    """
    incomplete = missing_pairs(names, cells, scored, unreadable)
    found = []
    for a, b in itertools.combinations(names, 2):
        if a not in incomplete and b not in incomplete:
            continue
        try:
            samples = {
                cell.column: sample((a, b), cell, scored, protocol, unreadable.get(cell, ()))
                for cell in cells
            }
        except StatisticsError:
            continue
        found.append(Comparison(protocol.name, (a, b), _columns(samples, draws), draws))
    return tuple(found)


def _columns(samples: Mapping[str, Sample], draws: Draws) -> tuple[Column, ...]:
    """The columns of a comparison: a sample each, and the mean if all cells are there."""
    resampled = joint_bootstrap(samples, draws.resamples, draws.seed)
    tested = perm_both(samples, draws.permutations, draws.seed)
    values = {name: cell.values for name, cell in samples.items()}
    columns = [name for name in COLUMNS if name in samples]
    columns += [name for name in samples if name not in COLUMNS]
    if set(COLUMNS) == set(samples):
        columns.append(MEAN)
        values[MEAN], resampled[MEAN] = mean_of(values), mean_of(resampled)
    found = []
    for name in columns:
        p_holm = _corrected(tested[name].p)
        cell = samples.get(name)
        found.append(
            Column(
                name=name,
                statistic=MEAN if cell is None else cell.statistic,
                pairs=sum(map(_count, samples.values())) if cell is None else _count(cell),
                values=100 * values[name],
                intervals=100 * _bounds(resampled[name]),
                differences=100 * tested[name].difference,
                bounds=100 * _bounds(resampled[name][:, :, None] - resampled[name][:, None, :]),
                p=tested[name].p,
                p_holm=p_holm,
                check=_cross_check(cell, len(values[name])),
                cluster=clusters(values[name], p_holm, draws.level),
            )
        )
    return tuple(found)


def best_of_columns(
    names: Sequence[str],
    cells: Sequence[Cell],
    scored: Scored,
    protocol: Protocol,
    draws: Draws,
) -> dict[str, tuple[str, ...]]:
    """By column the metrics that are not significantly worse than its best, best first.

    As `Comparison.best`, without all else that `compare` works out. A metric with missing pairs
    is not among them.
    """
    incomplete = missing_pairs(names, cells, scored, {})
    names = [name for name in names if name not in incomplete]
    if not names:
        return {}
    samples = {cell.column: sample(names, cell, scored, protocol) for cell in cells}
    tested = perm_both(samples, draws.permutations, draws.seed)
    values = {name: cell.values for name, cell in samples.items()}
    values[MEAN] = mean_of(values)
    return {
        column: tuple(
            names[k] for k in best_cluster(values[column], _corrected(test.p), draws.level)
        )
        for column, test in tested.items()
    }


def sample(
    names: Sequence[str],
    cell: Cell,
    scored: Scored,
    protocol: Protocol,
    unreadable: Collection[int] = (),
) -> Sample:
    """The metrics' scores of one cell; cells with the same pairs share their draws."""
    of_cell = [scored[name, cell] for name in names]
    numbers, ratings = next(
        (one.numbers, one.ratings) for (_, other), one in scored.items() if other == cell
    )
    first = int(numbers[0]) if len(numbers) else 0
    scores = np.array([one.scores.values for one in of_cell], dtype=np.float64)
    scores = scores.reshape(len(names), len(numbers))
    scores[:, np.isin(numbers, list(unreadable))] = np.nan
    return Sample(
        protocol.of(cell.partition),
        scores,
        ratings,
        cell.unit,
        f"{cell.dataset.name} {cell.split} {cell.unit} {first} {len(numbers)}",
    )


def _count(cell: Sample) -> int:
    return int(cell.present.sum()) * cell.unit


def _bounds(values: Floats) -> Floats:
    """2.5 and 97.5 % of the resamples that have a value, along the last axis."""
    found = np.full((*values.shape[1:], 2), np.nan)
    for at in np.ndindex(*values.shape[1:]):
        there = values[(slice(None), *at)]
        there = there[np.isfinite(there)]
        if len(there):
            found[at] = np.quantile(there, (0.025, 0.975))
    return found


def _corrected(p: Floats) -> Floats:
    """Holm's correction over all pairs of metrics, each counted once."""
    rows, columns = np.triu_indices(len(p), 1)
    found = np.array(p)
    found[rows, columns] = found[columns, rows] = holm(p[rows, columns])
    return found


def _cross_check(cell: Sample | None, count: int) -> Floats:
    """Williams' or McNemar's p of all pairs of metrics; NaN where neither applies."""
    found = np.full((count, count), np.nan)
    if cell is None or cell.statistic not in TESTS:
        return found
    there = np.repeat(cell.present, cell.unit) > 0
    scores, n = cell.scores[:, there], int(there.sum())
    if cell.statistic == "pair_accuracy":
        right = scores[:, 1::2] > scores[:, 0::2]
    elif n < 4:
        return found
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            between = np.atleast_2d(np.clip(np.corrcoef(rescaled(scores)), -1, 1))
    for i, j in zip(*np.triu_indices(count, 1), strict=True):
        if cell.statistic == "pair_accuracy":
            p = mcnemar(int((right[i] & ~right[j]).sum()), int((right[j] & ~right[i]).sum()))
        elif np.isnan([cell.values[i], cell.values[j], between[i, j]]).any():
            continue
        else:
            p = williams(cell.values[i], cell.values[j], between[i, j], n).p
        found[i, j] = found[j, i] = p
    return found


def comparison_tables(found: Comparison, partial: Sequence[Comparison] = ()) -> list[Table]:
    """A line per difference, and the ranking with its clusters; then what has missing pairs.

    Args:
        partial: comparisons with metrics that have missing pairs (`compare_incomplete`).
    """
    draws = found.draws
    notes = (
        f"p: PERM-BOTH, {draws.permutations:,} permutations; 95 %: joint bootstrap, "
        f"{draws.resamples:,} resamples; seed {draws.seed}.",
        "p Holm: corrected for all pairs of metrics of a column. "
        "check: Williams' test, or McNemar's exact test for pair accuracy.",
    )
    title = f"Differences, protocol {found.protocol} (x 100)"
    lines, rules = [], []
    for column in found.columns:
        lines += _differences(column, found.metrics)
        rules.append(len(lines))
    heads = ("column", "a", "b", "value a", "value b", "a - b", "95 %", "p", "p Holm", "check")
    tables = [Table(title, heads, tuple(lines), notes=notes, rules=tuple(rules)), ranking(found)]
    if not found.incomplete:
        return tables
    lines, rules = [], []
    for one in partial:
        for column in one.columns:
            ((name, *rest, _, check),) = _differences(column, one.metrics)
            lines.append((name, column.pairs, *rest, check))
        rules.append(len(lines))
    missing = [f"{name}: {sum(by.values()):,}" for name, by in found.incomplete.items()]
    notes = (
        f"Missing pairs: {'; '.join(missing)}. These metrics are neither ranked nor in the table "
        "of differences.",
        "Both values rest on the pairs that both metrics have a score for. p is not corrected.",
    )
    heads = ("column", "pairs", *heads[1:8], "check")
    title = f"Differences to metrics with missing pairs, protocol {found.protocol} (x 100)"
    return [*tables, Table(title, heads, tuple(lines), notes=notes, rules=tuple(rules))]


def _differences(column: Column, metrics: Sequence[str]) -> list[tuple[Any, ...]]:
    """A line per pair of metrics."""
    lines: list[tuple[Any, ...]] = []
    for i, j in itertools.combinations(range(len(metrics)), 2):
        low, high = column.bounds[i, j]
        lines.append(
            (
                column.name.replace("_", " "),
                metrics[i],
                metrics[j],
                *[_or_none(v) for v in (column.values[i], column.values[j])],
                _or_none(column.differences[i, j]),
                _interval(low, high),
                *[_p(v[i, j]) for v in (column.p, column.p_holm, column.check)],
            )
        )
    return lines


def ranking(found: Comparison) -> Table:
    """The metrics from best to worst; those of one cluster cannot be told apart. Metrics without
    a value come last.
    """
    column = found.ranking
    rows = [
        (
            found.metrics[k],
            int(column.cluster[k]) or None,
            _or_none(column.values[k]),
            _interval(*column.intervals[k]),
        )
        for k in np.argsort(-column.values, kind="stable")
    ]
    name = column.name.replace("_", " ")
    level = f"{100 * found.draws.level:g} %"
    notes = (f"Metrics of one cluster are not told apart at the {level} level (Holm).",)
    return Table(f"Ranking by {name}", ("metric", "cluster", name, "95 %"), tuple(rows), 2, notes)


def _interval(low: float, high: float) -> str:
    return "–" if np.isnan(low) else f"{low:.2f} .. {high:.2f}"


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _p(value: float) -> str:
    return f"{value:.4f}" if np.isfinite(value) else "–"
