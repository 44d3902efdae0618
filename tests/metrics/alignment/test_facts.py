import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from metrics import Pair, Smatch, parse_graph
from metrics.alignment.facts import Facts, FactTable, Vocabulary, problems, tabulate
from metrics.alignment.smatch import ROOTS

graph_lists = st.lists(graphs(loops=True, duplicates=True), max_size=4)


@given(graph_lists, st.sampled_from(ROOTS))
def test_many_graphs_at_once_give_the_same_table_as_one_by_one(several, root):
    encode = Smatch(root=root).encoder(Vocabulary())
    together = tabulate(encode, several)
    one_by_one = FactTable.build([encode(graph) for graph in several])
    for name in FactTable.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(together, name), getattr(one_by_one, name))


def test_the_facts_of_a_graph():
    vocabulary = Vocabulary()
    encode = Smatch().encoder(vocabulary)
    facts = encode(parse_graph("(s / Sleep-01 :ARG0 (c / cat) :polarity -)"))
    assert facts.size == 2
    assert [
        (node, vocabulary.labels[k]) for node, k in zip(facts.nodes, facts.labels, strict=True)
    ] == [
        (0, ("instance", "sleep-01")),
        (1, ("instance", "cat")),
        (0, ("attribute", (":polarity", "-"))),
        (0, ("TOP", "sleep-01")),
    ]
    assert (facts.sources, facts.targets) == ([0], [1])
    assert vocabulary.labels[facts.edge_labels[0]] == ("relation", ":arg0")


def test_a_vocabulary_numbers_each_folded_label_once():
    vocabulary = Vocabulary()
    concepts, roles = vocabulary.space("instance", str.lower), vocabulary.space("relation", str)
    assert [*concepts.numbers(["Cat", "dog", "cat", "DOG"])] == [0, 1, 0, 1]
    assert roles["cat"] == 2
    assert vocabulary.space("instance", str.lower) is concepts


def test_repeats_go_and_totals_add_up():
    table = FactTable.build(
        [
            Facts(2, [0, 0, 1], [7, 7, 7], [0, 0], [1, 1], [3, 3], [2.0, 2.0, 0.5], [1.0, 1.0]),
            Facts(0, [], [], [], [], []),
            Facts(1, [0], [7], [0], [0], [4]),
        ]
    )
    assert table.facts.tolist() == [[0, 7], [1, 7], [0, 7]]
    assert table.start.tolist() == [0, 2, 2, 3]
    assert table.edges.tolist() == [[0, 1, 3], [0, 0, 4]]
    assert table.totals().tolist() == [2.0 + 0.5 + 1.0, 0.0, 1.0 + 1.0]


@given(st.lists(st.tuples(graphs(loops=True), graphs(loops=True)), max_size=3))
def test_problems_join_the_facts_on_their_labels(pairs):
    src, tgt = Smatch().tables([Pair(*pair) for pair in pairs], Vocabulary())
    batch = problems(src, tgt)
    for p in range(len(pairs)):
        a_facts, b_facts = (t.facts[t.start[p] : t.start[p + 1]] for t in (src, tgt))
        unary = np.zeros((src.sizes[p], tgt.sizes[p]))
        for i, label in a_facts:
            for j, same in b_facts:
                unary[i, j] += label == same
        np.testing.assert_array_equal(batch[p].unary, unary)
        a_edges, b_edges = (t.edges[t.edge_start[p] : t.edge_start[p + 1]] for t in (src, tgt))
        fits = [
            [a, b]
            for a in range(len(a_edges))
            for b in range(len(b_edges))
            if a_edges[a][2] == b_edges[b][2]
        ]
        assert batch[p].matches.tolist() == fits
        assert batch[p].weights.tolist() == [1.0] * len(fits)
        assert batch[p].src_edges.tolist() == a_edges[:, :2].tolist()
        assert batch[p].tgt_edges.tolist() == b_edges[:, :2].tolist()


def test_a_match_is_worth_the_smaller_weight():
    src = FactTable.build([Facts(2, [0], [5], [0], [1], [6], [3.0], [0.25])])
    tgt = FactTable.build([Facts(2, [1], [5], [0], [1], [6], [2.0], [0.5])])
    problem = problems(src, tgt)[0]
    assert problem.unary.tolist() == [[0.0, 2.0], [0.0, 0.0]]
    assert problem.weights.tolist() == pytest.approx([0.25])
