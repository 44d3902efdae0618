"""How the pages call things, and how they write numbers."""

from __future__ import annotations

import math

from bamboo.statistics import MEAN
from bamboo.tables.model import shown

NAMES = {"main": "Main", "reify": "Reify", "syno": "Syno", "arg": "Arg"}
TITLES = {"sts": "STS", "sick": "SICK", "para": "PARA", "sample": "Sample"}
BOARD_TITLES = {"paper": "Paper (2021)", "v0.2": "Leaderboard v0.2", "spearman": "Spearman"}
BOARD_NOTES = {
    "paper": "Pearson's r in every cell; on Arg against the labels 0 and 1.",
    "v0.2": "Pearson's r; on Arg the share of couples in which the original scores strictly "
    "above the altered graph.",
}


def number(value: float | None) -> str:
    """A value as it is shown, everywhere on the site."""
    return shown(None if value is None or math.isnan(value) else float(value), 2)


def label(column: str) -> str:
    """A column's name in words: ``main_sts`` is Main STS."""
    if column == MEAN:
        return "amean"
    return f"{NAMES.get(column.partition('_')[0], column)} {set_title(column)}"


def set_title(column: str) -> str:
    """The data set of a column."""
    name = column.partition("_")[2]
    return TITLES.get(name, name)
