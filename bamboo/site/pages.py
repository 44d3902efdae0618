"""The pages: what each template receives (`bamboo.site.page_types`), with numbers as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from bamboo.benchmark.columns import MEANS
from bamboo.board import Board, Difference, Score
from bamboo.display.table import Table
from bamboo.files import json_text, plain
from bamboo.pages import charts
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages, PageTable, embedded
from bamboo.results.cell_facts import CELL, ScoredCell
from bamboo.results.comparison_table import order_rows, rank_systems, write_ranks
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
from bamboo.statistics.ranking import order_descending
from bamboo.statistics.resampling import Significance
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
    significance = first.comparison.tests or Significance()
    is_clustered = first.comparison.is_clustered
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
    cells = first.results.list_scores(next(iter(first.results.signatures)), CELL)
    facts = SiteFacts(
        sets=", ".join(title for _, title in sets),
        pairs=f"{sum(row.pairs + facts.missing for row, facts in cells):,}",
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
    comparison, ranking = board.comparison, board.comparison.ranking
    best, compared = comparison.best(), comparison.parts[ranking]
    known = {cell.column for cell in content.cells}
    cells = [name for name in comparison.parts if name in known]
    ends = [end for row in compared.scores for end in row.interval or ()]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    rows: list[MetricRow] = []
    points = []
    ranks = rank_systems(compared, comparison.level)
    ranked = order_rows(compared)
    for position, row in enumerate(ranked):
        metric = row.system
        entry, rate = content.entry(metric), board.speed(metric)
        if rate and row.interval is not None:
            address = f"metric/{entry.slug}.html"
            points.append(charts.Point(metric, address, rate, row.value, *row.interval))
        mean, hmean = (board.results.find_score(metric, name) for name in (ranking, "hmean"))
        rows.append(
            MetricRow(
                name=metric,
                slug=entry.slug,
                seed=entry.seed,
                links=entry.source.links,
                properties=properties[metric],
                rank=(write_ranks(ranks[metric]) or "–").replace("-", "–"),
                has_rule=min(ranks[lower.system][0] for lower in ranked[position:]) > position,
                strip=charts.strip(row.value, row.low, row.high, low, high),
                speed="–" if not rate else f"{rate:,.0f}",
                speed_sort="" if not rate else f"{rate:.3f}",
                mean=_format_value(mean[0].value, metric in best[ranking]),
                hmean=_format_value(hmean[0].value),
                published=_format_value(mean[1].published),
                difference=_format_value(mean[0].value - mean[1].published),
                cells=[
                    _format_cell(board.results.find_score(metric, name), metric in best[name])
                    for name in cells
                ],
            )
        )
    groups = [
        (NAMES.get(name, name), len(list(members)))
        for name, members in groupby(name.partition("_")[0] for name in cells)
    ]
    protocol = board.results.protocol
    return LeaderboardTable(
        slug=board.protocol.slug.replace(".", "-"),
        file=board.file,
        title=BOARD_TITLES.get(protocol, protocol),
        note=_describe_statistics(board),
        mean=None if ranking in cells else ranking,
        is_whole=ranking == MEAN,
        ranked_by=label(ranking),
        columns=[set_title(name) for name in cells],
        groups=groups,
        rows=rows,
        unranked=[_build_unranked(content, board, name, cells) for name in comparison.incomplete],
        is_random=any(row.seed is not None for row in rows),
        cost=charts.accuracy_cost(points, label(ranking)),
    )


def _describe_statistics(board: Leaderboard) -> str:
    """Say what the values on a board are; of a protocol of the user's, its statistics."""
    if (note := BOARD_NOTES.get(board.results.protocol)) is not None:
        return note
    partitions: dict[str, dict[str, None]] = {}
    for row, facts in board.results.list_scores(kind=CELL):
        name = NAMES.get(facts.partition, facts.partition)
        partitions.setdefault(row.score, {})[name] = None
    texts = [f"{score} on {', '.join(names)}" for score, names in partitions.items()]
    return f"{'; '.join(texts)} (x 100)."


def _build_unranked(
    content: Content, board: Leaderboard, metric: str, columns: Sequence[str]
) -> UnrankedRow:
    """Return a metric with missing pairs: each value with the number of pairs it is based on."""
    entry = content.entry(metric)
    cells = [_format_cell(board.results.find_score(metric, name)) for name in columns]
    return UnrankedRow(metric, entry.slug, f"{entry.missing:,}", cells)


def _format_value(value: float, is_best: bool = False) -> SortableValue:
    return SortableValue(number(value), "" if math.isnan(value) else repr(value), is_best)


def _format_cell(cell: ScoredCell, is_best: bool = False) -> CellValue:
    row, facts = cell
    return CellValue(
        *(number(row.value), "" if math.isnan(row.value) else repr(row.value), is_best),
        place=address(facts.dataset, facts.partition),
        interval=_format_interval(row),
        difference=number(row.value - facts.published),
        pairs=f"{row.pairs:,} of {row.pairs + facts.missing:,}",
    )


def _format_interval(row: Score) -> str:
    return "–" if row.interval is None else f"{number(row.low)} .. {number(row.high)}"


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
                NAMES.get(facts.partition, facts.partition),
                TITLES.get(facts.dataset, facts.dataset),
                *plain((row.value, row.low, row.high, facts.published)),
            )
            for row, facts in board.results.list_scores(entry.name, CELL)
        ]
        protocol = board.results.protocol
        title = BOARD_TITLES.get(protocol, protocol)
        boards.append(
            MetricResults(
                title=title,
                note=_describe_statistics(board),
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
    lines = []
    for row, facts in board.results.list_scores(entry.name):
        partition = NAMES.get(facts.partition, facts.partition)
        texts = number(facts.published), number(row.value - facts.published)
        if row.kind == CELL:
            empty = f" ({facts.empty:,} count as 0)" if facts.empty else ""
            lines.append(
                ValueLine(
                    f"{partition} {TITLES.get(facts.dataset, facts.dataset)}",
                    *(facts.source, number(row.value), _format_interval(row), *texts),
                    *(f"{row.pairs:,}", f"{facts.missing:,}{empty}", f"{facts.seconds:.2f}"),
                )
            )
        elif row.part in MEANS and not entry.missing:
            lines.append(ValueLine(row.part, "", number(row.value), "", *texts, "", "", ""))
    return lines


def _build_matrices(content: Content) -> SignificanceData:
    """Return the matrices, by protocol."""
    return SignificanceData(
        {
            board.results.protocol: ProtocolMatrices(
                board.comparison.compared,
                [_build_matrix(board, *part) for part in board.comparison.parts.items()],
            )
            for board in content.boards
        }
    )


def _build_matrix(board: Leaderboard, column: str, part: Board) -> Matrix:
    comparison, metrics = board.comparison, board.comparison.compared
    level, values = comparison.level, [row.value for row in part.scores]
    cells = {(row.first, row.second): _format_difference(row, level) for row in part.differences}
    return Matrix(
        name=column,
        label=label(column),
        pairs=f"{comparison.board.select(part=column).scores[0].pairs:,}",
        values=[number(value) for value in values],
        order=[k for k in order_descending(values) if not math.isnan(values[k])],
        cells=[[cells.get((a, b)) for b in metrics] for a in metrics],
    )


def _format_difference(row: Difference, level: float) -> MatrixCell | None:
    if math.isnan(row.p):
        return None
    return MatrixCell(
        difference=number(row.value),
        low=number(row.low),
        high=number(row.high),
        p=f"{row.p:.4f}",
        adjusted=f"{row.p_adjusted:.4f}",
        check=None if math.isnan(row.check) else f"{row.check:.4f}",
        real=row.p_adjusted < level,
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
