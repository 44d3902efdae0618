from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.graphs.numbering import emptied, number, numbering

small = st.integers(-3, 5)
keys = st.lists(st.tuples(small, small, small), max_size=60)


@settings(deadline=None)
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
