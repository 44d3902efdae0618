import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.graphs.encoding import _group_rows, group_rows
from amr_metrics.graphs.numbering import count_slots, emptied, number, numbering

small = st.integers(-3, 5)
keys = st.lists(st.tuples(small, small, small), max_size=60)


@given(keys, keys)
def test_numbers_are_those_of_a_dictionary(first, second):
    table = numbering(60)
    for some in (first, second):
        table = emptied(table, len(some))
        expected = {}
        for key in some:
            assert number(table, *key) == expected.setdefault(key, len(expected))
        assert table.size[0] == len(expected)


def test_a_table_too_small_is_replaced_by_a_larger_one():
    table = numbering(4)
    assert emptied(table, 4).slots is table.slots
    assert emptied(table, 5).places.size >= 5
    large = 2**31 - 1
    assert [number(table, large, k, -large) for k in (3, 4, 3)] == [0, 1, 0]


def longest_run(table):
    """Return the length of the longest run of occupied slots."""
    places = np.sort(table.places[: table.size[0]])
    return max(map(len, np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)))


def colliding(p, q, r):
    """Return triples whose sum, weighted with these factors, is 0."""
    steps = [(t, s) for t in range(-20, 21) for s in range(-20, 21)]
    return [(q * t, r * s - p * t, -q * s) for t, s in steps]


def test_triples_made_to_collide_are_spread():
    table = numbering(10_000)
    factors = (73856093, 19349663, 83492791)
    expected = {}
    for _ in range(3):  # first with the initial factors, then with those that replace them
        for key in colliding(*factors):
            assert number(table, *key) == expected.setdefault(key, len(expected))
        assert longest_run(table) < 100
        factors = table.factors.tolist()
    assert [number(table, *key) for key in expected] == [*range(len(expected))]
    assert table.factors.tolist() == factors  # triples that are already there do not change them


def test_numbers_are_right_if_no_factors_spread_the_triples():
    table = numbering(64)
    keys = [(0, 0, k << 42) for k in range(64)]
    assert [number(table, *key) for key in (*keys, *keys)] == [*range(64), *range(64)]


def group(keys, memory=None):
    """Number triples in C, as the rows of one graph."""
    rows, slots = len(keys), count_slots(len(keys))
    memory = np.empty(3 * slots, np.int64) if memory is None else memory
    groups, first = np.empty(rows, np.int64), np.empty(rows, bool)
    columns = np.array(keys, np.int64).reshape(rows, 3).T.copy()
    start = np.array([0, rows])
    _group_rows(1, rows, slots, start, *columns, memory, groups, first)
    return groups.tolist(), first.tolist()


@given(keys, keys)
def test_rows_of_each_graph_are_numbered_as_by_a_dictionary(first, second):
    rows = np.array([*first, *second], np.int64).reshape(-1, 3)
    start = np.array([0, len(first), len(rows)])
    groups, new = group_rows(start, *rows.T)
    expected = []
    for some in (first, second):
        numbers = {}
        expected += [numbers.setdefault(key, len(numbers)) for key in some]
    assert groups.tolist() == expected
    assert new.sum() == len(set(first)) + len(set(second))


def test_rows_made_to_collide_are_spread():
    keys = colliding(73856093, 19349663, 83492791)
    distinct = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    slots = count_slots(len(keys))
    memory = np.empty(3 * slots, np.int64)
    assert group(keys, memory)[0] == [distinct[key] for key in keys]
    places = np.sort(memory[5 * slots // 2 :][: len(distinct)])
    assert max(map(len, np.split(places, np.flatnonzero(np.diff(places) > 1) + 1))) < 100


def test_rows_are_numbered_if_no_factors_spread_them():
    keys = [(0, 0, k << 42) for k in range(64)]
    assert group([*keys, *keys]) == ([*range(64)] * 2, [True] * 64 + [False] * 64)
