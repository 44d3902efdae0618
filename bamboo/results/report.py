"""The tables, notes and warnings of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from bamboo.results.coverage import Coverage, coverage_notes, coverage_warnings
from bamboo.results.results import Results, rows
from bamboo.results.table import LEVEL, Table
from metrics.wording import counted, proven

KEYS = ("metric", "data", "partition", "split", "statistic")
VALUES = (  # the rows of each metric in a table with a column per cell
    ("measured", "measured"),
    ("95 % from", "low"),
    ("95 % to", "high"),
    ("published", "published"),
    ("difference", "difference"),
)


def result_table(results: Results) -> Table:
    """Return a table of measured and published values: one row per cell and one per mean.

    On a terminal, columns in which all cells are equal are left out; several metrics on several
    cells have one column per cell if the terminal is wide enough.
    """
    cells, means = _cell_lines(results), _mean_lines(results)
    lines = pd.concat([cells, means]).sort_values("metric", key=_position(results), kind="stable")
    title = f"BAMBOO, protocol {results.protocol} (x 100)"
    notes = [*results.notes]
    notes += [note for metric in results.signatures for note in _metric_notes(results, metric)]
    notes += cache_notes(results)
    varying = [key for key in KEYS if cells[key].nunique() > 1] or ["metric"]
    compact = _table(_compact_title(title, cells, varying), lines, varying)
    terminal = [compact]
    if "metric" in varying and len(varying) > 1:
        terminal.insert(0, _cells_as_columns(_compact_title(title, cells, KEYS[:3]), lines))
    return _table(title, lines, KEYS, tuple(notes), tuple(terminal))


def _cell_lines(results: Results) -> pd.DataFrame:
    """Return the cells with the headings of tables."""
    lines = results.cells.rename(columns={"dataset": "data", "value": "measured"})
    built = lines["source"] == "built"
    lines["partition"] = lines["partition"].where(~built, lines["partition"] + " (built)")
    lines["cell"] = lines["partition"] + " " + lines["data"]
    return lines.astype({"pairs": "Int64"})  # means have no number of pairs


def _mean_lines(results: Results) -> pd.DataFrame:
    """Return the means as rows of all data sets and partitions."""
    lines = results.means.rename(columns={"mean": "statistic", "value": "measured"})
    split = results.cells["split"].iloc[0] if len(results.cells) else ""
    lines["cell"] = lines["statistic"].str.removesuffix(" cells")
    return lines.assign(data="all", partition="all", split=split)


def _position(results: Results) -> Any:
    """Return a sort key: the order of the metrics."""
    order = {metric: k for k, metric in enumerate(results.signatures)}
    return lambda column: column.map(order)


def _table(
    title: str,
    lines: pd.DataFrame,
    keys: Sequence[str],
    notes: tuple[str, ...] = (),
    terminal: tuple[Table, ...] = (),
) -> Table:
    """Return a table with a row per cell and mean, whose first columns are `keys`."""
    intervals = [LEVEL] if lines["low"].notna().any() else []
    columns = (*keys, "pairs", "measured", *intervals, "published", "difference")
    body = [
        tuple((row.low, row.high) if name == LEVEL else getattr(row, name) for name in columns)
        for row in rows(lines)
    ]
    last = lines["metric"].ne(lines["metric"].shift(-1)).tolist()
    rules = [k + 1 for k, is_last in enumerate(last) if is_last]
    return Table(title, columns, tuple(body), notes=notes, rules=tuple(rules), terminal=terminal)


def _compact_title(title: str, cells: pd.DataFrame, varying: Sequence[str]) -> str:
    """Return a title that names what is the same for all cells."""
    parts = []
    for key in KEYS:
        if key in varying or cells.empty:
            continue
        values = cells[key].unique().tolist()
        if len(values) == 1:
            parts.append(f"{values[0]} split" if key == "split" else values[0])
        else:  # a statistic that depends on the partition
            of = {v: cells.loc[cells[key] == v, "partition"].unique() for v in values}
            parts.append("; ".join(f"{v} on {', '.join(names)}" for v, names in of.items()))
    return ", ".join([title, *parts])


def _cells_as_columns(title: str, lines: pd.DataFrame) -> Table:
    """Return a table with a column per cell and mean, and one row per metric and kind of value."""
    is_mean = lines["data"] == "all"
    columns = [*lines.loc[~is_mean, "cell"].unique(), *lines.loc[is_mean, "cell"].unique()]
    by_metric = {
        metric: frame.set_index("cell").reindex(columns)
        for metric, frame in lines.groupby("metric", sort=False)
    }
    pairs = [_integers(frame["pairs"]) for frame in by_metric.values()]
    same_pairs = all(counts == pairs[0] for counts in pairs)
    values = [(heading, name) for heading, name in VALUES if lines[name].notna().any()]
    body: list[tuple[Any, ...]] = [("pairs", "", *pairs[0])] if same_pairs else []
    rules = [len(body)]
    for counts, (metric, frame) in zip(pairs, by_metric.items(), strict=True):
        group = [] if same_pairs else [("pairs", counts)]
        group += [
            (text, frame[name].tolist()) for text, name in values if frame[name].notna().any()
        ]
        names = [metric, *[""] * (len(group) - 1)]
        body += [(name, text, *own) for name, (text, own) in zip(names, group, strict=True)]
        rules.append(len(body))
    if len(values) == 1 and same_pairs:  # the second column would always be "measured"
        body, rules = [(row[0], *row[2:]) for row in body], rules[:1]
        return Table(title, ("metric", *columns), tuple(body), rules=tuple(rules))
    return Table(title, ("metric", "", *columns), tuple(body), rules=tuple(rules))


def _integers(column: pd.Series[Any]) -> list[int | None]:
    return [None if pd.isna(value) else int(value) for value in column]


def cache_notes(results: Results) -> list[str]:
    """Return a note on how many cells come from the cache, if this is known for any."""
    cache = results.cache
    return ["{from_cache} of {cells} cells from cache.".format(**cache)] if cache["cells"] else []


def _metric_notes(results: Results, metric: str) -> list[str]:
    """Return notes on the values of a metric: its signature, and missing pairs."""
    lines = [f"{metric}: signature {results.signatures[metric]}"]
    cells = results.of(metric)
    aligned = [cell for cell in cells if cell.unproven is not None]
    if aligned:
        unproven = sum(cell.unproven for cell in aligned)
        where = "; scores.csv contains their upper bounds" if unproven else ""
        pairs = sum(cell.pairs for cell in aligned)
        lines.append(f"{metric}: {proven(unproven, pairs)}{where}.")
    lines += [f"{metric}: {note}." for note in results.metric_notes.get(metric, ())]
    for cell in cells:
        where = f"{metric} {cell.dataset} {cell.partition}"
        lines += [f"{where}: {text}" for text in _problem_notes(cell)]
        if cell.value is None:
            why = "fewer than two pairs" if cell.pairs < 2 else "scores or ratings are all the same"
            lines.append(f"{where}: no {cell.statistic}: {why}.")
    return lines + coverage_notes({metric: _coverage(results, metric)})


def _problem_notes(cell: Any) -> list[str]:
    """Return notes on how unreadable and unscorable pairs of a cell are counted."""
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


def _coverage(results: Results, metric: str) -> Coverage | None:
    """Return how many nodes of all cells have a word vector; None for a metric without vectors."""
    counts = results.cells.loc[results.cells["metric"] == metric, ["nodes", "nodes_with_vector"]]
    return None if counts.isna().all(axis=None) else Coverage(*map(int, counts.sum()))


def warnings(results: Results, files: Mapping[str, str | None]) -> list[str]:
    """Return warnings about unscored pairs, and about word vectors with low coverage.

    Args:
        files: the file of word vectors of each metric, if it has one.
    """
    texts = [
        f"{cell.metric} {cell.dataset} {cell.partition}: {text}"
        for cell in rows(results.cells)
        for text in _problem_notes(cell)
    ]
    covered = {metric: _coverage(results, metric) for metric in results.signatures}
    return texts + coverage_warnings(covered, files)
