"""Pairs of graphs of two corpora."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import Corpus, Pair, Pairs, pair_up, parse_amr
from metrics.errors import PairError
from tests.strategies import graphs

ANIMALS = parse_amr("(c / cat) (d / dog) (b / bird)")


@given(st.lists(st.tuples(graphs(), graphs()), max_size=4))
def test_pairs_are_the_same_after_the_arrays(made):
    pairs = [Pair(*both) for both in made]
    assert [*Pairs.of(pairs)] == pairs


def test_each_graph_is_encoded_once():
    cat, dog, _ = ANIMALS
    pairs = Pairs.of([Pair(cat, dog), Pair(cat, cat), Pair(dog, dog)])
    assert len(pairs.src) == 2
    assert len(pairs.tgt) == 2
    assert pairs.src_index.tolist() == [0, 0, 1]


def test_both_sides_have_one_table_of_symbols():
    src, tgt = Corpus.of(ANIMALS[:2]), Corpus.of(ANIMALS[1:])
    pairs = Pairs.aligned(src, tgt)
    assert pairs.src.symbols is pairs.tgt.symbols
    assert [*pairs] == [Pair(*ANIMALS[:2]), Pair(*ANIMALS[1:])]


def test_every_graph_with_every_graph():
    corpus = Corpus.of(ANIMALS)
    pairs = Pairs.all(corpus[:2], corpus)
    assert [*pairs] == [Pair(a, b) for a in ANIMALS[:2] for b in ANIMALS]
    assert len(Pairs.all(corpus, corpus[:0])) == 0


def test_slices_take_and_compact():
    corpus = Corpus.of(ANIMALS)
    pairs = Pairs.all(corpus, corpus)
    expected = [Pair(ANIMALS[2], ANIMALS[0]), Pair(ANIMALS[2], ANIMALS[1])]
    assert [*pairs[6:8]] == expected
    assert [*pairs.take(np.array([6, 7]))] == expected
    compact = pairs[6:8].compact()
    assert [*compact] == expected
    assert (len(compact.src), len(compact.tgt)) == (1, 2)
    assert pairs[-1] == Pair(ANIMALS[2], ANIMALS[2])


def test_corpora_are_paired_as_lists_are():
    corpus = Corpus.of(ANIMALS)
    pairs = pair_up(corpus, corpus)
    assert isinstance(pairs, Pairs)
    assert [*pairs] == pair_up(ANIMALS, ANIMALS)
    with pytest.raises(PairError, match="src has 3 graphs but tgt has 2"):
        pair_up(corpus, corpus[:2])


@pytest.mark.parametrize("position", [-1, 3])
def test_a_position_outside_the_corpus(position):
    corpus = Corpus.of(ANIMALS)
    message = rf"pair 1: tgt has 3 graphs: there is no graph {position} "
    with pytest.raises(PairError, match=message):
        Pairs(corpus, corpus, np.array([0, 0]), np.array([2, position]))


def test_indices_of_different_lengths():
    corpus = Corpus.of(ANIMALS)
    with pytest.raises(PairError, match="1 positions in src but 2 in tgt"):
        Pairs(corpus, corpus, np.array([0]), np.array([2, 1]))
