"""The triples of an explanation and their weights."""

from amr_metrics import Pair, parse_graph
from amr_metrics.alignment.wsmatch import WSmatch

CHAIN = parse_graph("(a / a :x (b / b :y (c / c)) :z 1)")
NODE = parse_graph("(a / a)")


def texts(weights):
    return {str(triple): weight for triple, weight in weights.items()}


def test_weights_are_those_that_are_not_1():
    # Levels of depth 2: a 2, b and the constant 1, c 1; a relation has the smaller of both ends.
    explanation = WSmatch(depth=2).explain(Pair(CHAIN, NODE))
    assert [*map(texts, explanation.weights)] == [{"instance(a, a)": 2, "TOP(a, a)": 2}] * 2
    explanation = WSmatch(depth=3).explain(Pair(NODE, CHAIN))
    of_node = {"instance(a, a)": 3, "TOP(a, a)": 3}
    of_chain = of_node | {"instance(b, b)": 2, ":x(a, b)": 2, ":z(a, 1)": 2}
    assert [*map(texts, explanation.weights)] == [of_node, of_chain]
