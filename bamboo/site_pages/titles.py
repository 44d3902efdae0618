"""Titles, notes and number formats of the pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from urllib.parse import quote

from bamboo.board import Score
from bamboo.display.table import format_cell

TITLES = {
    **{"main": "Main", "reify": "Reify", "syno": "Syno", "arg": "Arg"},
    **{"sts": "STS", "sick": "SICK", "para": "PARA", "sample": "Sample"},
}
BOARD_TITLES = {"paper": "Paper (2021)", "v0.2": "Leaderboard v0.2"}
BOARD_NOTES = {
    "paper": "Pearson's r in every cell; on Arg with the labels 0 (altered) and 1 (original).",
    "v0.2": "Pearson's r; on Arg the percentage of pairs of which the original scores strictly "
    "higher than the altered version.",
}


def number(value: float | None) -> str:
    """Return a value as text, with two decimals everywhere on the site."""
    return format_cell(None if value is None or math.isnan(value) else float(value), 2)


def address(*parts: object) -> str:
    """Return the address of pairs on the pairs page, after ``#``.

    >>> address("sts", "main", 5, "smatch"), address("100%/day", "main")
    ('sts/main/5/smatch', '100%25%2Fday/main')
    """
    return "/".join(quote(str(part), safe="") for part in parts)


def title(name: str) -> str:
    """Return the title of a data set or a partition; the name if it has none."""
    return TITLES.get(name, name)


def label(column: str) -> str:
    """Return a column's title, such as Main STS for ``main_sts``; of a mean, its name."""
    if "_" not in column:
        return column
    return " ".join(map(title, column.split("_", 1)))


def exact(value: float) -> str:
    """Return a value with all digits, to sort by; "" for NaN."""
    return "" if math.isnan(value) else repr(value)


def interval(row: Score) -> str:
    """Return the 95 % interval of a score as text."""
    return "–" if row.interval is None else f"{number(row.low)} .. {number(row.high)}"


FILTERS: Mapping[str, Callable[..., str]] = {
    "address": address,
    "exact": exact,
    "interval": interval,
    "label": label,
    "number": number,
    "title": title,
}
