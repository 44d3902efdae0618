"""Pairwise comparison of metrics: differences, intervals, significance and ranking."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from amr_metrics.types import Ints
from amr_metrics.version import VERSION
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.display.table import LEVEL, Display, Table
from bamboo.engines import SERIAL, Engine
from bamboo.files import plain
from bamboo.results.cache import ScoredCells
from bamboo.results.clusters import Clusters
from bamboo.results.columns import Column, columns_of
from bamboo.results.evaluate import cell_sample
from bamboo.results.missing import Unreadable, missing_pairs
from bamboo.results.result_table import resampling_note
from bamboo.statistics.permutation import perm_both
from bamboo.statistics.ranking import not_worse_than_best, rank_ranges
from bamboo.statistics.resampling import METHODS, Method, Significance
from bamboo.statistics.sample import MEAN, Sample, mean_of

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
HEADINGS = (
    *("column", "a", "b", "value a", "value b", "a - b", LEVEL, "detectable"),
    *("p", "p adj.", "check"),
)
CHECKS = {
    True: "check: Williams' test, or McNemar's exact test for pair accuracy.",
    False: "check: not computed where pairs share sentences, because Williams' and McNemar's tests "
    "assume independent pairs.",
}


class MetricDifference(NamedTuple):
    """The difference between two metrics in a column, see `Comparison.to_frame`."""

    column: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    detectable: float
    p: float
    p_adjusted: float
    check: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Display):
    """Metrics compared under one protocol.

    Attributes:
        metrics: the metrics compared: those with a score for every pair that can be read.
        columns: the cells, and if there are several, their mean.
        is_clustered: whether pairs that share sentences are drawn and swapped together.
        incomplete: the other metrics, each with its number of missing pairs by column. They are
            not compared, so that a metric's results never depend on another's missing pairs.
        notes: further notes below the ranking.
        problems: pairs that could not be read or scored.
        cache: how many cells were scored, and how many of them came from the cache.
        folder: the folder of the run.
    """

    protocol: str
    metrics: tuple[str, ...]
    columns: tuple[Column, ...]
    settings: Significance
    is_clustered: bool = False
    incomplete: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problems: tuple[Mapping[str, Any], ...] = ()
    cache: Mapping[str, int] = field(default_factory=dict)
    folder: Path = Path()

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def ranking(self) -> Column:
        """The column that metrics are ranked by: the mean over the cells, or the only cell."""
        return self.columns[-1]

    @property
    def resample(self) -> Method:
        """How intervals are computed; of several methods, that of the mean."""
        return max((column.resample for column in self.columns), key=[*METHODS].index)

    def best(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics of each column that are not significantly worse than its best."""
        return {
            column.name: tuple(
                self.metrics[k]
                for k in not_worse_than_best(column.values, column.p_adjusted, self.settings.level)
            )
            for column in self.columns
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the differences as a data frame: one row per column and pair of metrics.

        Columns: column, a, b; value_a, value_b, difference (a minus b), low and high (the 95 %
        interval of the difference) and detectable, all times 100; p, p_adjusted, and check (see
        `Column`); NaN where a number does not exist.
        """
        import pandas as pd  # slow to import

        return pd.DataFrame(self._list_differences(), columns=MetricDifference._fields)

    def _list_differences(self) -> list[MetricDifference]:
        return [
            MetricDifference(
                column.name,
                self.metrics[i],
                self.metrics[j],
                float(column.values[i]),
                float(column.values[j]),
                float(column.differences[i, j]),
                float(column.bounds[i, j, 0]),
                float(column.bounds[i, j, 1]),
                float(column.detectable[i, j]),
                float(column.p[i, j]),
                float(column.p_adjusted[i, j]),
                float(column.check[i, j]),
            )
            for column in self.columns
            for i, j in itertools.combinations(range(len(self.metrics)), 2)
        ]

    def tables(self) -> list[Table]:
        """Return the tables of all differences and of the ranking."""
        return [self._differences(), self._ranking()]

    def _differences(self) -> Table:
        settings = self.settings
        methods = {column.name.replace("_", " "): column.resample for column in self.columns}
        notes = [
            resampling_note(methods),
            f"p: PERM-BOTH, {settings.permutations:,} permutations; joint bootstrap, "
            f"{settings.resamples:,} resamples; seed {settings.seed}. p adj.: corrected for all "
            f"pairs of metrics in a column (min-p). {CHECKS[not self.is_clustered]}",
            "detectable: the difference found with 80 % power, 2.8 times its standard error.",
        ]
        if self.incomplete:
            missing = [f"{name}: {sum(by.values()):,}" for name, by in self.incomplete.items()]
            notes.append(f"Not compared, because pairs are missing: {'; '.join(missing)}.")
        body = [
            (
                *(row.column.replace("_", " "), row.a, row.b, row.value_a, row.value_b),
                *(row.difference, (row.low, row.high), row.detectable),
                *(row.p, row.p_adjusted, row.check),
            )
            for row in self._list_differences()
        ]
        count = len(self.metrics) * (len(self.metrics) - 1) // 2
        return Table(
            f"Differences, protocol {self.protocol} (x 100)",
            HEADINGS,
            tuple(body),
            digits=(2,) * 8 + (4,) * 3,
            notes=tuple(notes),
            rules=tuple(range(count, len(body) + 1, count)) if body else (),
        )

    def _ranking(self) -> Table:
        """Return the metrics with their ranks, best first; those without a value come last."""
        column = self.ranking
        body = [
            (
                self.metrics[k],
                rank_text(column.ranks[k]),
                float(column.values[k]),
                tuple(column.intervals[k].tolist()),
            )
            for k in np.argsort(-column.values, kind="stable")
        ]
        name = column.name.replace("_", " ")
        level = f"{100 * self.settings.level:g} %"
        explanation = (
            "rank: the places of the best and the worst metric that do not differ significantly "
            f"from it ({level} level, corrected for all pairs)."
        )
        heads = ("metric", "rank", name, LEVEL)
        return Table(f"Ranking by {name}", heads, tuple(body), notes=(explanation, *self.notes))

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values; None where a number does not exist."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "protocol": self.protocol,
            "metrics": list(self.metrics),
            "incomplete": {name: dict(missing) for name, missing in self.incomplete.items()},
            "resample": self.resample,
            "resamples": self.settings.resamples,
            "permutations": self.settings.permutations,
            "seed": self.settings.seed,
            "level": self.settings.level,
            "best": {name: list(metrics) for name, metrics in self.best().items()},
            "columns": [
                plain({field.name: getattr(column, field.name) for field in fields(Column)})
                for column in self.columns
            ],
            "cache": dict(self.cache),
            "problems": [dict(problem) for problem in self.problems],
        }


def rank_text(ranks: Ints) -> str | None:
    """Return a range of ranks as text; None for a metric without a value.

    >>> rank_text(np.array([2, 4])), rank_text(np.array([1, 1]))
    ('2-4', '1')
    """
    best, worst = ranks.tolist()
    return (f"{best}" if best == worst else f"{best}-{worst}") if best else None


def compare(
    names: Sequence[str],
    cells: Sequence[Cell],
    scored: ScoredCells,
    protocol: Protocol,
    settings: Significance,
    unreadable: Unreadable = MappingProxyType({}),
    engine: Engine = SERIAL,
    clusters: Clusters = MappingProxyType({}),
) -> Comparison:
    """Compare the metrics that have a score for every pair.

    Args:
        unreadable: pairs that are ignored for all metrics (`unreadable_pairs`).
        engine: where permutations are evaluated.
        clusters: of the pairs that are drawn together, see `clusters_of`.

    Raises:
        StatisticsError: cells with too few pairs.
    """
    incomplete = missing_pairs(names, cells, scored, unreadable)
    complete = [name for name in names if name not in incomplete]
    samples = {
        cell.column: _sample(complete, cell, scored, protocol, unreadable.get(cell, ()), clusters)
        for cell in cells
    }
    columns = columns_of(samples, settings, engine)
    is_clustered = any(sample.is_clustered for sample in samples.values())
    return Comparison(protocol.name, tuple(complete), columns, settings, is_clustered, incomplete)


def best_of_columns(
    names: Sequence[str],
    cells: Sequence[Cell],
    scored: ScoredCells,
    protocol: Protocol,
    settings: Significance,
    engine: Engine = SERIAL,
    clusters: Clusters = MappingProxyType({}),
) -> tuple[dict[str, tuple[str, ...]], dict[str, str | None]]:
    """Return what `Comparison` has of them, without computing the rest of `compare`.

    Metrics with missing pairs are excluded.

    Returns:
        for each column, the metrics not significantly worse than the best, best first
        (`Comparison.best`); and the rank of each metric by the mean of the twelve cells.
    """
    incomplete = missing_pairs(names, cells, scored, {})
    names = [name for name in names if name not in incomplete]
    if not names:
        return {}, {}
    samples = {cell.column: _sample(names, cell, scored, protocol, (), clusters) for cell in cells}
    tested = perm_both(samples, settings.permutations, settings.seed, engine)
    values = {name: cell.values for name, cell in samples.items()}
    values[MEAN] = mean_of(values)
    p_adjusted = {column: test.p_adjusted for column, test in tested.items()}
    best = {
        column: tuple(names[k] for k in not_worse_than_best(values[column], p, settings.level))
        for column, p in p_adjusted.items()
    }
    ranks = rank_ranges(values[MEAN], p_adjusted[MEAN], settings.level)
    return best, dict(zip(names, map(rank_text, ranks), strict=True))


def _sample(
    names: Sequence[str],
    cell: Cell,
    scored: ScoredCells,
    protocol: Protocol,
    unreadable: Collection[int],
    clusters: Clusters,
) -> Sample:
    """Return the metrics' scores of one cell; cells with the same pairs share random draws."""
    pairs = next(one for (_, other), one in scored.items() if other == cell)
    scores = [scored[name, cell].scores.values for name in names]
    return cell_sample(cell, scores, pairs, protocol, unreadable, clusters)
