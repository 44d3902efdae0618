"""What a run found: cells, rows, and the file that holds them."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from bamboo.config import BENCHMARK
from bamboo.datasets import PARTITIONS
from bamboo.paths import resource
from bamboo.protocols import amean, hmean
from metrics.version import VERSION

SCHEMA = 1


@dataclass(frozen=True)
class Cell:
    """One statistic of one metric on one partition's split.

    Attributes:
        value: times 100; None if it does not exist (constant scores).
        n: pairs it rests on; missing: pairs without a score.
        seconds: time spent scoring.
        published: the published value, times 100, or None.
        interval: bootstrap interval, times 100, or None.
        unproven: pairs whose alignment is not proven optimal, or None without an alignment.
        cached: whether the scores come from the cache, or None where that is not known.
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
    cached: bool | None = None

    @property
    def difference(self) -> float | None:
        """Measured less published."""
        if self.value is None or self.published is None:
            return None
        return self.value - self.published


@dataclass(frozen=True)
class Row:
    """One metric's cells."""

    metric: str
    signature: str
    cells: tuple[Cell, ...]
    published_amean: float | None = None
    published_hmean: float | None = None

    @property
    def twelve(self) -> list[float] | None:
        """The values of the benchmark's twelve cells, if all are there and have one."""
        values = {(c.dataset, c.partition): c.value for c in self.cells}
        found = [values.get((d, p)) for p in PARTITIONS for d in BENCHMARK]
        whole = [value for value in found if value is not None]
        return whole if len(whole) == len(found) else None

    @property
    def amean(self) -> float | None:
        """Arithmetic mean of the twelve cells, if all are there."""
        return None if self.twelve is None else amean(self.twelve)

    @property
    def hmean(self) -> float | None:
        """Harmonic mean of the twelve cells, if all are there and positive."""
        if self.twelve is None or math.isnan(value := hmean(self.twelve)):
            return None
        return value


@dataclass(frozen=True)
class Missing:
    """A pair without a score, by the benchmark's number, and why."""

    metric: str
    dataset: str
    partition: str
    split: str
    pair: int
    reason: str


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
    """All rows of a run, and the pairs that are missing in them."""

    protocol: str
    rows: tuple[Row, ...]
    missing: tuple[Missing, ...] = ()

    @property
    def cache(self) -> CacheShare:
        """How many of the cells of which that is known come from the cache."""
        known = [c.cached for row in self.rows for c in row.cells if c.cached is not None]
        return CacheShare(len(known), sum(known))

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
                }
                for row in self.rows
            ],
            "missing": [asdict(missing) for missing in self.missing],
            **({"cache": asdict(self.cache)} if self.cache.cells else {}),
        }


def _cell_json(cell: Cell) -> dict[str, Any]:
    names = ("dataset", "partition", "split", "statistic", "value", "n", "missing", "seconds")
    plain = {name: getattr(cell, name) for name in (*names, "published")}
    if cell.interval is not None:
        plain["interval"] = list(cell.interval)
    if cell.unproven is not None:
        plain["unproven"] = cell.unproven
    if cell.cached is not None:
        plain["cached"] = cell.cached
    return plain


@cache
def published_table(file: str) -> Mapping[str, Mapping[str, float]]:
    """A published table of ``data/published``: the numbers of each metric by column.

    >>> published_table("table4.csv")["smatch"]["main_sts"]
    58.45
    """
    with (resource("data") / "published" / file).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {row["metric"]: _numbers(row) for row in rows if "metric" in row}


def published_value(file: str | None, metric: str, column: str) -> float | None:
    """One number of a published table, or None if it has none."""
    return None if file is None else published_table(file).get(metric, {}).get(column)


def _numbers(row: Mapping[str, str]) -> dict[str, float]:
    numbers = {}
    for column, text in row.items():
        try:
            numbers[column] = float(text)
        except ValueError:
            continue
    return numbers


def order_cells(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Cells by partition, then data set, in the papers' order; others behind."""

    def place(cell: Cell) -> tuple[int, int]:
        partition = PARTITIONS.index(cell.partition) if cell.partition in PARTITIONS else 9
        return partition, BENCHMARK.index(cell.dataset) if cell.dataset in BENCHMARK else 9

    return tuple(sorted(cells, key=place))
