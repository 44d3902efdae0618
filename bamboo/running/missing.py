"""Pairs without a score: whose they are, and which of them no metric could have scored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from bamboo.benchmark.datasets import load
from bamboo.running.runner import Place, Scored

Unreadable = Mapping[Place, Collection[int]]  # the numbers of pairs whose graphs are malformed


def unreadable_pairs(
    names: Sequence[str], places: Sequence[Place], scored: Scored
) -> dict[Place, frozenset[int]]:
    """The pairs that no metric could score since one of their graphs cannot be read.

    Args:
        names: metrics that were scored on the graphs themselves, no submissions.
    """
    found = {}
    for place in places:
        missing = [np.isnan(scored[name, place].scores.values) for name in names]
        if missing and np.logical_and.reduce(missing).any():
            problems = load(place.dataset, place.partition, place.split, "nan").problems
            found[place] = frozenset(problems)
    return found


def missing_pairs(
    names: Sequence[str], places: Sequence[Place], scored: Scored, unreadable: Unreadable
) -> dict[str, dict[str, int]]:
    """By metric and column the number of pairs without a score; only where there are some.

    Args:
        unreadable: pairs that are nobody's fault and do not count.
    """
    found: dict[str, dict[str, int]] = {}
    for name in names:
        for place in places:
            cell = scored[name, place]
            numbers = cell.numbers[np.isnan(cell.scores.values)].tolist()
            if missing := len(set(numbers) - set(unreadable.get(place, ()))):
                found.setdefault(name, {})[column_name(place)] = missing
    return found


def column_name(place: Place) -> str:
    """What a place is called in tables, such as ``main_sts``."""
    return f"{place.partition}_{place.dataset.name}"
