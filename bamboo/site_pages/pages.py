"""The pages: what each template and script receives; numbers are written by the templates."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from bamboo.benchmark.columns import MEANS
from bamboo.board import Board, Difference, Score
from bamboo.display.table import Table
from bamboo.files import json_text, plain
from bamboo.pages import charts
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages
from bamboo.results.cell_facts import CELL, HUMANS, ScoredCell
from bamboo.results.comparison_table import order_rows, rank_systems
from bamboo.site_pages.cell_files import cell_name
from bamboo.site_pages.content import PROPERTIES, Content, Entry, Leaderboard, Property
from bamboo.site_pages.titles import FILTERS, label, number, title
from bamboo.statistics.ranking import order_descending

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


@dataclass(frozen=True)
class LeaderboardTable:
    """The leaderboard under one protocol.

    Attributes:
        ranked_by: the column by which metrics are ranked: a mean, or the only cell.
        columns: the cells; `groups` has the partitions with the number of columns of each.
        best: for each column, the metrics than which no other is significantly better.
        unranked: metrics with missing pairs.
        ceiling: None without cells that have one.
        cost: a chart of the values against the speed; empty without speeds.
    """

    board: Leaderboard
    ranked_by: str
    columns: Sequence[str]
    groups: Sequence[tuple[str, int]]
    best: Mapping[str, Collection[str]]
    rows: Sequence[Mapping[str, Any]]
    unranked: Sequence[tuple[Entry, Sequence[ScoredCell]]]
    ceiling: Mapping[str, Any] | None
    cost: Markup


@dataclass(frozen=True)
class LeaderboardPage:
    """What the first page shows: the leaderboards.

    Attributes:
        has_tables: whether the site has the published tables.
        properties: all badges, for the legend.
    """

    tables: Sequence[LeaderboardTable]
    has_tables: bool
    properties: Collection[Property]


@dataclass(frozen=True)
class MetricPage:
    """What the page of one metric shows; pairs per second are None if they were not measured."""

    entry: Entry
    rate: float | None
    results: Sequence[tuple[Leaderboard, Markup, Sequence[ScoredCell]]]


def write_pages(folder: SiteFolder, content: Content, tables: Sequence[Table]) -> None:
    """Write all pages, their styles and scripts, and the data of the significance matrix."""
    pages = Pages(folder, Path(__file__).parent, MENU, content, FILTERS)
    boards = [_build_board(content, board) for board in content.boards]
    leaderboard = LeaderboardPage(boards, bool(tables), PROPERTIES.values())
    pages.write("index.html", "index.html", "Leaderboard", leaderboard)
    pages.write("significance.html", "significance.html", "Significance")
    pages.write("tables.html", "tables.html", "Tables", {"tables": tables})
    pages.write("pairs.html", "pairs.html", "Pairs", _describe_pairs(content))
    for entry in content.entries:
        page = _build_metric(content, entry)
        pages.write(f"metric/{entry.slug}.html", "metric.html", "", page)
    for board in content.boards:
        folder.write(board.file, f"{json_text(board.results.to_json(), indent=1)}\n")
    matrices = {
        board.name: {
            "metrics": [content.entry(name).title for name in board.comparison.compared],
            "columns": [_build_matrix(board, *part) for part in board.comparison.parts.items()],
        }
        for board in content.boards
    }
    folder.write_data("significance", {"protocols": matrices})
    pages.write_static(STATIC)


def _build_board(content: Content, board: Leaderboard) -> LeaderboardTable:
    """Return the leaderboard under one protocol, with a row for each ranked metric."""
    comparison, ranking = board.comparison, board.comparison.ranking
    compared = comparison.parts[ranking]
    of_cells = {cell.column for cell in content.cells}
    columns = [name for name in comparison.parts if name in of_cells]
    ceilings = {row.part: (row, facts) for row, facts in board.results.ceiling}
    no_ceiling = board.results.find_score(HUMANS, "")
    of_ranking = ceilings.get(ranking, no_ceiling)
    ends = [end for row in (*compared.scores, of_ranking[0]) for end in row.interval or ()]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)

    def draw_strip(row: Score) -> Markup:
        return charts.strip(row.value, row.low, row.high, low, high)

    def find_cells(metric: str) -> list[ScoredCell]:
        return [board.results.find_score(metric, name) for name in columns]

    rows = []
    points = []
    ranks = rank_systems(compared, comparison.level)
    ranked = order_rows(compared)
    for position, row in enumerate(ranked):
        entry, rate = content.entry(row.system), board.speed(row.system)
        if rate and row.interval is not None:
            address = f"metric/{entry.slug}.html"
            points.append(charts.Point(entry.title, address, rate, row.value, *row.interval))
        rows.append(
            {
                "entry": entry,
                "ranks": ranks[entry.name],
                # Whether all metrics above are significantly better than it and all below.
                "has_rule": min(ranks[lower.system][0] for lower in ranked[position:]) > position,
                "strip": draw_strip(row),
                "rate": rate,
                "mean": board.results.find_score(entry.name, ranking),
                "hmean": board.results.find_score(entry.name, "hmean"),
                "cells": find_cells(entry.name),
            }
        )
    return LeaderboardTable(
        board=board,
        ranked_by=ranking,
        columns=columns,
        groups=[
            (title(name), len([*members]))
            for name, members in groupby(name.partition("_")[0] for name in columns)
        ],
        best=comparison.best(),
        rows=rows,
        unranked=[(content.entry(name), find_cells(name)) for name in comparison.incomplete],
        ceiling={
            "strip": draw_strip(of_ranking[0]),
            "mean": of_ranking,
            "hmean": ceilings.get("hmean", no_ceiling),
            "cells": [ceilings.get(name, no_ceiling) for name in columns],
        }
        if ceilings
        else None,
        cost=charts.accuracy_cost(points, label(ranking)),
    )


def _build_metric(content: Content, entry: Entry) -> MetricPage:
    """Return a metric's own page; means are not shown for metrics with missing pairs."""
    results = []
    for board in content.boards:
        if entry.name not in board.results.signatures:
            continue
        items = [
            charts.ScoreBar(
                title(facts.partition),
                title(facts.dataset),
                *plain((row.value, row.low, row.high, facts.published)),
            )
            for row, facts in board.results.list_scores(entry.name, CELL)
        ]
        bars = charts.bars(items, f"{entry.title}, {board.title}: values and 95 % intervals")
        values = [
            (row, facts)
            for row, facts in board.results.list_scores(entry.name)
            if row.kind == CELL or (row.part in MEANS and not entry.missing)
        ]
        results.append((board, bars, values))
    return MetricPage(entry, results[0][0].speed(entry.name), results)


def _describe_pairs(content: Content) -> dict[str, Any]:
    """Return what the script of the page of pairs needs before it loads a cell."""
    return {
        "metrics": [
            {
                **{"slug": entry.slug, "name": entry.name, "title": entry.title},
                "complete": not entry.missing,
            }
            for entry in content.entries
        ],
        # Data set and partition of each cell, by its name in addresses.
        "places": {cell_name(c): [c.dataset.name, c.partition] for c in content.cells},
        "titles": dict((*content.partitions, *content.sets)),
    }


def _build_matrix(board: Leaderboard, column: str, part: Board) -> dict[str, Any]:
    """Return the differences of all metrics in one column of a leaderboard, row minus column."""
    comparison, metrics = board.comparison, board.comparison.compared
    level, values = comparison.level, [row.value for row in part.scores]
    cells = {(row.first, row.second): _format_difference(row, level) for row in part.differences}
    return {
        "name": column,
        "label": label(column),
        "pairs": f"{comparison.board.select(part=column).scores[0].pairs:,}",
        "values": [number(value) for value in values],
        # The positions of the metrics with a value, best first.
        "order": [k for k in order_descending(values) if not math.isnan(values[k])],
        "cells": [[cells.get((a, b)) for b in metrics] for a in metrics],
    }


def _format_difference(row: Difference, level: float) -> dict[str, Any] | None:
    if math.isnan(row.p):
        return None
    return {
        "difference": number(row.value),
        "low": number(row.low),
        "high": number(row.high),
        "p": f"{row.p:.4f}",
        "adjusted": f"{row.p_adjusted:.4f}",
        "check": None if math.isnan(row.check) else f"{row.check:.4f}",
        "real": row.p_adjusted < level,
    }
