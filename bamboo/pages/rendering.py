"""Pages from templates, with the styles and scripts that they use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from amr_metrics.version import VERSION
from bamboo.display import points
from bamboo.files import json_text
from bamboo.installation import PACKAGE
from bamboo.log import visible
from bamboo.pages.folder import SiteFolder

SHARED = PACKAGE / "pages"  # templates, styles and scripts of all pages


def embed_json(document: object) -> Markup:
    """Return a JSON document that can stand in a script element."""
    return Markup(json_text(document).replace("<", "\\u003c"))


# How templates write the numbers of the rows that they receive.
FILTERS = {
    "difference": points.difference,
    "embedded": embed_json,
    "mark": points.mark,
    "p_value": points.p_value,
    "points": points.points,
    "rank_range": points.rank_range,
    "share": points.share,
    "signed": points.signed,
    "thousands": points.thousands,
}


class Pages:
    """The pages of a folder, which share a header and a footer.

    A template receives three values: ``header``, ``shared``, what all pages of the folder share,
    and ``page``, what only this page shows, an object with fields or a mapping. They hold numbers,
    which the template formats with `FILTERS`. A name that a template reads and that is not there is
    an error when the page is written.
    """

    def __init__(
        self,
        folder: SiteFolder,
        sources: Path,
        menu: Sequence[tuple[str, str]],
        shared: object,
        filters: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        """Prepare the templates.

        Args:
            sources: the folder with ``templates`` and ``static`` of these pages.
            menu: title and address of the pages in the header.
            shared: what all templates show.
            filters: of these pages, besides `FILTERS`.
        """
        self._folder, self._menu, self._shared = folder, menu, shared
        self._sources = (sources, SHARED)
        self._environment = _load_templates(self._sources)
        self._environment.filters |= filters or {}

    def write(self, name: str, template: str, current: str, page: object = None) -> None:
        """Write a page.

        Args:
            current: its title in the header.
            page: what only its template shows; None if that is nothing.
        """
        root = "../" * name.count("/")  # the way from the page to the folder
        header = {"root": root, "current": current, "menu": self._menu, "version": VERSION}
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


@cache
def _load_templates(sources: tuple[Path, ...]) -> Environment:
    """Return the templates in folders; to compile them takes longer than to write a report."""
    environment = Environment(
        loader=FileSystemLoader([folder / "templates" for folder in sources]),
        autoescape=True,
        finalize=_escape_hidden,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    return environment


def _escape_hidden(value: Any) -> Any:
    """Return a value of a template, a text with control characters as escapes (`visible`)."""
    if isinstance(value, Markup):
        return Markup(visible(value))
    return visible(value) if isinstance(value, str) else value
