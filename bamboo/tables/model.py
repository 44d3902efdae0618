"""A table, and its renderings as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from bamboo.tables.terminal import Grid, terminal_text
from bamboo.terminal import visible

Format = Literal["table", "json", "csv", "markdown", "latex"]

PIPE_WIDTH = 10_000  # outside a terminal, lines are not folded


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: the title.
        columns: the headings.
        rows: strings and numbers; None for a value that does not exist (NaN becomes None).
        digits: number of decimals shown for floats (JSON and CSV keep all).
        notes: lines below the table.
        rules: positions of rows before which a line is drawn.
        best: (row, column) of the cells in bold, or with a star in plain text.
        on_terminal: a more compact arrangement of the same values for terminals, with a title of
            its own and the same notes.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    digits: int = 2
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    on_terminal: Table | None = None

    def __post_init__(self) -> None:
        rows = tuple(
            tuple(None if isinstance(v, float) and math.isnan(v) else v for v in row)
            for row in self.rows
        )
        object.__setattr__(self, "rows", rows)

    def to_json(self) -> dict[str, Any]:
        """The table as JSON values."""
        return {name: getattr(self, name) for name in ("title", "columns", "rows", "notes")}


def render(tables: Sequence[Table], report: Format, document: object = None) -> str:
    """Render tables as text.

    Args:
        report: ``table`` (for a terminal), ``markdown``, ``latex``, ``csv`` or ``json``.
        document: the values printed as ``json``; by default the tables.

    >>> table = Table("T", ("metric", "r"), (("smatch", 58.519),))
    >>> print(render([table], "markdown"))
    **T**
    <BLANKLINE>
    | metric | r |
    | --- | ---: |
    | smatch | 58.52 |
    """
    if report == "json":
        from bamboo.documents import json_text  # imports NumPy

        listed = [table.to_json() for table in tables]
        whole = listed if document is None else document
        return visible(json_text(whole, indent=1, ensure_ascii=False))
    tables = [_visible(table) for table in tables]
    rendering = {"table": _terminal, "markdown": _markdown, "latex": _latex, "csv": _csv}[report]
    return "\n\n".join(rendering(table).rstrip("\n") for table in tables)


def _visible(table: Table) -> Table:
    """The table without control characters, since its texts may come from any file."""
    return replace(
        table,
        title=visible(table.title),
        columns=tuple(map(visible, table.columns)),
        rows=tuple(tuple(visible(v) if isinstance(v, str) else v for v in r) for r in table.rows),
        notes=tuple(map(visible, table.notes)),
    )


def shown(value: object, digits: int) -> str:
    """A cell as text: floats with fixed decimals, a dash for None.

    >>> shown(58.519, 2), shown(None, 2), shown(3, 2)
    ('58.52', '–', '3')
    """
    if value is None:
        return "–"
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _texts(table: Table, k: int, mark: str) -> list[str]:
    """The texts of row `k`; `mark` is the format of the best cells."""
    return [
        mark.format(shown(value, table.digits))
        if (k, c) in table.best
        else shown(value, table.digits)
        for c, value in enumerate(table.rows[k])
    ]


def _numeric(table: Table, column: int) -> bool:
    values = [row[column] for row in table.rows if row[column] is not None]
    return bool(values) and all(isinstance(value, int | float) for value in values)


def _terminal(table: Table) -> str:
    """For a terminal, in its width; with text styles only if the output is a terminal."""
    import shutil
    import sys

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else PIPE_WIDTH
    arrangement = replace(table.on_terminal or table, notes=table.notes)
    return terminal_text(grid(arrangement), width, terminal)


def grid(table: Table) -> Grid:
    """The cells of a table as text, for a terminal."""
    return Grid(
        table.title,
        table.columns,
        [_texts(table, k, "*{}") for k in range(len(table.rows))],
        [_numeric(table, k) for k in range(len(table.columns))],
        table.rules,
        table.notes,
    )


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    rule = ["---:" if _numeric(table, k) else "---" for k in range(len(table.columns))]
    lines = [f"**{table.title}**", "", line(table.columns), line(rule)]
    lines += [line(_texts(table, k, "**{}**")) for k in range(len(table.rows))]
    return "\n".join([*lines, *(f"\n{note}" for note in table.notes)])


def _latex(table: Table) -> str:
    special = {c: f"\\{c}" for c in "&%$#_{}"} | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
    }

    def line(cells: Sequence[str], k: int = -1) -> str:
        safe = ["".join(special.get(c, c) for c in cell) for cell in cells]
        bold = [
            rf"\textbf{{{cell}}}" if (k, c) in table.best else cell for c, cell in enumerate(safe)
        ]
        return " & ".join(bold) + r" \\"

    layout = "".join("r" if _numeric(table, k) else "l" for k in range(len(table.columns)))
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
    lines += [line(table.columns), r"\midrule"]
    for k, row in enumerate(table.rows):
        lines += [r"\midrule"] if k in table.rules else []
        lines.append(line([shown(value, table.digits) for value in row], k))
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in table.notes)]
    return "\n".join(lines)


def _csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(["" if value is None else value for value in row] for row in table.rows)
    return text.getvalue()
