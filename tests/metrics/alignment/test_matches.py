"""The matching facts of given maps are those of trying all pairs of facts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Graph, Pair, Smatch
from amr_metrics.alignment.matches import matches, worths
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.graphs.graph import Relation
from tests.strategies import graphs


@st.composite
def pairs_with_maps(draw):
    pairs = [
        Pair(*pair) for pair in draw(st.lists(st.tuples(*[graphs(loops=True)] * 2), max_size=4))
    ]
    mappings = []
    for src, tgt in pairs:
        n, m = len(src.variables), len(tgt.variables)
        partners = draw(st.permutations(range(max(n, m))))[:n]
        mappings.append([j if j < m else -1 for j in partners])
    return pairs, mappings


@given(pairs_with_maps())
def test_matches_are_those_of_all_pairs_of_facts(case):
    pairs, mappings = case
    src, tgt = WSmatch().encode(pairs).tables()
    nodes, edges = matches(
        src, tgt, np.concatenate([np.empty(0, np.int64), *map(np.array, mappings)])
    )
    expected, worth = ([], []), []
    for p, mapping in enumerate(mappings):
        at_nodes = [0.0] * len(mapping)
        kinds = (src.facts, tgt.facts), (src.edges, tgt.edges)
        for found, (of_src, of_tgt) in zip(expected, kinds, strict=True):
            for a in range(of_src.start[p], of_src.start[p + 1]):
                *ends, label = of_src.rows[a].tolist()
                for b in range(of_tgt.start[p], of_tgt.start[p + 1]):
                    if of_tgt.rows[b].tolist() == [*[mapping[i] for i in ends], label]:
                        weight = min(of_src.weights[a], of_tgt.weights[b])
                        found.append((a, b, weight))
                        for i in ends:
                            at_nodes[i] += weight / len(ends)
        worth += at_nodes
    for rows, found in zip((nodes, edges), expected, strict=True):
        assert sorted(zip(*map(np.ndarray.tolist, rows), strict=True)) == found
    assert worths(src, nodes, edges).tolist() == pytest.approx(worth)


def test_edges_match_only_between_the_same_two_nodes():
    def graph(*relations):
        nodes = tuple("abcd")
        return Graph(nodes, nodes, (), tuple(Relation(s, ":r", t) for s, t in relations), "a")

    src, tgt = Smatch().encode([Pair(graph("ac", "ab"), graph("ba", "ab"))]).tables()
    _, edges = matches(src, tgt, np.arange(4))
    assert (edges.src.tolist(), edges.tgt.tolist()) == ([1], [1])
