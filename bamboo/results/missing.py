"""Count pairs without a score, separating those whose graphs cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.results.cache import ScoredCells

Unreadable = Mapping[Cell, Collection[int]]  # the numbers of pairs whose graphs are malformed


def unreadable_pairs(
    names: Sequence[str], cells: Sequence[Cell], scored: ScoredCells
) -> dict[Cell, frozenset[int]]:
    """Return the pairs that no metric could score because one of their graphs cannot be read."""
    unreadable = {}
    for cell in cells:
        missing = [~scored[name, cell].present for name in names]
        if missing and np.logical_and.reduce(missing).any():
            pairs = cell.load("nan")
            unreadable[cell] = frozenset(pairs.numbers[[*pairs.problems]].tolist())
    return unreadable


def count_missing_pairs(
    names: Sequence[str], cells: Sequence[Cell], scored: ScoredCells, unreadable: Unreadable
) -> dict[str, dict[str, int]]:
    """Return the number of pairs without a score by metric and column, omitting zeros.

    Args:
        unreadable: pairs that are not counted, since no metric can score them.
    """
    counts: dict[str, dict[str, int]] = {}
    for name in names:
        for cell in cells:
            cell_scores = scored[name, cell]
            numbers = np.asarray(cell_scores.pairs.numbers)[~cell_scores.present].tolist()
            if missing := len(set(numbers) - set(unreadable.get(cell, ()))):
                counts.setdefault(name, {})[cell.column] = missing
    return counts
