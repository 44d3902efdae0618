"""Rows of groups: selection and merging."""

from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from amr_metrics.graphs.rows import find_span, merge_rows, select_group_rows, select_rows, starts

sizes = st.lists(st.integers(0, 3), min_size=1, max_size=6)


@given(sizes, st.data())
def test_selected_rows_are_those_of_the_groups(sizes, data):
    start = starts(sizes)
    first = data.draw(st.integers(0, len(sizes) - 1))
    span = np.arange(first, data.draw(st.integers(first, len(sizes))))
    some = np.array(data.draw(st.lists(st.integers(0, len(sizes) - 1))), np.int64)
    table = np.arange(start[-1]) * 10
    for groups in (span, some):
        expected = select_group_rows(start, groups)
        selected, rows = select_rows(start, groups)
        assert selected.tolist() == expected.start.tolist()
        assert table[rows].tolist() == table[expected.rows].tolist()
    assert isinstance(select_rows(start, span)[1], slice)


@example([0, 2, 1, 3])  # with the ends of a span
@given(st.lists(st.integers(0, 5), max_size=5))
def test_a_span_has_the_same_positions(positions):
    span = find_span(np.array(positions, np.int64))
    assert (span is not None) == all(b - a == 1 for a, b in pairwise(positions))
    if span is not None:
        assert [*range(10)][span] == positions


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=5))
def test_merged_rows_keep_the_order_of_groupings(sizes):
    groupings = [starts([row[k] for row in sizes]) for k in range(3)]
    rows = [(graph, k) for k in range(3) for graph, row in enumerate(sizes) for _ in range(row[k])]
    merged, order = merge_rows(*groupings)
    assert [rows[k] for k in order.tolist()] == sorted(rows)
    assert merged.tolist() == starts([sum(row) for row in sizes]).tolist()
    assert sorted(order.tolist()) == [*range(len(rows))]
