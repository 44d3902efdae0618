"""Pairs of two files, some of which may be missing."""

import numpy as np
import pytest

from amr_metrics import Corpus, Graph, Pair, Pairs, parse_amr
from bamboo.scoring.file_pairs import FilePairs

GRAPHS = parse_amr("# ::id 1\n(c / cat)\n\n# ::id 2\n(d / dog)\n\n# ::id 3\n(b / bird)\n")
ALL = [Pair(GRAPHS[0], GRAPHS[1]), Pair(GRAPHS[1], GRAPHS[2]), Pair(GRAPHS[2], GRAPHS[0])]
MISSING = np.array([False, True, False])


@pytest.fixture(params=["arrays", "list"])
def pairs(request):
    corpus = Corpus.of(GRAPHS)
    arrays = Pairs(corpus, corpus, np.arange(3), np.array([1, 2, 0]))
    return FilePairs(arrays if request.param == "arrays" else ALL, MISSING)


def test_a_missing_pair_is_none(pairs):
    assert [*pairs] == [ALL[0], None, ALL[2]]
    assert [pairs[k] for k in range(3)] == [*pairs]
    assert pairs[-1] == ALL[2]
    assert pairs.present.tolist() == [0, 2]


def test_selected_pairs(pairs):
    assert [*pairs.select(pairs.present)] == [ALL[0], ALL[2]]
    assert [*pairs.select(np.array([2]))] == [ALL[2]]


def test_a_slice_keeps_what_is_missing_or_replaced(pairs):
    replacement = Pair(Graph.empty(), GRAPHS[0])
    part = pairs.with_replaced({2: replacement})[1:]
    assert [*part] == [None, replacement]
    assert part.without_parse().tolist() == [False, True]


def test_ids(pairs):
    assert pairs.ids(0) == ["1", None, "3"]
    assert pairs.ids(1) == ["2", None, "1"]


def test_pairs_without_a_parse():
    empty = Pair(Graph.empty(), GRAPHS[0])
    for whole in ([ALL[0], empty], Pairs.of([ALL[0], empty])):
        assert FilePairs.of(whole).without_parse().tolist() == [False, True]


def test_all_pairs_missing():
    pairs = FilePairs.of([None, None])
    assert [*pairs] == [None, None]
    assert len(pairs.select(pairs.present)) == 0
    assert pairs.without_parse().tolist() == [False, False]
