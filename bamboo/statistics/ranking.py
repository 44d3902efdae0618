"""Ranks of metrics that take significance into account."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from amr_metrics.types import Floats, Ints
from bamboo.ties import number_ranks


def rank_ranges(values: Floats, p: Floats, level: float = 0.05) -> Ints:
    """Return the best and the worst rank of each metric that the tests leave open.

    Metrics have places in the order of their values, from 1. A metric's best rank is the place of
    the best metric that is not significantly better, and its worst rank the place of the worst
    metric that is not significantly worse. The ranges of two metrics that do not differ
    significantly therefore always overlap. Tied values (`bamboo.ties`) share all their places, so
    that ranks do not depend on the order of the metrics.

    Args:
        values: the statistic of each metric.
        p: (metrics, metrics), symmetric; corrected for multiple tests if desired.

    Returns:
        (metrics, 2), from 1; zeros for a metric without a value.

    >>> p = np.array([[1, 0.6, 0.01], [0.6, 1, 0.3], [0.01, 0.3, 1]])
    >>> rank_ranges(np.array([0.9, 0.8, 0.7]), p).tolist()
    [[1, 2], [1, 3], [2, 3]]
    >>> rank_ranges(np.array([0.8, 0.8, 0.7]), p).tolist()
    [[1, 2], [1, 3], [1, 3]]
    """
    ranges = np.zeros((len(values), 2), dtype=np.int64)
    numbers = number_ranks(values)
    finite = [k for k in order_descending(values) if np.isfinite(values[k])]
    for k in finite:
        # Both ends are the places of the first and the last metric that may be equally good.
        others = [m for m in finite if numbers[m] == numbers[k] or not p[k, m] < level]
        highest, lowest = numbers[others[0]], numbers[others[-1]]
        ranges[k] = 1 + sum(numbers[finite] > highest), sum(numbers[finite] >= lowest)
    return ranges


def order_descending(values: Sequence[float] | Floats) -> list[int]:
    """Return the positions of values, largest first and NaN last; tied ones in their order.

    >>> order_descending([0.3, float("nan"), 0.1 + 0.2, 0.5])
    [3, 0, 2, 1]
    """
    values = np.asarray(values, np.float64)
    numbers = np.where(np.isnan(values), -1, number_ranks(values))
    return [int(k) for k in np.argsort(-numbers, kind="stable")]
