"""Bags of features in chunks, within the limits of memory and work, and on large graphs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from amr_metrics import Graph, Pair, limits
from amr_metrics.errors import PairError
from amr_metrics.features import bag_metric
from amr_metrics.features.label_overlap import LabelOverlap
from amr_metrics.features.rematch import Rematch
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.graphs.graph import Relation
from tests.builders import chain, pair_of
from tests.strategies import random_graph

CORRECTED, PUBLISHED = Sema(variant="corrected"), Sema(variant="published")
SMALL = Pair(*[Graph(("a",), ("cat",), (), (), "a")] * 2)
every = pytest.mark.parametrize(
    "metric",
    [SemBleu(), Wlk(), Wlk(variant="2023"), Rematch(), CORRECTED, SemBleu(variant="2019")],
    ids=lambda metric: metric.definition,
)


def layered(width, layers=4):
    """Layers of nodes, each joined to all nodes of the next: width^layers paths."""
    names = [[f"x{layer}_{k}" for k in range(width)] for layer in range(layers)]
    relations = [Relation(a, ":r", b) for x, y in pairwise(names) for a in x for b in y]
    flat = tuple(name for layer in names for name in layer)
    return Graph(flat, ("thing",) * len(flat), (), tuple(relations), flat[0])


@every
def test_long_lists_are_cut_into_chunks(metric, monkeypatch):
    rng = np.random.default_rng(0)
    pairs = [Pair(random_graph(rng), random_graph(rng)) for _ in range(5)]
    whole = metric.evaluate(pairs)
    monkeypatch.setattr(bag_metric, "CHUNK", 2)
    cut = metric.evaluate(pairs)
    assert cut.values.tolist() == whole.values.tolist()
    for name, column in whole.details.items():
        assert cut.details[name].tolist() == column.tolist()


@every
def test_a_pair_with_too_many_features(metric, monkeypatch):
    graph = layered(12)
    metric.score([SMALL, Pair(graph, graph)])
    monkeypatch.setattr(limits, "MEMORY", 100_000)
    with pytest.raises(PairError, match=r"^pair 1: graphs of 48 and 48 nodes would need .* MB"):
        metric.score([SMALL, Pair(graph, graph)])


def test_the_published_sema_counts_its_steps(monkeypatch):
    pairs = [SMALL, Pair(layered(4), layered(4))]
    PUBLISHED.score(pairs)
    monkeypatch.setattr(limits, "WORK", 2_000)
    with pytest.raises(PairError, match=r"^pair 1: graphs of 16 and 16 nodes need more than 2,000"):
        PUBLISHED.score(pairs)


def test_the_published_sema_counts_the_steps_of_a_single_triple(monkeypatch):
    # It is compared with 100 triples of gold. As each matches, all are searched for the same one.
    pair = pair_of("(r / root :a x)", f"(r / root{' :a x' * 100})")
    monkeypatch.setattr(limits, "WORK", 100 + 100 * 100)
    assert PUBLISHED.evaluate([pair]).details["matches"].tolist() == [2]
    monkeypatch.setattr(limits, "WORK", 100 + 100 * 100 - 1)
    with pytest.raises(PairError, match=r"^pair 0: graphs of 1 and 1 nodes need more than 10,099"):
        PUBLISHED.score([pair])


def test_large_graphs_take_linear_time():
    graph = chain(20_000)
    reverse = replace(graph, relations=graph.relations[::-1])
    for metric in (LabelOverlap(), Wlk(variant="2023"), SemBleu(variant="2019"), CORRECTED):
        assert metric.score([Pair(reverse, reverse)]) == pytest.approx([1.0])
