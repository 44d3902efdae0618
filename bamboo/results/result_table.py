"""The tables, notes and warnings of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from amr_metrics.utils.text import counted, proven
from bamboo.config.rows import Row
from bamboo.display.table import LEVEL, Table
from bamboo.results.cell_results import CellResult, MeanResult
from bamboo.statistics.resampling import METHODS, Method

KEYS = ("metric", "data", "partition", "split", "statistic")
PUBLISHED = ("published", "difference")


class _Line(NamedTuple):
    """A line of the table: a cell or a mean."""

    metric: str
    cell: str
    data: str
    partition: str
    split: str
    statistic: str
    pairs: int | None
    measured: float | None
    low: float | None
    high: float | None
    published: float | None
    difference: float | None


def result_table(
    protocol: str,
    cells: Sequence[CellResult],
    means: Sequence[MeanResult],
    notes: tuple[str, ...],
) -> Table:
    """Return a table of measured and published values: one row per cell and one per mean.

    On a terminal, values that are the same for all cells are part of the title.
    """
    title = f"BAMBOO, protocol {protocol} (x 100)"
    if not cells:
        return Table(title, (*KEYS, "pairs", "measured"), (), notes=notes)
    metrics = [*dict.fromkeys(cell.metric for cell in cells)]
    of_cells = [*map(_cell_line, cells)]
    lines = of_cells + [_mean_line(mean, cells[0].split) for mean in means]
    lines.sort(key=lambda line: metrics.index(line.metric))
    varying = [key for key in ("metric", "cell") if len(_distinct(of_cells, key)) > 1]
    varying = varying or ["metric"]
    terminal = _compact_table(_compact_title(title, of_cells, varying), lines, varying)
    return _table(title, lines, KEYS, notes, terminal)


def _distinct(lines: Iterable[_Line], column: str) -> list[Any]:
    return [*dict.fromkeys(getattr(line, column) for line in lines)]


def _cell_line(cell: CellResult) -> _Line:
    partition = f"{cell.partition} (built)" if cell.source == "built" else cell.partition
    where = (f"{partition} {cell.dataset}", cell.dataset, partition, cell.split, cell.statistic)
    values = (cell.value, cell.low, cell.high, cell.published, cell.difference)
    return _Line(cell.metric, *where, cell.pairs, *values)


def _mean_line(mean: MeanResult, split: str) -> _Line:
    where = (mean.mean.removesuffix(" cells"), "all", "all", split, mean.mean)
    values = (mean.value, mean.low, mean.high, mean.published, mean.difference)
    return _Line(mean.metric, *where, None, *values)


def _table(
    title: str,
    lines: Sequence[_Line],
    keys: Sequence[str],
    notes: tuple[str, ...] = (),
    terminal: Table | None = None,
) -> Table:
    intervals = [LEVEL] if any(line.low is not None for line in lines) else []
    columns = (*keys, "pairs", "measured", *intervals, "published", "difference")
    body = [
        tuple((line.low, line.high) if name == LEVEL else getattr(line, name) for name in columns)
        for line in lines
    ]
    rules = tuple(k for k in range(1, len(lines)) if lines[k].metric != lines[k - 1].metric)
    return Table(title, columns, tuple(body), notes=notes, rules=rules, terminal=terminal)


def _compact_table(title: str, lines: Sequence[_Line], keys: Sequence[str]) -> Table:
    """Return a table for terminals, without columns of values that were not published."""
    table = _table(title, lines, keys)
    shown = [
        k
        for k, name in enumerate(table.columns)
        if name not in PUBLISHED or any(row[k] is not None for row in table.rows)
    ]
    rules = table.rules
    if len(rules) + 1 == len(lines):
        rules = ()  # one row per metric
    elif not rules:
        rules = (sum(line.data != "all" for line in lines),)  # between the cells and the means
    return replace(
        table,
        columns=tuple(table.columns[k] for k in shown),
        rows=tuple(tuple(row[k] for k in shown) for row in table.rows),
        rules=rules,
    )


def _compact_title(title: str, cells: Sequence[_Line], varying: Sequence[str]) -> str:
    """Return a title with the values that are the same for all cells.

    Args:
        varying: the columns whose values differ between cells.
    """
    parts = [getattr(cells[0], name) for name in ("metric", "cell") if name not in varying]
    partitions = {
        statistic: _distinct((cell for cell in cells if cell.statistic == statistic), "partition")
        for statistic in _distinct(cells, "statistic")
    }
    statistics = [
        statistic if len(partitions) == 1 else f"{statistic} on {', '.join(names)}"
        for statistic, names in partitions.items()
    ]
    return ", ".join([title, *parts, f"{cells[0].split} split", "; ".join(statistics)])


def resampling_note(methods: Mapping[str, Method]) -> str:
    """Say how intervals are computed.

    Args:
        methods: by the name of the cell.

    >>> resampling_note({"main sts": "pairs", "arg sts": "pairs"})
    '95 %: pairs (bootstrap of pairs).'
    """
    names: dict[Method, list[str]] = {}
    for name, method in methods.items():
        names.setdefault(method, []).append(name)
    texts = [
        f"{method} ({METHODS[method]})"
        + (f": {', '.join(names[method])}" if len(names) > 1 else "")
        for method in METHODS
        if method in names
    ]
    return f"95 %: {'; '.join(texts)}."


def cached(cells: Iterable[CellResult]) -> dict[str, int]:
    """Return the number of cells, and of those from the cache, where this is known."""
    from_cache = [cell.cached for cell in cells if cell.cached is not None]
    return {"cells": len(from_cache), "from_cache": sum(from_cache)}


def cache_notes(cache: Mapping[str, int]) -> list[str]:
    """Return a note on how many cells come from the cache (`cached`)."""
    return ["{from_cache} of {cells} cells from cache.".format(**cache)] if cache["cells"] else []


def sentence_notes(rows: Iterable[Row]) -> list[str]:
    """Return a note on the metrics that compare sentences, if there are any."""
    names = [row.name for row in rows if row.reads_sentences]
    what = "Metrics that compare the sentences (::snt), not the graphs"
    return [f"{what}: {', '.join(names)}."] if names else []


def metric_notes(cells: Sequence[CellResult], further: Sequence[str]) -> list[str]:
    """Return notes on the values of a metric: proofs, published values, missing pairs.

    Args:
        cells: the cells of the metric.
        further: `Results.metric_notes` of the metric.
    """
    if not cells:
        return []
    metric = cells[0].metric
    lines = []
    if aligned := [(cell.unproven, cell.pairs) for cell in cells if cell.unproven is not None]:
        unproven, pairs = map(sum, zip(*aligned, strict=True))
        where = "; scores.csv contains their upper bounds" if unproven else ""
        lines.append(f"{metric}: {proven(unproven, pairs)}{where}.")
    lines += [f"{metric}: {note}." for note in further]
    for cell in cells:
        where = f"{metric} {cell.dataset} {cell.partition}"
        lines += [f"{where}: {text}" for text in _problem_notes(cell)]
        if cell.value is None:
            why = "fewer than two pairs" if cell.pairs < 2 else "scores or ratings are all the same"
            lines.append(f"{where}: no {cell.statistic}: {why}.")
    return lines


def _problem_notes(cell: CellResult) -> list[str]:
    texts = []
    if cell.missing:
        texts.append(
            f"{counted(cell.missing, 'pair is', 'pairs are')} missing, and {cell.statistic} is "
            f"computed from the other {cell.pairs}; "
            "result.json lists them."
        )
    if cell.empty:
        texts.append(
            f"{counted(cell.empty, 'pair is', 'pairs are')} counted as 0 because of graphs that "
            "could not be read or pairs that could not be scored; result.json lists them."
        )
    return texts


def warnings(cells: Iterable[CellResult]) -> list[str]:
    """Return warnings about unscored pairs, from `Results.cells`."""
    return [
        f"{cell.metric} {cell.dataset} {cell.partition}: {text}"
        for cell in cells
        for text in _problem_notes(cell)
    ]
