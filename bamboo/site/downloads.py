"""The files for download: the leaderboard as CSV and LaTeX."""

from __future__ import annotations

from typing import Any

from bamboo.config.columns import column_name
from bamboo.config.published import MEANS
from bamboo.results.table import Format, Table, render
from bamboo.site.content import Board
from bamboo.site.titles import BOARD_TITLES, label
from bamboo.statistics import MEAN

DOWNLOADS: dict[str, str] = {"csv": "CSV", "tex": "LaTeX", "json": "JSON"}  # by suffix
FORMATS: dict[str, Format] = {"csv": "csv", "tex": "latex"}


def board_file(board: Board) -> str:
    """Return the name of a board's files in ``data``, without suffix.

    It is also that of its result as JSON.
    """
    return f"result-{board.results.protocol}"


def board_files(board: Board) -> dict[str, str]:
    """Return the texts of a board's CSV and LaTeX files, by suffix."""
    table = board_table(board)
    return {suffix: render([table], form).rstrip("\n") + "\n" for suffix, form in FORMATS.items()}


def board_table(board: Board) -> Table:
    """Return a board as a table: one row per metric in the order of the board, one column per cell.

    Bold: not significantly worse than the best of the column. Metrics with missing pairs come
    last, without means.
    """
    first = next(iter(board.results.signatures))
    names = [column_name(cell.dataset, cell.partition) for cell in board.results.of(first)]
    means = [m for m in MEANS if (board.results.means["mean"] == m).any()]
    best = board.comparison.best()
    rows: list[tuple[Any, ...]] = []
    bold = set()
    for metric in (*board.ranked(), *board.unranked()):
        is_ranked = metric in board.comparison.metrics
        for c, name in enumerate((*names, MEAN)):
            if is_ranked and metric in best.get(name, ()) and (name != MEAN or means):
                bold.add((len(rows), c + 1))
        cells = {column_name(c.dataset, c.partition): c.value for c in board.results.of(metric)}
        found = [board.results.mean(metric, m) if is_ranked else None for m in means]
        of_means = [None if mean is None else mean.value for mean in found]
        rows.append((metric, *[cells[name] for name in names], *of_means))
    title = f"BAMBOO, {BOARD_TITLES.get(board.results.protocol, board.results.protocol)} (x 100)"
    columns = ("metric", *(label(name) for name in names), *means)
    return Table(title, columns, tuple(rows), best=frozenset(bold))
