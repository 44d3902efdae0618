"""Graphs in flat arrays are the same graphs."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Corpus, Graph, parse_amr, parse_graph
from tests.strategies import graphs


def same(graph, expected):
    """Whether two graphs are equal, also in what `Graph.__eq__` ignores."""
    extras = ("metadata", "inverted", "forward", "sources", "targets", "holders")
    return graph == expected and all(getattr(graph, e) == getattr(expected, e) for e in extras)


@given(st.lists(graphs(loops=True, duplicates=True), max_size=4))
def test_graphs_are_the_same_after_the_arrays(made):
    made.append(Graph.empty())
    corpus = Corpus.of(made)
    assert len(corpus) == len(made)
    assert all(same(a, b) for a, b in zip(corpus, made, strict=True))


@given(st.lists(graphs(duplicates=True), min_size=1, max_size=4), st.data())
def test_take_and_concatenate_are_those_of_lists(made, data):
    corpus = Corpus.of(made)
    positions = data.draw(st.lists(st.integers(0, len(made) - 1), max_size=6))
    taken = corpus.take(np.array(positions, np.int64))
    assert [*taken] == [made[k] for k in positions]
    joined = Corpus.concatenate([taken, Corpus.of(reversed(made)), corpus[1:]])
    assert [*joined] == [made[k] for k in positions] + made[::-1] + made[1:]
    assert len(set(joined.symbols.texts)) == len(joined.symbols)


def test_surface_alignments_stay_with_their_graphs():
    corpus = Corpus.of(parse_amr("(c / cat) (d / dog~e.1) (e / emu) (f / fox~2)"))
    both = pickle.loads(pickle.dumps(Corpus.concatenate([corpus, corpus])))
    taken = both.take(np.array([7, 0, 1]))
    assert [graph.aligned for graph in taken] == ["(f / fox~2)", "", "(d / dog~e.1)"]
    assert taken[2] == parse_amr("(d / dog)")[0]


def test_slices_and_positions_from_the_end():
    made = parse_amr("# ::id one\n(c / cat)\n\n# ::id two\n(d / dog)")
    corpus = Corpus.of(made)
    assert corpus[-1] == made[1]
    assert [*corpus[::-1]] == made[::-1]
    assert corpus[::-1].metadata[0]["id"] == "two"
    assert [*corpus[5:]] == []
    with pytest.raises(IndexError):
        corpus[2]


def test_graphs_are_taken_by_position_or_by_flag():
    corpus = Corpus.of([parse_graph(f"(x / {concept})") for concept in ("a", "b", "c")])
    for indices in (np.array([0, 2]), [0, 2], np.array([True, False, True])):
        assert [graph.concepts for graph in corpus.take(indices)] == [("a",), ("c",)]
    assert len(corpus.take([])) == 0
