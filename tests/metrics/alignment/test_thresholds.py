"""S2match for many thresholds: equal to scoring with each of them alone."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import Pair, limits, parse_graph
from metrics.alignment.exact import Exact
from metrics.alignment.hillclimb import HillClimb
from metrics.alignment.s2match import DISTANCES, S2match
from metrics.errors import OptionError, PairError
from metrics.graphs.corpus import Corpus
from metrics.graphs.pairs import Pairs
from metrics.graphs.random_graphs import random_graph
from metrics.vectors import WordVectors
from tests.strategies import graphs

# Some words have the same vector, or equal similarities to others, so that many maps are as good.
VECTORS = WordVectors.of(
    {
        "cat": [1, 0],
        "dog": [0.8, 0.6],
        "person": [0.6, 0.8],
        "name": [3, 4],
        "sleep": [1, 2],
        "want": [2, 1],
        "wants": [0.5, 0.1],
        "and": [0, 1],
    }
)
TAUS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TAU_SENSES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
GRID = np.array([*product(TAUS, TAU_SENSES)])


def one_by_one(metric, pairs, rows):
    return np.array([metric.with_parameters(row).score(pairs) for row in rows])


@cache
def random_pairs(count, max_nodes):
    rng = np.random.default_rng(0)
    return tuple(
        Pair(random_graph(rng, max_nodes), random_graph(rng, max_nodes)) for _ in range(count)
    )


def similarities(metric, pairs):
    """All similarities of concepts of the pairs that differ, which thresholds may equal."""
    encoded = metric.encode(pairs)
    grading = replace(metric.grading(encoded.labels), tau=0.0, tau_sense=1.0)
    return np.unique(grading.matches(*encoded.tables()).weights)


@settings(deadline=None, derandomize=True, max_examples=20)
@given(
    pairs=st.lists(
        st.tuples(graphs(loops=True, duplicates=True), graphs(loops=True, duplicates=True)),
        min_size=1,
        max_size=6,
    ),
    distance=st.sampled_from(DISTANCES),
    point=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    taus=st.lists(st.sampled_from(TAUS), min_size=2, max_size=2),
    tau_senses=st.lists(st.sampled_from(TAU_SENSES), min_size=3, max_size=4, unique=True),
)
def test_scores_equal_those_of_each_point_alone(pairs, distance, point, taus, tau_senses):
    pairs = [Pair(*pair) for pair in pairs]
    metric = S2match(vectors=VECTORS, distance=distance)
    rows = np.array([point, *product(taus, tau_senses)])
    scores = metric.prepare(pairs).scores(rows)
    assert scores.tobytes() == one_by_one(metric, pairs, rows).tobytes()


@pytest.mark.parametrize("root", ["concept", "constant", "none"])
def test_larger_graphs_and_thresholds_that_are_similarities(root):
    metric, pairs = S2match(vectors=VECTORS, root=root), random_pairs(40, 14)
    taus = similarities(metric, pairs)
    assert len(taus) > 5
    rows = np.array([*product(taus[:: len(taus) // 3], (0.0, 0.03, 0.1, 0.5, 0.95, 1.0))])
    prepared = metric.prepare(pairs)
    expected = one_by_one(metric, pairs, rows)
    assert prepared.scores(rows).tobytes() == expected.tobytes()
    assert np.array([*prepared.each(rows[::-1])]).tobytes() == expected[::-1].tobytes()


@pytest.mark.parametrize("distance", DISTANCES)
def test_maps_whose_equal_weights_are_added_in_another_order(distance):
    # Each distance has a pair with two best maps whose sums differ in the last bit.
    metric, pairs = S2match(vectors=VECTORS, distance=distance), random_pairs(60, 12)[25:]
    rows = np.array([*product(TAUS[::3], TAU_SENSES)])
    expected = one_by_one(metric, pairs, rows)
    assert metric.prepare(pairs).scores(rows).tobytes() == expected.tobytes()


@pytest.mark.parametrize("indices", [[], [3], [7, 0, 7, 2]])
def test_scores_of_some_pairs(indices):
    metric, pairs = S2match(vectors=VECTORS), random_pairs(8, 7)
    rows = GRID[::5]
    expected = one_by_one(metric, pairs, rows)[:, indices]
    arrays = Pairs.aligned(*(Corpus.of(side) for side in zip(*pairs, strict=True)))
    for own in (pairs, arrays):
        prepared = metric.prepare(own)
        assert len(prepared) == 8
        chosen = np.array(indices, np.int64)
        assert prepared.scores(rows, chosen).tobytes() == expected.tobytes()
        assert prepared.score(rows[5], chosen).tobytes() == expected[5].tobytes()
    assert prepared.usage(chosen).tolist() == [len(indices)] * 2


@pytest.mark.parametrize(
    "solver",
    [
        HillClimb(),
        Exact(work_limit=0),
        Exact(work_limit=3_000, node_limit=2),
        Exact(node_limit=0),
        Exact(root_rounds=1, node_rounds=1),
        Exact(node_limit=200_000, root_rounds=40),
    ],
)
def test_every_solver_gives_its_own_answers(solver):
    metric, pairs = S2match(vectors=VECTORS, solver=solver), random_pairs(20, 12)
    rows = np.array([*product((0.1, 0.7), (0.5, 0.6, 0.8, 0.95))])
    scores = metric.prepare(pairs).scores(rows)
    assert scores.tobytes() == one_by_one(metric, pairs, rows).tobytes()


def test_chunks_of_limited_memory_change_no_score(monkeypatch):
    metric, pairs = S2match(vectors=VECTORS), random_pairs(40, 9)
    rows = np.array([*product(TAUS[::3], TAU_SENSES)])
    expected = metric.prepare(pairs).scores(rows)
    monkeypatch.setattr(limits, "MEMORY", 60_000)
    assert metric.prepare(pairs).scores(rows).tobytes() == expected.tobytes()


def test_a_pair_beyond_the_limit_of_memory_is_named(monkeypatch):
    metric, pairs = S2match(vectors=VECTORS), random_pairs(3, 3)
    names = " ".join(f":op{k} (c{k} / cat)" for k in range(200))
    large = parse_graph(f"(a / and {names})")
    pairs = [*pairs[:2], Pair(large, large), *pairs[2:]]
    prepared = metric.prepare(pairs)
    monkeypatch.setattr(limits, "MEMORY", 100_000)
    for call in (lambda: metric.score(pairs), lambda: prepared.score(GRID[0])):
        with pytest.raises(PairError, match=r"graphs of 201 and 201 nodes") as caught:
            call()
        assert caught.value.pair == 2
    with pytest.raises(PairError) as caught:
        prepared.scores(GRID, np.array([0, 2]))
    assert caught.value.pair == 1
    assert prepared.scores(GRID, np.array([0, 1, 3])).shape == (80, 3)


@pytest.mark.parametrize("point", [(0.5, 1.5), (-0.1, 0.5), (float("nan"), 0.5), (0.5,)])
def test_invalid_thresholds_are_refused(point):
    prepared = S2match(vectors=VECTORS).prepare(random_pairs(2, 3))
    with pytest.raises(OptionError):
        prepared.scores(np.array([point]))
