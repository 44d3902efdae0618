import pytest
from hypothesis import settings

from amr_metrics import Corpus, Pair, parse_graph
from amr_metrics.alignment.wsmatch import WSmatch, levels
from amr_metrics.graphs.graph import Graph, Relation

RANDOM = settings(derandomize=True)
CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :polarity -)")
DOG = parse_graph("(s / sleep-01 :ARG0 (d / dog :mod (b / black)) :polarity -)")


def f1(metric, a, b):
    return metric.score([Pair(a, b)])[0]


def weights(metric, graph):
    """Each fact of a graph, as text, with its weight."""
    encoded = metric.encode([Pair(graph, graph)])
    numbers = [*encoded.src.facts.labels, *encoded.src.edges.labels]
    labels = [encoded.labels.values[n] for n in numbers]
    return dict(zip(labels, [*encoded.src.facts.weights, *encoded.src.edges.weights], strict=True))


class TestByHand:
    def test_weights_fall_with_the_distance_from_the_root(self):
        assert weights(WSmatch(), CAT) == {
            ("instance", "sleep-01"): 5,
            ("instance", "cat"): 4,
            ("instance", "black"): 3,
            ("attribute", (":polarity", "-")): 4,  # the constant is a node below sleep-01
            ("TOP", "sleep-01"): 5,
            ("relation", ":arg0"): 4,
            ("relation", ":mod"): 3,
        }

    def test_a_match_counts_with_its_weight(self):
        total = 5 + 4 + 3 + 4 + 5 + 4 + 3
        assert f1(WSmatch(), CAT, DOG) == pytest.approx((total - 4) / total)

    def test_of_two_weights_the_smaller_counts(self):
        deep = parse_graph("(w / want-01 :ARG1 (s / sleep-01 :ARG0 (c / cat)))")
        flat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
        # sleep-01 4 of 5, cat 3 of 4, ARG0 3 of 4; nothing else matches.
        deep_total, flat_total = 5 + 4 + 3 + 4 + 3 + 5, 5 + 4 + 4 + 5
        expected = 2 * (4 + 3 + 3) / (deep_total + flat_total)
        assert f1(WSmatch(), deep, flat) == pytest.approx(expected)

    def test_no_node_weighs_less_than_one(self):
        chain = "(a / a :x (b / b :x (c / c :x (d / d :x (e / e :x (f / f :x (g / g)))))))"
        fact_weights = weights(WSmatch(), parse_graph(chain))
        assert [fact_weights["instance", c] for c in "abcdefg"] == [5, 4, 3, 2, 1, 1, 1]

    def test_a_part_apart_from_the_root_weighs_one(self):
        apart = Graph(("a", "b", "c"), ("a", "b", "c"), (), (Relation("b", ":x", "c"),), "a")
        assert levels(Corpus.of([apart])).tolist() == [0, -1, -1]
        assert weights(WSmatch(), apart) == {
            ("instance", "a"): 5,
            ("instance", "b"): 1,
            ("instance", "c"): 1,
            ("TOP", "a"): 5,
            ("relation", ":x"): 1,
        }
        assert f1(WSmatch(), apart, apart) == 1

    def test_an_explanation_shows_the_weights(self):
        explanation = WSmatch().explain(Pair(CAT, DOG))
        matched = [(str(src), str(tgt), weight) for src, tgt, weight in explanation.matched]
        assert ("instance(s, sleep-01)", "instance(s, sleep-01)", 5.0) in matched
        assert (":mod(c, b)", ":mod(d, b)", 3.0) in matched
        assert [*map(str, explanation.unmatched_src)] == ["instance(c, cat)"]
        assert explanation.optimal
