"""Ids in one string: the same values as in a list."""

import pickle
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.scoring.scored import Names

texts = st.lists(st.none() | st.text(max_size=6) | st.just("\ud800"), max_size=9)


@given(texts)
def test_the_values_are_those_of_a_list(listed):
    names = Names.of(listed)
    assert [*names] == listed
    assert [names[k] for k in range(-len(listed), len(listed))] == listed * 2
    assert names[1::2] == listed[1::2]
    assert names == listed
    assert names != [*listed, None]
    assert (None in names) == (None in listed)
    assert pickle.loads(pickle.dumps(names)) == names


@given(st.lists(texts, min_size=1, max_size=4))
def test_joined_parts_are_those_of_the_joined_list(parts):
    joined = Names.concatenate([Names.of(part) for part in parts])
    assert [*joined] == [*chain(*parts)]


def test_a_long_text_has_ends_of_a_larger_type():
    parts = [["a" * 200, None], ["b" * 100], ["c" * 70_000]]
    joined = Names.concatenate([Names.of(part) for part in parts])
    assert [*joined] == [*chain(*parts)]
    assert joined.ends.itemsize == 4


def test_there_is_no_name_after_the_last():
    with pytest.raises(IndexError):
        Names.of(["a"])[1]
