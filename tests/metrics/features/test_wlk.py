"""WLK by hand."""

from math import exp, sqrt

import pytest

from amr_metrics.features.wlk import Wlk
from tests.builders import pair_of


def score(pair, **options):
    return Wlk(**{"variant": "definition", **options}).score([pair])[0]


CHAIN = "(a / a1 :r (b / b1 :s (c / c1)))"
TAIL = "(a / a1 :r (b / b1 :s (d / d1)))"


def test_level_0_counts_labels_and_triples():
    pair = pair_of("(a / and :op1 (c / cat) :op1 (d / cat))", "(a / and :op1 (c / cat))")
    # and: 1 x 1, cat: 2 x 1, and :op1 cat: 2 x 1.
    expected = (1 + 2 + 2) / sqrt((1 + 4 + 4) * (1 + 1 + 1))
    assert score(pair, K=0) == pytest.approx(expected)


def test_levels_look_further_and_further():
    # Level 0: a1, b1 and a1 :r b1 of 5. Level 1: a1 sees b1 on both sides; b1 sees c1 or d1.
    # Level 2: a1 sees that b1 changed.
    pair = pair_of(CHAIN, TAIL)
    assert score(pair, K=0) == pytest.approx(3 / 5)
    assert score(pair, K=1) == pytest.approx((3 + 1) / (5 + 3))
    assert score(pair, K=2) == pytest.approx((3 + 1 + 0) / (5 + 3 + 3))


def test_level_weights():
    pair = pair_of(CHAIN, TAIL)

    def expected(*w):
        return (3 * w[0] ** 2 + 1 * w[1] ** 2) / (5 * w[0] ** 2 + 3 * w[1] ** 2 + 3 * w[2] ** 2)

    for weights, numbers in (
        ("uniform", (1, 1, 1)),
        ("exponential", (1, exp(-1), exp(-2))),
        ("harmonic", (1, 1 / 2, 1 / 3)),
    ):
        assert score(pair, level_weights=weights) == pytest.approx(expected(*numbers))
    # Each variant has weights of its own.
    assert score(pair, variant="2021") == pytest.approx(expected(1, exp(-1), exp(-2)))
    assert score(pair, variant="2023") == pytest.approx(expected(1, 1 / 2, 1 / 3))


def test_directions():
    pair = pair_of(CHAIN, TAIL)
    # Top down, a1 and b1 hear nothing of what follows; bottom up, only b1 hears of c1 or d1,
    # and then a1 of b1.
    assert score(pair, direction="top_down") == pytest.approx((3 + 2 + 2) / (5 + 3 + 3))
    assert score(pair, direction="bottom_up") == pytest.approx((3 + 1 + 0) / (5 + 3 + 3))


def test_two_way_tells_directions_apart():
    # Twice the same neighbours of b1, but one relation is turned.
    pair = pair_of("(a / a1 :r (b / b1))", "(b / b1 :r (a / a1))")
    assert score(pair, K=1, direction="undirected") == pytest.approx((2 + 2) / (3 + 2))
    assert score(pair, K=1, direction="two_way") == pytest.approx((2 + 0) / (3 + 2))
    # a1 leads to other nodes, which it hears unless messages go top down alone.
    pair = pair_of("(a / a1 :r (b / b1))", "(a / a1 :r (c / c1))")
    assert score(pair, K=1, direction="two_way") == pytest.approx((1 + 0) / (3 + 2))
    assert score(pair, K=1, direction="top_down") == pytest.approx((1 + 1) / (3 + 2))


def test_2021_numbers_repeated_concepts():
    # The first of two cats is cat 2, so the second one matches the only cat of the other graph.
    two = "(a / and :op1 (c / cat) :op2 (d / cat))"
    first, second = "(a / and :op1 (c / cat))", "(a / and :op2 (c / cat))"
    norm = sqrt((3 + 2) * (2 + 1))
    assert score(pair_of(two, first), K=0, variant="2021") == pytest.approx((2 + 0) / norm)
    assert score(pair_of(two, second), K=0, variant="2021") == pytest.approx((2 + 1) / norm)


def test_2023_lets_the_first_node_of_a_label_hear_for_all():
    pair = pair_of("(a / and :op1 (c / cat) :op2 (d / cat))", "(a / and :op1 (c / cat))")
    # Level 0: 2 nodes each, 2 and 1 triples. Level 1: cat hears :op1 of and on either side,
    # though the second cat is an :op2; and hears two or one.
    expected = (2 + 1 + 1 / 4 * 1) / sqrt((2 + 2 + 1 / 4 * 2) * (2 + 1 + 1 / 4 * 2))
    assert score(pair, K=1, variant="2023") == pytest.approx(expected)


def test_equal_constants_are_one_node_in_2021():
    pair = pair_of('(a / and :op1 "1" :op2 "1")', '(a / and :op1 "1")')
    # and: 1 x 1, "1": 2 or 1 x 1, and :op1 "1": 1 x 1; norms with :op2 "1".
    assert score(pair, K=0) == pytest.approx((1 + 2 + 1) / sqrt((1 + 4 + 2) * (1 + 1 + 1)))
    expected = (1 + 1 + 1) / sqrt((1 + 1 + 2) * (1 + 1 + 1))
    assert score(pair, K=0, variant="2021") == pytest.approx(expected)
