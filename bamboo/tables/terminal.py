"""Tables as text for a terminal: they fit its width, and no number or name is split.

A table that is too wide is laid out more tightly: headings on several lines and smaller gaps, then
long sentences on several lines, and finally several blocks of columns, each with the first columns.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

SENTENCE = 30  # characters; longer cells with spaces may be folded between words
NARROWEST = 20  # characters that such a cell gets at least
GAP, TIGHT = 3, 2  # spaces between columns
MARGIN = 2  # spaces before the first column


@dataclass(frozen=True)
class Grid:
    """The cells of a table as text.

    Attributes:
        title: the title.
        headings: one per column.
        rows: one text per column.
        numeric: for each column, whether it is aligned on the right.
        rules: positions of rows before which a line is left empty.
        notes: lines below the table.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Sequence[bool]
    rules: Sequence[int] = ()
    notes: Sequence[str] = ()


def terminal_text(grid: Grid, width: int, styled: bool = False) -> str:
    """The table as text.

    Args:
        width: the number of characters in a line.
        styled: whether to use the terminal's text styles.
    """
    parts = [_styled_title(grid.title, width, styled)]
    parts += [_block(layout, grid, styled) for layout in _layouts(grid, width)]
    text = "\n\n".join(part.strip("\n") for part in parts)
    notes = [line for note in grid.notes for line in _folded(note, width)]
    return "\n".join([text, *([""] if notes else []), *notes])


@dataclass(frozen=True)
class _Layout:
    """Some columns of a table, with headings and cells folded to their widths.

    Attributes:
        columns: the positions of the columns.
        headings: their headings, with line breaks.
        cells: for each row their cells, with line breaks.
        gap: the number of spaces between columns.
    """

    columns: Sequence[int]
    headings: Sequence[str]
    cells: Sequence[Sequence[str]]
    gap: int

    @property
    def widths(self) -> list[int]:
        """The number of characters in the longest line of each column."""
        return [
            max(_width(text) for text in (self.headings[k], *(row[k] for row in self.cells)))
            for k in range(len(self.columns))
        ]

    @property
    def width(self) -> int:
        """The number of characters in the longest line."""
        return MARGIN + sum(self.widths) + self.gap * (len(self.columns) - 1)


def _layouts(grid: Grid, width: int) -> list[_Layout]:
    """The blocks of the first layout that fits, from the widest to the tightest."""
    every = range(len(grid.headings))
    plain = _laid_out(grid, every, width, GAP, fold_headings=False)
    if plain.width <= width:
        return [plain]
    tight = _laid_out(grid, every, width, TIGHT, fold_headings=True)
    if tight.width <= width:
        return [tight]
    keys = _keys(grid, width)
    blocks: list[_Layout] = []
    block: list[int] = []
    for k in every:
        if k in keys:
            continue
        longer = _laid_out(grid, [*keys, *block, k], width, TIGHT, fold_headings=True)
        if block and longer.width > width:
            blocks.append(_laid_out(grid, [*keys, *block], width, TIGHT, fold_headings=True))
            block = []
        block.append(k)
    return [*blocks, _laid_out(grid, [*keys, *block], width, TIGHT, fold_headings=True)]


def _keys(grid: Grid, width: int) -> list[int]:
    """The first columns that identify a row, which every block repeats.

    They take at most two thirds of the width.
    """
    keys = [0]
    while not _identify(grid, keys):
        k = len(keys)
        if k >= len(grid.headings) or grid.numeric[k] or _is_prose(grid, k):
            break
        if _laid_out(grid, [*keys, k], width, TIGHT, fold_headings=True).width > width * 2 / 3:
            break
        keys.append(k)
    return keys


def _identify(grid: Grid, columns: Sequence[int]) -> bool:
    """Whether no two rows have the same texts in these columns.

    An empty cell repeats the one above it.
    """
    seen: set[tuple[str, ...]] = set()
    above = [""] * len(columns)
    for row in grid.rows:
        above = [row[k] or text for k, text in zip(columns, above, strict=True)]
        if tuple(above) in seen:
            return False
        seen.add(tuple(above))
    return True


def _laid_out(
    grid: Grid, columns: Sequence[int], width: int, gap: int, fold_headings: bool
) -> _Layout:
    """Some columns; with folded headings, long sentences share the width that is left."""
    cells = [[row[k].expandtabs() for k in columns] for row in grid.rows]
    headings = [grid.headings[k] for k in columns]
    if fold_headings:
        headings = [
            _heading(text, max([_width(row[k]) for row in cells], default=0))
            for k, text in enumerate(headings)
        ]
        prose = [k for k, column in enumerate(columns) if _is_prose(grid, column)]
        if prose:
            others = [k for k in range(len(columns)) if k not in prose]
            used = _Layout(
                [columns[k] for k in others],
                [headings[k] for k in others],
                [[row[k] for k in others] for row in cells],
                gap,
            ).width
            share = (width - used - gap * len(prose)) // len(prose)
            for row in cells:
                for k in prose:
                    row[k] = "\n".join(_folded(row[k], max(share, NARROWEST)))
    return _Layout(columns, headings, cells, gap)


def _is_prose(grid: Grid, column: int) -> bool:
    """Whether a column has sentences, which may be folded between words."""
    texts = [row[column] for row in grid.rows]
    return not grid.numeric[column] and any(" " in t and _width(t) > SENTENCE for t in texts)


def _heading(text: str, width: int) -> str:
    """A heading folded between words as far as its column's cells are narrower."""
    return "\n".join(_folded(text, max(width, *(len(word) for word in text.split() or [""]), 1)))


def _folded(text: str, width: int) -> list[str]:
    """A text in lines, broken between words only; its indentation stays."""
    if _width(text) <= width:
        return [text]
    indent = re.match(r" *", text)[0]  # type: ignore[index]  # always matches
    return textwrap.wrap(
        text,
        width,
        initial_indent="",
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [text]


def _width(text: str) -> int:
    """The number of characters that the longest line takes on a terminal."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len  # some characters, such as Chinese ones, are twice as wide

    return max(map(cell_len, text.split("\n")))


def _block(layout: _Layout, grid: Grid, styled: bool) -> str:
    """The text of one block: the headings by rich, and the rows, of which there may be many."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text  # rich would interpret plain strings as markup

    padding = (0, 1) if layout.gap == GAP else (0, 1, 0, 0)
    table = RichTable(box=box.SIMPLE_HEAD, padding=padding, pad_edge=layout.gap == GAP)
    widths = layout.widths
    for k, heading, width in zip(layout.columns, layout.headings, widths, strict=True):
        justify = "right" if grid.numeric[k] else "left"
        table.add_column(
            Text(heading),
            justify=justify,  # type: ignore[arg-type]  # rich's literal type
            no_wrap=True,
            min_width=width,
        )
    lines = [line for line in _printed(table, styled, layout.width + 100) if line]
    for k, row in enumerate(layout.cells):
        lines += [""] if k and k in grid.rules else []
        lines += _row_lines(layout, row, widths, grid.numeric)
    return "\n".join(lines)


def _row_lines(
    layout: _Layout, row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]
) -> Iterator[str]:
    """The lines of one row. rich takes a hundred times as long, which many rows would not allow."""
    margin, gap = " " * (layout.gap - 1), " " * layout.gap
    for texts in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
        cells = []
        for column, text, width in zip(layout.columns, texts, widths, strict=True):
            padding = " " * (width - _width(text))
            cells.append(padding + text if numeric[column] else text + padding)
        yield (margin + gap.join(cells)).rstrip()


def _styled_title(title: str, width: int, styled: bool) -> str:
    from rich.text import Text

    return "\n".join(
        line for part in _folded(title, width) for line in _printed(Text(part, "italic"), styled)
    )


def _printed(item: object, styled: bool, width: int = 10_000) -> Iterator[str]:
    """The lines that rich prints; with colours only if `styled`."""
    from rich.console import Console

    text = io.StringIO()
    # In a notebook, rich would show the text itself.
    console = Console(
        file=text, force_terminal=styled, force_jupyter=False, width=width, highlight=False
    )
    console.print(item, soft_wrap=True)
    return (line.rstrip() for line in text.getvalue().splitlines())
