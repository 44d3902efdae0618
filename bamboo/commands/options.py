"""Declare options: default and help in one place, beside the type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

REPORTS = "table | json | csv | markdown | latex"
ENGINES = "serial | loky | dask | slurm"
ON_ERROR = "stop | nan | zero: a pair that cannot be scored stops the run, is left out, or scores 0"
RESAMPLE = (
    "pairs | sentences: draw pairs, or clusters of pairs that share sentences "
    "(docs/significance.md)"
)
SEEDS = {"drawn": tuple(range(10)), "trained": (0, 1, 2)}  # of metrics with randomness in tables
SEEDS_HELP = {
    "drawn": "seeds in the published tables, for metrics that use random numbers",
    "trained": "likewise, for trained metrics",
}
OF_FILES = "smatch_1.0"  # the default metric for files


def option(default: Any, help: str | Mapping[str, str], section: str = "") -> Any:
    """Declare an option of a command.

    Args:
        default: its default; of a group, the name that is chosen; ``???`` for none.
        help: its meaning, or those of the options in a mapping.
        section: a text above it in the help.
    """
    return field(metadata={"default": default, "help": help, "section": section})
