"""Metrics against each other: which differences of which statistics are real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamboo.config import BENCHMARK
from bamboo.datasets import PARTITIONS
from bamboo.documents import plain
from bamboo.errors import ConfigError
from bamboo.protocols import Protocol, rescaled
from bamboo.run import Place, Scored
from bamboo.significance import (
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
from bamboo.tables import Table
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
        if not 0 < self.level < 1:
            raise ConfigError(f"level={self.level}: a level lies between 0 and 1")


@dataclass(frozen=True, eq=False)
class Column:
    """All metrics on one statistic: a cell's, or the mean over the twelve (``amean``).

    Attributes:
        name: as in the published tables: ``main_sts`` ... ``arg_para``, ``amean``.
        statistic: ``pearson``, ``spearman``, ``pair_accuracy`` or ``amean``.
        pairs: how many pairs every metric has a score for.
        values: (metrics,), times 100; of those pairs.
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
    """Metrics compared under one protocol."""

    protocol: str
    metrics: tuple[str, ...]
    columns: tuple[Column, ...]
    draws: Draws

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
            **{name: getattr(self.draws, name) for name in Draws.__dataclass_fields__},
            "best": {name: list(metrics) for name, metrics in self.best().items()},
            "columns": [
                plain({name: getattr(column, name) for name in Column.__dataclass_fields__})
                for column in self.columns
            ],
        }


def compare(
    names: Sequence[str],
    places: Sequence[Place],
    scored: Scored,
    protocol: Protocol,
    draws: Draws,
) -> Comparison:
    """Compare metrics, at least one, on the places they were scored on.

    Pairs that a metric has no score for count for none of them.

    Raises:
        StatisticsError: places with too few pairs.
    """
    samples = {_column_name(place): sample(names, place, scored, protocol) for place in places}
    resampled = joint_bootstrap(samples, draws.resamples, draws.seed)
    tested = perm_both(samples, draws.permutations, draws.seed)
    values = {name: cell.values for name, cell in samples.items()}
    order = [f"{p}_{d}" for p in PARTITIONS for d in BENCHMARK]
    columns = sorted(samples, key=lambda name: order.index(name) if name in order else 99)
    if set(order) == set(samples):
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
                check=_cross_check(cell, len(names)),
                cluster=clusters(values[name], p_holm, draws.level),
            )
        )
    return Comparison(protocol.name, tuple(names), tuple(found), draws)


def best_of_columns(
    names: Sequence[str],
    places: Sequence[Place],
    scored: Scored,
    protocol: Protocol,
    draws: Draws,
) -> dict[str, tuple[str, ...]]:
    """By column the metrics that are not significantly worse than its best, best first.

    As `Comparison.best`, without all else that `compare` works out.
    """
    samples = {_column_name(place): sample(names, place, scored, protocol) for place in places}
    tested = perm_both(samples, draws.permutations, draws.seed)
    values = {name: cell.values for name, cell in samples.items()}
    values[MEAN] = mean_of(values)
    return {
        column: tuple(
            names[k] for k in best_cluster(values[column], _corrected(test.p), draws.level)
        )
        for column, test in tested.items()
    }


def sample(names: Sequence[str], place: Place, scored: Scored, protocol: Protocol) -> Sample:
    """The metrics' scores of one place; places with the same pairs share their draws."""
    cells = [scored[name, place] for name in names]
    numbers = cells[0].numbers
    first = int(numbers[0]) if len(numbers) else 0
    return Sample(
        protocol.of(place.partition),
        np.stack([cell.scores.values for cell in cells]),
        cells[0].ratings,
        place.unit,
        f"{place.dataset.name} {place.split} {place.unit} {first} {len(numbers)}",
    )


def _column_name(place: Place) -> str:
    return f"{place.partition}_{place.dataset.name}"


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


def comparison_tables(found: Comparison) -> list[Table]:
    """A line a difference, and the ranking with its clusters."""
    lines: list[tuple[Any, ...]] = []
    rules = []
    for column in found.columns:
        for i, j in zip(*np.triu_indices(len(found.metrics), 1), strict=True):
            low, high = column.bounds[i, j]
            lines.append(
                (
                    column.name.replace("_", " "),
                    found.metrics[i],
                    found.metrics[j],
                    *[_or_none(v) for v in (column.values[i], column.values[j])],
                    _or_none(column.differences[i, j]),
                    "–" if np.isnan(low) else f"{low:.2f} .. {high:.2f}",
                    *[_p(v[i, j]) for v in (column.p, column.p_holm, column.check)],
                )
            )
        rules.append(len(lines))
    heads = ("column", "a", "b", "value a", "value b", "a - b", "95 %", "p", "p Holm", "check")
    draws = found.draws
    notes = (
        f"p: PERM-BOTH, {draws.permutations:,} permutations; 95 %: joint bootstrap, "
        f"{draws.resamples:,} resamples; seed {draws.seed}.",
        "p Holm: corrected for all pairs of metrics of a column. "
        "check: Williams' test, or McNemar's exact test for pair accuracy.",
    )
    title = f"Differences, protocol {found.protocol} (x 100)"
    return [Table(title, heads, tuple(lines), notes=notes, rules=tuple(rules)), ranking(found)]


def ranking(found: Comparison) -> Table:
    """The metrics from best to worst; those of one cluster cannot be told apart."""
    column = found.ranking
    rows = [
        (
            found.metrics[k],
            int(column.cluster[k]),
            float(column.values[k]),
            f"{column.intervals[k, 0]:.2f} .. {column.intervals[k, 1]:.2f}",
        )
        for k in np.argsort(-column.values, kind="stable")
        if np.isfinite(column.values[k])
    ]
    name = column.name.replace("_", " ")
    level = f"{100 * found.draws.level:g} %"
    notes = (f"Metrics of one cluster are not told apart at the {level} level (Holm).",)
    return Table(f"Ranking by {name}", ("metric", "cluster", name, "95 %"), tuple(rows), 2, notes)


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _p(value: float) -> str:
    return f"{value:.4f}" if np.isfinite(value) else "–"
