"""The files for download: the leaderboard as CSV and LaTeX, and references as BibTeX."""

from __future__ import annotations

from typing import Any

from bamboo.config.columns import column_name
from bamboo.config.published import MEANS
from bamboo.running.results import Row
from bamboo.site.content import Board, Content
from bamboo.site.references import BENCHMARK, known_entries
from bamboo.site.titles import BOARD_TITLES, label
from bamboo.statistics import MEAN
from bamboo.tables.model import Format, Table, render

DOWNLOADS: dict[str, str] = {"csv": "CSV", "tex": "LaTeX", "json": "JSON"}  # by suffix
FORMATS: dict[str, Format] = {"csv": "csv", "tex": "latex"}


def board_file(board: Board) -> str:
    """The name of a board's files in ``data``, without suffix.

    It is also that of its result as JSON.
    """
    return f"result-{board.result.protocol}"


def board_files(content: Content, board: Board) -> dict[str, str]:
    """The texts of a board's CSV and LaTeX files, by suffix."""
    table = board_table(content, board)
    return {suffix: render([table], form).rstrip("\n") + "\n" for suffix, form in FORMATS.items()}


def board_table(content: Content, board: Board) -> Table:
    """A board as a table: one row per metric in the order of the board, one column per cell.

    Bold: not significantly worse than the best of the column. Metrics with missing pairs come
    last, without means.
    """
    cells = board.result.rows[0].cells
    names = [column_name(cell.dataset, cell.partition) for cell in cells]
    means = [m for m in MEANS if any(getattr(row, m) is not None for row in board.result.rows)]
    best = board.comparison.best()
    rows: list[tuple[Any, ...]] = []
    bold = set()
    ranked, apart = board.ranked(), board.apart()
    for row in (*ranked, *apart):
        for c, name in enumerate((*names, MEAN)):
            if row in ranked and row.metric in best.get(name, ()) and (name != MEAN or means):
                bold.add((len(rows), c + 1))
        of_means = [getattr(row, m) if row in ranked else None for m in means]
        rows.append((row.metric, *_values(row, names), *of_means))
    title = f"BAMBOO, {BOARD_TITLES.get(board.result.protocol, board.result.protocol)} (x 100)"
    edition = content.edition
    date = [f"Date: {edition.date}."] if edition.date else []
    notes = (f"Data version {edition.data}.", *date)
    columns = ("metric", *(label(name) for name in names), *means)
    return Table(title, columns, tuple(rows), notes=notes, best=frozenset(bold))


def _values(row: Row, names: list[str]) -> list[float | None]:
    values = {column_name(cell.dataset, cell.partition): cell.value for cell in row.cells}
    return [values[name] for name in names]


def references(content: Content) -> str:
    """The BibTeX entries of the benchmark and of the metrics, each once."""
    entries = [known_entries()[BENCHMARK], *(entry.bibtex for entry in content.entries)]
    return "\n\n".join(dict.fromkeys(entry for entry in entries if entry)) + "\n"
