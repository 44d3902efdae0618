"""Selected nodes and edges are those of each graph, as selected from its tuples."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Corpus, Graph
from amr_metrics.graphs.selection import first_rows, match_symbols, select_rows
from tests.strategies import graphs


@given(st.lists(graphs(loops=True, duplicates=True), max_size=3), st.data())
def test_nodes_and_the_edges_between_them(several, data):
    several.append(Graph.empty())
    corpus = Corpus.of(several)
    masks = [
        data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for n in corpus.sizes.tolist()
    ]
    expected, attributes, relations = [], [], []
    for graph, mask in zip(several, masks, strict=True):
        kept = [k for k, is_kept in enumerate(mask) if is_kept]
        variables = [graph.variables[k] for k in kept]
        attributes += [a.node in variables for a in graph.attributes]
        relations += [r.source in variables and r.target in variables for r in graph.relations]
        expected.append(
            Graph(
                tuple(variables),
                tuple(graph.concepts[k] for k in kept),
                tuple(a for a in graph.attributes if a.node in variables),
                tuple(r for r in graph.relations if {r.source, r.target} <= {*variables}),
                graph.top if graph.top in variables else next(iter(variables), ""),
            )
        )
    flat = [flag for mask in masks for flag in mask]
    selected = select_rows(
        corpus,
        **{
            name: np.array(flags, np.bool_)
            for name, flags in zip(
                ("nodes", "attributes", "relations"), (flat, attributes, relations), strict=True
            )
        },
    )
    assert [*selected] == expected
    assert selected.tops.tolist() == Corpus.of(expected).tops.tolist()
    for graph, expected_graph in zip(selected, expected, strict=True):
        assert (graph.sources, graph.targets) == (expected_graph.sources, expected_graph.targets)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=9))
def test_first_rows(rows):
    columns = np.array(rows, np.int64).reshape(-1, 2).T
    assert first_rows(*columns).tolist() == [row not in rows[:k] for k, row in enumerate(rows)]


@given(graphs())
def test_matching_tests_each_string(graph):
    corpus = Corpus.of([graph])
    matched = match_symbols(corpus, corpus.concepts, lambda concept: "-" in concept)
    assert matched.tolist() == ["-" in concept for concept in graph.concepts]
