"""The pages: the values for each template, with all numbers formatted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from bamboo.benchmark.columns import MEANS, column_name
from bamboo.display.table import Table
from bamboo.files import json_text
from bamboo.pages import charts
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages, cells_of, embedded
from bamboo.results.columns import Column
from bamboo.results.comparison import rank_text
from bamboo.site.cell_files import cell_name
from bamboo.site.content import Board, Content, Entry
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


@dataclass(frozen=True)
class Property:
    """Something that a metric needs or offers, as a badge.

    Attributes:
        name: as in ``list metrics``.
        sign: the badge on the leaderboard.
        meaning: in a few words.
    """

    name: str
    sign: str
    meaning: str


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
    significance = content.boards[0].comparison.settings
    sets = list(dict.fromkeys(cell.dataset.name for cell in content.cells))
    partitions = list(dict.fromkeys(cell.partition for cell in content.cells))
    properties = {
        entry.name: [
            PROPERTIES[name]
            for name in (*entry.properties, *(["alignment"] if aligned.get(entry.name) else []))
        ]
        for entry in content.entries
    }
    boards = [_board(content, board, properties) for board in content.boards]
    cells = content.boards[0].results.of(next(iter(content.boards[0].results.signatures)))
    shared: dict[str, Any] = {
        "level": f"{100 * significance.level:g} %",
        "sets": ", ".join(TITLES.get(name, name) for name in sets),
        "pairs": f"{sum(cell.pairs + cell.missing for cell in cells):,}",
        "partitions": [(name, NAMES.get(name, name)) for name in partitions],
        "sets_choice": [(name, TITLES.get(name, name)) for name in sets],
        "entries": content.entries,
        "boards": boards,
        "permutations": f"{significance.permutations:,}",
        "resamples": f"{significance.resamples:,}",
        "is_clustered": content.boards[0].comparison.is_clustered,
        "apart": [entry for entry in content.entries if entry.missing],
        "unreadable": content.unreadable,
        "has_tables": bool(tables),
        "properties": PROPERTIES.values(),
    }
    pages = Pages(folder, Path(__file__).parent, MENU, shared)
    pages.write("index.html", "index.html", "Leaderboard")
    pages.write("significance.html", "significance.html", "Significance")
    pages.write("tables.html", "tables.html", "Tables", tables=[*map(cells_of, tables)])
    pages.write("pairs.html", "pairs.html", "Pairs", about=_about(content))
    for entry in content.entries:
        pages.write(
            f"metric/{entry.slug}.html",
            "metric.html",
            "",
            **_metric(content, entry),
            aligned=aligned.get(entry.name, False),
            sets_shown=[{"name": name, "title": TITLES.get(name, name)} for name in sets],
            badges=properties[entry.name],
        )
    for board in content.boards:
        folder.write(board.file, f"{json_text(board.results.to_json(), indent=1)}\n")
    folder.write_data("significance", _matrices(content))
    pages.write_static(STATIC)


def _board(
    content: Content, board: Board, properties: Mapping[str, Sequence[Property]]
) -> dict[str, Any]:
    """Return the leaderboard under one protocol."""
    comparison = board.comparison
    ranking, best = comparison.ranking, comparison.best()
    cells = [column for column in comparison.columns if not column.is_mean]
    bounds = ranking.intervals[np.isfinite(ranking.intervals)]
    low, high = (float(bounds.min()), float(bounds.max())) if len(bounds) else (0.0, 1.0)
    rows: list[dict[str, Any]] = []
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
        by_column = _by_column(board, metric)
        mean, hmean = (board.results.mean(metric, name) for name in (ranking.name, "hmean"))
        rows.append(
            {
                "name": metric,
                "slug": entry.slug,
                "seed": entry.seed,
                "links": _links(entry.source),
                "properties": properties[metric],
                "rank": (rank_text(ranking.ranks[k]) or "–").replace("-", "–"),
                # Every metric above is significantly better than this one and all below.
                "rule": min(best_ranks[position:]) > position,
                "strip": charts.strip(value, *ends, low, high),
                "speed": "–" if not rate else f"{rate:,.0f}",
                "speed_sort": "" if not rate else f"{rate:.3f}",
                "mean": _sortable(mean and mean.value) | {"best": metric in best[ranking.name]},
                "hmean": _sortable(hmean and hmean.value),
                "published": _sortable(mean and mean.published),
                "difference": _sortable(mean and mean.difference),
                "cells": [
                    _cell(by_column[column.name]) | {"best": metric in best[column.name]}
                    for column in cells
                ],
            }
        )
    groups = [
        (NAMES.get(name, name), len(list(members)))
        for name, members in groupby(column.name.partition("_")[0] for column in cells)
    ]
    return {
        "protocol": board.results.protocol,
        "slug": board.results.protocol.replace(".", "-"),
        "file": board.file,
        "title": BOARD_TITLES.get(board.results.protocol, board.results.protocol),
        "note": BOARD_NOTES.get(board.results.protocol, ""),
        "mean": ranking.name if ranking.is_mean else None,
        "is_whole": ranking.name == MEAN,  # all twelve cells: also hmean and published means
        "ranked_by": label(ranking.name),
        "columns": [set_title(column.name) for column in cells],
        "groups": groups,
        "rows": rows,
        "apart": [_unranked(content, board, metric, cells) for metric in board.unranked()],
        "random": any(row["seed"] is not None for row in rows),
        "cost": charts.accuracy_cost(points, label(ranking.name)),
    }


def _links(reference: str) -> list[tuple[str, str]]:
    """Return the addresses in a reference, each with its kind.

    >>> _links("Song and Gildea (2019), https://aclanthology.org/P19-1446 (code: http://a.org/b)")
    [('paper', 'https://aclanthology.org/P19-1446'), ('code', 'http://a.org/b')]
    """
    paper, _, code = reference.partition(" (code: ")
    kinds = {"paper": paper, "code": code}
    return [
        (kind, url) for kind, text in kinds.items() for url in re.findall(r"https?://[^\s)]+", text)
    ]


def _by_column(board: Board, metric: str) -> dict[str, Any]:
    """Return the cells of a metric by the name of their column."""
    cells = board.results.of(metric)
    return {column_name(cell.dataset, cell.partition): cell for cell in cells}


def _unranked(
    content: Content, board: Board, metric: str, columns: Sequence[Column]
) -> dict[str, Any]:
    """Return a metric with missing pairs: each value with the number of pairs it is based on."""
    entry = content.entry(metric)
    by_column = _by_column(board, metric)
    cells = [by_column[column.name] for column in columns]
    return {
        "name": metric,
        "slug": entry.slug,
        "missing": f"{entry.missing:,}",
        "cells": [
            _cell(cell) | {"pairs": f"{cell.pairs:,} of {cell.pairs + cell.missing:,}"}
            for cell in cells
        ],
    }


def _sortable(value: float | None) -> dict[str, Any]:
    return {"value": number(value), "sort": "" if value is None else repr(value)}


def _cell(cell: Any) -> dict[str, Any]:
    return _sortable(cell.value) | {
        "place": address(cell.dataset, cell.partition),
        "interval": _interval(cell),
        "difference": number(cell.difference),
    }


def _interval(cell: Any) -> str:
    return "–" if cell.low is None else f"{number(cell.low)} .. {number(cell.high)}"


def _metric(content: Content, entry: Entry) -> dict[str, Any]:
    """Return a metric's own page."""
    own = [board for board in content.boards if entry.name in board.results.signatures]
    boards = []
    for board in own:
        cells = board.results.of(entry.name)
        items = [
            charts.ScoreBar(
                NAMES.get(cell.partition, cell.partition),
                TITLES.get(cell.dataset, cell.dataset),
                *(cell.value, cell.low, cell.high, cell.published),
            )
            for cell in cells
        ]
        protocol = board.results.protocol
        title = BOARD_TITLES.get(protocol, protocol)
        boards.append(
            {
                "title": title,
                "note": BOARD_NOTES.get(protocol, ""),
                "bars": charts.bars(items, f"{entry.name}, {title}: values and 95 % intervals"),
                "lines": _lines(board, entry),
                "remarks": board.results.metric_notes.get(entry.name, ()),
            }
        )
    first = own[0]
    rate = first.speed(entry.name)
    return {
        "entry": entry,
        "boards": boards,
        "speed": None if not rate else f"{rate:,.0f}",
    }


def _lines(board: Board, entry: Entry) -> list[tuple[str, ...]]:
    """Return a row per cell and mean; means are not shown for metrics with missing pairs."""
    lines: list[tuple[str, ...]] = [
        (
            f"{NAMES.get(cell.partition, cell.partition)} {TITLES.get(cell.dataset, cell.dataset)}",
            cell.source,
            number(cell.value),
            _interval(cell),
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
            lines.append((name, "", number(mean.value), "", *compared, "", "", ""))
    return lines


def _matrices(content: Content) -> dict[str, Any]:
    """Return the matrices, by protocol."""
    return {
        "protocols": {
            board.results.protocol: {
                "metrics": list(board.comparison.metrics),
                "columns": [_matrix(board, column) for column in board.comparison.columns],
            }
            for board in content.boards
        }
    }


def _matrix(board: Board, column: Column) -> dict[str, Any]:
    count, level = len(column.values), board.comparison.settings.level
    order = [int(k) for k in np.argsort(-column.values, kind="stable")]
    return {
        "name": column.name,
        "label": label(column.name),
        "pairs": f"{column.pairs:,}",
        "values": [number(value) for value in column.values],
        "order": [k for k in order if np.isfinite(column.values[k])],
        "cells": [
            [_difference(column, i, j, level) if i != j else None for j in range(count)]
            for i in range(count)
        ],
    }


def _difference(column: Column, i: int, j: int, level: float) -> dict[str, Any] | None:
    if math.isnan(column.p[i, j]):
        return None
    check = column.check[i, j]
    return {
        "difference": number(column.differences[i, j]),
        "low": number(column.bounds[i, j, 0]),
        "high": number(column.bounds[i, j, 1]),
        "p": f"{column.p[i, j]:.4f}",
        "adjusted": f"{column.p_adjusted[i, j]:.4f}",
        "check": None if math.isnan(check) else f"{check:.4f}",
        "real": bool(column.p_adjusted[i, j] < level),
    }


def _about(content: Content) -> Markup:
    """Return the data that the pair explorer needs before it loads any cell."""
    about = {
        "metrics": [
            {"slug": entry.slug, "name": entry.name, "complete": not entry.missing}
            for entry in content.entries
        ],
        "places": {cell_name(p): [p.dataset.name, p.partition] for p in content.cells},
        "titles": {
            **{p.partition: NAMES.get(p.partition, p.partition) for p in content.cells},
            **{p.dataset.name: TITLES.get(p.dataset.name, p.dataset.name) for p in content.cells},
        },
    }
    return embedded(about)
