"""The tables, notes and warnings of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from amr_metrics.utils.text import format_count, proven
from bamboo.board import BUCKET, MACRO, Score
from bamboo.config.rows import Row
from bamboo.display.table import LEVEL, Table
from bamboo.results.cell_facts import CELL, MEAN, CellFacts, ScoredCell
from bamboo.statistics.resampling import METHODS, Method

KEYS = ("metric", "data", "partition", "split", "statistic")
ALL = "(all)"  # stands for all pairs of a cell among its buckets
PUBLISHED = ("published", "difference")
Line = Mapping[str, Any]  # a row of the table by its headings


def result_table(
    protocol: str, scores: Sequence[ScoredCell], notes: tuple[str, ...], by: str | None = None
) -> Table:
    """Return a table of measured and published values: one row per cell and one per mean.

    On a terminal, values that are the same for all cells are part of the title.

    Args:
        by: what the buckets are whose rows follow those of their cells; None without any.
    """
    of_cells = [(row, facts) for row, facts in scores if row.kind == CELL]
    is_own = _is_own(of_cells)
    title = f"{'' if is_own else 'BAMBOO, '}{name_results(protocol, of_cells)} (x 100)"
    if not scores:
        return Table(title, (*KEYS, "pairs", "measured"), (), notes=notes)
    lines = [_make_line(*cell) for cell in scores]
    cells = [line for line in lines if line["data"] != "all"]
    varying = [key for key in ("metric", "cell") if len(_list_distinct(cells, key)) > 1] or [
        "metric"
    ]
    bucket = [] if by is None else ["bucket"]
    varying += bucket
    intervals = [LEVEL] if any(line[LEVEL] is not None for line in lines) else []
    values = ["pairs", "measured", *intervals, *PUBLISHED]
    filled = [name for name in values if name not in PUBLISHED or _has_value(lines, name)]
    group = ("metric",) if by is None else ("metric", "cell")
    places = [[line[key] for key in group] for line in lines]
    rules = tuple(k for k in range(1, len(lines)) if places[k] != places[k - 1])
    # Between metrics with several rows, or between the cells and the means of one.
    compact = () if len(rules) + 1 == len(lines) else rules or (len(cells),)
    compact_title = _write_compact_title(title, cells, varying, is_own)
    compact_title += "" if by is None else f", by {by}"
    terminal = _make_table(compact_title, lines, [*varying, *filled])
    title += "" if by is None else f", by {by}"
    table = _make_table(title, lines, [*KEYS, *bucket, *values])
    terminal = replace(terminal, rules=compact)
    return replace(table, notes=notes, rules=rules, terminal=terminal)


def name_results(protocol: str, cells: Sequence[ScoredCell]) -> str:
    """Name results by their protocol, or those of one's own data by the data and the statistic.

    >>> cell = Score("", "cell", "main_own", "sema", 9, 0, "pearson", 30.0)
    >>> name_results("paper", [(cell, CellFacts("test", "own", "main", title="Mine"))])
    'Mine, pearson'
    """
    if not _is_own(cells):
        return f"protocol {protocol}"
    titles = dict.fromkeys(facts.title for _, facts in cells)
    return f"{', '.join(titles)}, {_list_statistics([_make_line(*cell) for cell in cells])}"


def _is_own(cells: Sequence[ScoredCell]) -> bool:
    """Return whether all cells are of data sets of one's own."""
    return bool(cells) and all(facts.title for _, facts in cells)


def _make_line(row: Score, facts: CellFacts) -> Line:
    partition = f"{facts.partition} (built)" if facts.source == "built" else facts.partition
    is_mean = row.kind == MEAN
    place = f"{partition} {facts.dataset}"
    return {
        "metric": row.system,
        "cell": row.part.removesuffix(" cells") if is_mean else place,
        "bucket": facts.bucket or ALL,
        "data": facts.dataset,
        "partition": partition,
        "split": facts.split,
        "statistic": row.score,
        "pairs": None if row.kind in (MEAN, MACRO) else row.pairs,
        "measured": row.value,
        LEVEL: row.interval,
        "published": facts.published,
        "difference": row.value - facts.published,
    }


def _list_distinct(lines: Iterable[Line], column: str) -> list[Any]:
    return [*dict.fromkeys(line[column] for line in lines)]


def _has_value(lines: Iterable[Line], column: str) -> bool:
    return any(line[column] == line[column] for line in lines)


def _make_table(title: str, lines: Sequence[Line], columns: Sequence[str]) -> Table:
    body = tuple(tuple(line[name] for name in columns) for line in lines)
    return Table(title, tuple(columns), body)


def _write_compact_title(
    title: str, cells: Sequence[Line], varying: Sequence[str], is_own: bool
) -> str:
    """Return a title with the values that are the same for all cells.

    Args:
        varying: the columns whose values differ between cells.
        is_own: whether the title names the data and the statistic; the usual partition and split
            are then left out.
    """
    first = cells[0]
    parts = [] if "metric" in varying else [first["metric"]]
    if "cell" not in varying and not is_own:
        parts.append(first["cell"])
    elif "cell" not in varying and first["partition"] != "main":
        parts.append(first["partition"])
    if not (is_own and first["split"] == "test"):
        parts.append(f"{first['split']} split")
    return ", ".join([title, *parts, *([] if is_own else [_list_statistics(cells)])])


def _list_statistics(cells: Sequence[Line]) -> str:
    """Return the statistic of all cells, or several with the partitions that have them."""
    partitions = {
        statistic: _list_distinct(
            (cell for cell in cells if cell["statistic"] == statistic), "partition"
        )
        for statistic in _list_distinct(cells, "statistic")
    }
    statistics = [
        statistic if len(partitions) == 1 else f"{statistic} on {', '.join(names)}"
        for statistic, names in partitions.items()
    ]
    return "; ".join(statistics)


def describe_resampling(methods: Mapping[str, Method]) -> str:
    """Say how intervals are computed.

    Args:
        methods: by the name of the cell.

    >>> describe_resampling({"main sts": "pairs", "arg sts": "pairs"})
    '95 %: pairs (bootstrap of pairs).'
    >>> describe_resampling({"main sts": "pairs", "arg sts": "sentences"}).partition("; ")[0]
    '95 %: pairs (bootstrap of pairs): main sts'
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


def cache_notes(cache: Mapping[str, int]) -> list[str]:
    """Return a note on how many cells come from the cache (`Results.cache`)."""
    return ["{from_cache} of {cells} cells from cache.".format(**cache)] if cache["cells"] else []


def sentence_notes(rows: Iterable[Row]) -> list[str]:
    """Return a note on the metrics that compare sentences, if there are any."""
    names = [row.name for row in rows if row.reads_sentences]
    what = "Metrics that compare the sentences (::snt), not the graphs"
    return [f"{what}: {', '.join(names)}."] if names else []


def metric_notes(cells: Sequence[ScoredCell], further: Sequence[str]) -> list[str]:
    """Return notes on the values of a metric: proofs, published values, missing pairs.

    Args:
        cells: the cells of the metric.
        further: `Results.metric_notes` of the metric.
    """
    if not cells:
        return []
    metric = cells[0][0].system
    lines = []
    aligned = [(facts.unproven, row.pairs) for row, facts in cells if facts.unproven is not None]
    if aligned:
        unproven, pairs = map(sum, zip(*aligned, strict=True))
        where = "; scores.csv contains their upper bounds" if unproven else ""
        lines.append(f"{metric}: {proven(unproven, pairs)}{where}.")
    lines += [f"{metric}: {note}." for note in further]
    for row, facts in cells:
        lines += list_warnings([(row, facts)])
        if row.value != row.value:
            why = "fewer than two pairs" if row.pairs < 2 else "scores or ratings are all the same"
            where = f"{metric} {facts.dataset} {facts.partition}"
            lines.append(f"{where}: no {row.score}: {why}.")
    return lines


def bucket_notes(scores: Sequence[ScoredCell]) -> list[str]:
    """Return a note on the buckets of each cell on which a metric has no value, and their mean."""
    labels: dict[str, list[str]] = {}
    for row, facts in scores:
        if row.kind in (BUCKET, MACRO) and row.value != row.value:
            where = f"{row.system} {facts.dataset} {facts.partition}: no {row.score}"
            labels.setdefault(where, []).append(facts.bucket)
    if not labels:
        return []
    from bamboo.display.points import join_names  # most results have no buckets

    why = "fewer than two pairs, or scores or ratings that are all the same"
    return [f"{where} on {join_names(names, None)}: {why}." for where, names in labels.items()]


def list_warnings(cells: Iterable[ScoredCell]) -> list[str]:
    """Return warnings about unscored pairs."""
    texts = []
    for row, facts in cells:
        where = f"{row.system} {facts.dataset} {facts.partition}"
        if facts.missing:
            texts.append(
                f"{where}: {format_count(facts.missing, 'pair is', 'pairs are')} missing, and "
                f"{row.score} is computed from the other {row.pairs}; result.json lists them."
            )
        if facts.empty:
            texts.append(
                f"{where}: {format_count(facts.empty, 'pair is', 'pairs are')} counted as 0 "
                "because of "
                "graphs that could not be read or pairs that could not be scored; result.json "
                "lists them."
            )
    return texts
