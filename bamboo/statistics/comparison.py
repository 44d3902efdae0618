"""Pairwise comparison of metrics: differences, intervals, significance and ranking."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.documents import plain
from bamboo.engines import SERIAL, Engine
from bamboo.running.cache import Scored
from bamboo.running.missing import Unreadable, missing_pairs
from bamboo.statistics import (
    MEAN,
    Sample,
    best_cluster,
    mean_of,
    perm_both,
)
from bamboo.statistics.cells import cell_sample
from bamboo.statistics.columns import Column, columns_of, corrected
from bamboo.statistics.resampling import Significance
from bamboo.tables.display import Display
from bamboo.tables.model import Table
from metrics.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
FRAME_COLUMNS = (
    *("column", "a", "b", "value_a", "value_b", "difference", "low", "high"),
    *("p", "p_holm", "check"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Display):
    """Metrics compared under one protocol.

    Attributes:
        metrics: the metrics compared: those with a score for every pair that can be read.
        incomplete: the other metrics, each with its number of missing pairs by column. They are
            not compared, so that a metric's results never depend on another's missing pairs.
    """

    protocol: str
    metrics: tuple[str, ...]
    columns: tuple[Column, ...]
    settings: Significance
    incomplete: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def tables(self) -> list[Table]:
        """All differences, and the ranking."""
        return comparison_tables(self)

    def to_frame(self) -> pd.DataFrame:
        """The differences as a data frame: one row per column and pair of metrics.

        Columns: column, a, b; value_a, value_b, difference (a minus b), low and high (the 95 %
        interval of the difference), all times 100; p, p_holm, and check (see `Column`); NaN where
        a number does not exist.
        """
        import pandas as pd  # slow to import, and needed only here

        rows = []
        for column in self.columns:
            for i, j in itertools.combinations(range(len(self.metrics)), 2):
                rows.append(
                    (
                        *(column.name, self.metrics[i], self.metrics[j]),
                        *(column.values[i], column.values[j], column.differences[i, j]),
                        *column.bounds[i, j],
                        *(column.p[i, j], column.p_holm[i, j], column.check[i, j]),
                    )
                )
        return pd.DataFrame(rows, columns=list(FRAME_COLUMNS))

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def ranking(self) -> Column:
        """The column that metrics are ranked by: the mean if there is one, else the first cell."""
        return next((column for column in self.columns if column.name == MEAN), self.columns[0])

    def best(self) -> dict[str, tuple[str, ...]]:
        """For each column, the metrics not significantly worse than the best, best first."""
        return {
            column.name: tuple(
                self.metrics[k]
                for k in best_cluster(column.values, column.p_holm, self.settings.level)
            )
            for column in self.columns
        }

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON values; None where a number does not exist."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "protocol": self.protocol,
            "metrics": list(self.metrics),
            "incomplete": {name: dict(missing) for name, missing in self.incomplete.items()},
            "resamples": self.settings.resamples,
            "permutations": self.settings.permutations,
            "seed": self.settings.seed,
            "level": self.settings.level,
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
    settings: Significance,
    unreadable: Unreadable = MappingProxyType({}),
    engine: Engine = SERIAL,
) -> Comparison:
    """Compare the metrics that have a score for every pair.

    Args:
        unreadable: pairs that are ignored for all metrics (`unreadable_pairs`).
        engine: where permutations are evaluated.

    Raises:
        StatisticsError: cells with too few pairs.
    """
    incomplete = missing_pairs(names, cells, scored, unreadable)
    complete = [name for name in names if name not in incomplete]
    samples = {
        cell.column: sample(complete, cell, scored, protocol, unreadable.get(cell, ()))
        for cell in cells
    }
    return Comparison(
        protocol.name, tuple(complete), columns_of(samples, settings, engine), settings, incomplete
    )


def best_of_columns(
    names: Sequence[str],
    cells: Sequence[Cell],
    scored: Scored,
    protocol: Protocol,
    settings: Significance,
    engine: Engine = SERIAL,
) -> dict[str, tuple[str, ...]]:
    """For each column, the metrics not significantly worse than the best, best first.

    The same as `Comparison.best`, without computing the rest of `compare`. Metrics with missing
    pairs are excluded.
    """
    incomplete = missing_pairs(names, cells, scored, {})
    names = [name for name in names if name not in incomplete]
    if not names:
        return {}
    samples = {cell.column: sample(names, cell, scored, protocol) for cell in cells}
    tested = perm_both(samples, settings.permutations, settings.seed, engine)
    values = {name: cell.values for name, cell in samples.items()}
    values[MEAN] = mean_of(values)
    return {
        column: tuple(
            names[k] for k in best_cluster(values[column], corrected(test.p), settings.level)
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
    """The metrics' scores of one cell; cells with the same pairs share their random draws."""
    known = next(one for (_, other), one in scored.items() if other == cell)
    scores = [scored[name, cell].scores.values for name in names]
    return cell_sample(cell, scores, known, protocol, unreadable)


def comparison_tables(comparison: Comparison) -> list[Table]:
    """All differences, and the ranking."""
    settings = comparison.settings
    missing = [f"{name}: {sum(by.values()):,}" for name, by in comparison.incomplete.items()]
    notes = [
        f"p: PERM-BOTH, {settings.permutations:,} permutations; 95 %: joint bootstrap, "
        f"{settings.resamples:,} resamples; seed {settings.seed}.",
        "p Holm: corrected for all pairs of metrics in a column. "
        "check: Williams' test, or McNemar's exact test for pair accuracy.",
        *([f"Not compared, because pairs are missing: {'; '.join(missing)}."] if missing else []),
    ]
    title = f"Differences, protocol {comparison.protocol} (x 100)"
    lines, rules = [], []
    for column in comparison.columns:
        lines += _differences(column, comparison.metrics)
        rules.append(len(lines))
    heads = ("column", "a", "b", "value a", "value b", "a - b", "95 %", "p", "p Holm", "check")
    return [
        Table(title, heads, tuple(lines), notes=tuple(notes), rules=tuple(rules)),
        ranking(comparison),
    ]


def _differences(column: Column, metrics: Sequence[str]) -> list[tuple[Any, ...]]:
    """One row per pair of metrics."""
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


def ranking(comparison: Comparison) -> Table:
    """The metrics with their clusters, from best to worst; metrics without a value come last."""
    column = comparison.ranking
    rows = [
        (
            comparison.metrics[k],
            int(column.cluster[k]) or None,
            _or_none(column.values[k]),
            _interval(*column.intervals[k]),
        )
        for k in np.argsort(-column.values, kind="stable")
    ]
    name = column.name.replace("_", " ")
    level = f"{100 * comparison.settings.level:g} %"
    notes = (f"Metrics in one cluster do not differ significantly ({level} level, Holm).",)
    return Table(f"Ranking by {name}", ("metric", "cluster", name, "95 %"), tuple(rows), 2, notes)


def _interval(low: float, high: float) -> str:
    return "–" if np.isnan(low) else f"{low:.2f} .. {high:.2f}"


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _p(value: float) -> str:
    return f"{value:.4f}" if np.isfinite(value) else "–"
