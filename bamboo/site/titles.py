"""Titles, notes and number formats of the pages."""

from __future__ import annotations

import math
from urllib.parse import quote

from bamboo.display.table import shown

NAMES = {"main": "Main", "reify": "Reify", "syno": "Syno", "arg": "Arg"}
TITLES = {"sts": "STS", "sick": "SICK", "para": "PARA", "sample": "Sample"}
BOARD_TITLES = {"paper": "Paper (2021)", "v0.2": "Leaderboard v0.2"}
BOARD_NOTES = {
    "paper": "Pearson's r in every cell; on Arg with the labels 0 (altered) and 1 (original).",
    "v0.2": "Pearson's r; on Arg the percentage of pairs of which the original scores strictly "
    "higher than the altered version.",
}


def number(value: float | None) -> str:
    """Return a value as text, with two decimals everywhere on the site."""
    return shown(None if value is None or math.isnan(value) else float(value), 2)


def address(*parts: object) -> str:
    """Return the address of pairs on the pairs page, after ``#``.

    >>> address("sts", "main", 5, "smatch"), address("100%/day", "main")
    ('sts/main/5/smatch', '100%25%2Fday/main')
    """
    return "/".join(quote(str(part), safe="") for part in parts)


def label(column: str) -> str:
    """Return a column's title, such as Main STS for ``main_sts``; of a mean, its name."""
    if "_" not in column:
        return column
    return f"{NAMES.get(column.partition('_')[0], column)} {set_title(column)}"


def set_title(column: str) -> str:
    """Return the title of a column's data set."""
    name = column.partition("_")[2]
    return TITLES.get(name, name)
