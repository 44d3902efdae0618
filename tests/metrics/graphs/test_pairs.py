"""Pairs of graphs of two corpora."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import (
    Corpus,
    Pair,
    Pairs,
    SemBleu,
    Smatch,
    SmatchPP,
    pair_up,
    parse_amr,
    parse_graph,
)
from amr_metrics.camr import CamrGraph
from amr_metrics.errors import PairError
from amr_metrics.graphs.pairs import every_pair, map_graphs
from amr_metrics.reading.scanner import scan_amr
from tests.strategies import graphs

ANIMALS = parse_amr("(c / cat) (d / dog) (b / bird)")


@given(st.lists(st.tuples(graphs(), graphs()), max_size=4))
def test_pairs_are_the_same_after_the_arrays(made):
    pairs = [Pair(*both) for both in made]
    assert [*Pairs.of(pairs)] == pairs


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


def test_indices_may_be_any_integers():
    corpus = Corpus.of(ANIMALS)
    pairs = Pairs(corpus, corpus, np.array([0, 1, 2], np.int32), np.array([2, 1, 0], np.uint8))
    for metric in (Smatch(), SemBleu(k=1)):
        assert metric.score(pairs[::-2]).tolist() == metric.score([*pairs][::-2]).tolist()
    with pytest.raises(TypeError, match="float64"):
        Pairs(corpus, corpus, np.array([0.5]), np.array([0]))


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


@pytest.mark.parametrize("metric", [Smatch(), SmatchPP(), SemBleu()])
def test_metrics_score_tuples_of_two_graphs(metric):
    cat, dog = parse_graph("(c / cat)"), parse_graph("(d / dog)")
    expected = metric.score([Pair(cat, dog), Pair(dog, dog)])
    for pairs in (zip([cat, dog], [dog, dog], strict=True), [(cat, dog), Pair(dog, dog)]):
        assert metric.score(pairs).tolist() == expected.tolist()
    with pytest.raises(PairError, match=r"pair 1: expected Pair\(src, tgt\), not Graph"):
        metric.score([(cat, dog), cat])
    with pytest.raises(PairError, match="pair 0: expected Pair"):
        metric.score([(cat, dog, dog)])


def test_indices_of_different_lengths():
    corpus = Corpus.of(ANIMALS)
    with pytest.raises(PairError, match="1 positions in src but 2 in tgt"):
        Pairs(corpus, corpus, np.array([0]), np.array([2, 1]))


@given(st.lists(graphs(), max_size=3), st.lists(graphs(), max_size=3), st.integers(1, 5))
def test_every_pair_comes_in_chunks(src, tgt, count):
    chunks = [*every_pair(src, tgt, count)]
    assert [first for first, _ in chunks] == [*range(0, len(src) * len(tgt), count)]
    assert [pair for _, chunk in chunks for pair in chunk] == [Pair(a, b) for a in src for b in tgt]
    assert all(len(chunk) <= count for _, chunk in chunks)
    assert len({id(chunk.src) for _, chunk in chunks}) <= 1


def test_every_pair_keeps_what_a_subclass_of_graph_adds():
    special = CamrGraph.of(ANIMALS[0], anchors=["x1"])
    for _, (pair,) in every_pair([special, ANIMALS[1]], [ANIMALS[2]], 1):
        assert pair.src in (special, ANIMALS[1])
        assert pair.src.concepts != ("cat",) or pair.src is special


def test_a_function_is_applied_to_each_graph_once():
    cat, dog, bird = ANIMALS
    calls = []

    def marked(graph):
        calls.append(graph.concepts[0])
        return replace(graph, concepts=(graph.concepts[0] + "-01",))

    pairs = [Pair(cat, dog), Pair(cat, cat), Pair(cat, dog)]
    expected = [Pair(*map(marked, pair)) for pair in pairs]
    calls.clear()
    assert [*map_graphs(marked, pairs)] == expected
    assert calls == ["cat", "dog"]
    calls.clear()
    arrays = Pairs.of([Pair(bird, bird), *pairs])[1:]
    assert [*map_graphs(marked, arrays)] == expected
    assert calls == ["cat", "dog", "cat"]  # on each side


def test_some_pairs_are_pickled_without_the_others():
    text = "".join(
        f"# ::id {k} ::snt a sentence\n(x{k} / dog{k} :ARG0 (y / cat))\n\n" for k in range(999)
    )
    corpus = scan_amr(text.encode())
    len(corpus.symbols.numbers)  # computed on demand, not pickled
    pairs = Pairs.aligned(corpus, corpus)
    part = pickle.dumps(pairs[500:502][1:])
    assert len(part) < 3_000 < len(pickle.dumps(pairs)) / 40
    copy = pickle.loads(part)
    assert [*copy] == [pairs[501]]
    assert copy[0].src.metadata == {"id": "501", "snt": "a sentence"}
    assert sorted(copy.symbols.texts) == [":ARG0", "cat", "dog501", "x501", "y"]
