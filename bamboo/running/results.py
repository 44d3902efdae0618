"""The results of a run: cells, rows, and their JSON form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from bamboo.benchmark.cells import cell_order
from bamboo.benchmark.protocols import amean, hmean
from bamboo.config.columns import TWELVE
from bamboo.pairs.problems import Problem
from bamboo.running.coverage import Coverage
from metrics.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1

# The columns of `Result.to_frame`, and their types.
FRAME_COLUMNS = {
    **dict.fromkeys(("metric", "dataset", "partition", "split", "statistic"), "str"),
    "pairs": "int64",
    **dict.fromkeys(("value", "low", "high", "published", "difference"), "float64"),
    **dict.fromkeys(("missing", "empty"), "int64"),
    "unproven": "Int64",
    "source": "str",
    "seconds": "float64",
    "cached": "boolean",
}


@dataclass(frozen=True)
class CellResult:
    """One statistic of one metric on one `bamboo.benchmark.cells.Cell`.

    Attributes:
        value: times 100; None if it is undefined (constant scores).
        n: number of pairs it is computed from; missing: pairs without a score.
        seconds: time spent scoring.
        published: the published value, times 100, or None.
        interval: bootstrap interval, times 100, or None.
        unproven: pairs whose alignment is not proven optimal, or None without an alignment.
        source: the origin of the partition: ``released``, ``built`` or ``local``
            (`bamboo.benchmark.datasets.Dataset.source`).
        empty: pairs that could not be read or scored and count as if the first graph were empty.
        coverage: how many nodes have a word vector, or None for a metric without vectors.
        cached: whether the scores come from the cache; None if unknown.
    """

    dataset: str
    partition: str
    split: str
    statistic: str
    value: float | None
    n: int
    missing: int
    seconds: float
    published: float | None
    interval: tuple[float, float] | None = None
    unproven: int | None = None
    source: str = "released"
    empty: int = 0
    coverage: Coverage | None = None
    cached: bool | None = None

    @property
    def difference(self) -> float | None:
        """Measured minus published."""
        if self.value is None or self.published is None:
            return None
        return self.value - self.published


@dataclass(frozen=True)
class Mean:
    """A mean over cells of one metric.

    Attributes:
        name: ``amean`` or ``hmean``, over the benchmark's twelve cells, or ``mean of 4 cells``.
        value: times 100.
        published: the published value, times 100, or None.
        interval: bootstrap interval, times 100, or None.
    """

    name: str
    value: float
    published: float | None = None
    interval: tuple[float, float] | None = None

    @property
    def difference(self) -> float | None:
        """Measured minus published."""
        return None if self.published is None else self.value - self.published


@dataclass(frozen=True)
class Row:
    """One metric's cells.

    Attributes:
        metric: the row's label: the metric and its options that differ from the defaults.
        signature: what its scores depend on.
        published_amean, published_hmean: only if all twelve cells have a published value.
        notes: further information, such as values published for other options.
        intervals: bootstrap intervals of arithmetic means, times 100, by the name of the mean.
    """

    metric: str
    signature: str
    cells: tuple[CellResult, ...]
    published_amean: float | None = None
    published_hmean: float | None = None
    notes: tuple[str, ...] = ()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def twelve(self) -> list[float] | None:
        """The values of the benchmark's twelve cells, if all of them exist."""
        values = {(cell.dataset, cell.partition): cell.value for cell in self.cells}
        known = [value for cell in TWELVE if (value := values.get(cell)) is not None]
        return known if len(known) == len(TWELVE) else None

    @property
    def amean(self) -> float | None:
        """Arithmetic mean of the twelve cells, if all exist."""
        return None if self.twelve is None else amean(self.twelve)

    @property
    def hmean(self) -> float | None:
        """Harmonic mean of the twelve cells, if all exist and are positive."""
        if self.twelve is None or math.isnan(value := hmean(self.twelve)):
            return None
        return value

    @property
    def means(self) -> tuple[Mean, ...]:
        """The means over the row's cells.

        These are amean and hmean if there are the benchmark's twelve cells, and the arithmetic mean
        over all cells if there are others or fewer. A mean over cells exists only if every one of
        them has a value.
        """
        means = []
        if self.amean is not None:
            interval = self.intervals.get("amean")
            means.append(Mean("amean", self.amean, self.published_amean, interval))
        if self.hmean is not None:
            means.append(Mean("hmean", self.hmean, self.published_hmean))
        values = [cell.value for cell in self.cells if cell.value is not None]
        only_twelve = self.twelve is not None and len(self.cells) == len(TWELVE)
        if len(values) == len(self.cells) > 1 and not only_twelve:
            name = mean_name(len(values))
            means.append(Mean(name, amean(values), None, self.intervals.get(name)))
        return tuple(means)


def mean_name(cells: int) -> str:
    """The name of the arithmetic mean over cells that are not the benchmark's twelve.

    >>> mean_name(4)
    'mean of 4 cells'
    """
    return f"mean of {cells} cells"


@dataclass(frozen=True)
class Unscored:
    """A pair that a metric could not read or score, by the benchmark's number, and why."""

    metric: str
    dataset: str
    partition: str
    split: str
    pair: int
    problem: Problem

    def to_json(self) -> dict[str, Any]:
        """All fields as plain values, including those of the problem."""
        names = ("metric", "dataset", "partition", "split", "pair")
        return {**{name: getattr(self, name) for name in names}, **self.problem.to_json()}


@dataclass(frozen=True)
class CacheShare:
    """How many of a result's cells come from the cache.

    >>> str(CacheShare(12, 8))
    '8 of 12 cells from cache'
    """

    cells: int
    from_cache: int

    def __str__(self) -> str:
        return f"{self.from_cache} of {self.cells} cells from cache"


@dataclass(frozen=True)
class Result:
    """All rows of a run, and the pairs that could not be read or scored.

    Attributes:
        notes: notes on all rows.
        data: SHA-256 of the data of each cell, by ``data set partition split``.
    """

    protocol: str
    rows: tuple[Row, ...]
    problems: tuple[Unscored, ...] = ()
    notes: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)

    @property
    def cache(self) -> CacheShare:
        """How many cells come from the cache, among those for which this is known."""
        known = [c.cached for row in self.rows for c in row.cells if c.cached is not None]
        return CacheShare(len(known), sum(known))

    def to_frame(self) -> pd.DataFrame:
        """The result as a data frame: one row per metric and cell, in the order of the table.

        Columns: metric, dataset, partition, split, statistic; pairs (the number of pairs that the
        statistic uses), value (times 100; NaN if it is undefined), low and high (the
        bootstrap interval, times 100; NaN without one), published and difference (times 100; NaN
        where nothing is published), missing, empty, unproven (missing for a metric without an
        alignment), source, seconds and cached. See `CellResult`. The means over cells are not among
        the rows: they are `Row.means`.

        >>> cell = CellResult("sts", "main", "test", "pearson", 58.5, 1379, 0, 0.1, 58.25)
        >>> frame = Result("paper", (Row("smatch", "", (cell,)),)).to_frame()
        >>> frame.set_index("metric")[["dataset", "value", "difference"]].to_dict("index")
        {'smatch': {'dataset': 'sts', 'value': 58.5, 'difference': 0.25}}
        """
        import pandas as pd  # slow to import, and needed only here

        rows = [
            (
                *(row.metric, cell.dataset, cell.partition, cell.split, cell.statistic),
                *(cell.n, cell.value, *(cell.interval or (None, None))),
                *(cell.published, cell.difference, cell.missing, cell.empty, cell.unproven),
                *(cell.source, cell.seconds, cell.cached),
            )
            for row in self.rows
            for cell in row.cells
        ]
        return pd.DataFrame(rows, columns=list(FRAME_COLUMNS)).astype(FRAME_COLUMNS)

    def to_json(self) -> dict[str, Any]:
        """The result as plain values, in the schema of ``result.json``."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "protocol": self.protocol,
            "rows": [
                {
                    "metric": row.metric,
                    "signature": row.signature,
                    "cells": [_cell_json(cell) for cell in row.cells],
                    "amean": row.amean,
                    "hmean": row.hmean,
                    "published_amean": row.published_amean,
                    "published_hmean": row.published_hmean,
                    **_means_json(row),
                    "notes": list(row.notes),
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
            "problems": [problem.to_json() for problem in self.problems],
            **({"cache": asdict(self.cache)} if self.cache.cells else {}),
        }


def _means_json(row: Row) -> dict[str, Any]:
    """The mean over cells that are not the twelve, and the intervals of means, if any."""
    document: dict[str, Any] = {}
    for mean in row.means:
        if mean.name not in ("amean", "hmean"):
            document["mean"] = {"cells": len(row.cells), "value": mean.value}
    if row.intervals:
        document["intervals"] = {name: list(bounds) for name, bounds in row.intervals.items()}
    return document


def _cell_json(cell: CellResult) -> dict[str, Any]:
    names = ("dataset", "partition", "split", "statistic", "value", "n", "missing", "seconds")
    plain = {name: getattr(cell, name) for name in (*names, "published", "source")}
    if cell.interval is not None:
        plain["interval"] = list(cell.interval)
    if cell.unproven is not None:
        plain["unproven"] = cell.unproven
    if cell.empty:
        plain["empty"] = cell.empty
    if cell.coverage is not None:
        plain["coverage"] = cell.coverage.to_json()
    if cell.cached is not None:
        plain["cached"] = cell.cached
    return plain


def in_order(results: Iterable[CellResult]) -> tuple[CellResult, ...]:
    """Results by partition, then data set, in the papers' order; others come last."""
    return tuple(sorted(results, key=lambda cell: cell_order(cell.dataset, cell.partition)))
