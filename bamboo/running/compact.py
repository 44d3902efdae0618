"""The result of a run for a terminal: without constant columns, and with few rows.

One metric has one row per cell. Several metrics on one cell have one row each. Several metrics on
several cells have the cells as columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bamboo.running.results import CellResult, Mean, Result
from bamboo.tables.model import Table

Values = Callable[[CellResult], Any]


def compact_table(result: Result) -> Table:
    """The measured and published values, arranged for a terminal."""
    cells = [cell for row in result.rows for cell in row.cells]
    if len(result.rows) < 2:
        return _by_cell(result, cells)
    if len(result.rows[0].cells) == 1:
        return _by_metric(result, cells)
    return _crossed(result, cells)


def _title(result: Result, *parts: str) -> str:
    return ", ".join([f"BAMBOO, protocol {result.protocol} (x 100)", *parts])


def _split(cells: Sequence[CellResult]) -> list[str]:
    """The split, which is the same for all cells."""
    return [f"{cells[0].split} split"] if cells else []


def _statistics(cells: Sequence[CellResult]) -> str:
    """The statistic, or the one of each partition if they differ."""
    by_partition = {cell.partition: cell.statistic for cell in cells}
    if len(set(by_partition.values())) == 1:
        return cells[0].statistic
    names = dict.fromkeys(by_partition.values())
    listed = {name: [p for p, s in by_partition.items() if s == name] for name in names}
    return "; ".join(f"{name} on {', '.join(partitions)}" for name, partitions in listed.items())


def _partition(cell: CellResult) -> str:
    return cell.partition if cell.source != "built" else f"{cell.partition} (built)"


def interval_text(interval: tuple[float, float] | None) -> str:
    """An interval for a table; empty if there is none.

    >>> interval_text((1.0, 2.5))
    '1.00 .. 2.50'
    """
    return f"{interval[0]:.2f} .. {interval[1]:.2f}" if interval else ""


def _by_cell(result: Result, cells: Sequence[CellResult]) -> Table:
    """One metric: a row per cell."""
    intervals = any(cell.interval for cell in cells)
    several = len({cell.statistic for cell in cells}) > 1
    rows: list[tuple[Any, ...]] = [
        (
            *(cell.dataset, _partition(cell)),
            *([cell.statistic] if several else []),
            *(cell.n, cell.value),
            *([interval_text(cell.interval)] if intervals else []),
            *(cell.published, cell.difference),
        )
        for cell in cells
    ]
    rules = (len(rows),)
    for row in result.rows:
        for mean in row.means:
            interval = [interval_text(mean.interval)] if intervals else []
            statistic = [""] if several else []
            known = (mean.published, mean.difference)
            name, _, over = mean.name.partition(" of ")  # "mean", "4 cells": two columns
            rows.append((name, over, *statistic, None, mean.value, *interval, *known))
    columns = (
        *("data", "partition", *(["statistic"] if several else []), "pairs", "measured"),
        *(["95 %"] if intervals else []),
        *("published", "difference"),
    )
    names = [row.metric for row in result.rows]
    statistic = [cells[0].statistic] if cells and not several else []
    return Table(
        _title(result, *names, *_split(cells), *statistic), columns, tuple(rows), 2, (), rules
    )


def _by_metric(result: Result, cells: Sequence[CellResult]) -> Table:
    """Several metrics on one cell: a row per metric."""
    intervals = any(cell.interval for cell in cells)
    published = any(cell.published is not None for cell in cells)
    rows = [
        (
            *(row.metric, cell.n, cell.value),
            *([interval_text(cell.interval)] if intervals else []),
            *((cell.published, cell.difference) if published else ()),
        )
        for row in result.rows
        for cell in row.cells
    ]
    columns = (
        *("metric", "pairs", "measured"),
        *(["95 %"] if intervals else []),
        *(("published", "difference") if published else ()),
    )
    where = f"{cells[0].dataset} {_partition(cells[0])}"
    title = _title(result, where, *_split(cells), _statistics(cells))
    return Table(title, columns, tuple(rows))


def _crossed(result: Result, cells: Sequence[CellResult]) -> Table:
    """Several metrics on several cells: a column per cell, and a few rows per metric."""
    intervals = any(cell.interval for cell in cells)
    published = any(cell.published is not None for cell in cells)
    first = result.rows[0]
    means = list(dict.fromkeys(mean.name for row in result.rows for mean in row.means))
    same = all([c.n for c in row.cells] == [c.n for c in first.cells] for row in result.rows)
    lines: list[tuple[str, Values]] = [] if same else [("pairs", lambda cell: cell.n)]
    lines.append(("measured", lambda cell: cell.value))
    if intervals:
        lines.append(("95 % from", lambda cell: cell.interval[0] if cell.interval else None))
        lines.append(("95 % to", lambda cell: cell.interval[1] if cell.interval else None))
    if published:
        lines.append(("published", lambda cell: cell.published))
        lines.append(("difference", lambda cell: cell.difference))
    rows: list[tuple[Any, ...]] = []
    rules: list[int] = []
    if same:
        rows.append(("pairs", "", *(cell.n for cell in first.cells), *[None for _ in means]))
        rules.append(1)
    for row in result.rows:
        of_means = {mean.name: mean for mean in row.means}
        known = any(cell.published is not None for cell in row.cells)
        of_row = [line for line in lines if known or line[0] not in ("published", "difference")]
        for k, (line, of) in enumerate(of_row):
            values = [_of_mean(line, of_means.get(name)) for name in means]
            rows.append((row.metric if k == 0 else "", line, *map(of, row.cells), *values))
        if len(lines) > 1:
            rules.append(len(rows))
    headings = [f"{_partition(cell)} {cell.dataset}" for cell in first.cells]
    headings += [name.removesuffix(" cells") for name in means]
    columns: tuple[str, ...] = ("metric", "", *headings)
    if len(lines) == 1:  # every row but that of the pairs is of measured values
        rows = [(row[0], *row[2:]) for row in rows]
        columns = (columns[0], *columns[2:])
    title = _title(result, *_split(cells), _statistics(cells))
    return Table(title, columns, tuple(rows), rules=tuple(rules))


def _of_mean(line: str, mean: Mean | None) -> float | None:
    """The value of a mean in one of the lines of a metric."""
    if mean is None:
        return None
    low, high = mean.interval or (None, None)
    return {
        "measured": mean.value,
        "95 % from": low,
        "95 % to": high,
        "published": mean.published,
        "difference": mean.difference,
    }.get(line)
