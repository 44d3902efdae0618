"""The graphs and messages of WWLK, encoded for many graphs at once."""

from typing import get_args

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Corpus, Pair, Pairs, parse_graph
from amr_metrics.features.wlk import DIRECTIONS
from amr_metrics.graphs.graph import Graph
from amr_metrics.transport.encoding import Variant, encode, encode_graphs, node_names
from tests import reference_graphs
from tests.reference_graphs import LabelledGraph
from tests.strategies import graphs

RANDOM = settings(derandomize=True)
GRAPH = parse_graph(
    '(w / Want-01 :ARG0 (c / city :name (n / name :op1 "Rome" :op2 "Rome"))'
    " :ARG1 (s / sleep-01 :ARG0 c :ARG0 c :polarity -) :polarity -)"
)


def read_back(corpus, variant):
    """Each graph of a corpus as encoded, with labels and roles as strings."""
    encoded = encode_graphs(corpus, variant)
    table = encoded.table
    labels = [encoded.labels[k] for k in table.labels]
    roles = [encoded.roles[k] for k in table.roles]
    edges = [*zip(table.sources.tolist(), table.targets.tolist(), roles, strict=True)]
    return [
        LabelledGraph(
            node_names(graph, variant),
            labels[table.node_start[g] : table.node_start[g + 1]],
            edges[table.edge_start[g] : table.edge_start[g + 1]],
        )
        for g, graph in enumerate(corpus)
    ]


def labelled(graph, variant="2023"):
    return read_back(Corpus.of([graph]), variant)[0]


def test_2023_gives_every_constant_a_node():
    made = labelled(GRAPH, "2023")
    assert made.labels == ["want-01", "city", "name", "sleep-01", "rome", "rome", "-", "-"]
    assert made.names[4:] == ['n :op1 "Rome"', 'n :op2 "Rome"', "s :polarity -", "w :polarity -"]
    assert (2, 5, ":op2") in made.edges
    assert made.edges.count((3, 1, ":arg0")) == 1  # written twice


def test_2021_has_equal_constants_share_a_node():
    made = labelled(GRAPH, "2021")
    assert made.labels == ["Want-01", "city", "name", "sleep-01", '"Rome"', "-"]
    assert made.names == ["w", "c", "n", "s", '"Rome"', "-"]
    assert [edge for edge in made.edges if edge[1] == 4] == [(2, 4, ":op1"), (2, 4, ":op2")]
    assert made.edges.count((3, 1, ":ARG0")) == 2


several = st.lists(
    st.one_of(graphs(loops=True, duplicates=True), st.just(Graph.empty())), max_size=4
)


@RANDOM
@given(some=several)
def test_many_graphs_are_encoded_as_one_by_one(some):
    for variant in get_args(Variant):
        expected = [reference_graphs.labelled(graph, variant) for graph in some]
        assert read_back(Corpus.of(some), variant) == expected


def messages_of(encoded, g):
    """The messages of a graph: receiver, sender and roles."""
    table = encoded.messages
    return [
        (
            int(table.receivers[k]),
            int(table.senders[k]),
            [encoded.roles[r] for r in table.roles[table.role_start[k] : table.role_start[k + 1]]],
        )
        for k in range(table.message_start[g], table.message_start[g + 1])
    ]


@RANDOM
@given(graph=graphs(loops=True, duplicates=True))
def test_messages_follow_parallel_edges_at_once(graph):
    for direction in DIRECTIONS:
        expected = {}
        for source, target, role in reference_graphs.labelled(graph, "2021").edges:
            if direction != "bottom_up":
                expected.setdefault((target, source, "down"), []).append(role)
            if direction != "top_down":
                back = f"{role}-of" if direction == "two_way" else role
                expected.setdefault((source, target, "up"), []).append(back)
        messages = messages_of(encode([Pair(graph, graph)], "2021", direction), 0)
        assert sorted(messages) == sorted((r, s, roles) for (r, s, _), roles in expected.items())
        assert [receiver for receiver, _, _ in messages] == sorted(r for r, _, _ in expected)


@RANDOM
@given(some=st.lists(graphs(), min_size=1, max_size=4), most=st.integers(1, 60))
def test_parts_are_consecutive_and_small(some, most):
    corpus = Corpus.of(some)
    encoded = encode(Pairs.all(corpus, corpus), "2023", "undirected")
    assert len(encoded.graphs.tops) == len(some)  # each graph once
    parts = [*encoded.parts(most)]
    assert np.concatenate([part.sizes for part in parts]).tolist() == encoded.sizes.tolist()
    largest = encoded.sizes.prod(axis=1).max()
    assert all(part.sizes.prod(axis=1).sum() < most + largest for part in parts)
    assert all(part.graphs is encoded.graphs for part in parts)
