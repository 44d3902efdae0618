from itertools import product
from math import sqrt
from typing import get_args

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Pair, Pairs, parse_graph
from amr_metrics.features.wlk import DIRECTIONS
from amr_metrics.standardize import Standardized
from amr_metrics.transport.encoding import Variant
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.weights import drawn_weights
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors
from amr_metrics.vectors.sif import SIF
from tests.reference_graphs import labelled
from tests.strategies import graphs

RANDOM = settings(derandomize=True)
VECTORS = WordVectors.of(
    {
        "cat": [1, 0, 0],
        "dog": [0, 1, 0],
        "sleep": [0, 0, 2],
        "person": [0.6, 0.8, 0],
        "want": [-1, 0.5, 0.3],
        "false": [0.1, -1, 0],
    }
)
CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
DOG = parse_graph("(s / sleep-01 :ARG0 (d / dog))")


def unit(*vector):
    return np.array(vector) / np.linalg.norm(vector)


def theta(**options):
    """WWLK with given weights, so that scores can be worked out on paper."""
    return WWLKTheta(**({"vectors": VECTORS, "weights": {":arg0": 0.5, ":mod": 0.25}} | options))


class TestByHand:
    def test_nodes_without_edges(self):
        a, b = parse_graph("(c / cat)"), parse_graph("(p / person)")
        (score,) = theta(K=0).score([Pair(a, b)])
        assert score == pytest.approx(1 - sqrt((1 - 0.6) ** 2 + 0.8**2))
        # Without neighbours nothing is taken in, and all levels are alike.
        assert theta(K=3).score([Pair(a, b)])[0] == pytest.approx(score)

    def test_one_step_along_one_edge(self):
        # sleep: (0,0,2) then (0,0,2) + 0.5 (1,0,0); cat: (1,0,0) then (1,0,0) + 0.5 (0,0,2).
        sleep_a, cat = unit(0, 0, 2, 0.5, 0, 2), unit(1, 0, 0, 1, 0, 1)
        sleep_b, dog = unit(0, 0, 2, 0, 0.5, 2), unit(0, 1, 0, 0, 1, 1)
        expected = 1 - (np.linalg.norm(sleep_a - sleep_b) + np.linalg.norm(cat - dog)) / 2
        assert theta(K=1).score([Pair(CAT, DOG)])[0] == pytest.approx(expected)

    def test_constant_weights(self):
        # As with learned weights that are all 0.2.
        constant = WWLK(vectors=VECTORS, K=1, init="constant", stability=0)
        learned = theta(K=1, weights={":arg0": 0.2})
        assert constant.score([Pair(CAT, DOG)]) == pytest.approx(learned.score([Pair(CAT, DOG)]))
        assert (
            drawn_weights([":arg0", ":arg1"], "2021", "constant", 3, 2).tolist() == [[0.2] * 2] * 2
        )

    def test_edges_as_nodes(self):
        # Nodes cat, :arg0 and sleep in a line, with the weight 0.2; :arg0 has the vector of "0".
        vectors = WordVectors.of(
            {"cat": [1, 0], "dog": [0, 1], "sleep": [0.6, 0.8], "arg0": [1, 0]}
        )
        metric = Standardized.of(
            WWLK(vectors=vectors, K=1, init="constant", stability=0), ["edges_to_nodes"]
        )
        sleep, role, cat, dog = (np.array(v) for v in ((0.6, 0.8), (1, 0), (1, 0), (0, 1)))

        def nodes(animal):
            near = 0.2 * role, 0.2 * (sleep + animal) / 2, 0.2 * role
            return [
                unit(*label, *(label + message))
                for label, message in zip((sleep, role, animal), near, strict=True)
            ]

        distances = [np.linalg.norm(a - b) for a, b in zip(nodes(cat), nodes(dog), strict=True)]
        assert metric.score([Pair(CAT, CAT)]) == pytest.approx([1.0])
        assert metric.score([Pair(CAT, DOG)])[0] == pytest.approx(1 - sum(distances) / 3)

    def test_the_update_of_the_definition_is_halved(self):
        # Level 1 is half the sum of the own vector and half the neighbour's.
        vectors = WordVectors.of({"cat": [1, 0], "dog": [0.6, 0.8], "sleep": [0, 1]})
        metric = WWLKTheta(K=1, variant="definition", weights={":ARG0": 0.5}, vectors=vectors)
        sleeping_cat = unit(0, 1, 0.25, 0.5), unit(1, 0, 0.5, 0.25)
        sleeping_dog = unit(0, 1, 0.15, 0.7), unit(0.6, 0.8, 0.3, 0.65)
        costs = [np.linalg.norm(a - b) for a, b in zip(sleeping_cat, sleeping_dog, strict=True)]
        assert metric.score([Pair(CAT, DOG)]) == pytest.approx([1 - sum(costs) / 2])

    def test_graphs_of_different_size(self):
        part = parse_graph("(c / cat)")
        whole = parse_graph("(c / cat :x (d / dog))")
        lost = sqrt(2) / 2  # the dog, one of two nodes, goes to the cat
        for pair in (Pair(part, whole), Pair(whole, part)):
            assert theta(K=0).score([pair]) == pytest.approx([1 - lost])
        assert theta().symmetric

    def test_an_explanation_says_what_goes_where(self):
        two = parse_graph("(c / cat :x (d / dog))")
        three = parse_graph("(c / cat :x (d / dog) :quant 1 :y (p / person))")
        explanation = theta(K=0, weights={":x": 1}, seed=3).explain(Pair(two, three))
        assert {link.src for link in explanation.links} == {"c", "d"}
        assert {link.tgt for link in explanation.links} == {"c", "d", "p", "c :quant 1"}
        by_nodes = {(link.src, link.tgt): link for link in explanation.links}
        assert by_nodes["c", "c"].weight == 1 / 4
        assert by_nodes["c", "c"].cost == by_nodes["d", "d"].cost == 0
        assert sum(link.weight for link in explanation.links) == pytest.approx(1)
        cost = sum(link.weight * link.cost for link in explanation.links)
        assert explanation.score == pytest.approx(1 - cost)

    def test_a_vector_of_zeros_stays_one(self):
        vectors = WordVectors.of({"nil": [0, 0, 0], "cat": [1, 0, 0]})
        metric = WWLK(vectors=vectors)
        cat, nil = parse_graph("(c / cat)"), parse_graph("(n / nil)")
        assert metric.score([Pair(cat, nil), Pair(nil, nil)]).tolist() == [0, 1]


def by_definition(metric, pair, weights, vectors):
    """The distances of one draw, from the vectors themselves."""
    sides = []
    for graph in pair:
        made = labelled(graph, metric.variant)
        now = np.array([vectors[label] for label in made.labels])
        levels = [now]
        for _ in range(metric.K):
            then = now
            now = np.array([_step(metric, made, weights, then, node) for node in range(len(then))])
            levels.append(now)
        whole = np.hstack(levels)
        length = np.linalg.norm(whole, axis=1, keepdims=True)
        sides.append(np.divide(whole, length, out=np.zeros_like(whole), where=length > 0))
    return np.linalg.norm(sides[0][:, None] - sides[1], axis=2)


def _step(metric, made, weights, vectors, node):
    messages = {}
    for source, target, role in made.edges:
        back = f"{role}-of" if metric.direction == "two_way" else role
        if target == node and metric.direction != "bottom_up":
            messages["down", source] = messages.get(("down", source), 1.0) * weights[role]
        if source == node and metric.direction != "top_down":
            messages["up", target] = messages.get(("up", target), 1.0) * weights[back]
    taken = [weight * vectors[sender] for (_, sender), weight in messages.items()]
    new = vectors[node] + (np.mean(taken, axis=0) if taken else 0.0)
    return new / 2 if metric.variant == "definition" else new


VARIANTS = get_args(Variant)
METRICS = st.builds(
    WWLK,
    K=st.integers(0, 3),
    direction=st.sampled_from(DIRECTIONS),
    variant=st.sampled_from(VARIANTS),
    seed=st.integers(0, 9),
    stability=st.integers(0, 3),
    init=st.sampled_from(["uniform", "min_entropy"]),
    vectors=st.just(VECTORS),
)


@RANDOM
@given(metric=METRICS, a=graphs(loops=True, duplicates=True), b=graphs(loops=True, duplicates=True))
def test_compiled_algebra_is_the_definition(metric, a, b):
    pair = Pair(a, b)
    encoded = metric.encode([pair])
    draws = metric.stability + 1
    label_vectors = LabelVectors.of(encoded.labels, VECTORS, metric.variant, metric.seed, draws)
    drawn = drawn_weights(encoded.roles, metric.variant, metric.init, metric.seed, draws)
    expected = np.mean(
        [
            by_definition(
                metric,
                pair,
                dict(zip(encoded.roles, drawn[draw], strict=True)),
                dict(zip(encoded.labels, label_vectors.draw(draw), strict=True)),
            )
            for draw in range(draws)
        ],
        axis=0,
    )
    ((distances, _),) = metric._parts([pair])
    assert distances.costs.reshape(distances.sizes[0]) == pytest.approx(expected, abs=1e-6)
    score = 1 - ot.emd2([], [], np.ascontiguousarray(expected))
    assert metric.score([pair]) == pytest.approx([score], abs=1e-6)


def test_the_seed_is_0_unless_given():
    pair = parse_graph("(x / unknown :mod (y / unheard))"), CAT
    for kind in (WWLK, WWLKTheta):
        weights = {} if kind is WWLK else {"weights": {":mod": 0.3}}
        scores = [
            kind(vectors=VECTORS, **weights, **seed).score([Pair(*pair)])[0]
            for seed in ({}, {"seed": 0}, {"seed": 1})
        ]
        assert scores[0] == scores[1] != scores[2]


@pytest.mark.parametrize("limit", ["CHUNK", "NODE_PAIRS"])
def test_more_pairs_than_fit_at_once(monkeypatch, limit):
    pairs = [Pair(CAT, DOG), Pair(DOG, DOG), Pair(DOG, CAT)]
    metric = WWLK(vectors=VECTORS)
    whole, links = metric.score(pairs).tolist(), metric.links(pairs)
    monkeypatch.setattr(f"amr_metrics.transport.wwlk.{limit}", 2)
    assert metric.score(pairs).tolist() == whole
    assert metric.links(pairs) == links


class TestSharing:
    """Metrics that score the same `Pairs` share what their options leave unchanged."""

    PAIRS = (
        Pair(parse_graph("(w / want :ARG0 (u / unicorn :mod (e / elf)) :ARG1 (c / cat))"), DOG),
        Pair(DOG, parse_graph('(p / person :ARG0-of (s / sleep :name "Elf") :mod (u / unicorn))')),
        Pair(CAT, parse_graph("(s / sleep :ARG1 (e / elf :polarity -))")),
    )
    METRICS = tuple(
        WWLK(
            vectors=VECTORS,
            stability=stability,
            **dict(zip(("variant", "direction", "seed", "K"), values, strict=True)),
        )
        for stability, *values in product((0, 1), VARIANTS, DIRECTIONS, (0, 1), (0, 2))
    )

    @pytest.fixture(scope="class")
    def alone(self):
        return [metric.score([*self.PAIRS]).tolist() for metric in self.METRICS]

    @pytest.mark.parametrize("most", [1, 1 << 20])
    def test_it_does_not_change_the_scores(self, monkeypatch, alone, most):
        assert len({tuple(scores) for scores in alone}) > len(alone) / 2
        pairs = Pairs.of(self.PAIRS)
        assert [metric.score(pairs).tolist() for metric in self.METRICS] == alone
        monkeypatch.setattr("amr_metrics.transport.wwlk.NODE_PAIRS", most)
        backwards = [metric.score(pairs).tolist() for metric in reversed(self.METRICS)]
        assert backwards[::-1] == alone


def test_weights_of_labels_are_looked_up_once_per_chunk(monkeypatch):
    calls = []

    class Counted(SIF):
        def weights(self, labels):
            calls.append(len(labels))
            return super().weights(labels)

    pairs = [Pair(CAT, DOG), Pair(DOG, CAT), Pair(CAT, CAT)]
    metric = WWLK(vectors=VECTORS, mass="sif", sif=Counted(), stability=0)
    expected = metric.score(pairs)
    monkeypatch.setattr("amr_metrics.transport.wwlk.NODE_PAIRS", 1)  # a part per pair
    calls.clear()
    assert metric.score(pairs).tolist() == expected.tolist()
    assert len(calls) == 1
