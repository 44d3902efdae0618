"""The tables, notes and warnings of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from amr_metrics.utils.text import counted, proven
from bamboo.config.rows import Row
from bamboo.display.table import LEVEL, Table
from bamboo.results.frame import rows
from bamboo.statistics.resampling import METHODS, Method

KEYS = ("metric", "data", "partition", "split", "statistic")
PUBLISHED = ("published", "difference")


def result_table(
    protocol: str, cells: pd.DataFrame, means: pd.DataFrame, notes: tuple[str, ...]
) -> Table:
    """Return a table of measured and published values: one row per cell and one per mean.

    On a terminal, values that are the same for all cells are part of the title.
    """
    title = f"BAMBOO, protocol {protocol} (x 100)"
    if cells.empty:
        return Table(title, (*KEYS, "pairs", "measured"), (), notes=notes)
    metrics = cells["metric"].unique().tolist()
    cells = _cell_lines(cells)
    lines = pd.concat([cells, _mean_lines(means, cells)])
    lines = lines.sort_values("metric", key=lambda m: m.map(metrics.index), kind="stable")
    varying = [key for key in ("metric", "cell") if cells[key].nunique() > 1] or ["metric"]
    terminal = _compact_table(_compact_title(title, cells, varying), lines, varying)
    return _table(title, lines, KEYS, notes, terminal)


def _cell_lines(cells: pd.DataFrame) -> pd.DataFrame:
    lines = cells.rename(columns={"dataset": "data", "value": "measured"})
    built = lines["source"] == "built"
    lines["partition"] = lines["partition"].where(~built, lines["partition"] + " (built)")
    lines["cell"] = lines["partition"] + " " + lines["data"]
    return lines.astype({"pairs": "Int64"})  # means have no number of pairs


def _mean_lines(means: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    lines = means.rename(columns={"mean": "statistic", "value": "measured"})
    lines["cell"] = lines["statistic"].str.removesuffix(" cells")
    return lines.assign(data="all", partition="all", split=cells["split"].iloc[0])


def _table(
    title: str,
    lines: pd.DataFrame,
    keys: Sequence[str],
    notes: tuple[str, ...] = (),
    terminal: Table | None = None,
) -> Table:
    intervals = [LEVEL] if lines["low"].notna().any() else []
    columns = (*keys, "pairs", "measured", *intervals, "published", "difference")
    body = [
        tuple((row.low, row.high) if name == LEVEL else getattr(row, name) for name in columns)
        for row in rows(lines)
    ]
    changes = lines["metric"].ne(lines["metric"].shift()).tolist()
    rules = tuple(k for k, is_first in enumerate(changes) if is_first and k)
    return Table(title, columns, tuple(body), notes=notes, rules=rules, terminal=terminal)


def _compact_table(title: str, lines: pd.DataFrame, keys: Sequence[str]) -> Table:
    """Return a table for terminals, without columns of values that were not published."""
    table = _table(title, lines, keys)
    shown = [
        k
        for k, name in enumerate(table.columns)
        if name not in PUBLISHED or lines[name].notna().any()
    ]
    rules = table.rules
    if len(rules) + 1 == len(lines):
        rules = ()  # one row per metric
    elif not rules:
        rules = (int((lines["data"] != "all").sum()),)  # between the cells and the means
    return replace(
        table,
        columns=tuple(table.columns[k] for k in shown),
        rows=tuple(tuple(row[k] for k in shown) for row in table.rows),
        rules=rules,
    )


def _compact_title(title: str, cells: pd.DataFrame, varying: Sequence[str]) -> str:
    """Return a title with the values that are the same for all cells.

    Args:
        varying: the columns whose values differ between cells.
    """
    parts = [cells[name].iloc[0] for name in ("metric", "cell") if name not in varying]
    partitions = cells.groupby("statistic", sort=False)["partition"].unique()
    statistics = [
        str(statistic) if len(partitions) == 1 else f"{statistic} on {', '.join(map(str, names))}"
        for statistic, names in partitions.items()
    ]
    return ", ".join([title, *parts, f"{cells['split'].iloc[0]} split", "; ".join(statistics)])


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


def cached(cells: pd.DataFrame) -> dict[str, int]:
    """Return the number of cells, and of those from the cache, where this is known."""
    from_cache = cells["cached"].dropna()
    return {"cells": len(from_cache), "from_cache": int(from_cache.sum())}


def cache_notes(cache: Mapping[str, int]) -> list[str]:
    """Return a note on how many cells come from the cache (`cached`)."""
    return ["{from_cache} of {cells} cells from cache.".format(**cache)] if cache["cells"] else []


def sentence_notes(rows: Iterable[Row]) -> list[str]:
    """Return a note on the metrics that compare sentences, if there are any."""
    names = [row.name for row in rows if row.reads_sentences]
    what = "Metrics that compare the sentences (::snt), not the graphs"
    return [f"{what}: {', '.join(names)}."] if names else []


def metric_notes(cells: pd.DataFrame, further: Sequence[str]) -> list[str]:
    """Return notes on the values of a metric: proofs, published values, missing pairs.

    Args:
        cells: the cells of the metric.
        further: `Results.metric_notes` of the metric.
    """
    if cells.empty:
        return []
    metric = cells["metric"].iloc[0]
    lines = []
    aligned = cells.dropna(subset="unproven")
    if len(aligned):
        unproven, pairs = aligned["unproven"].sum(), aligned["pairs"].sum()
        where = "; scores.csv contains their upper bounds" if unproven else ""
        lines.append(f"{metric}: {proven(int(unproven), int(pairs))}{where}.")
    lines += [f"{metric}: {note}." for note in further]
    for cell in rows(cells):
        where = f"{metric} {cell.dataset} {cell.partition}"
        lines += [f"{where}: {text}" for text in _problem_notes(cell)]
        if cell.value is None:
            why = "fewer than two pairs" if cell.pairs < 2 else "scores or ratings are all the same"
            lines.append(f"{where}: no {cell.statistic}: {why}.")
    return lines


def _problem_notes(cell: Any) -> list[str]:
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


def warnings(cells: pd.DataFrame) -> list[str]:
    """Return warnings about unscored pairs, from `Results.cells`."""
    return [
        f"{cell.metric} {cell.dataset} {cell.partition}: {text}"
        for cell in rows(cells)
        for text in _problem_notes(cell)
    ]
