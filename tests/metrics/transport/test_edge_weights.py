"""Scores for changing edge weights: the same to the last bit, whatever was scored before."""

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Graph, Pair
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.transport.flow import CostBatch, best_bases
from amr_metrics.transport.last_trees import LastTrees, NodeValues, cost_from_last
from amr_metrics.transport.propagation import pad_length
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import VectorSource, WordVectors
from tests.released import released, shared_file
from tests.strategies import graphs

RANDOM = settings(derandomize=True, max_examples=20)
VECTORS = WordVectors.of({"cat": [1, 0, 0], "dog": [0.8, 0.6, 0], "sleep": [0, 1, 0.5]})


def check_walk(pairs, steps, rng, **options):
    """Weights that move a little at a time: the same scores with and without the last trees."""
    metric = WWLKTheta(**({"vectors": VECTORS} | options)).initialised(pairs)
    prepared, values = metric.prepare(pairs), metric.parameters.values
    for _ in range(steps):
        values = values + rng.normal(0, 0.05, len(values))
        rows = np.array([values + 0.01, values - 0.01])
        drawn = rng.integers(0, len(pairs), 2 * len(pairs))
        scores = prepared.scores(rows, drawn)
        first = metric.prepare(pairs).scores(rows, drawn)
        assert scores.tobytes() == first.tobytes()
        for row, weights in zip(scores, rows, strict=True):
            assert row == pytest.approx(metric.with_parameters(weights).score(pairs)[drawn])
    return prepared


@RANDOM
@given(
    pairs=st.lists(st.tuples(graphs(), graphs()), min_size=1, max_size=3),
    seed=st.integers(0, 2**32 - 1),
    options=st.fixed_dictionaries(
        {"K": st.integers(0, 3), "variant": st.sampled_from(["2021", "2023", "definition"])}
    ),
)
def test_scores_do_not_depend_on_what_was_scored_before(pairs, seed, options):
    check_walk([Pair(*pair) for pair in pairs], 2, np.random.default_rng(seed), **options)


def test_larger_graphs_with_equal_nodes():
    rng = np.random.default_rng(0)
    pairs = [Pair(*(random_graph(rng, 30) for _ in range(2))) for _ in range(20)]
    prepared = check_walk(pairs, 5, rng)
    assert (prepared.weighted.last.parents != prepared.bases.parents).any()


@pytest.mark.parametrize("dataset", ["sts", "para"])
def test_released_pairs(shared, dataset, tmp_path):
    pairs, _ = released(shared / "bamboo-amr-benchmark", dataset, "main")
    file = shared_file(shared, "vectors/glove.6B.100d.subset.bin")
    vectors = VectorSource(file=file, cache=tmp_path)
    check_walk(pairs[:200], 4, np.random.default_rng(1), vectors=vectors)


class TestLastTrees:
    """Points on a sphere: the search from the last tree finds what is optimal for others."""

    def search(self, a, b, last):
        """The cost from the last tree, and the values of the nodes."""
        n, m = len(a), len(b)
        products = np.zeros((n, pad_length(m)))
        products[:, :m] = a @ b.T
        squares = [(points**2).sum(axis=1) for points in (a, b)]
        values = NodeValues.allocate(max(n, m))
        cost = cost_from_last(n, m, products, *squares, last, 0, values)
        assert not values.marks.any()
        return cost

    def tree_for(self, cost):
        batch = CostBatch(np.array([cost.shape]), cost.ravel(), np.array([0, cost.size]))
        bases = best_bases(batch)
        return LastTrees.of(bases)

    @RANDOM
    @given(shape=st.tuples(st.integers(1, 7), st.integers(1, 7)), seed=st.integers(0, 2**32 - 1))
    def test_the_optimum_of_other_costs(self, shape, seed):
        rng = np.random.default_rng(seed)
        a, b = (rng.normal(size=(count, 4)) for count in shape)
        a, b = (points / np.linalg.norm(points, axis=1, keepdims=True) for points in (a, b))
        last = self.tree_for(rng.random(shape))
        cost = np.sqrt(np.maximum(2 - 2 * a @ b.T, 0))
        for _ in range(2):  # the second time, the tree is optimal
            assert self.search(a, b, last) == pytest.approx(ot.emd2([], [], cost), abs=1e-9)
            assert sorted(last.order) == list(range(sum(shape)))
            place = np.argsort(last.order)
            for node, parent in enumerate(last.parents):
                assert parent < 0 or place[parent] < place[node]

    def test_without_a_tree(self):
        last = LastTrees(*np.full((3, 2), -1))
        assert np.isnan(self.search(np.eye(1), np.eye(1), last))

    def test_several_optimal_trees(self):
        a = np.array([[1.0, 0.0], [1.0, 0.0]])  # equal nodes
        b = np.array([[0.6, 0.8], [0.0, 1.0]])
        last = self.tree_for(np.sqrt(2 - 2 * a @ b.T))
        assert np.isnan(self.search(a, b, last))

    @pytest.mark.parametrize(("gap", "several"), [(1e-9, True), (1e-3, False)])
    def test_nearly_equal_nodes(self, gap, several):
        a = np.array([[1.0, 0.0], [np.cos(gap), np.sin(gap)]])
        b = np.array([[0.6, 0.8], [0.0, 1.0]])
        last = self.tree_for(np.sqrt(2 - 2 * a @ b.T))
        assert np.isnan(self.search(a, b, last)) == several

    @pytest.mark.parametrize("length", [1e60, 1e-60])
    def test_lengths_out_of_range(self, length):
        a, b = np.eye(2), np.array([[0.6, 0.8], [0.0, 1.0]])
        last = self.tree_for(np.sqrt(2 - 2 * a @ b.T))
        assert not np.isnan(self.search(a, b, last))
        assert np.isnan(self.search(length * a, b, last))

    def test_a_zero_vector(self):
        a, b = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.6, 0.8], [0.0, 1.0]])
        cost = np.array([[1.0, 1.0], np.sqrt(2 - 2 * b[:, 0])])
        assert np.isnan(self.search(a, b, self.tree_for(cost)))

    @pytest.mark.parametrize(("nodes", "too_many"), [(8, False), (80, True)])
    def test_too_many_pivots(self, nodes, too_many):
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, nodes, 4))
        a, b = (points / np.linalg.norm(points, axis=1, keepdims=True) for points in (a, b))
        dearest = self.tree_for(-np.sqrt(2 - 2 * a @ b.T))
        assert np.isnan(self.search(a, b, dearest)) == too_many


@pytest.mark.parametrize(
    "pairs", [[], [Pair(Graph.empty(), Graph.empty())]], ids=["no pairs", "empty graphs"]
)
def test_nothing_to_transport(pairs):
    prepared = WWLKTheta(vectors=VECTORS, weights={":mod": 0.5}).prepare(pairs)
    for indices in (np.arange(len(pairs)), np.arange(0)):
        scores = prepared.scores(np.array([[0.5]]), indices)
        assert scores.tolist() == [[1.0] * len(indices)]
