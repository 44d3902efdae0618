"""The pages: what each template receives (`bamboo.site.page_types`), with numbers as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from bamboo.benchmark.columns import MEANS, column_name
from bamboo.display.table import Table
from bamboo.files import json_text
from bamboo.pages import charts
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages, PageTable, embedded
from bamboo.results.cell_results import CellResult
from bamboo.results.columns import Column
from bamboo.results.comparison import rank_text
from bamboo.site.cell_files import cell_name
from bamboo.site.content import Content, Entry, Leaderboard
from bamboo.site.page_types import (
    AboutMetric,
    AboutPairs,
    CellValue,
    Choices,
    LeaderboardPage,
    LeaderboardTable,
    Matrix,
    MatrixCell,
    MetricPage,
    MetricResults,
    MetricRow,
    PairsPage,
    Property,
    ProtocolMatrices,
    SignificanceData,
    SignificancePage,
    SiteFacts,
    SortableValue,
    TablesPage,
    UnrankedRow,
    ValueLine,
)
from bamboo.site.titles import (
    BOARD_NOTES,
    BOARD_TITLES,
    NAMES,
    TITLES,
    address,
    label,
    number,
    set_title,
)
from bamboo.statistics.sample import MEAN

MENU = (
    ("Leaderboard", "index.html"),
    ("Pairs", "pairs.html"),
    ("Significance", "significance.html"),
    ("Tables", "tables.html"),
)
STATIC = (
    "drawing.js",
    "explained.js",
    "explorer.js",
    "matrix.js",
    "pairs.js",
    "scatter.js",
    "site.css",
    "site.js",
)


PROPERTIES = {
    entry.name: entry
    for entry in (
        Property("trained", "T", "trained on human ratings"),
        Property("vectors", "V", "uses word vectors"),
        Property("symmetric", "S", "symmetric: src and tgt can be exchanged"),
        Property("alignment", "A", "aligns nodes; the pairs page draws the alignments"),
    )
}


def write_pages(
    folder: SiteFolder,
    content: Content,
    tables: Sequence[Table],
    aligned: Mapping[str, bool],
) -> None:
    """Write all pages, their styles and scripts, and the data of the significance matrix.

    Args:
        aligned: for each metric, whether it has alignments.
    """
    first = content.boards[0]
    significance, is_clustered = first.comparison.settings, first.comparison.is_clustered
    level = f"{100 * significance.level:g} %"
    sets = [
        (name, TITLES.get(name, name))
        for name in dict.fromkeys(cell.dataset.name for cell in content.cells)
    ]
    partitions = [
        (name, NAMES.get(name, name))
        for name in dict.fromkeys(cell.partition for cell in content.cells)
    ]
    properties = {
        entry.name: [
            PROPERTIES[name]
            for name in (*entry.properties, *(["alignment"] if aligned.get(entry.name) else []))
        ]
        for entry in content.entries
    }
    protocols = [board.results.protocol for board in content.boards]
    boards = [_build_board(content, board, properties) for board in content.boards]
    cells = first.results.of(next(iter(first.results.signatures)))
    facts = SiteFacts(
        sets=", ".join(title for _, title in sets),
        pairs=f"{sum(cell.pairs + cell.missing for cell in cells):,}",
        unreadable=content.unreadable,
    )
    pages = Pages(folder, Path(__file__).parent, MENU, facts)
    pages.write(
        "index.html",
        "index.html",
        "Leaderboard",
        LeaderboardPage(level, boards, is_clustered, bool(tables), PROPERTIES.values()),
    )
    differences = SignificancePage(
        level=level,
        protocols=[(name, BOARD_TITLES.get(name, name)) for name in protocols],
        unranked=[entry for entry in content.entries if entry.missing],
        is_clustered=is_clustered,
        permutations=f"{significance.permutations:,}",
        resamples=f"{significance.resamples:,}",
    )
    pages.write("significance.html", "significance.html", "Significance", differences)
    pages.write("tables.html", "tables.html", "Tables", TablesPage([*map(PageTable.of, tables)]))
    about = embedded(_describe_pairs(content))
    pages.write(
        "pairs.html", "pairs.html", "Pairs", PairsPage(sets, partitions, content.entries, about)
    )
    for entry in content.entries:
        page = _build_metric(
            content,
            entry,
            properties[entry.name],
            aligned.get(entry.name, False),
            sets,
            partitions,
        )
        pages.write(f"metric/{entry.slug}.html", "metric.html", "", page)
    for board in content.boards:
        folder.write(board.file, f"{json_text(board.results.to_json(), indent=1)}\n")
    folder.write_data("significance", _build_matrices(content))
    pages.write_static(STATIC)


def _build_board(
    content: Content, board: Leaderboard, properties: Mapping[str, Sequence[Property]]
) -> LeaderboardTable:
    """Return the leaderboard under one protocol."""
    comparison = board.comparison
    ranking, best = comparison.ranking, comparison.best()
    cells = [column for column in comparison.columns if not column.is_mean]
    bounds = ranking.intervals[np.isfinite(ranking.intervals)]
    low, high = (float(bounds.min()), float(bounds.max())) if len(bounds) else (0.0, 1.0)
    rows: list[MetricRow] = []
    points = []
    ranked = board.ranked()
    best_ranks = [int(ranking.ranks[comparison.metrics.index(name), 0]) for name in ranked]
    for position, metric in enumerate(ranked):
        k = comparison.metrics.index(metric)
        entry = content.entry(metric)
        value = float(ranking.values[k])
        ends = float(ranking.intervals[k, 0]), float(ranking.intervals[k, 1])
        rate = board.speed(metric)
        if rate and math.isfinite(value + ends[0] + ends[1]):
            address = f"metric/{entry.slug}.html"
            points.append(charts.Point(metric, address, rate, value, *ends))
        by_column = _find_cells(board, metric)
        mean, hmean = (board.results.mean(metric, name) for name in (ranking.name, "hmean"))
        rows.append(
            MetricRow(
                name=metric,
                slug=entry.slug,
                seed=entry.seed,
                links=_find_links(entry.source),
                properties=properties[metric],
                rank=(rank_text(ranking.ranks[k]) or "–").replace("-", "–"),
                has_rule=min(best_ranks[position:]) > position,
                strip=charts.strip(value, *ends, low, high),
                speed="–" if not rate else f"{rate:,.0f}",
                speed_sort="" if not rate else f"{rate:.3f}",
                mean=_format_value(mean and mean.value, metric in best[ranking.name]),
                hmean=_format_value(hmean and hmean.value),
                published=_format_value(mean and mean.published),
                difference=_format_value(mean and mean.difference),
                cells=[
                    _format_cell(by_column[column.name], metric in best[column.name])
                    for column in cells
                ],
            )
        )
    groups = [
        (NAMES.get(name, name), len(list(members)))
        for name, members in groupby(column.name.partition("_")[0] for column in cells)
    ]
    protocol = board.results.protocol
    return LeaderboardTable(
        slug=protocol.replace(".", "-"),
        file=board.file,
        title=BOARD_TITLES.get(protocol, protocol),
        note=BOARD_NOTES.get(protocol, ""),
        mean=ranking.name if ranking.is_mean else None,
        is_whole=ranking.name == MEAN,
        ranked_by=label(ranking.name),
        columns=[set_title(column.name) for column in cells],
        groups=groups,
        rows=rows,
        unranked=[_build_unranked(content, board, name, cells) for name in board.unranked()],
        is_random=any(row.seed is not None for row in rows),
        cost=charts.accuracy_cost(points, label(ranking.name)),
    )


def _find_links(reference: str) -> list[tuple[str, str]]:
    """Return the addresses in a reference, each with its kind.

    >>> _find_links("Song and Gildea (2019), https://aclanthology.org/P19-1446 (code: http://a.org/b)")
    [('paper', 'https://aclanthology.org/P19-1446'), ('code', 'http://a.org/b')]
    """
    paper, _, code = reference.partition(" (code: ")
    kinds = {"paper": paper, "code": code}
    return [
        (kind, url) for kind, text in kinds.items() for url in re.findall(r"https?://[^\s)]+", text)
    ]


def _find_cells(board: Leaderboard, metric: str) -> dict[str, CellResult]:
    """Return the cells of a metric by the name of their column."""
    cells = board.results.of(metric)
    return {column_name(cell.dataset, cell.partition): cell for cell in cells}


def _build_unranked(
    content: Content, board: Leaderboard, metric: str, columns: Sequence[Column]
) -> UnrankedRow:
    """Return a metric with missing pairs: each value with the number of pairs it is based on."""
    entry = content.entry(metric)
    by_column = _find_cells(board, metric)
    cells = [_format_cell(by_column[column.name]) for column in columns]
    return UnrankedRow(metric, entry.slug, f"{entry.missing:,}", cells)


def _format_value(value: float | None, is_best: bool = False) -> SortableValue:
    return SortableValue(number(value), "" if value is None else repr(value), is_best)


def _format_cell(cell: CellResult, is_best: bool = False) -> CellValue:
    return CellValue(
        value=number(cell.value),
        sort="" if cell.value is None else repr(cell.value),
        is_best=is_best,
        place=address(cell.dataset, cell.partition),
        interval=_format_interval(cell),
        difference=number(cell.difference),
        pairs=f"{cell.pairs:,} of {cell.pairs + cell.missing:,}",
    )


def _format_interval(cell: CellResult) -> str:
    return "–" if cell.low is None else f"{number(cell.low)} .. {number(cell.high)}"


def _build_metric(
    content: Content,
    entry: Entry,
    properties: Sequence[Property],
    is_aligned: bool,
    sets: Choices,
    partitions: Choices,
) -> MetricPage:
    """Return a metric's own page."""
    own = [board for board in content.boards if entry.name in board.results.signatures]
    boards = []
    for board in own:
        items = [
            charts.ScoreBar(
                NAMES.get(cell.partition, cell.partition),
                TITLES.get(cell.dataset, cell.dataset),
                *(cell.value, cell.low, cell.high, cell.published),
            )
            for cell in board.results.of(entry.name)
        ]
        protocol = board.results.protocol
        title = BOARD_TITLES.get(protocol, protocol)
        boards.append(
            MetricResults(
                title=title,
                note=BOARD_NOTES.get(protocol, ""),
                bars=charts.bars(items, f"{entry.name}, {title}: values and 95 % intervals"),
                lines=_build_lines(board, entry),
                remarks=board.results.metric_notes.get(entry.name, ()),
            )
        )
    rate = own[0].speed(entry.name)
    speed = None if not rate else f"{rate:,.0f}"
    return MetricPage(entry, properties, is_aligned, speed, boards, sets, partitions)


def _build_lines(board: Leaderboard, entry: Entry) -> list[ValueLine]:
    """Return a row per cell and mean; means are not shown for metrics with missing pairs."""
    lines = [
        ValueLine(
            f"{NAMES.get(cell.partition, cell.partition)} {TITLES.get(cell.dataset, cell.dataset)}",
            cell.source,
            number(cell.value),
            _format_interval(cell),
            number(cell.published),
            number(cell.difference),
            f"{cell.pairs:,}",
            f"{cell.missing:,}" + (f" ({cell.empty:,} count as 0)" if cell.empty else ""),
            f"{cell.seconds:.2f}",
        )
        for cell in board.results.of(entry.name)
    ]
    for name in MEANS:
        mean = board.results.mean(entry.name, name)
        if mean is not None and not entry.missing:
            compared = number(mean.published), number(mean.difference)
            lines.append(ValueLine(name, "", number(mean.value), "", *compared, "", "", ""))
    return lines


def _build_matrices(content: Content) -> SignificanceData:
    """Return the matrices, by protocol."""
    return SignificanceData(
        {
            board.results.protocol: ProtocolMatrices(
                list(board.comparison.metrics),
                [_build_matrix(board, column) for column in board.comparison.columns],
            )
            for board in content.boards
        }
    )


def _build_matrix(board: Leaderboard, column: Column) -> Matrix:
    count, level = len(column.values), board.comparison.settings.level
    order = [int(k) for k in np.argsort(-column.values, kind="stable")]
    return Matrix(
        name=column.name,
        label=label(column.name),
        pairs=f"{column.pairs:,}",
        values=[number(value) for value in column.values],
        order=[k for k in order if np.isfinite(column.values[k])],
        cells=[
            [_format_difference(column, i, j, level) if i != j else None for j in range(count)]
            for i in range(count)
        ],
    )


def _format_difference(column: Column, i: int, j: int, level: float) -> MatrixCell | None:
    if math.isnan(column.p[i, j]):
        return None
    check = column.check[i, j]
    return MatrixCell(
        difference=number(column.differences[i, j]),
        low=number(column.bounds[i, j, 0]),
        high=number(column.bounds[i, j, 1]),
        p=f"{column.p[i, j]:.4f}",
        adjusted=f"{column.p_adjusted[i, j]:.4f}",
        check=None if math.isnan(check) else f"{check:.4f}",
        real=bool(column.p_adjusted[i, j] < level),
    )


def _describe_pairs(content: Content) -> AboutPairs:
    """Return what the page of pairs needs before it loads any cell."""
    return AboutPairs(
        metrics=[
            AboutMetric(entry.slug, entry.name, not entry.missing) for entry in content.entries
        ],
        places={cell_name(p): [p.dataset.name, p.partition] for p in content.cells},
        titles={
            **{p.partition: NAMES.get(p.partition, p.partition) for p in content.cells},
            **{p.dataset.name: TITLES.get(p.dataset.name, p.dataset.name) for p in content.cells},
        },
    )
