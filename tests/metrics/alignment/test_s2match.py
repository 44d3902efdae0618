from dataclasses import replace
from functools import cache
from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Pair, Smatch, limits, parse_graph
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.s2match import S2match, concept_table
from amr_metrics.errors import OptionError, PairError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.vectors import WordVectors
from tests.strategies import graphs

RANDOM = settings(derandomize=True)
VECTORS = WordVectors.of(
    {
        "cat": [1, 0],
        "kitten": [0.8, 0.6],
        "dog": [0, 2],
        "dogs": [0, 3],
        "far": [-1, 0],
        "sleep": [3, 4],
        "sleeps": [0, 1],
        "nap": [1, 1],
        "ice": [0.5, 0],
        "cream": [0, 0.5],
        "person": [0.6, 0.8],
        "name": [0.1, -0.1],
        "paws": [1, 0],
    }
)


def graph(concept):
    return parse_graph(f"(x / {concept})")


def concept_weight(a, b, **options):
    """What a match of two concepts is worth, from a pair of one-node graphs without TOP."""
    metric = S2match(vectors=VECTORS, root="none", **options)
    return metric.evaluate([Pair(graph(a), graph(b))]).details["matches"][0]


class TestByHand:
    @pytest.mark.parametrize(
        ("a", "b", "weight"),
        [
            ("cat", "cat", 1),
            ("Cat", "cat", 1),
            ("unicorn", "unicorn", 1),
            ("cat", "kitten", 0.8),
            ("cat", "dog", 0),  # a cosine of 0 is not above tau
            ("cat", "far", 0),  # below 0 counts as 0
            ("cat", "unicorn", 0),
            ("sleep-01", "sleep-02", 0.5),
            ("sleep-01", "sleep", 0.5),
            ("unicorn-01", "unicorn-02", 0.5),
            # sleep + sleeps = (3, 5) against (1, 1), and one is a predicate.
            ("sleep-01", "nap", 0.5 * (3 + 5) / (sqrt(3**2 + 5**2) * sqrt(2))),
            # The lemma has no vector: that of the lemma and "s" alone does not do.
            ("napp-01", "cat", 0),
            ("paw-01", "cat", 0),
            # A lemma without a form with "s" is enough.
            ("kitten-01", "cat", 0.5 * 0.8),
            # ice + cream = (0.5, 0.5) lies on nap; a predicate's parts are not looked up.
            ("ice-cream", "nap", 1),
            ("ice-cream-01", "nap", 0),
        ],
    )
    def test_what_two_concepts_are_worth(self, a, b, weight):
        assert concept_weight(a, b) == pytest.approx(weight, abs=1e-12)
        assert concept_weight(b, a) == pytest.approx(weight, abs=1e-12)

    def test_similarity_has_to_exceed_tau(self):
        assert concept_weight("cat", "kitten", tau=0.79) == pytest.approx(0.8)
        assert concept_weight("cat", "kitten", tau=0.81) == 0
        assert concept_weight("cat", "dog", tau=0.0) == 0
        assert concept_weight("sleep-01", "sleep-02", tau=1.0, tau_sense=0.95) == 0.95

    def test_the_root_counts_twice(self):
        # Both concept and TOP are worth 0.8, of two triples on each side.
        scores = S2match(vectors=VECTORS).score([Pair(graph("cat"), graph("kitten"))])
        assert scores == pytest.approx([2 * (0.8 + 0.8) / (2 + 2)])

    def test_a_better_concept_may_cost_a_relation(self):
        a = parse_graph("(c / cat :mod (d / dog))")
        b = parse_graph("(d / dog :mod (k / kitten))")
        # cat-dog, dog-kitten: only :mod. cat-kitten, dog-dog: 0.8 + 1.
        explanation = S2match(vectors=VECTORS).explain(Pair(a, b))
        assert explanation.score == pytest.approx(2 * (0.8 + 1) / (4 + 4))
        assert {(link.src, link.tgt) for link in explanation.links} == {("c", "k"), ("d", "d")}

    def test_an_explanation_shows_graded_matches(self):
        a = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
        b = parse_graph("(s / sleep-02 :ARG0 (k / kitten))")
        explanation = S2match(vectors=VECTORS).explain(Pair(a, b))
        weight = {(str(src), str(tgt)): weight for src, tgt, weight in explanation.matched}
        assert weight == pytest.approx(
            {
                ("instance(s, sleep-01)", "instance(s, sleep-02)"): 0.5,
                ("instance(c, cat)", "instance(k, kitten)"): 0.8,
                ("TOP(s, sleep-01)", "TOP(s, sleep-02)"): 0.5,
                (":arg0(s, c)", ":arg0(s, k)"): 1,
            }
        )
        assert explanation.unmatched_src == explanation.unmatched_tgt == ()
        assert [link.weight for link in explanation.links] == pytest.approx(
            [0.5 + 0.5 + 0.5, 0.8 + 0.5]
        )
        assert explanation.score == pytest.approx((0.5 + 0.8 + 0.5 + 1) / 4)
        assert explanation.optimal


class TestContract:
    def test_both_thresholds_are_parameters(self):
        metric = S2match(vectors=VECTORS)
        assert metric.parameters.names == ("tau", "tau_sense")
        changed = metric.with_parameters(np.array([0.9, 0.95]))
        assert (changed.tau, changed.tau_sense) == (0.9, 0.95)
        with pytest.raises(OptionError, match="tau_sense"):
            metric.with_parameters(np.array([0.9, 1.95]))


@RANDOM
@given(
    a=graphs(),
    b=graphs(),
    tau=st.sampled_from([0.0, 0.3, 0.9]),
    tau_sense=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_it_is_at_least_smatch(a, b, tau, tau_sense):
    metric = S2match(vectors=VECTORS, tau=tau, tau_sense=tau_sense)
    scores = metric.evaluate([Pair(a, b)])
    assert scores.details["optimal"].all()
    assert Smatch().score([Pair(a, b)])[0] - 1e-12 <= scores.values[0] <= 1


@RANDOM
@given(a=graphs(), b=graphs())
def test_without_vectors_and_sense_it_is_smatch(a, b):
    nothing = WordVectors.of({"nothing": [1.0]})
    metric = S2match(vectors=nothing, tau_sense=0)
    assert metric.score([Pair(a, b)]) == pytest.approx(Smatch().score([Pair(a, b)]))


def test_concepts_with_a_vector():
    # ice-cream has one from its parts.
    table = concept_table(["sleep-01", "ice-cream", "unicorn", "cat"], VECTORS)
    assert table.has_vector.tolist() == [True, True, False, True]


# Many thresholds at once: equal to scoring with each of them alone

# Some words have the same vector, or equal similarities to others, so that many maps are as good.
TIED = WordVectors.of(
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


@settings(derandomize=True, max_examples=10)
@given(
    pairs=st.lists(
        st.tuples(graphs(loops=True, duplicates=True), graphs(loops=True, duplicates=True)),
        min_size=1,
        max_size=6,
    ),
    point=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    taus=st.lists(st.sampled_from(TAUS), min_size=2, max_size=2),
    tau_senses=st.lists(st.sampled_from(TAU_SENSES), min_size=3, max_size=4, unique=True),
)
def test_scores_equal_those_of_each_point_alone(pairs, point, taus, tau_senses):
    pairs = [Pair(*pair) for pair in pairs]
    metric = S2match(vectors=TIED)
    rows = np.array([point, *product(taus, tau_senses)])
    scores = metric.prepare(pairs).scores(rows)
    assert scores.tobytes() == one_by_one(metric, pairs, rows).tobytes()


@pytest.mark.parametrize("root", ["concept", "constant", "none"])
def test_larger_graphs_and_thresholds_that_are_similarities(root):
    metric, pairs = S2match(vectors=TIED, root=root), random_pairs(20, 14)
    taus = similarities(metric, pairs)
    assert len(taus) > 5
    rows = np.array([*product(taus[:: len(taus) // 3], (0.0, 0.03, 0.1, 0.5, 0.95, 1.0))])
    prepared = metric.prepare(pairs)
    expected = one_by_one(metric, pairs, rows)
    assert prepared.scores(rows).tobytes() == expected.tobytes()
    assert np.array([*prepared.each(rows[::-1])]).tobytes() == expected[::-1].tobytes()


def test_maps_whose_equal_weights_are_added_in_another_order():
    # One of the pairs has two best maps whose sums differ in the last bit.
    metric, pairs = S2match(vectors=TIED), random_pairs(60, 12)[25:]
    rows = np.array([*product(TAUS[::3], TAU_SENSES)])
    expected = one_by_one(metric, pairs, rows)
    assert metric.prepare(pairs).scores(rows).tobytes() == expected.tobytes()


@pytest.mark.parametrize("indices", [[], [3], [7, 0, 7, 2]])
def test_scores_of_some_pairs(indices):
    metric, pairs = S2match(vectors=TIED), random_pairs(8, 7)
    rows = GRID[::5]
    expected = one_by_one(metric, pairs, rows)[:, indices]
    arrays = Pairs.aligned(*(Corpus.of(side) for side in zip(*pairs, strict=True)))
    for sequence in (pairs, arrays):
        prepared = metric.prepare(sequence)
        assert len(prepared) == 8
        positions = np.array(indices, np.int64)
        assert prepared.scores(rows, positions).tobytes() == expected.tobytes()
        assert prepared.score(rows[5], positions).tobytes() == expected[5].tobytes()
    assert prepared.usage(positions).tolist() == [len(indices)] * 2


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
    metric, pairs = S2match(vectors=TIED, solver=solver), random_pairs(10, 12)
    rows = np.array([*product((0.1, 0.7), (0.5, 0.6, 0.95))])
    scores = metric.prepare(pairs).scores(rows)
    assert scores.tobytes() == one_by_one(metric, pairs, rows).tobytes()


def test_chunks_of_limited_memory_change_no_score(monkeypatch):
    metric, pairs = S2match(vectors=TIED), random_pairs(40, 9)
    rows = np.array([*product(TAUS[::3], TAU_SENSES)])
    expected = metric.prepare(pairs).scores(rows)
    monkeypatch.setattr(limits, "MEMORY", 60_000)
    assert metric.prepare(pairs).scores(rows).tobytes() == expected.tobytes()


def test_a_pair_beyond_the_limit_of_memory_is_named(monkeypatch):
    metric, pairs = S2match(vectors=TIED), random_pairs(3, 3)
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
    prepared = S2match(vectors=TIED).prepare(random_pairs(2, 3))
    with pytest.raises(OptionError):
        prepared.scores(np.array([point]))
