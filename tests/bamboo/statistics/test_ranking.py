"""Ranges of ranks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bamboo.statistics import rank_ranges
from bamboo.statistics.ranking import order_descending


def test_ranks_reach_to_the_metrics_that_do_not_differ_significantly():
    p = np.ones((4, 4))
    for a, b in ((0, 2), (0, 3), (2, 3)):
        p[a, b] = p[b, a] = 0.001
    values = np.array([0.9, 0.8, 0.7, 0.6])
    assert rank_ranges(values, p).tolist() == [[1, 2], [1, 4], [2, 3], [2, 4]]


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_ranks_of_metrics_that_do_not_differ_significantly_overlap(count, seed):
    rng = np.random.default_rng(seed)
    p = rng.choice([0.001, 1.0], (count, count))
    p = np.maximum(p, p.T)
    ranks = rank_ranges(rng.random(count).round(1), p)
    for a, b in zip(*np.nonzero(p == 1), strict=True):
        assert ranks[a, 0] <= ranks[b, 1]
        assert ranks[b, 0] <= ranks[a, 1]


def test_a_metric_without_a_value_has_no_rank():
    values = np.array([0.5, np.nan, 0.7])
    p = np.full((3, 3), np.nan)
    p[0, 2] = p[2, 0] = 0.9
    assert rank_ranges(values, p).tolist() == [[1, 2], [0, 0], [1, 2]]
    assert rank_ranges(np.array([np.nan]), np.ones((1, 1))).tolist() == [[0, 0]]


@given(st.permutations(range(6)), st.integers(0, 2**32 - 1))
def test_ranks_do_not_depend_on_the_order_of_equal_metrics(order, seed):
    rng = np.random.default_rng(seed)
    p = rng.choice([0.001, 1.0], (6, 6))
    p = np.maximum(p, p.T)
    # The order of a sum changes the last digits.
    values = rng.choice([0.1 + 0.2, 0.3, 0.5, np.nan], 6)
    ranks = rank_ranges(values[order], p[np.ix_(order, order)])
    assert ranks.tolist() == rank_ranges(values, p)[order].tolist()


def test_values_that_differ_by_less_than_a_tie_share_their_places():
    """Of any magnitude: the tolerance is relative."""
    p = np.zeros((3, 3))
    values = np.array([1.0, 1 + 1e-10, 1 - 1e-8])
    for scale in (1e-12, 1, 1e6):
        assert rank_ranges(scale * values, p).tolist() == [[1, 2], [1, 2], [3, 3]]
        assert order_descending(scale * values) == [0, 1, 2]


def test_equal_metrics_share_their_places():
    """The third metric is worse than the first, and not than the second, which is as good."""
    p = np.ones((3, 3))
    p[0, 2] = p[2, 0] = 0.001
    assert rank_ranges(np.array([0.3, 0.1 + 0.2, 0.2]), p).tolist() == [[1, 2], [1, 3], [1, 3]]


def test_the_level_by_hand():
    p = np.array([[1, 0.05], [0.05, 1]])
    values = np.array([0.2, 0.9])
    assert rank_ranges(values, p).tolist() == [[1, 2], [1, 2]]  # .05 is not below .05
    assert rank_ranges(values, p - 0.001).tolist() == [[2, 2], [1, 1]]
    assert rank_ranges(values, p, 0.06).tolist() == [[2, 2], [1, 1]]
    assert rank_ranges(values, p, 0.04).tolist() == [[1, 2], [1, 2]]
