"""Classes of graphs by their size."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bamboo.scoring.buckets import CLASSES, divide_sizes


@given(st.lists(st.integers(-1, 30), max_size=200), st.integers(1, 30))
def test_classes_divide_the_graphs_and_have_enough_of_them(sizes, fewest):
    classes = [*divide_sizes(np.array(sizes, int), fewest).values()]
    counts = [sum(low <= size < end for size in sizes) for low, end in classes]
    assert len(classes) <= CLASSES
    assert sum(counts) == sum(size >= 0 for size in sizes)
    assert len(classes) <= 1 or min(counts) >= fewest


def test_there_are_fewer_classes_for_fewer_graphs():
    """The sizes 1 to 17 in turn: 90 graphs are three classes of 30."""
    numbers = [len(divide_sizes(np.arange(count) % 17 + 1, 20)) for count in (60, 90, 120, 400)]
    assert numbers == [2, 3, 5, 6]
