"""Random changes of graphs, whose damage is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from amr_metrics import Pair, parse_graph
from bamboo.errors import ConfigError
from bamboo.training import damage
from bamboo.training.damage import CHANGES, MOVES, Damage, Vocabulary, amount, chain, change_concept
from bamboo.training.loop import TrainingError
from tests.bamboo.statistics.samples import assert_uniform
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


class Draws:
    """A generator that draws given numbers, and notes below which numbers it draws."""

    def __init__(self, *numbers):
        self.numbers, self.limits = list(numbers), []

    def integers(self, limit):
        self.limits.append(limit)
        return self.numbers.pop(0)


SMALL = "(w / want-01 :polarity - :ARG0 (b / boy :quant 2) :ARG1 (g / go-02 :ARG0 b))"
LEAVES = "(w / want-01 :ARG0 (b / boy :quant 2) :time (new0 / now))"
FEW = Vocabulary(["eat-01", "go-02"], ["boy", "cat"], [":ARG0", ":mod"], [(":q", "3"), (":p", "-")])


@pytest.mark.parametrize(
    ("name", "text", "draws", "expected"),
    [
        # Each draw: the number, and below which number.
        ("change_concept", SMALL, [(2, 3), (0, 2)], SMALL.replace("go-02", "eat-01")),
        ("change_concept", SMALL, [(1, 3), (0, 2), (1, 2)], SMALL.replace("boy", "cat")),
        ("change_sense", SMALL, [(1, 2), (1, 3), (2, 3)], SMALL.replace("go-02", "go-03")),
        ("change_sense", SMALL, [(0, 2), (0, 3), (1, 3)], SMALL.replace("want-01", "want-02")),
        ("change_sense", "(c / cat)", [], None),
        ("change_role", SMALL, [(1, 3), (1, 2)], SMALL.replace("ARG1", "mod")),
        ("change_role", "(c / cat)", [], None),
        (
            "swap_roles",
            SMALL,
            [(0, 1)],
            "(w / want-01 :polarity - :ARG0 (g / go-02 :ARG0 b) :ARG1 (b / boy :quant 2))",
        ),
        ("swap_roles", "(w / want-01 :ARG0 (b / boy) :ARG0 (g / girl))", [], None),
        ("swap_roles", "(w / want-01 :ARG0 (b / boy) :ARG1 b)", [], None),
        ("rewire", SMALL, [(2, 3), (0, 3)], SMALL.replace("go-02 :ARG0 b", "go-02 :ARG0 w")),
        ("rewire", SMALL, [(2, 3), (1, 3)], None),
        ("rewire", SMALL, [(2, 3), (2, 3)], None),
        (
            "move",
            SMALL,
            [(1, 3), (1, 3)],
            "(w / want-01 :polarity - :ARG0 (b / boy :quant 2 :ARG1 (g / go-02 :ARG0 b)))",
        ),
        ("rewire", LEAVES, [(0, 2), (2, 3)], None),  # nothing would be connected to b
        ("move", "(c / cat)", [], None),
        ("delete_leaf", LEAVES, [(0, 2)], "(w / want-01 :time (new0 / now))"),
        ("delete_leaf", LEAVES, [(1, 2)], "(w / want-01 :ARG0 (b / boy :quant 2))"),
        ("delete_leaf", SMALL, [], None),
        (
            "insert_node",
            LEAVES,
            [(1, 3), (0, 2), (1, 2), (1, 2)],
            LEAVES.replace("2)", "2 :mod (new1 / go-02))"),
        ),
        (
            "split_node",
            SMALL,
            [(1, 2)],
            SMALL.replace("go-02 :ARG0 b", "go-02 :ARG0 (new0 / boy)"),
        ),
        ("split_node", LEAVES, [], None),
        (
            "drop_relation",
            SMALL,
            [(0, 2)],
            "(w / want-01 :polarity - :ARG1 (g / go-02 :ARG0 (b / boy :quant 2)))",
        ),
        ("drop_relation", SMALL, [(1, 2)], SMALL.replace("go-02 :ARG0 b", "go-02")),
        ("change_constant", SMALL, [(1, 2), (0, 2)], SMALL.replace("quant 2", "quant 3")),
        (
            "change_constant",
            SMALL,
            [(0, 2), (1, 2), (0, 2)],
            SMALL.replace("-", "3", 2).replace("want3", "want-"),
        ),
        ("drop_attribute", SMALL, [(1, 2)], SMALL.replace(" :quant 2", "")),
        ("drop_attribute", "(c / cat)", [], None),
        ("negate", SMALL, [(0, 2)], SMALL.replace(" :polarity -", "")),
        ("negate", SMALL, [(1, 2)], SMALL.replace("go-02", "go-02 :polarity -")),
        ("negate", "(c / cat)", [], None),
        (
            "change_top",
            SMALL,
            [(0, 3), (2, 3)],
            "(g / go-02 :ARG0 (b / boy :quant 2) :ARG1-of (w / want-01 :polarity - :ARG0 b))",
        ),
        ("change_top", "(c / cat)", [(0, 1)] * 10, None),
    ],
)
def test_changes_by_hand(name, text, draws, expected):
    graph, rng = parse_graph(text), Draws(*[number for number, _ in draws])
    changed = getattr(damage, name)(graph, FEW, rng)
    assert rng.limits == [limit for _, limit in draws]
    if expected is None:
        assert changed is None
        return
    wanted = parse_graph(expected)
    assert changed is not None
    assert sorted(changed.triples) == sorted(wanted.triples)
    assert changed.top == wanted.top


def test_a_vocabulary_by_hand():
    words = Vocabulary.of([parse_graph(LEAVES), parse_graph("(b / boy)")])
    assert (words.predicates, words.others) == (["want-01"], ["boy", "now", "boy"])
    assert (words.roles, words.attributes) == ([":ARG0", ":time"], [(":quant", "2")])


def test_one_to_three_changes_are_equally_likely():
    def grow(graph, vocabulary, rng):
        return graph + 1

    sizes = [0, *chain(0, WORDS, 3000, np.random.default_rng(0), [grow])]
    assert_uniform(np.bincount(np.diff(sizes), minlength=4)[1:], 1000)
    assert np.diff(sizes).min() == 1


def test_kinds_of_changes_are_equally_likely():
    def kind(k):
        return lambda counts, vocabulary, rng: [*counts, k]

    *_, last = chain([], WORDS, 500, np.random.default_rng(0), [kind(k) for k in range(4)])
    assert_uniform(np.bincount(last), len(last) / 4)


def test_graphs_are_drawn_in_every_order():
    given = [parse_graph(f"(a / a :x (b / b :y (c / {name})))") for name in "def"]
    rng = np.random.default_rng(0)
    options = Damage(graphs=2, smallest=3, chains=1, moved_chains=1, steps=1)
    drawn = [[given.index(p.tgt) for p in options.pairs(given, rng)[::2]] for _ in range(300)]
    assert_uniform(np.unique(drawn, axis=0, return_counts=True)[1], 50)
    assert {len(set(graphs)) for graphs in drawn} == {2} == {len(graphs) for graphs in drawn}


def test_a_seed_gives_the_graphs_and_changes_that_it_gave():
    given = [parse_graph(f"(a / a :x (b / b :y (c / {name})))") for name in "defgh"]
    options = Damage(graphs=4, smallest=3, chains=1, moved_chains=0, steps=1)
    pairs = options.pairs(given, np.random.default_rng(3))
    assert [given.index(pair.tgt) for pair in pairs] == [4, 2, 1, 3]

    def kind(k):
        return lambda kinds, vocabulary, rng: [*kinds, k]

    changes = [kind(k) for k in range(4)]
    *_, before, last = chain([], WORDS, 4, np.random.default_rng(3), changes)
    assert (before, last) == ([0, 0, 0, 3, 2, 0, 0], [0, 0, 0, 3, 2, 0, 0, 1])


def test_the_kinds_of_chains_and_the_smallest_graph():
    options = Damage(graphs=9, smallest=len(BIG.variables), chains=1, moved_chains=2, steps=3)
    pairs = options.pairs([BIG], np.random.default_rng(2))
    assert len(pairs) == (1 + 2) * 3
    same = [pair.src.concepts == BIG.concepts for pair in pairs]
    assert not all(same[:3])
    assert all(same[3:])
    with pytest.raises(TrainingError):
        replace(options, smallest=len(BIG.variables) + 1).pairs([BIG], np.random.default_rng(2))
    assert Damage() == Damage(graphs=2400, smallest=8, chains=2, moved_chains=1, steps=5)
    Damage(graphs=1, smallest=3, chains=0, moved_chains=1, steps=1)
    Damage(chains=1, moved_chains=0)
