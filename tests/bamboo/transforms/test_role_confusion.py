"""Arg: who may be confused with whom, and how often."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import as_layout, graphs

from bamboo.published_tables.data_tables import count_confused_nodes
from bamboo.transforms.layout import convert_to_graph, parse_layouts, same_graph
from bamboo.transforms.role_confusion import (
    confuse_pair,
    confuse_roles,
    possible_swaps,
)

BITE = "(b / bite-01 :ARG0 (d / dog) :ARG1 (m / man))"
THREE = (
    "(a / and :op1 (b / bite-01 :ARG0 (d / dog) :ARG1 (m / man))"
    " :op2 (s / see-01 :ARG0 m :ARG1 d) :op3 (g / give-01 :ARG0 m :ARG1 (p / prize) :ARG2 d))"
)
NOBODY = "(s / sleep-01 :ARG0 (c / cat) :time (n / night))"


def parse(text):
    return parse_layouts(text)[0]


class TestEligibility:
    def test_a_core_role_and_the_place(self):
        graph = parse("(s / sit-01 :ARG1 (c / cat) :location (m / mat))")
        assert possible_swaps(graph) == {"s": [(1, 3)]}

    def test_an_inverse_edge_counts(self):
        graph = parse("(d / dog :ARG0-of (b / bite-01 :ARG1 (m / man)))")
        assert list(possible_swaps(graph)) == ["b"]

    def test_a_constant_counts_as_a_target(self):
        graph = parse("(f / fall-01 :ARG1 (i / index) :ARG2 9)")
        assert list(possible_swaps(graph)) == ["f"]

    @pytest.mark.parametrize(
        "text",
        [
            NOBODY,
            "(a / and :op1 (c / cat) :op2 (d / dog))",
            "(s / see-01 :ARG0 (c / cat) :ARG1 c)",  # the same target: nothing would change
            "(s / see-01 :ARG1 (c / cat) :ARG1 (d / dog))",  # the same role
            "(s / see-01 :ARG0 (c / cat :ARG1-of (e / eat-01)))",  # two nodes with one edge each
        ],
    )
    def test_a_pair_without_eligible_nodes(self, text):
        assert possible_swaps(parse(text)) == {}


class TestConfusion:
    @given(graphs(max_nodes=8), st.integers(0, 2**32))
    def test_what_changes_and_what_does_not(self, graph, seed):
        layout = as_layout(graph)
        confused, operations = confuse_roles(layout, np.random.default_rng(seed))
        graph, after = convert_to_graph(layout), convert_to_graph(confused)
        eligible = possible_swaps(layout)
        assert operations <= min(3, len(eligible))
        assert bool(operations) == bool(eligible)
        assert (after.variables, after.concepts, after.top) == (
            graph.variables,
            graph.concepts,
            graph.top,
        )
        # Every node keeps its roles and its targets; each operation changes one node.
        for position in (1, 2):
            assert Counter(
                (t[0], t[position]) for t in (*after.relations, *after.attributes)
            ) == Counter((t[0], t[position]) for t in (*graph.relations, *graph.attributes))
        assert count_confused_nodes(graph, after) == operations

    def test_the_number_of_nodes_is_uniform_on_one_two_three(self):
        generator = np.random.default_rng(0)
        counts = Counter(confuse_roles(parse(THREE), generator).operations for _ in range(3000))
        # 3000 draws of probability 1/3: the standard deviation of a count is sqrt(3000*2/9) = 26.
        assert all(abs(counts[k] - 1000) < 4 * 26 for k in (1, 2, 3))
        assert set(counts) == {1, 2, 3}


class TestPairs:
    def test_one_side_is_altered(self):
        src, tgt = parse(BITE), parse(BITE.replace("dog", "hound"))
        sides = Counter()
        generator = np.random.default_rng(0)
        for _ in range(1000):
            pair = confuse_pair(src, tgt, generator)
            sides[pair.side] += 1
            assert same_graph(convert_to_graph(pair.src), convert_to_graph(src)) == (
                pair.side == "tgt"
            )
            assert same_graph(convert_to_graph(pair.tgt), convert_to_graph(tgt)) == (
                pair.side == "src"
            )
        # The standard deviation of the count is sqrt(1000/4) = 16.
        assert abs(sides["src"] - 500) < 4 * 16

    def test_a_side_without_eligible_nodes_is_chosen_half_the_time(self):
        generator = np.random.default_rng(0)
        pairs = [confuse_pair(parse(BITE), parse(NOBODY), generator) for _ in range(1000)]
        skipped = sum(pair is None for pair in pairs)
        assert abs(skipped - 500) < 4 * 16
        assert {pair.side for pair in pairs if pair} == {"src"}
