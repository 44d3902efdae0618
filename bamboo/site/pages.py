"""The pages: the values for each template, with all numbers formatted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from bamboo.benchmark.columns import MEANS
from bamboo.board import Difference, Score
from bamboo.display.table import Table
from bamboo.files import json_text, plain
from bamboo.pages import charts
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages, cells_of, embedded
from bamboo.results.cell_facts import CELL, ScoredCell
from bamboo.results.comparison_table import rank_systems, write_ranks
from bamboo.site.cell_files import cell_name
from bamboo.site.content import Content, Entry, Leaderboard
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
    first = content.boards[0]
    significance = first.comparison.tests or Significance()
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
    cells = first.results.list_scores(next(iter(first.results.signatures)), CELL)
    shared: dict[str, Any] = {
        "level": f"{100 * significance.level:g} %",
        "sets": ", ".join(TITLES.get(name, name) for name in sets),
        "pairs": f"{sum(row.pairs + facts.missing for row, facts in cells):,}",
        "partitions": [(name, NAMES.get(name, name)) for name in partitions],
        "sets_choice": [(name, TITLES.get(name, name)) for name in sets],
        "entries": content.entries,
        "boards": boards,
        "permutations": f"{significance.permutations:,}",
        "resamples": f"{significance.resamples:,}",
        "is_clustered": first.comparison.is_clustered,
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
    content: Content, board: Leaderboard, properties: Mapping[str, Sequence[Property]]
) -> dict[str, Any]:
    """Return the leaderboard under one protocol."""
    comparison, ranking = board.comparison, board.comparison.ranking
    best = comparison.best()
    cells = [row.part for row, _ in comparison.list_scores(kind=CELL)]
    cells = [name for name in comparison.columns if name in cells]
    compared = comparison.select_compared(ranking)
    scores = {row.system: row for row in compared.scores}
    ranks = rank_systems(compared, comparison.level)
    ends = [end for row in compared.scores for end in row.interval or ()]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    rows: list[dict[str, Any]] = []
    points = []
    ranked = board.ranked()
    for position, metric in enumerate(ranked):
        entry, row = content.entry(metric), scores[metric]
        rate = board.speed(metric)
        if rate and row.interval is not None and math.isfinite(row.value):
            address = f"metric/{entry.slug}.html"
            points.append(charts.Point(metric, address, rate, row.value, *row.interval))
        mean, hmean = (board.results.find_mean(metric, name) for name in (ranking, "hmean"))
        rows.append(
            {
                "name": metric,
                "slug": entry.slug,
                "seed": entry.seed,
                "links": _links(entry.source),
                "properties": properties[metric],
                "rank": (write_ranks(ranks[metric]) or "–").replace("-", "–"),
                # Every metric above is significantly better than this one and all below.
                "rule": min(ranks[name][0] for name in ranked[position:]) > position,
                "strip": charts.strip(row.value, row.low, row.high, low, high),
                "speed": "–" if not rate else f"{rate:,.0f}",
                "speed_sort": "" if not rate else f"{rate:.3f}",
                "mean": _sortable(mean and mean[0].value) | {"best": metric in best[ranking]},
                "hmean": _sortable(hmean and hmean[0].value),
                "published": _sortable(mean and mean[1].published),
                "difference": _sortable(mean and mean[0].value - mean[1].published),
                "cells": [
                    _cell(cell) | {"best": metric in best[cell[0].part]}
                    for cell in _order_cells(board, metric, cells)
                ],
            }
        )
    groups = [
        (NAMES.get(name, name), len(list(members)))
        for name, members in groupby(name.partition("_")[0] for name in cells)
    ]
    return {
        "protocol": board.results.protocol,
        "slug": board.results.protocol.replace(".", "-"),
        "file": board.file,
        "title": BOARD_TITLES.get(board.results.protocol, board.results.protocol),
        "note": BOARD_NOTES.get(board.results.protocol, ""),
        "mean": None if ranking in cells else ranking,
        "is_whole": ranking == MEAN,  # all twelve cells: also hmean and published means
        "ranked_by": label(ranking),
        "columns": [set_title(name) for name in cells],
        "groups": groups,
        "rows": rows,
        "apart": [_unranked(content, board, name, cells) for name in comparison.incomplete],
        "random": any(row["seed"] is not None for row in rows),
        "cost": charts.accuracy_cost(points, label(ranking)),
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


def _order_cells(board: Leaderboard, metric: str, columns: Sequence[str]) -> list[ScoredCell]:
    """Return the cells of a metric in the order of columns."""
    cells = {row.part: (row, facts) for row, facts in board.results.list_scores(metric, CELL)}
    return [cells[name] for name in columns]


def _unranked(
    content: Content, board: Leaderboard, metric: str, columns: Sequence[str]
) -> dict[str, Any]:
    """Return a metric with missing pairs: each value with the number of pairs it is based on."""
    entry = content.entry(metric)
    return {
        "name": metric,
        "slug": entry.slug,
        "missing": f"{entry.missing:,}",
        "cells": [
            _cell((row, facts)) | {"pairs": f"{row.pairs:,} of {row.pairs + facts.missing:,}"}
            for row, facts in _order_cells(board, metric, columns)
        ],
    }


def _sortable(value: float | None) -> dict[str, Any]:
    is_known = value is not None and not math.isnan(value)
    return {"value": number(value), "sort": repr(value) if is_known else ""}


def _cell(cell: ScoredCell) -> dict[str, Any]:
    row, facts = cell
    return _sortable(row.value) | {
        "place": address(facts.dataset, facts.partition),
        "interval": _interval(row),
        "difference": number(row.value - facts.published),
    }


def _interval(row: Score) -> str:
    return "–" if row.interval is None else f"{number(row.low)} .. {number(row.high)}"


def _metric(content: Content, entry: Entry) -> dict[str, Any]:
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


def _lines(board: Leaderboard, entry: Entry) -> list[tuple[str, ...]]:
    """Return a row per cell and mean; means are not shown for metrics with missing pairs."""
    lines: list[tuple[str, ...]] = []
    for row, facts in board.results.list_scores(entry.name):
        compared = number(facts.published), number(row.value - facts.published)
        if row.kind == CELL:
            partition = NAMES.get(facts.partition, facts.partition)
            empty = f" ({facts.empty:,} count as 0)" if facts.empty else ""
            lines.append(
                (
                    f"{partition} {TITLES.get(facts.dataset, facts.dataset)}",
                    *(facts.source, number(row.value), _interval(row), *compared),
                    *(f"{row.pairs:,}", f"{facts.missing:,}{empty}", f"{facts.seconds:.2f}"),
                )
            )
        elif row.part in MEANS and not entry.missing:
            lines.append((row.part, "", number(row.value), "", *compared, "", "", ""))
    return lines


def _matrices(content: Content) -> dict[str, Any]:
    """Return the matrices, by protocol."""
    return {
        "protocols": {
            board.results.protocol: {
                "metrics": board.comparison.compared,
                "columns": [_matrix(board, name) for name in board.comparison.columns],
            }
            for board in content.boards
        }
    }


def _matrix(board: Leaderboard, column: str) -> dict[str, Any]:
    comparison = board.comparison
    part = comparison.select_compared(column)
    metrics, values = comparison.compared, [row.value for row in part.scores]
    cells = {
        (row.first, row.second): _difference(row, comparison.level) for row in part.differences
    }
    pairs = comparison.board.select(part=column).scores[0].pairs
    return {
        "name": column,
        "label": label(column),
        "pairs": f"{pairs:,}",
        "values": [number(value) for value in values],
        "order": [k for k in order_descending(values) if not math.isnan(values[k])],
        "cells": [[cells.get((a, b)) for b in metrics] for a in metrics],
    }


def _difference(row: Difference, level: float) -> dict[str, Any] | None:
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
