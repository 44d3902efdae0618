"""Ranks of metrics that take significance into account."""

from __future__ import annotations

import numpy as np

from amr_metrics.types import Floats, Ints


def rank_ranges(values: Floats, p: Floats, level: float = 0.05) -> Ints:
    """Return the best and the worst rank of each metric that the tests leave open.

    Metrics have places in the order of their values, from 1. A metric's best rank is the place of
    the best metric that is not significantly better, and its worst rank the place of the worst
    metric that is not significantly worse. The ranges of two metrics that do not differ
    significantly therefore always overlap. Places of equal values follow the order of the metrics.

    Args:
        values: the statistic of each metric.
        p: (metrics, metrics), symmetric; corrected for multiple tests if desired.

    Returns:
        (metrics, 2), from 1; zeros for a metric without a value.

    >>> p = np.array([[1, 0.6, 0.01], [0.6, 1, 0.3], [0.01, 0.3, 1]])
    >>> rank_ranges(np.array([0.9, 0.8, 0.7]), p).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    ranges = np.zeros((len(values), 2), dtype=np.int64)
    order = _descending(values)
    for place, k in enumerate(order):
        open_places = [q for q, m in enumerate(order) if q == place or not p[k, m] < level]
        ranges[k] = 1 + open_places[0], 1 + open_places[-1]
    return ranges


def not_worse_than_best(values: Floats, p: Floats, level: float = 0.05) -> list[int]:
    """Return the metrics that are not significantly worse than the best, best first.

    >>> p = np.array([[1, 0.6, 0.01], [0.6, 1, 0.3], [0.01, 0.3, 1]])
    >>> not_worse_than_best(np.array([0.9, 0.8, 0.7]), p)
    [0, 1]
    """
    order = _descending(values)
    return [k for k in order if k == order[0] or not p[k, order[0]] < level]


def _descending(values: Floats) -> list[int]:
    """Return the positions of the finite values, largest first."""
    return [int(k) for k in np.argsort(-values, kind="stable") if np.isfinite(values[k])]
