"""Pages from templates, with the styles and scripts that they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class Pages:
    """The pages of a folder, which share a header and a footer."""

    def __init__(
        self,
        folder: SiteFolder,
        sources: Path,
        menu: Sequence[tuple[str, str]],
        shared: Mapping[str, Any],
    ) -> None:
        """Prepare the templates.

        Args:
            sources: the folder with ``templates`` and ``static`` of these pages.
            menu: title and address of the pages in the header.
            shared: values for all templates.
        """
        self._folder = folder
        self._sources = (sources, SHARED)
        self._shared = {"menu": menu, "version": VERSION, **shared}
        self._environment = Environment(
            loader=FileSystemLoader([folder / "templates" for folder in self._sources]),
            autoescape=True,
            finalize=_escape_hidden,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def write(self, name: str, template: str, current: str, **values: Any) -> None:
        """Write a page.

        Args:
            current: its title in the header.
            values: for its template only.
        """
        root = "../" * name.count("/")
        values = {"root": root, "here": current, **self._shared, **values}
        self._folder.write(name, self._environment.get_template(template).render(values))

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


def cells_of(table: Table) -> dict[str, Any]:
    """Return a table for templates; a cell's type decides on its alignment."""
    columns = [
        {"name": name, "text": any(isinstance(row[c], str) for row in table.rows)}
        for c, name in enumerate(table.columns)
    ]
    rows = [
        {
            "rule": k in table.rules,
            "cells": [
                {
                    "text": text,
                    "number": value is None or isinstance(value, int | float),
                    "best": (k, c) in table.best,
                }
                for c, (value, text) in enumerate(zip(row, table.texts(k), strict=True))
            ],
        }
        for k, row in enumerate(table.rows)
    ]
    return {"title": table.title, "columns": columns, "rows": rows, "notes": table.notes}
