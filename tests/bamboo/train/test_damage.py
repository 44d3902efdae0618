"""Random changes of graphs, whose damage is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from amr_metrics import Pair, parse_graph
from bamboo.errors import ConfigError
from bamboo.train.damage import CHANGES, MOVES, Damage, Vocabulary, amount, chain, change_concept
from bamboo.train.loop import TrainingError
from tests.strategies import graphs

BIG = parse_graph(
    '(w / want-01 :polarity - :ARG0 (b / boy :name (n / name :op1 "Tom"))'
    " :ARG1 (s / see-01 :ARG0 b :ARG1 (d / dog :mod (s2 / small)) :time (y / yesterday))"
    " :manner (l / loud) :purpose (j / joke))"
)
WORDS = Vocabulary.of(
    [BIG, parse_graph("(e / eat-01 :ARG0 (c / cat :quant 3) :location (h / house))")]
)
NODES = {
    "delete_leaf": -1,
    "insert_node": 1,
    "split_node": 1,
}  # by which the number of nodes changes


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@given(data=st.data())
def test_a_change_gives_another_connected_graph_or_none(change, data):
    graph = data.draw(graphs())
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    if not graph.variables:
        return
    changed = change(graph, WORDS, rng)
    if changed is None:
        return
    assert len(changed.components()) == len(graph.components())
    assert len(changed.variables) - len(graph.variables) == NODES.get(change.__name__, 0)
    assert changed.top in changed.variables


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_applies_to_a_large_graph(change):
    changed = [change(BIG, WORDS, np.random.default_rng(seed)) for seed in range(20)]
    damaged = [graph for graph in changed if graph is not None]
    assert damaged
    assert any(amount(Pair(graph, BIG)) > 0 for graph in damaged)
    assert all(amount(Pair(graph, BIG)) < 0.4 for graph in damaged)


def test_the_amount_by_hand():
    without = parse_graph("(s / sleep-01 :polarity -)")
    whole = parse_graph("(s / sleep-01 :polarity - :ARG0 (c / cat))")
    # 3 and 5 triples with the root, 3 of which are equal
    assert amount(Pair(without, whole)) == pytest.approx(1 - 2 * 3 / (3 + 5))
    assert amount(Pair(whole, whole)) == 0


def test_chains():
    options = Damage(graphs=2, smallest=8, chains=3, moved_chains=0, steps=4)
    pairs = options.pairs([BIG, parse_graph("(c / cat)"), BIG], np.random.default_rng(0))
    assert len(pairs) == 3 * 4  # equal graphs count once
    assert {pair.tgt for pair in pairs} == {BIG}
    amounts = np.array([amount(pair) for pair in pairs]).reshape(3, 4)
    assert (amounts[:, -1] > amounts[:, 0]).all()
    again = options.pairs([BIG, parse_graph("(c / cat)"), BIG], np.random.default_rng(0))
    assert pairs == again
    reseeded = options.pairs([BIG, parse_graph("(c / cat)"), BIG], np.random.default_rng(1))
    assert pairs != reseeded


def test_a_chain_of_some_kinds_of_changes():
    for graph in chain(BIG, WORDS, 5, np.random.default_rng(0), [change_concept]):
        assert graph.relations == BIG.relations
        assert graph.concepts != BIG.concepts


def test_graphs_that_are_not_connected_are_left_out():
    apart = replace(BIG, relations=BIG.relations[:-1], inverted=(), forward=())
    assert len(apart.components()) > 1
    pairs = Damage(smallest=4, graphs=2).pairs([apart, BIG], np.random.default_rng(0))
    assert {pair.tgt for pair in pairs} == {BIG}
    with pytest.raises(TrainingError, match="has 4 nodes or more and is connected: lower"):
        Damage(smallest=4).pairs([apart], np.random.default_rng(0))


def test_graphs_that_are_too_small():
    with pytest.raises(TrainingError, match=r"none of the 1 train graphs has 8 nodes.*damage=null"):
        Damage().pairs([parse_graph("(c / cat)")], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("option", "least"),
    [("graphs", 1), ("smallest", 3), ("chains", 0), ("moved_chains", 0), ("steps", 1)],
)
def test_invalid_options(option, least):
    match = f"trainer.damage.{option}={least - 1}: use {least} or more"
    with pytest.raises(ConfigError, match=match):
        Damage(**{option: least - 1})


def test_no_chains():
    with pytest.raises(ConfigError, match="use 1 or more of either"):
        Damage(chains=0, moved_chains=0)


@given(graph=graphs())
def test_relations_of_every_graph_with_three_nodes_can_be_moved(graph):
    assume(len(graph.variables) >= 3)
    for changed in chain(graph, WORDS, 5, np.random.default_rng(0), MOVES):
        assert changed.concepts == graph.concepts
        assert len(changed.relations) == len(graph.relations)
        assert amount(Pair(changed, graph)) < 1
