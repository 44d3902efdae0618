"""Results that show themselves as tables: in Python, in a notebook, in Markdown and LaTeX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from bamboo.tables.model import Table, grid, render
from bamboo.terminal import visible
from metrics.html_text import table as html_table


class Display(ABC):
    """A result that consists of tables."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The tables, as the command line prints them."""

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return render(self.tables(), "markdown")

    def to_latex(self) -> str:
        """The tables in LaTeX, for the package booktabs."""
        return render(self.tables(), "latex")

    def __repr__(self) -> str:
        return render(self.tables(), "table")

    def _repr_html_(self) -> str:
        """The tables in a notebook."""
        return "\n".join(map(to_html, self.tables()))


def to_html(table: Table) -> str:
    """A table as HTML, in the arrangement for terminals if there is one.

    >>> print(to_html(Table("T", ("metric", "r"), (("<b>", 58.519),))).partition("<tbody>")[2])
    <BLANKLINE>
    <tr><td style="text-align: left">&lt;b&gt;</td><td style="text-align: right">58.52</td></tr>
    </tbody></table>
    """
    cells = grid(table.on_terminal or table)
    return html_table(
        list(map(visible, cells.headings)),
        [list(map(visible, row)) for row in cells.rows],
        visible(table.title if table.on_terminal is None else table.on_terminal.title),
        list(map(visible, table.notes)),
        cells.numeric,
    )
