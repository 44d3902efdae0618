"""Pairs beyond the limits of memory and work are refused, with their number and what they need."""

import contextlib

import numpy as np
import pytest

from amr_metrics import Graph, Pair, limits
from amr_metrics.errors import PairError
from amr_metrics.features.relation_match import RelationMatch
from amr_metrics.graphs.graph import Relation
from amr_metrics.transport import wwlk
from amr_metrics.transport.embedding import check_limits
from amr_metrics.transport.encoding import encode
from amr_metrics.transport.flow import CostBatch, flow, least_costs
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors
from tests.builders import chain

VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0.8, 0.6]})
THETA = WWLKTheta(weights={":mod": 0.5}, vectors=VECTORS)
METRICS = [WWLK(vectors=VECTORS), THETA, NodeMatch(vectors=VECTORS), RelationMatch(vectors=VECTORS)]
every = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)


PAIRS = [
    Pair(chain(3, "cat"), chain(2, "cat")),
    Pair(chain(2, "cat"), chain(2, "cat")),
    Pair(chain(40, "cat"), chain(50, "cat")),
]


@every
def test_a_pair_that_needs_too_much_memory(metric, monkeypatch):
    scores = metric.score(PAIRS)
    monkeypatch.setattr(wwlk, "CHUNK", 2)
    assert metric.score(PAIRS).tolist() == scores.tolist()
    monkeypatch.setattr(limits, "MEMORY", 250_000)
    with pytest.raises(PairError, match=r"^pair 2: graphs of 40 and 50 nodes would need .* memory"):
        metric.score(PAIRS)
    if isinstance(metric, WWLKTheta):
        with pytest.raises(PairError, match=r"^pair 2: graphs of 40 and 50 nodes would need"):
            metric.prepare(PAIRS)


def is_within(monkeypatch, **values):
    """Whether two draws at depth 3 of graphs of 3 and 2 nodes are within limits."""
    for name, value in values.items():
        monkeypatch.setattr(limits, name, value)
    with contextlib.suppress(PairError):
        check_limits(encode(PAIRS[:1]), depth=3, draws=2)
        return True
    return False


def test_memory_by_hand(monkeypatch):
    """8 bytes for each number, and a vector of 300 numbers for each node and draw."""
    products, distances, buffers = 3 * 2 + 3**2 + 2**2, 3 * 2, 3 * 3**2
    memory = 8 * (products + distances + buffers) + 2 * (3 + 2) * 2400
    assert is_within(monkeypatch, MEMORY=memory)
    assert not is_within(monkeypatch, MEMORY=memory - 1)
    monkeypatch.setattr(limits, "MEMORY", memory - (3 + 2) * 2400)
    assert len(NodeMatch(vectors=VECTORS).score(PAIRS[:1])) == 1  # one draw
    assert len(THETA.prepare(PAIRS[:1]).score(np.array([0.5]))) == 1  # one draw


def test_steps_by_hand(monkeypatch):
    """Both graphs are chains, with a message each way along 2 edges and along 1."""
    a, b = 2 * 2, 2 * 1
    between, within = 2 * 3 * 2 + a * 2 + b * 3, 2 * (3**2 + 2**2 + a * 3 + b * 2)
    assert is_within(monkeypatch, TRANSPORT_WORK=2 * 3 * (between + within))
    assert not is_within(monkeypatch, TRANSPORT_WORK=2 * 3 * (between + within) - 1)
    monkeypatch.setattr(limits, "MEMORY", 8 * 52 + 2 * 5 * 2400)  # just enough
    with pytest.raises(PairError, match="steps"):
        check_limits(encode(PAIRS[:1]), depth=3, draws=2)


@every
def test_a_pair_that_needs_too_many_steps(metric, monkeypatch):
    most = 1_500 if isinstance(metric, RelationMatch) else 20_000
    monkeypatch.setattr(limits, "TRANSPORT_WORK", most)
    assert len(metric.score(PAIRS[:2])) == 2
    with pytest.raises(
        PairError, match=rf"^pair 2: graphs of 40 and 50 nodes need more than {most:,}"
    ):
        metric.score(PAIRS)


def test_a_prepared_pair_that_needs_too_many_steps(monkeypatch):
    prepared = THETA.prepare(PAIRS)
    monkeypatch.setattr(limits, "TRANSPORT_WORK", 1_500)
    for indices in (None, np.array([1, 2])):
        with pytest.raises(PairError, match=r"^pair 2: graphs of 40 and 50 nodes need more than"):
            prepared.score(np.array([0.4]), indices)


def test_an_error_in_explaining_a_later_batch_has_the_number_of_the_pair(monkeypatch):
    metric = WWLK(vectors=VECTORS, K=0)
    monkeypatch.setattr(wwlk, "CHUNK", 2)
    monkeypatch.setattr(limits, "TRANSPORT_WORK", 4_000)
    for explain in (metric.explanations, metric.links):
        with pytest.raises(PairError, match=r"^pair 2: graphs of 40 and 50 nodes need more than"):
            explain(PAIRS)


def test_the_transport_counts_its_steps(monkeypatch):
    cost = np.random.default_rng(0).random((30, 40))
    batch = CostBatch(np.array([[1, 1], [30, 40]]), np.append(0.5, cost), np.array([0, 1, 1201]))
    assert len(least_costs(batch)) == 2
    monkeypatch.setattr(limits, "TRANSPORT_WORK", 4_000)
    with pytest.raises(PairError, match=r"^pair 1: graphs of 30 and 40 nodes need more than"):
        least_costs(batch)
    with pytest.raises(PairError, match=r"^graphs of 30 and 40 nodes need more than 4,000 steps"):
        flow(cost)


def test_a_hub_of_parallel_edges_is_encoded_in_linear_time():
    count = 30_000
    names = tuple(f"x{k}" for k in range(count))
    relations = [Relation("x0", role, name) for name in names[1:] for role in (":a", ":b")]
    encoded = encode(
        [Pair(Graph(names, ("cat",) * count, (), tuple(relations), "x0"), chain(2, "cat"))],
        "2023",
        "undirected",
    )
    messages = encoded.messages
    assert messages.message_start.tolist() == [0, 2 * (count - 1), 2 * count]
    assert np.diff(messages.role_start)[: 2 * (count - 1)].tolist() == [2] * (2 * (count - 1))
    assert messages.senders[: count - 1].tolist() == list(range(1, count))  # to the hub
