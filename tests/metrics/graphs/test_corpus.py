"""Graphs in flat arrays are the same graphs."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import Corpus, Graph, parse_amr
from metrics.graphs.symbols import Symbols
from tests.strategies import graphs

TEXT = """# ::id one ::snt The cat sleeps.
(s / sleep-01
   :ARG0 (c / cat :ARG0-of (p / purr-01 :ARG1 l) :quant 2)
   :location (l / "House" :mod c))

# ::id two
(d / dog)
"""


def same(graph, other):
    """Whether two graphs are equal, also in what `Graph.__eq__` ignores."""
    extras = ("metadata", "inverted", "forward", "sources", "targets", "holders")
    return graph == other and all(getattr(graph, e) == getattr(other, e) for e in extras)


def test_arrays_of_two_graphs():
    corpus = Corpus.of(parse_amr(TEXT))
    texts = np.array(corpus.symbols.texts)
    assert len(set(texts)) == len(texts)
    assert corpus.tops.tolist() == [0, 0]
    assert corpus.node_start.tolist() == [0, 4, 5]
    assert texts[corpus.variables].tolist() == ["s", "c", "p", "l", "d"]
    assert texts[corpus.concepts].tolist() == ["sleep-01", "cat", "purr-01", '"House"', "dog"]
    assert corpus.attribute_start.tolist() == [0, 1, 1]
    assert corpus.holders.tolist() == [1]
    assert texts[corpus.attribute_roles].tolist() == [":quant"]
    assert texts[corpus.constants].tolist() == ["2"]
    assert corpus.relation_start.tolist() == [0, 5, 5]
    assert texts[corpus.relation_roles].tolist() == [
        ":ARG0",
        ":ARG0",
        ":ARG1",
        ":location",
        ":mod",
    ]
    assert corpus.sources.tolist() == [0, 2, 2, 0, 3]
    assert corpus.targets.tolist() == [1, 1, 3, 3, 1]
    assert corpus.inverted.tolist() == [False, True, False, False, False]
    assert corpus.forward.tolist() == [False, False, True, False, False]
    assert corpus.metadata[0]["snt"] == "The cat sleeps."


@given(st.lists(graphs(loops=True, duplicates=True), max_size=4))
def test_graphs_are_the_same_after_the_arrays(made):
    made.append(Graph.empty())
    corpus = Corpus.of(made)
    assert len(corpus) == len(made)
    assert all(same(a, b) for a, b in zip(corpus, made, strict=True))


@given(st.lists(graphs(duplicates=True), min_size=1, max_size=4), st.data())
def test_take_and_concatenate_are_those_of_lists(made, data):
    corpus = Corpus.of(made)
    chosen = data.draw(st.lists(st.integers(0, len(made) - 1), max_size=6))
    taken = corpus.take(np.array(chosen, np.int64))
    assert [*taken] == [made[k] for k in chosen]
    joined = Corpus.concatenate([taken, Corpus.of(reversed(made)), corpus[1:]])
    assert [*joined] == [made[k] for k in chosen] + made[::-1] + made[1:]
    assert len(set(joined.symbols.texts)) == len(joined.symbols)


def test_surface_alignments_stay_with_their_graphs():
    corpus = Corpus.of(parse_amr("(c / cat) (d / dog~e.1) (e / emu) (f / fox~2)"))
    both = pickle.loads(pickle.dumps(Corpus.concatenate([corpus, corpus])))
    chosen = both.take(np.array([7, 0, 1]))
    assert [graph.aligned for graph in chosen] == ["(f / fox~2)", "", "(d / dog~e.1)"]
    assert chosen[2] == parse_amr("(d / dog)")[0]


def test_slices_and_positions_from_the_end():
    made = parse_amr(TEXT)
    corpus = Corpus.of(made)
    assert corpus[-1] == made[1]
    assert [*corpus[::-1]] == made[::-1]
    assert corpus[::-1].metadata[0]["id"] == "two"
    assert [*corpus[5:]] == []
    with pytest.raises(IndexError):
        corpus[2]


def test_union_of_symbols():
    union, (_, moved) = Symbols.join([Symbols(("a", "b")), Symbols(("c", "b", "a"))])
    assert union.texts == ("a", "b", "c")
    assert moved.tolist() == [2, 1, 0]
