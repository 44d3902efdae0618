"""Compiled kernels beside their plain twins, and numbers beside a dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import graphs

from metrics import Corpus
from metrics.features import rematch, sema, sembleu, wlk
from metrics.features.rematch import Rematch
from metrics.features.sema import Sema
from metrics.features.sembleu import SemBleu
from metrics.features.wlk import Wlk
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


@settings(deadline=None)
@given(keys)
def test_numbers_compiled_and_plain(some):
    one, two = numbering(60), numbering.py_func(60)
    assert [number(one, *key) for key in some] == [number.py_func(two, *key) for key in some]
    assert one.slots.tolist() == two.slots.tolist()


def test_a_table_too_small_is_replaced_by_a_larger_one():
    table = numbering(4)
    assert emptied(table, 4).slots is table.slots
    assert emptied(table, 5).places.size >= 5
    large = 2**31 - 1
    assert [number(table, large, k, -large) for k in (3, 4, 3)] == [0, 1, 0]


KERNELS = {
    "rematch": (Rematch(), rematch.shared_motifs, ()),
    "sema": (Sema(variant="corrected"), sema.one_to_one, ()),
    "sema published": (Sema(variant="published"), sema.with_reuse, (10**9,)),
    "sembleu": (SemBleu(variant="corrected"), sembleu.count_ngrams, (3, False)),
    "sembleu 2019": (SemBleu(variant="2019"), sembleu.count_ngrams, (3, True)),
    "wlk": (Wlk(variant="definition"), wlk.label_products, (2, True, wlk.ALIKE, False)),
    "wlk two way": (Wlk(variant="definition"), wlk.label_products, (2, True, wlk.APART, False)),
    "wlk 2023": (Wlk(variant="2023"), wlk.label_products, (2, False, wlk.ALIKE, True)),
}
# Kernels that a kernel of the list above calls for each graph.
INNER = {
    rematch: ("instance_starts", "count_motifs", "collect_motifs"),
    sema: ("alike", "same_root", "count_edges", "count_anchored", "reuse_in_pair", "found_before"),
    sembleu: ("count_walks", "collect_ngrams", "reached_nodes", "walked", "edges_by_source"),
    wlk: ("count_labels", "next_labels"),
}


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=30, deadline=None)
@given(st.lists(graphs(), min_size=1, max_size=4))
def test_compiled_equals_plain(name, some):
    metric, kernel, options = KERNELS[name]
    table = metric.encode(Corpus.of(some))
    src = np.arange(len(some))
    arguments = (table, src, src[::-1].copy(), *options)
    compiled = kernel(*arguments)
    with pytest.MonkeyPatch.context() as patch:
        for module, names in INNER.items():
            for inner in names:
                patch.setattr(module, inner, getattr(module, inner).py_func)
        plain = kernel.py_func(*arguments)
    np.testing.assert_array_equal(compiled, plain)
