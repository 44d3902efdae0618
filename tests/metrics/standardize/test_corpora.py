"""Steps on the arrays of a corpus are the steps on each of its graphs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bamboo.installation import resource
from metrics import Corpus, Graph, Pair, Pairs, parse_graph, read_graphs
from metrics.graphs.graph import Attribute, Relation
from metrics.standardize.standardizer import PRESETS, STEPS, Standardizer
from tests.metrics.standardize.plain_steps import plain
from tests.strategies import graphs

CHAINS = [*PRESETS.values(), *[(name,) for name in STEPS], ("dereify:bamboo",)]
ROLES = [":domain", ":DOMAIN", ":arg0-of", ":ARG1", ":mod-of", ":domain-of-of", ":consist-of"]
LABELS = ["Cat", "cat", '"Cat"', "have-quant-91", "be-located-at-91", "Have-MOD-91", "own-01"]


@st.composite
def rough_graphs(draw):
    """Graphs with what the steps change: case, quotes, inverse roles, repeats, reifications."""
    graph = draw(graphs(max_nodes=5, loops=True, duplicates=True))
    role, label = st.sampled_from(ROLES), st.sampled_from(LABELS)

    def sometimes(value, choices):
        return draw(choices) if draw(st.booleans()) else value

    relations = [Relation(s, sometimes(r, role), t) for s, r, t in graph.relations]
    attributes = [
        Attribute(v, sometimes(r, role), sometimes(c, label)) for v, r, c in graph.attributes
    ]
    flags = [k for k in range(len(relations)) if draw(st.booleans())]
    return replace(
        graph,
        concepts=tuple([sometimes(concept, label) for concept in graph.concepts]),
        attributes=tuple(attributes + attributes[:1]),
        relations=tuple(relations + relations[:1]),
        inverted=tuple(flags),
        forward=tuple(flags[::2]),
        metadata={"id": draw(st.sampled_from("abc"))},
    )


def parts(graph):
    """All fields of a graph, those that do not count for equality included."""
    return graph, graph.inverted, graph.forward, {**graph.metadata}


@settings(deadline=None)
@given(st.lists(rough_graphs(), max_size=4), st.sampled_from(CHAINS))
def test_a_corpus_is_standardised_as_each_of_its_graphs(several, steps):
    standardizer = Standardizer(tuple(steps))
    expected = [*map(plain(steps), several)]
    assert [*map(parts, map(standardizer, several))] == [*map(parts, expected)]
    found = [*standardizer.corpus(Corpus.of(several))]
    assert [*map(parts, found)] == [*map(parts, expected)]


@pytest.mark.parametrize("steps", CHAINS, ids=",".join)
@pytest.mark.parametrize("side", ["src", "tgt"])
def test_the_sample_is_standardised_as_each_of_its_graphs(steps, side):
    standardizer = Standardizer(tuple(steps))
    for partition in ("main", "reify"):
        path = resource("data") / "sample" / partition / f"{side}.test.amr"
        several = [*read_graphs(path)]
        found = [*standardizer.corpus(Corpus.of(several))]
        assert [*map(parts, found)] == [*map(parts, map(plain(steps), several))]


def test_pairs_stay_arrays_and_each_graph_is_standardised_once():
    corpus = Corpus.of([parse_graph("(c / Cat)"), parse_graph("(d / Dog)"), Graph.empty()])
    rows, columns = np.divmod(np.arange(9), 3)
    arrays = Pairs(corpus, corpus, rows, columns)
    standardizer = Standardizer.of("amr")
    found = standardizer.pairs(arrays)
    assert isinstance(found, Pairs)
    assert found.src is found.tgt
    assert len(found.src) == 3
    pairs = [*arrays]
    assert standardizer.pairs(pairs).src_index.tolist() == rows.tolist()
    expected = [Pair(*map(standardizer, pair)) for pair in pairs]
    assert [*found] == [*standardizer.pairs(pairs)] == expected
