"""Ties: which values differ only by rounding."""

from __future__ import annotations

import numpy as np

from amr_metrics.types import Bools, Floats, Ints

TIE = 1e-9  # values that differ by less than this share of the larger one are tied


def are_tied(a: Floats | float, b: Floats | float) -> Bools:
    """Return whether values differ by less than `TIE` of the larger one; NaN is tied with nothing.

    >>> are_tied(np.array([0.3, 0.3, np.inf, np.inf]), np.array([0.1 + 0.2, 0.31, np.inf, 1.0]))
    array([ True, False,  True, False])
    """
    larger = np.maximum(np.abs(a), np.abs(b))
    with np.errstate(over="ignore", invalid="ignore"):
        close = np.isfinite(larger) & (np.abs(np.subtract(a, b)) < TIE * larger)
    return np.asarray(np.equal(a, b) | close)


def number_ranks(values: Floats) -> Ints:
    """Return the number of each value's rank, from 0 for the lowest; tied values have the same.

    In the order of the values, a rank ends where the next value is not tied with the last one.
    Values up to `TIE` of the largest finite magnitude count as 0, which nothing else is tied with.
    Each NaN has a rank of its own, after all others.

    >>> number_ranks(np.array([0.5, 0.1 + 0.2, 0.3, 1e-16, 0.0, np.inf])).tolist()
    [2, 1, 1, 0, 0, 3]
    """
    order = np.argsort(values, kind="stable")
    ordered = np.asarray(values)[order]
    sizes = np.abs(ordered)
    largest = sizes.max(where=np.isfinite(sizes), initial=0.0)
    ordered = np.where(sizes <= TIE * largest, 0.0, ordered)
    numbers = np.zeros(len(ordered), np.int64)
    numbers[order[1:]] = np.cumsum(~are_tied(ordered[1:], ordered[:-1]))
    return numbers
