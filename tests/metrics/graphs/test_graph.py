from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import numpy as np
import penman
import pytest
from hypothesis import given

from amr_metrics import Graph, parse_graph
from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Attribute, Relation
from tests.strategies import graphs

CAT = Graph(("s", "c"), ("sleep-01", "cat"), (), (Relation("s", ":ARG0", "c"),), "s")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((("a", "a"), ("cat", "dog"), (), (), "a"), "'a' is defined twice"),
        ((("a", "b"), ("cat",), (), (), "a"), "2 variables but 1 concept"),
        ((("a",), ("cat",), (), (), "b"), "top 'b' is not a node"),
        ((("a",), ("cat",), (), (Relation("a", ":mod", "b"),), "a"), "names 'b'"),
    ],
)
def test_malformed_graphs(parts, message):
    with pytest.raises(GraphError, match=message):
        Graph(*parts)


def test_metadata_does_not_affect_equality():
    told = replace(CAT, metadata={"snt": "Cats."})
    assert told == CAT
    assert hash(told) == hash(CAT)
    assert (told.sentence, CAT.sentence) == ("Cats.", "")


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        ([], "no triples"),
        ([("a", ":instance", "x"), ("b", ":ARG0", "a")], "'b' has no concept"),
        ([("a", ":instance", "x"), ("b", ":instance", "y")], "no path joins b to a"),
    ],
)
def test_triples_that_do_not_form_a_graph(triples, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_triples(triples)


def test_components():
    graph = Graph(
        ("a", "b", "c", "d"),
        ("x", "x", "x", "x"),
        (),
        (Relation("c", ":mod", "a"), Relation("d", ":mod", "d")),
        "a",
    )
    assert graph.components() == [{"a", "c"}, {"b"}, {"d"}]


def test_large_graphs():
    """A quadratic number of steps would take long."""
    names = tuple(str(k) for k in range(30_000))
    chain = tuple(Relation(a, ":mod", b) for a, b in pairwise(names))
    assert Graph(names, names, (), chain, "0").components() == [set(names)]
    with pytest.raises(GraphError, match="'29999' is defined twice"):
        Graph((*names, "29999"), (*names, "x"), (), (), "0")


@given(graphs(loops=True, duplicates=True))
def test_a_graph_is_its_triples(graph):
    triples = [
        *((v, ":instance", c) for v, c in zip(graph.variables, graph.concepts, strict=True)),
        *graph.attributes,
        *graph.relations,
    ]
    assert Graph.from_triples(triples, graph.top) == graph


NODES = [("b", ":instance", "bark-01"), ("d", ":instance", "dog"), ("b", ":ARG0", "d")]


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1"), (2.0, "2.0"), (-0.5, "-0.5"), (np.int64(3), "3"), (Decimal("1.50"), "1.50")],
)
def test_numbers_become_text_as_penman_writes_them(number, text):
    triples = [*NODES, ("d", ":quant", number)]
    graph = Graph.from_triples(triples)
    assert graph == parse_graph(f"(b / bark-01 :ARG0 (d / dog :quant {text}))")
    if type(number) in (int, float):
        assert f":quant {text}" in penman.encode(penman.Graph(triples))


@pytest.mark.parametrize(
    ("triple", "problem"),
    [
        (("x", ":instance", None), r"variable 'x' has no concept: write \(x / concept"),
        (("d", ":quant", None), "role :quant of 'd' has no target"),
        (("d", ":quant", float("nan")), "target nan: use text or a finite number"),
        (("d", ":quant", float("inf")), "target inf: use text or a finite number"),
        (("d", ":quant", Decimal("nan")), "use text or a finite number"),
        (("d", ":quant", 1j), "use text or a finite number"),
        (("d", ":quant", ["1"]), "use text or a finite number"),
        (("d", None, "1"), r"None in the triple \('d', None, '1'\) is not text"),
        ((1, ":instance", "cat"), r"1 in the triple \(1, ':instance', 'cat'\) is not text"),
    ],
)
def test_targets_that_are_no_text(triple, problem):
    with pytest.raises(GraphError, match=problem):
        Graph.from_triples([*NODES, triple])


def test_labels_of_a_graph_are_text():
    with pytest.raises(GraphError, match=r"3 in the triple \('d', ':quant', 3\) is not text"):
        Graph(("d",), ("dog",), (Attribute("d", ":quant", 3),), (), "d")


@pytest.mark.parametrize(
    "changes",
    [
        {"concepts": ("sleep-01", "cat\ud83d")},
        {"variables": ("s", "c\ud83d"), "relations": ()},
        {"relations": (Relation("s", ":ARG\ud83d", "c"),)},
        {"attributes": (Attribute("s", ":mode", '"\ud83d"'),)},
        {"metadata": {"snt": "A cat \ud83d"}},
        {"metadata": {"\ud83d": ""}},
    ],
)
def test_half_of_a_surrogate_pair(changes):
    with pytest.raises(GraphError, match=r"^'\\ud83d' is half of a surrogate pair"):
        replace(CAT, **changes)


@pytest.mark.parametrize("text", ["(s / smile\ud83d)", "# ::snt \ud83d\n(s / smile)"])
def test_text_with_half_of_a_surrogate_pair(text):
    with pytest.raises(GraphError, match=r"^<text>, line 1: '\\ud83d' is half of a surrogate pair"):
        parse_graph(text)


def test_positions_of_relations_that_are_gone():
    graph = parse_graph("(d / dog :ARG0-of (b / bark-01) :ARG1-of (s / see-01))")
    assert graph.inverted == (0, 1)
    with pytest.raises(GraphError, match=r"also set inverted=\(\) and forward=\(\)"):
        replace(graph, relations=graph.relations[:1])
    assert replace(graph, relations=(), inverted=(), forward=()).relations == ()


@pytest.mark.parametrize("name", ["inverted", "forward"])
def test_negative_positions_of_relations(name):
    with pytest.raises(GraphError, match=r"a position that none of 1 relations has"):
        replace(CAT, **{name: (-1,)})


@pytest.mark.parametrize("value", [None, 3, ["(c / cat)"]])
def test_what_is_no_text(value):
    with pytest.raises(GraphError, match="expected text in Penman notation, not"):
        parse_graph(value)
