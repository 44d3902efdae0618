"""Clusters of metrics that do not differ significantly."""

from __future__ import annotations

import numpy as np

from metrics.types import Floats, Ints


def clusters(values: Floats, p: Floats, level: float = 0.05) -> Ints:
    """Return the cluster of each metric, from 1 for the best; 0 for a metric without a value.

    From the best value downwards, a cluster ends before the first metric that is significantly
    worse than one of its members. Two metrics of one cluster therefore never differ
    significantly; metrics of different clusters may or may not.

    Source: the ranking of the WMT metrics tasks, such as Freitag et al. (2023), Results of WMT23
    metrics shared task, section 6.

    Args:
        values: the statistic of each metric.
        p: (metrics, metrics), symmetric; corrected for multiple tests if desired.

    >>> p = np.array([[1, 0.6, 0.01], [0.6, 1, 0.3], [0.01, 0.3, 1]])
    >>> clusters(np.array([0.9, 0.8, 0.7]), p).tolist()
    [1, 1, 2]
    """
    cluster_of = np.zeros(len(values), dtype=np.int64)
    members: list[int] = []
    cluster = 1
    for k in _descending(values):
        if any(p[k, m] < level for m in members):
            cluster += 1
            members = []
        members.append(k)
        cluster_of[k] = cluster
    return cluster_of


def best_cluster(values: Floats, p: Floats, level: float = 0.05) -> list[int]:
    """Return the metrics that are not significantly worse than the best, best first.

    >>> p = np.array([[1, 0.6, 0.01], [0.6, 1, 0.3], [0.01, 0.3, 1]])
    >>> best_cluster(np.array([0.9, 0.8, 0.7]), p)
    [0, 1]
    """
    order = _descending(values)
    return [k for k in order if k == order[0] or not p[k, order[0]] < level]


def _descending(values: Floats) -> list[int]:
    order = np.argsort(-values, kind="stable")
    return [int(k) for k in order if np.isfinite(values[k])]
