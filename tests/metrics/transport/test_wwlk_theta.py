import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Pair, parse_graph
from amr_metrics.errors import KernelError, OptionError
from amr_metrics.transport.weights import drawn_weights
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors
from tests.strategies import graphs

RANDOM = settings(derandomize=True)
VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0.8, 0.6], "sleep": [0, 1], "want": [1, 1]})
CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (d / dog)))")
DOG = parse_graph("(s / sleep-01 :ARG0 (d / dog) :location (c / cat))")
PAIRS = [Pair(CAT, DOG), Pair(DOG, CAT), Pair(DOG, DOG), Pair(CAT, parse_graph("(c / cat)"))]


def fresh(**options):
    return WWLKTheta(vectors=VECTORS, **options).initialised(PAIRS)


class TestWeights:
    def test_there_is_one_for_each_role_of_the_pairs(self):
        metric = fresh()
        assert metric.parameters.names == (":arg0", ":location", ":mod")
        expected = drawn_weights(metric.parameters.names, "2023", "uniform", 0)[0]
        assert metric.parameters.values.tolist() == expected.tolist()
        assert np.isinf(metric.parameters.upper).all()

    def test_roles_are_those_of_the_variant(self):
        assert fresh(variant="2021").parameters.names[0] == ":ARG0"
        assert fresh(direction="two_way").parameters.names[:2] == (":arg0", ":arg0-of")
        # The lone cat points at itself in 2021.
        assert ":instance" in fresh(variant="2021").parameters.names

    def test_those_given_are_kept(self):
        metric = WWLKTheta(vectors=VECTORS, weights={":mod": -1.5, ":never": 2.0})
        assert metric.initialised(PAIRS).weights[":mod"] == -1.5
        assert metric.initialised(PAIRS).weights[":never"] == 2.0
        assert list(metric.initialised(PAIRS).weights) == [":arg0", ":location", ":mod", ":never"]

    def test_without_any_it_does_not_score(self):
        with pytest.raises(OptionError, match="no weights"):
            WWLKTheta(vectors=VECTORS).score(PAIRS)

    def test_another_number_of_values_is_refused(self):
        with pytest.raises(OptionError, match="3 parameters"):
            fresh().with_parameters(np.ones(2))
        with pytest.raises(OptionError, match=":arg0"):
            fresh().with_parameters(np.array([np.nan, 1.0, 1.0]))

    def test_with_drawn_weights_it_is_wwlk_of_one_draw(self):
        plain = WWLK(vectors=VECTORS, stability=0, init="uniform", seed=4)
        assert fresh(seed=4).score(PAIRS).tolist() == plain.score(PAIRS).tolist()

    def test_unknown_roles_share_a_weight_of_the_seed(self):
        unknown = parse_graph("(s / sleep-01 :x (c / cat))")
        renamed = parse_graph("(s / sleep-01 :y (c / cat))")
        pairs = [Pair(unknown, DOG), Pair(renamed, DOG)]
        first, second = fresh().score(pairs)
        assert first == second
        assert fresh(seed=1).with_parameters(fresh().parameters.values).score(pairs)[0] != first


class TestPreparedPairs:
    @RANDOM
    @given(
        pairs=st.lists(st.tuples(graphs(), graphs()), min_size=1, max_size=4),
        values=st.lists(st.floats(-1, 1), min_size=3, max_size=3),
        options=st.fixed_dictionaries(
            {
                "K": st.integers(0, 3),
                "direction": st.sampled_from(["undirected", "two_way", "top_down"]),
                "variant": st.sampled_from(["2021", "2023", "definition"]),
            }
        ),
    )
    def test_they_score_as_the_metric_does(self, pairs, values, options):
        metric = fresh(**options)
        weights = np.resize(np.array(values), len(metric.parameters.names))
        pairs = [Pair(*pair) for pair in pairs]
        expected = metric.with_parameters(weights).score(pairs)
        prepared = metric.prepare(pairs)
        assert prepared.score(weights) == pytest.approx(expected, abs=1e-12)
        drawn = np.array([0, len(pairs) - 1, 0])
        assert prepared.score(weights, drawn) == pytest.approx(expected[drawn], abs=1e-12)

    def test_usage_counts_both_ways_along_each_edge(self):
        prepared = fresh().prepare(PAIRS)
        # Pair 0: arg0 twice, location and mod once each; pair 3: arg0 and mod once each.
        assert prepared.usage(np.array([0])).tolist() == [2 * 2, 2 * 1, 2 * 1]
        assert prepared.usage(np.array([3, 3])).tolist() == [2 * 2, 0, 2 * 2]
        assert prepared.usage().tolist() == [2 * (2 + 2 + 2 + 1), 2 * (1 + 1 + 2), 2 * (1 + 1 + 1)]

    def test_usage_leaves_roles_without_a_weight_out(self):
        metric = WWLKTheta(vectors=VECTORS, weights={":mod": 1.0, ":never": 1.0})
        assert metric.prepare(PAIRS).usage(np.array([0])).tolist() == [2, 0]

    def test_several_values_at_once(self):
        prepared = fresh().prepare(PAIRS)
        rows = np.array([[0.1, 0.2, 0.3], [0.5, -0.4, 1.2], [0.1, 0.2, 0.3]])
        positions = np.array([3, 0, 0, 2])
        expected = [prepared.score(row, positions).tolist() for row in rows]
        assert prepared.scores(rows, positions).tolist() == expected
        assert prepared.scores(rows).shape == (3, 4)

    def test_values_and_pairs_are_checked(self):
        prepared = fresh().prepare(PAIRS)
        with pytest.raises(KernelError, match=r"values: expected .* of shape"):
            prepared.scores(np.ones((2, 4)))
        with pytest.raises(IndexError, match="index 4 is out of bounds"):
            prepared.scores(np.ones((2, 3)), np.array([4]))
