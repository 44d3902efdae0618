import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.graphs.encoding import _group_rows, group_rows
from amr_metrics.graphs.numbering import count_slots

small = st.integers(-3, 5)
keys = st.lists(st.tuples(small, small, small), max_size=60)


def colliding(p, q, r):
    """Return triples whose sum, weighted with these factors, is 0."""
    steps = [(t, s) for t in range(-20, 21) for s in range(-20, 21)]
    return [(q * t, r * s - p * t, -q * s) for t, s in steps]


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
    factors, keys = (73856093, 19349663, 83492791), []
    for _ in range(3):  # first with the initial factors, then with those that replace them
        keys += colliding(*factors)
        factors = tuple(factor * 16807 % (2**27 - 39) | 1 for factor in factors)
    distinct = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    slots = count_slots(len(keys))
    memory = np.empty(3 * slots, np.int64)
    assert group(keys, memory)[0] == [distinct[key] for key in keys]
    places = np.sort(memory[5 * slots // 2 :][: len(distinct)])
    assert max(map(len, np.split(places, np.flatnonzero(np.diff(places) > 1) + 1))) < 100


def test_large_integers_are_numbered():
    large = 2**31 - 1
    assert group([(large, k, -large) for k in (3, 4, 3)])[0] == [0, 1, 0]


def test_rows_are_numbered_if_no_factors_spread_them():
    keys = [(0, 0, k << 42) for k in range(64)]
    assert group([*keys, *keys]) == ([*range(64)] * 2, [True] * 64 + [False] * 64)
