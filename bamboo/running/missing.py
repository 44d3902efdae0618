"""Pairs without a score: whose they are, and which of them no metric could have scored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.running.runner import Scored

Unreadable = Mapping[Cell, Collection[int]]  # the numbers of pairs whose graphs are malformed


def unreadable_pairs(
    names: Sequence[str], cells: Sequence[Cell], scored: Scored
) -> dict[Cell, frozenset[int]]:
    """The pairs that no metric could score since one of their graphs cannot be read.

    Args:
        names: metrics that were scored on the graphs themselves, no submissions.
    """
    found = {}
    for cell in cells:
        missing = [np.isnan(scored[name, cell].scores.values) for name in names]
        if missing and np.logical_and.reduce(missing).any():
            problems = cell.load("nan").problems
            found[cell] = frozenset(problems)
    return found


def missing_pairs(
    names: Sequence[str], cells: Sequence[Cell], scored: Scored, unreadable: Unreadable
) -> dict[str, dict[str, int]]:
    """By metric and column the number of pairs without a score; only where there are some.

    Args:
        unreadable: pairs that are nobody's fault and do not count.
    """
    found: dict[str, dict[str, int]] = {}
    for name in names:
        for cell in cells:
            cell_scores = scored[name, cell]
            numbers = cell_scores.numbers[np.isnan(cell_scores.scores.values)].tolist()
            if missing := len(set(numbers) - set(unreadable.get(cell, ()))):
                found.setdefault(name, {})[cell.column] = missing
    return found
