"""Pairs far beyond any sentence: the limits bound the work, and the gap is reported."""

import numpy as np
import pytest

from metrics import Graph, Pair, Smatch
from metrics.alignment.exact import Exact
from metrics.alignment.facts import problems
from metrics.alignment.hillclimb import HillClimb
from metrics.alignment.large import align_large
from metrics.graphs.graph import Relation


def big_graph(nodes, seed, concepts=9, roles=6):
    """A connected graph of few labels, so that most edges match many others."""
    rng = np.random.default_rng(seed)
    names = tuple(f"x{k}" for k in range(nodes))
    ends = [(int(rng.integers(max(0, k - 50), k)), k) for k in range(1, nodes)]
    ends = [(s, t) if rng.random() < 0.8 else (t, s) for s, t in ends]
    more = rng.integers(0, nodes, (nodes // 5, 2))
    ends += [(int(s), int(t)) for s, t in more if s != t]
    return Graph(
        names,
        tuple(f"c{k}" for k in rng.integers(0, concepts, nodes)),
        (),
        tuple(Relation(names[s], f":r{rng.integers(0, roles)}", names[t]) for s, t in ends),
        names[0],
    )


def check(found):
    """A pair whose search was cut short says so."""
    matches, bound = found.details["matches"][0], found.details["upper_bound"][0]
    assert not found.details["optimal"][0]
    assert 0 < matches < bound
    assert bound <= min(found.details["src_total"][0], found.details["tgt_total"][0])


def test_the_work_limit_stops_the_search_and_the_gap_is_reported():
    pair = Pair(big_graph(150, 1), big_graph(150, 2))
    hurried = Smatch(solver=Exact(work_limit=3_000_000)).evaluate([pair])
    check(hurried)
    longer = Smatch(solver=Exact(work_limit=30_000_000)).evaluate([pair])
    assert longer.details["matches"][0] >= hurried.details["matches"][0]
    assert longer.details["upper_bound"][0] <= hurried.details["upper_bound"][0]


@pytest.mark.parametrize("concepts", [1, 9])
def test_a_better_map_from_the_colours_replaces_an_unproven_one(concepts):
    pairs = [
        Pair(big_graph(size, 1, concepts, 1), big_graph(size, 2, concepts, 1)) for size in (9, 150)
    ]
    solver = Exact(work_limit=300_000)
    metric = Smatch(solver=solver)
    found = metric.evaluate(pairs)
    assert found.details["optimal"].tolist() == [True, False]
    encoded = metric.encode(pairs)
    tables = encoded.tables(slice(0, 2))
    searched = solver.solve_batch(problems(*tables))
    coloured = align_large(*(table.take(np.array([1])) for table in tables))
    assert searched.value[1] < coloured.value or concepts > 1
    values = found.details["matches"]
    assert values.tolist() == [searched.value[0], max(searched.value[1], coloured.value)]
    assert metric.evaluate_aligned(pairs, metric.align(pairs)).details["matches"].tolist() == (
        values.tolist()
    )
    assert metric.explain(pairs[1]).score == found.values[1]
    climb = HillClimb(restarts=0)  # a published algorithm stays as it is
    assert Smatch(solver=climb).evaluate(pairs).details["matches"].tolist() == [
        climb.solve(problem).value for problem in problems(*tables)
    ]


def test_a_big_graph_against_itself_is_proven():
    graph = big_graph(400, 5)
    assert Smatch().score([Pair(graph, graph)]).tolist() == [1.0]
