"""Tables, and their renderings: terminal, notebook, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import math
import shutil
import sys
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from amr_metrics.utils.html_text import table as html_table
from bamboo.log import visible

Format = Literal["table", "json", "csv", "markdown", "latex"]

PIPE_WIDTH = 10_000  # outside a terminal, lines are not folded
GAP = 3  # spaces between columns
NARROWEST = 20  # characters of a column of sentences
LEVEL = "95 %"  # in the headings of columns of intervals
LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
}


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: the title.
        columns: the headings. A column of intervals has `LEVEL` in its heading.
        rows: strings, numbers and intervals (low, high); None for a value that does not exist (NaN
            becomes None).
        digits: the number of decimals of floats, the same for all columns or one per column (JSON
            and CSV have all digits).
        notes: lines below the table.
        rules: positions of rows before which a line is drawn.
        best: (row, column) of the cells in bold, or with a star in plain text.
        long: the same values with fewer columns and more rows, for CSV.
        terminal: the same values as terminals and notebooks show them.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    digits: int | tuple[int, ...] = 2
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    long: Table | None = None
    terminal: Table | None = None

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(_known, row)) for row in self.rows)
        object.__setattr__(self, "rows", rows)

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {name: getattr(self, name) for name in ("title", "columns", "rows", "notes")}

    def is_numeric(self, column: int) -> bool:
        """Check that a column has numbers, which are aligned on the right."""
        values = [row[column] for row in self.rows if row[column] is not None]
        return bool(values) and all(isinstance(value, int | float) for value in values)

    def texts(self, k: int, mark: str = "{}") -> list[str]:
        """Return the texts of row `k`; `mark` is the format of the best cells."""
        digits = (self.digits,) * len(self.columns) if isinstance(self.digits, int) else self.digits
        texts = [shown(value, d) for value, d in zip(self.rows[k], digits, strict=True)]
        return [mark.format(text) if (k, c) in self.best else text for c, text in enumerate(texts)]


class Display(ABC):
    """A result that shows itself as tables: in Python, in a notebook, in Markdown and LaTeX."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """Return the tables, as the command line prints them."""

    def to_markdown(self) -> str:
        """Return the tables in Markdown."""
        return render(self.tables(), "markdown")

    def to_latex(self) -> str:
        """Return the tables in LaTeX, for the package booktabs."""
        return render(self.tables(), "latex")

    def __repr__(self) -> str:
        return render(self.tables(), "table")

    def _repr_html_(self) -> str:
        return "\n".join(map(to_html, self.tables()))


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
        from bamboo.files import json_text  # imports NumPy

        listed = [table.to_json() for table in tables]
        whole = listed if document is None else document
        return visible(json_text(whole, indent=1, ensure_ascii=False))
    rendering = {"table": _terminal, "markdown": _markdown, "latex": _latex, "csv": _csv}[report]
    return "\n\n".join(rendering(_visible(table)).rstrip("\n") for table in tables)


def shown(value: object, digits: int) -> str:
    """Return a cell as text: floats with fixed decimals, a dash for None.

    >>> shown(58.519, 2), shown(None, 2), shown(3, 2), shown((0.25, 0.5), 2)
    ('58.52', '–', '3', '0.25 .. 0.50')
    """
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return " .. ".join(shown(end, digits) for end in value)
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def to_html(table: Table) -> str:
    """Return a table as HTML, as on a terminal.

    >>> print(to_html(Table("T", ("metric", "r"), (("<b>", 58.519),))).partition("<tbody>")[2])
    <BLANKLINE>
    <tr><td style="text-align: left">&lt;b&gt;</td><td style="text-align: right">58.52</td></tr>
    </tbody></table>
    """
    shape = _visible(replace(table.terminal or table, notes=table.notes))
    return html_table(
        shape.columns,
        [shape.texts(k, "*{}") for k in range(len(shape.rows))],
        shape.title,
        shape.notes,
        [shape.is_numeric(k) for k in range(len(shape.columns))],
    )


def _known(value: Any) -> Any:
    if isinstance(value, tuple):
        return None if any(_known(end) is None for end in value) else value
    return None if isinstance(value, float) and math.isnan(value) else value


def _visible(table: Table) -> Table:
    """Return the table without control characters, since its texts may come from any file."""
    return replace(
        table,
        title=visible(table.title),
        columns=tuple(map(_one_line, table.columns)),
        rows=tuple(tuple(_one_line(v) if isinstance(v, str) else v for v in r) for r in table.rows),
        notes=tuple(map(visible, table.notes)),
        long=None if table.long is None else _visible(table.long),
        terminal=None if table.terminal is None else _visible(table.terminal),
    )


def _one_line(text: str) -> str:
    return visible(text).replace("\n", "\\u000a")


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    rule = ["---:" if table.is_numeric(k) else "---" for k in range(len(table.columns))]
    lines = [f"**{table.title}**", "", line(table.columns), line(rule)]
    lines += [line(table.texts(k, "**{}**")) for k in range(len(table.rows))]
    return "\n".join([*lines, *(f"\n{note}" for note in table.notes)])


def _latex(table: Table) -> str:
    def line(cells: Sequence[str], k: int = -1) -> str:
        safe = ["".join(LATEX.get(c, c) for c in cell) for cell in cells]
        bold = [
            rf"\textbf{{{cell}}}" if (k, c) in table.best else cell for c, cell in enumerate(safe)
        ]
        return " & ".join(bold) + r" \\"

    layout = "".join("r" if table.is_numeric(k) else "l" for k in range(len(table.columns)))
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
    lines += [line(table.columns), r"\midrule"]
    for k in range(len(table.rows)):
        lines += [r"\midrule"] if k in table.rules else []
        lines.append(line(table.texts(k), k))
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in table.notes)]
    return "\n".join(lines)


def _csv(table: Table) -> str:
    table = table.long or table
    intervals = [LEVEL in heading for heading in table.columns]

    def cells(row: Sequence[Any]) -> Iterator[Any]:
        for value, is_interval in zip(row, intervals, strict=True):
            yield from (value or ("", "")) if is_interval else ["" if value is None else value]

    ends = [
        tuple(heading.replace(LEVEL, end) for end in ("low", "high")) for heading in table.columns
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    headings = zip(table.columns, ends, intervals, strict=True)
    writer.writerow([name for one, two, both in headings for name in (two if both else (one,))])
    writer.writerows(list(cells(row)) for row in table.rows)
    return text.getvalue()


def _terminal(table: Table) -> str:
    """Return a table for a terminal, whose width folds title, notes and a last column of texts."""
    styled = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if styled else PIPE_WIDTH
    form = table.terminal or table
    title = "\n".join(_folded(form.title, width))
    notes = [line for note in table.notes for line in _folded(note, width)]
    lines = _lines(form, width)
    parts = [f"\x1b[3m{title}\x1b[0m" if styled and title else title, "\n".join(lines)]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])


def _lines(table: Table, width: int) -> list[str]:
    columns = range(len(table.columns))
    numeric = [table.is_numeric(k) for k in columns]
    texts = [[text.expandtabs() for text in table.texts(k, "*{}")] for k in range(len(table.rows))]
    widths = [
        max(map(_width, (heading, *(row[k] for row in texts))))
        for k, heading in enumerate(table.columns)
    ]
    available = max(width - sum(widths[:-1]) - GAP * len(widths), NARROWEST)
    folds = not numeric[-1]
    widths[-1] = min(widths[-1], available) if folds else widths[-1]

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (widths[k] - _width(cell)) + cell
            if numeric[k]
            else cell + " " * (widths[k] - _width(cell))
            for k, cell in enumerate(cells)
        ]
        return "  " + (" " * GAP).join(padded).rstrip()

    lines = [line(table.columns), " " + "─" * (sum(widths) + GAP * len(widths) - 1)]
    for k, row in enumerate(texts):
        lines += [""] if k and k in table.rules else []
        *others, last = row
        first, *more = _folded(last, widths[-1]) if folds else [last]
        lines.append(line([*others, first]))
        lines += [line([*[""] * len(others), part]) for part in more]
    return lines


def _folded(text: str, width: int) -> list[str]:
    if _width(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [text]


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # some characters, such as Chinese ones, are twice as wide

    return cell_len(text)
