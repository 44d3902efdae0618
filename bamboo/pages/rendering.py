"""Pages from templates, with the styles and scripts that they use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from amr_metrics.version import VERSION
from bamboo.display.table import Table
from bamboo.files import json_text
from bamboo.installation import PACKAGE
from bamboo.log import visible
from bamboo.pages.folder import SiteFolder

SHARED = PACKAGE / "pages"  # templates, styles and scripts of all pages


@dataclass(frozen=True)
class Header:
    """What the head and the menu of a page show.

    Attributes:
        root: the way from the page to the folder, such as ``../``.
        current: the page's title in the menu.
        menu: title and address of the pages in the menu.
        version: of bamboo.
    """

    root: str
    current: str
    menu: Sequence[tuple[str, str]]
    version: str = VERSION


class Pages:
    """The pages of a folder, which share a header and a footer.

    A template receives three values, whose types document what it can show: ``header`` (`Header`),
    ``shared``, the facts that all pages of the folder share, and ``page``, those of the page. A
    field that a template names and its type lacks is an error when the page is written.
    """

    def __init__(
        self, folder: SiteFolder, sources: Path, menu: Sequence[tuple[str, str]], shared: object
    ) -> None:
        """Prepare the templates.

        Args:
            sources: the folder with ``templates`` and ``static`` of these pages.
            menu: title and address of the pages in the header.
            shared: what all templates show.
        """
        self._folder, self._menu, self._shared = folder, menu, shared
        self._sources = (sources, SHARED)
        self._environment = Environment(
            loader=FileSystemLoader([folder / "templates" for folder in self._sources]),
            autoescape=True,
            finalize=_escape_hidden,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def write(self, name: str, template: str, current: str, page: object = None) -> None:
        """Write a page.

        Args:
            current: its title in the header.
            page: what only its template shows; None if that is nothing.
        """
        header = Header("../" * name.count("/"), current, self._menu)
        text = self._environment.get_template(template).render(
            header=header, shared=self._shared, page=page
        )
        self._folder.write(name, text)

    def write_static(self, names: Sequence[str]) -> None:
        """Write style sheets and scripts."""
        for name in names:
            paths = (folder / "static" / name for folder in self._sources)
            path = next(path for path in paths if path.exists())
            self._folder.write(f"static/{name}", path.read_text("utf-8"))


def _escape_hidden(value: Any) -> Any:
    """Return a value of a template, a text with control characters as escapes (`visible`)."""
    if isinstance(value, Markup):
        return Markup(visible(value))
    return visible(value) if isinstance(value, str) else value


def embedded(document: object) -> Markup:
    """Return a JSON document that can stand in a script element."""
    return Markup(json_text(document).replace("<", "\\u003c"))


@dataclass(frozen=True)
class TableColumn:
    """The heading of a column, and whether the column contains text."""

    name: str
    is_text: bool


@dataclass(frozen=True)
class TableCell:
    """A value as text, whether it is a number, and whether it is bold."""

    text: str
    is_number: bool
    is_best: bool


@dataclass(frozen=True)
class TableLine:
    """The cells of a row, and whether a rule stands above it."""

    cells: Sequence[TableCell]
    has_rule: bool


@dataclass(frozen=True)
class PageTable:
    """A table as ``table.html`` shows it."""

    title: str
    columns: Sequence[TableColumn]
    rows: Sequence[TableLine]
    notes: Sequence[str]

    @classmethod
    def of(cls, table: Table) -> PageTable:
        """Format a table; the type of a value decides on its alignment."""
        columns = [
            TableColumn(name, any(isinstance(row[c], str) for row in table.rows))
            for c, name in enumerate(table.columns)
        ]
        rows = []
        for k, row in enumerate(table.rows):
            cells = [
                TableCell(
                    text, value is None or isinstance(value, int | float), (k, c) in table.best
                )
                for c, (value, text) in enumerate(zip(row, table.texts(k), strict=True))
            ]
            rows.append(TableLine(cells, k in table.rules))
        return cls(table.title, columns, rows, table.notes)
