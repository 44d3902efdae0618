"""Tables, and their renderings: terminal, notebook, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, Literal

from amr_metrics.utils.html_text import table as html_table
from bamboo.log import escape_name, visible

OutputFormat = Literal["table", "json", "csv", "markdown", "latex"]

PIPE_WIDTH = 10_000  # outside a terminal, lines are not folded
GAP = 3  # spaces between columns
NARROWEST = 20  # characters of a column of sentences
LEVEL = "95 %"  # in the headings of columns of intervals
BEST = "best"  # the mark of the best row
ABSENT = "–"  # a value that does not exist
LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # The default font of LaTeX has other signs in the places of these.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "−": "$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
}
BLOCK = 8  # columns of a block of a table that is divided
# In LaTeX, a table may be as wide as the text of an article with two columns. These are the points
# of that, of a letter (Computer Modern at 10 points or Times at 11), and of space between columns.
TEXT_WIDTH, LETTER_WIDTH, COLUMN_SPACE = 460, 4.75, 17
STARS_WIDTH = "2.5em"  # in LaTeX, of the stars behind a column and the space before the next
NARROW_STARS_WIDTH = "1.6em"  # the same in a table that is divided
# What can be markup in Markdown: a backslash before punctuation, emphasis, strikethrough, code,
# HTML, entities, links. The first group cannot: signs between spaces, underscores after a letter.
MARKDOWN = re.compile(
    r"((?<!\S)[*~_]+(?![^\s,:])|(?<=[^\W_])_+)"
    r"|\\(?=[!-/:-@\[-`{-~])|[*~_`]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[:])"
)

SIGNATURE = re.compile(r"signature: |[^:]+: signature \S")  # begins a note with a signature


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
        times_100: positions of columns with scores in 0..1, which are shown times 100 (JSON and CSV
            have them in 0..1).
        notes: lines below the table.
        rules: positions of rows before which a line is drawn.
        best: (row, column) of the cells in bold, or without marks with a star in plain text.
        marks: what stands beside a cell, by (row, column): stars of significance, or `BEST`.
            CSV has a column of them for each column that has some; so have terminals and notebooks
            if there is one such column, otherwise marks follow the numbers, as stars do in Markdown
            and LaTeX. In notebooks, Markdown and LaTeX, the best number is bold.
        repeated: of a table that may be too wide, the number of first columns that each of its
            blocks has: the others are divided among blocks of at most `BLOCK` columns, which stand
            below one another (not in CSV and JSON); None for a table in one piece.
        long: the same values with fewer columns and more rows, for CSV.
        terminal: the same values as terminals and notebooks show them.
        paper: the same values as Markdown and LaTeX show them. The first of its notes is a caption.
        picture: the same values as a figure: the name of its file, and SVG.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    digits: int | tuple[int, ...] = 2
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    times_100: frozenset[int] = frozenset()
    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    repeated: int | None = None
    long: Table | None = None
    terminal: Table | None = None
    paper: Table | None = None
    picture: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(_replace_nan, row)) for row in self.rows)
        object.__setattr__(self, "rows", rows)

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {name: getattr(self, name) for name in ("title", "columns", "rows", "notes")}

    def is_numeric(self, column: int) -> bool:
        """Check that a column has numbers, which are aligned on the right."""
        values = [row[column] for row in self.rows if row[column] is not None]
        return bool(values) and all(isinstance(value, int | float) for value in values)

    @property
    def headings(self) -> list[str]:
        """The headings as they are shown."""
        return [capitalize_f1(column) for column in self.columns]

    def texts(self, k: int, best: str = "{}") -> list[str]:
        """Return the texts of row `k`; `best` is the format of the best cells."""
        values = [
            _multiply_by_100(v) if c in self.times_100 else v for c, v in enumerate(self.rows[k])
        ]
        texts = [format_cell(value, d) for value, d in zip(values, self.decimals, strict=True)]
        return [best.format(text) if (k, c) in self.best else text for c, text in enumerate(texts)]

    @property
    def decimals(self) -> tuple[int, ...]:
        """The number of decimals of each column."""
        return (self.digits,) * len(self.columns) if isinstance(self.digits, int) else self.digits

    def with_column(
        self,
        position: int,
        heading: str,
        values: Sequence[Any],
        digits: int = 0,
        times_100: bool = False,
    ) -> Table:
        """Return the table with another column before a position."""
        last = len(self.columns)
        wider = replace(
            self,
            columns=(*self.columns, heading),
            rows=tuple((*row, value) for row, value in zip(self.rows, values, strict=True)),
            digits=(*self.decimals, digits),
            times_100=self.times_100 | {last} if times_100 else self.times_100,
        )
        return wider.select_columns([*range(position), last, *range(position, last)])

    def add_note(self, note: str) -> Table:
        """Return the table, and its form for papers, with one more note."""
        paper = None if self.paper is None else self.paper.add_note(note)
        return replace(self, notes=(*self.notes, note), paper=paper)

    def select_columns(self, positions: Sequence[int]) -> Table:
        """Return the table with the columns at some positions, in this order."""
        moved = {old: new for new, old in enumerate(positions)}

        def take(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[k] for k in positions)

        return replace(
            self,
            columns=take(self.columns),
            rows=tuple(map(take, self.rows)),
            digits=take(self.decimals),
            times_100=frozenset(moved[c] for c in self.times_100 if c in moved),
            best=frozenset((k, moved[c]) for k, c in self.best if c in moved),
            marks={(k, moved[c]): mark for (k, c), mark in self.marks.items() if c in moved},
        )

    @property
    def marked(self) -> list[int]:
        """The columns that have marks."""
        return sorted({column for _, column in self.marks})

    def with_marks(self) -> Table:
        """Return the table with a column of marks after each column that has some."""
        table, marked = self, self.marked
        for column in reversed(marked):
            marks = [self.marks.get((k, column), "") for k in range(len(self.rows))]
            heading = "mark" if len(marked) == 1 else f"{self.columns[column]} mark"
            table = table.with_column(column + 1, heading, marks)
        return replace(table, marks={})

    def divide(self, fits: Callable[[Sequence[Table]], bool] = bool) -> list[Table]:
        """Return the blocks of the table: as few as fit, with about as many columns each.

        >>> table = Table("", ("parser", *"abcdefghi"), (("x", *range(9)),), repeated=1)
        >>> [len(block.columns) for block in table.divide()]
        [6, 5]
        """
        if self.repeated is None:
            return [self]
        first, others = range(self.repeated), range(self.repeated, len(self.columns))
        blocks = [self]
        for count in range(math.ceil(len(others) / BLOCK), len(others) + 1):
            size = math.ceil(len(others) / count)
            starts = range(0, len(others), size)
            blocks = [self.select_columns([*first, *others[k : k + size]]) for k in starts]
            if fits(blocks):
                break
        return blocks

    def add_signature(self, signature: str) -> Table:
        """Return the table for CSV with a column of the signature."""
        table = (self.long or self).with_marks()
        return table.with_column(len(table.columns), "signature", [signature] * len(table.rows))

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return render([self], "markdown")

    def to_latex(self) -> str:
        """Return the table in LaTeX, for the package booktabs."""
        return render([self], "latex")

    def to_csv(self, delimiter: str = ",") -> str:
        """Return the table as CSV, with all digits."""
        return _format_csv(_escape_table(self), delimiter)


class Display(ABC):
    """A result that shows itself as tables: in Python, in a notebook, in Markdown and LaTeX."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """Return the tables, as the command line prints them."""

    @abstractmethod
    def to_json(self) -> Any:
        """Return the result as JSON values."""

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


def render(tables: Sequence[Table], report: OutputFormat, document: object = None) -> str:
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
    rendering = {
        "table": _format_for_terminal,
        "markdown": _format_markdown,
        "latex": _format_latex,
        "csv": _format_csv,
    }[report]
    return "\n\n".join(rendering(_escape_table(table)).rstrip("\n") for table in tables)


def find_blocks(rows: Sequence[tuple[Any, ...]]) -> tuple[int, ...]:
    """Return where blocks of rows begin, except the first: the others in them begin with "".

    >>> find_blocks([("a", 1), ("", 2), ("b", 3)])
    (2,)
    """
    return tuple(k for k, row in enumerate(rows) if k and row[0])


def capitalize_f1(text: str) -> str:
    """Return a text with F1, and the like of it, in capitals.

    >>> capitalize_f1("macro f1"), capitalize_f1("f2")
    ('macro F1', 'F2')
    """
    return re.sub(r"\bf(?=\d\b)", "F", text)


def format_cell(value: object, digits: int) -> str:
    """Return a cell as text: floats with fixed decimals, a dash for None.

    >>> format_cell(58.519, 2), format_cell(None, 2), format_cell(3, 2), format_cell((0.25, 0.5), 2)
    ('58.52', '–', '3', '0.25 .. 0.50')
    """
    if value is None:
        return ABSENT
    if isinstance(value, tuple):
        return " .. ".join(format_cell(end, digits) for end in value)
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def to_html(table: Table) -> str:
    """Return a table as HTML, as on a terminal, but with the best cells in bold.

    >>> print(to_html(Table("T", ("metric", "r"), (("<b>", 58.519),))).partition("<tbody>")[2])
    <BLANKLINE>
    <tr><td style="text-align: left">&lt;b&gt;</td><td style="text-align: right">58.52</td></tr>
    </tbody></table>
    """
    shape = _escape_table(replace(table.terminal or table, notes=table.notes))
    blocks = (shape.with_marks() if len(shape.marked) == 1 else shape).divide()
    return "\n".join(
        html_table(
            block.headings,
            [
                [f"{text}{_find_stars(block, k, c)}" for c, text in enumerate(block.texts(k))]
                for k in range(len(block.rows))
            ],
            "" if block is not blocks[0] else shape.title,
            () if block is not blocks[-1] else shape.notes,
            [block.is_numeric(k) for k in range(len(block.columns))],
            block.best,
        )
        for block in blocks
    )


def _multiply_by_100(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_multiply_by_100(end) for end in value)
    return 100 * value if isinstance(value, float) else value


def _replace_nan(value: Any) -> Any:
    if isinstance(value, tuple):
        return None if any(_replace_nan(end) is None for end in value) else value
    return None if isinstance(value, float) and math.isnan(value) else value


def _escape_table(table: Table) -> Table:
    """Return the table without control characters, since its texts may come from any file."""
    return replace(
        table,
        title=escape_name(table.title),
        columns=tuple(map(escape_name, table.columns)),
        rows=tuple(
            tuple(escape_name(v) if isinstance(v, str) else v for v in r) for r in table.rows
        ),
        notes=tuple(map(visible, table.notes)),
        long=None if table.long is None else _escape_table(table.long),
        terminal=None if table.terminal is None else _escape_table(table.terminal),
        paper=None if table.paper is None else _escape_table(table.paper),
    )


def escape_markdown(text: str) -> str:
    r"""Return a text in one line for Markdown, in which nothing of it is markup.

    >>> print(escape_markdown("[my_parser](x) *b* <i> p < .05"))
    [my_parser\](x) \*b\* \<i> p < .05
    """
    return MARKDOWN.sub(lambda match: match[1] or f"\\{match[0]}", escape_name(text))


def _format_markdown(table: Table) -> str:
    if table.paper is not None:
        table = replace(table.paper, notes=(" ".join(table.paper.notes),))

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def escape_cell(text: str) -> str:
        return escape_markdown(text).replace("|", r"\|")

    def row(block: Table, k: int) -> list[str]:
        texts = map(escape_cell, block.texts(k))
        return [
            (f"**{text}**" if (k, column) in block.best else text)
            + _find_stars(block, k, column).replace("*", r"\*")
            for column, text in enumerate(texts)
        ]

    lines = [f"**{escape_markdown(table.title)}**"]
    for block in table.divide():
        rule = ["---:" if block.is_numeric(k) else "---" for k in range(len(block.columns))]
        lines += ["", line([*map(escape_cell, block.headings)]), line(rule)]
        lines += [line(row(block, k)) for k in range(len(block.rows))]
    return "\n".join([*lines, *(f"\n{escape_markdown(note)}" for note in table.notes)])


def _find_stars(table: Table, k: int, column: int) -> str:
    mark = table.marks.get((k, column), "")
    return "" if mark == BEST else mark


def escape_latex(text: str) -> str:
    r"""Return a text for LaTeX, in which nothing of it is a command.

    >>> print(escape_latex("a_b|p < .05"))
    a\_b\textbar{}p \textless{} .05
    """
    pieces = re.split("(?<=-)(?=-)", text)  # two hyphens would be printed as a dash
    return "{}".join("".join(LATEX.get(c, c) for c in piece) for piece in pieces)


def _format_latex(table: Table) -> str:
    is_paper = table.paper is not None
    table = table.paper or table
    blocks = table.divide(_fit_article)
    have_stars = [{c for k, c in block.marks if _find_stars(block, k, c)} for block in blocks]
    layout = _align_latex(blocks[0], is_paper, set().union(*have_stars))
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
    for k, block in enumerate(blocks):
        lines += [r"\midrule"] if k else []
        lines += _list_latex_rows(block, _find_intervals_below(block, is_paper))
    lines += [r"\bottomrule", r"\end{tabular}"]
    notes = [*table.notes]
    notes[:is_paper] = [rf"\caption{{{escape_latex(note)}}}" for note in notes[:is_paper]]
    lines += [f"% {line}" for note in notes for line in note.split("\n")]
    return "\n".join(lines)


def _fit_article(blocks: Sequence[Table]) -> bool:
    """Return whether blocks below one another fit into the text of an article of two columns."""
    rows = [row for b in blocks for row in (b.headings, *map(b.texts, range(len(b.rows))))]
    columns = zip_longest(*rows, fillvalue="")
    letters = [max(map(_measure_width, column)) for column in columns]
    return LETTER_WIDTH * sum(letters) + COLUMN_SPACE * len(letters) <= TEXT_WIDTH


def _find_intervals_below(table: Table, is_paper: bool) -> list[int]:
    """Return the columns that an article has no room for beside the scores: they are below them."""
    return [k for k, name in enumerate(table.columns) if is_paper and name.endswith(LEVEL)]


def _align_latex(table: Table, is_paper: bool, have_stars: Container[int]) -> str:
    """Return the columns of a tabular.

    Args:
        have_stars: the columns with stars in some block.
    """
    below = _find_intervals_below(table, is_paper)

    def align(column: int) -> str:
        if column + 1 in below or (is_paper and column in have_stars and table.repeated is None):
            return "c"  # headings and intervals are so wide that the stars have room
        width = STARS_WIDTH if table.repeated is None else NARROW_STARS_WIDTH
        space = rf"@{{\hspace{{{width}}}}}" if column in have_stars else ""
        return ("r" if table.is_numeric(column) else "l") + space

    layout = "".join(align(k) for k in range(len(table.columns)) if k not in below)
    return f"@{{}}{layout}@{{}}" if is_paper else layout


def _list_latex_rows(table: Table, below: Sequence[int]) -> list[str]:
    """Return the headings and the rows of a table, with the columns `below` under their scores."""
    shown_columns = [k for k in range(len(table.columns)) if k not in below]

    def signed(number: str) -> str:
        return f"${number}$" if number.startswith("-") else number

    def cell(k: int, column: int, text: str) -> str:
        value = table.rows[k][column]
        if isinstance(value, tuple):
            low, high = text.split(" .. ")
            number = f"[{signed(low)}, {signed(high)}]"
        else:
            number = escape_latex(text) if isinstance(value, str | None) else signed(text)
        number = rf"\textbf{{{number}}}" if (k, column) in table.best else number
        stars = _find_stars(table, k, column)
        return rf"{number}\rlap{{$^{{{stars}}}$}}" if stars else number

    def line(cells: Sequence[str]) -> str:
        row = " & ".join(cells) + r" \\"
        # To the command that ends the line before, a star or bracket would be an argument.
        return f"{{}}{row}" if row.lstrip().startswith(("*", "[")) else row

    headings = [escape_latex(table.headings[column]) for column in shown_columns]
    lines = [line(headings), r"\midrule"]
    for k in range(len(table.rows)):
        if k in table.rules:
            lines.append(r"\midrule")
        elif k and below:
            lines.append(r"\addlinespace")
        cells = [cell(k, column, text) for column, text in enumerate(table.texts(k))]
        lines.append(line([cells[column] for column in shown_columns]))
        if below:
            small = {column - 1: rf"\scriptsize {cells[column]}" for column in below}
            lines.append(line([small.get(column, "") for column in shown_columns]))
    return lines


def _format_csv(table: Table, delimiter: str = ",") -> str:
    table = (table.long or table).with_marks()
    intervals = [LEVEL in heading for heading in table.columns]

    def cells(row: Sequence[Any]) -> Iterator[Any]:
        for value, is_interval in zip(row, intervals, strict=True):
            yield from (value or ("", "")) if is_interval else ["" if value is None else value]

    headings = [
        [heading.replace(LEVEL, end) for end in ("low", "high")] for heading in table.columns
    ]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    # Without an interval in it, a heading is the same with both ends.
    writer.writerow([name for ends in headings for name in dict.fromkeys(ends)])
    writer.writerows(list(cells(row)) for row in table.rows)
    return text.getvalue()


def _format_for_terminal(table: Table) -> str:
    """Return a table for a terminal, whose width folds title, notes and a last column of texts."""
    styled = sys.stdout.isatty()
    width = PIPE_WIDTH
    if styled:
        from shutil import get_terminal_size  # slow to import

        width = get_terminal_size().columns
    form = table.terminal or table
    # A mark says which one is best.
    form = replace(form, best=frozenset() if form.marks else form.best)
    form = form.with_marks() if len(form.marked) == 1 else form
    title = "\n".join(_fold_text(form.title, width))
    notes = [line for note in table.notes for line in _fold_text(note, width)]

    def fit(blocks: Sequence[Table]) -> bool:
        lines = [line for block in blocks for line in _lay_out_lines(block, width)]
        return max(map(_measure_width, lines)) <= width

    laid_out = ["\n".join(_lay_out_lines(block, width)) for block in form.divide(fit)]
    parts = [f"\x1b[3m{title}\x1b[0m" if styled and title else title, *laid_out]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])


def _lay_out_lines(table: Table, width: int) -> list[str]:
    columns = range(len(table.columns))
    numeric = [table.is_numeric(k) for k in columns]
    texts = [[text.expandtabs() for text in table.texts(k, "*{}")] for k in range(len(table.rows))]
    headings = table.headings
    for column in table.marked:
        marks = [table.marks.get((k, column), "") for k in range(len(texts))]
        longest, number = max(map(len, marks)), max(len(row[column]) for row in texts)
        for row, mark in zip(texts, marks, strict=True):
            row[column] += f" {mark:{longest}}"
        headings[column] = f"{headings[column]:>{number}}".ljust(number + 1 + longest)
    widths = [
        max(map(_measure_width, (heading, *(row[k] for row in texts))))
        for k, heading in enumerate(headings)
    ]
    available = max(width - sum(widths[:-1]) - GAP * len(widths), NARROWEST)
    folds = not numeric[-1]
    widths[-1] = min(widths[-1], available) if folds else widths[-1]

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (widths[k] - _measure_width(cell)) + cell
            if numeric[k]
            else cell + " " * (widths[k] - _measure_width(cell))
            for k, cell in enumerate(cells)
        ]
        return "  " + (" " * GAP).join(padded).rstrip()

    lines = [line(headings), " " + "─" * (sum(widths) + GAP * len(widths) - 1)]
    for k, row in enumerate(texts):
        lines += [""] if k and k in table.rules else []
        *others, last = row
        first, *more = _fold_text(last, widths[-1]) if folds else [last]
        lines.append(line([*others, first]))
        lines += [line([*[""] * len(others), part]) for part in more]
    return lines


def _fold_text(text: str, width: int) -> list[str]:
    """Return the lines of a text; a signature stays on one, since it is copied or searched for."""
    if _measure_width(text) <= width or SIGNATURE.match(text):
        return [text]
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [text]


def _measure_width(text: str) -> int:
    if text.isascii() or text == ABSENT:
        return len(text)
    from rich.cells import cell_len  # some characters, such as Chinese ones, are twice as wide

    return cell_len(text)
