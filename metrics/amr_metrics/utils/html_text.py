"""HTML for notebooks; every text is escaped."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def escape(text: str) -> str:
    """Escape a text; see `html.escape`."""
    import html  # slow to import

    return html.escape(text)


def wrap_preformatted(text: str) -> str:
    """Return a text as it is, in a font of fixed width.

    >>> wrap_preformatted("(a / <b>)")
    '<pre>(a / &lt;b&gt;)</pre>'
    """
    return f"<pre>{escape(text)}</pre>"


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str = "",
    notes: Sequence[str] = (),
    numeric: Sequence[bool] = (),
    bold: Collection[tuple[int, int]] = (),
) -> str:
    """Return a table, with its title above and its notes below.

    Args:
        numeric: for each column, whether it is aligned to the right; by default no column is.
        bold: the cells in bold, by row and column.

    >>> table(["concept"], [["<b>"]]).count("&lt;b&gt;")
    1
    """
    aligned = [*numeric] or [False] * len(headings)
    styles = ["right" if right else "left" for right in aligned]

    def row(cells: Sequence[str], tag: str, k: int = -1) -> str:
        texts = [
            f"<b>{escape(cell)}</b>" if (k, column) in bold else escape(cell)
            for column, cell in enumerate(cells)
        ]
        return "".join(
            f'<{tag} style="text-align: {style}">{text}</{tag}>'
            for text, style in zip(texts, styles, strict=True)
        )

    parts = [f"<p><b>{escape(title)}</b></p>"] if title else []
    parts.append(f"<table><thead><tr>{row(headings, 'th')}</tr></thead><tbody>")
    parts += [f"<tr>{row(cells, 'td', k)}</tr>" for k, cells in enumerate(rows)]
    parts.append("</tbody></table>")
    if notes:
        parts.append(f"<p><small>{'<br>'.join(map(escape, notes))}</small></p>")
    return "\n".join(parts)
