import bisect
import contextlib

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from amr_metrics.errors import PairError
from amr_metrics.transport import flow as module
from amr_metrics.transport import last_trees
from amr_metrics.transport.flow import (
    CostBatch,
    assign_masses,
    best_bases,
    flow,
    least_costs,
    optimal_units,
    uniform_masses,
)

RANDOM = settings(derandomize=True)
# Few values, so that ties abound, and any values.
COSTS = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda shape: arrays(
        np.float64, shape, elements=st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 2))
    )
)


def batch(*costs):
    sizes = np.array([cost.shape for cost in costs], np.int64).reshape(-1, 2)
    start = np.concatenate([[0], np.cumsum(sizes.prod(axis=1))])
    return CostBatch(sizes, np.concatenate([np.empty(0), *map(np.ravel, costs)]), start)


def from_bases(batch, bases):
    """The costs of the optimal flows of pairs with nodes, searched from their bases."""
    last, costs = last_trees.LastTrees.of(bases), []
    for p, (n, m) in enumerate(batch.sizes):
        cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape(n, m)
        found = np.empty(1)
        last_trees.cost_from_basis(n, m, cost, bases, last, bases.start[p], 10**9, found)
        costs.append(found[0])
    return costs


class TestByHand:
    def test_as_many_rows_as_columns_is_an_assignment(self):
        cost = np.array([[0.1, 0.2], [0.1, 0.9]])
        # 0.2 + 0.1 for two halves of the mass, against 0.1 + 0.9.
        assert least_costs(batch(cost)) == pytest.approx([(0.2 + 0.1) / 2])
        assert flow(cost).tolist() == [[0, 0.5], [0.5, 0]]

    def test_one_row_gives_to_all(self):
        cost = np.array([[0.3, 0.6, 0.9]])
        assert least_costs(batch(cost)) == pytest.approx([(0.3 + 0.6 + 0.9) / 3])
        assert flow(cost).tolist() == [[1 / 3, 1 / 3, 1 / 3]]

    def test_two_rows_share_a_third_column(self):
        cost = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.7]])
        # Each row gives 1/3 at no cost and has 1/6 left for the last column.
        assert least_costs(batch(cost)) == pytest.approx([0.5 / 6 + 0.7 / 6])

    def test_nothing_costs_nothing_and_everything_lost_costs_one(self):
        shapes = [(0, 0), (0, 2), (3, 0), (1, 1)]
        costs = batch(*[np.full(shape, 0.5) for shape in shapes])
        assert least_costs(costs).tolist() == [0, 1, 1, 0.5]
        assert least_costs(batch()).shape == (0,)
        for shape in shapes[:3]:
            assert flow(np.zeros(shape)).shape == shape


@RANDOM
@given(cost=COSTS)
def test_no_flow_is_cheaper(cost):
    n, m = cost.shape
    expected = ot.emd2(np.full(n, 1 / n), np.full(m, 1 / m), cost)
    assert least_costs(batch(cost)) == pytest.approx([expected], abs=1e-9)


@RANDOM
@given(cost=COSTS)
def test_flows_have_the_prescribed_masses_and_cost_what_is_said(cost):
    n, m = cost.shape
    units = optimal_units(cost, uniform_masses(np.array([cost.shape])))
    common = np.gcd(n, m)
    assert (units >= 0).all()
    assert units.sum(axis=1).tolist() == [m // common] * n
    assert units.sum(axis=0).tolist() == [n // common] * m
    moved = flow(cost)
    assert (moved * cost).sum() == pytest.approx(least_costs(batch(cost))[0])
    assert moved.sum(axis=1) == pytest.approx(np.full(n, 1 / n))
    assert moved.sum(axis=0) == pytest.approx(np.full(m, 1 / m))


@RANDOM
@given(cost=COSTS, data=st.data())
def test_the_search_may_begin_anywhere(cost, data):
    first_costs = data.draw(arrays(np.float64, cost.shape, elements=st.floats(0, 2)))
    for first in (cost, first_costs):
        costs = from_bases(batch(cost), best_bases(batch(first)))
        assert costs == pytest.approx(least_costs(batch(cost)), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(40, 40), (40, 41), (60, 36), (1, 50), (97, 89)])
def test_large_problems(n, m):
    rng = np.random.default_rng(n * m)
    a, b = rng.normal(size=(n, 8)), rng.normal(size=(m, 8))
    cost = np.sqrt(((a[:, None] - b) ** 2).sum(axis=2))
    expected = ot.emd2(np.full(n, 1 / n), np.full(m, 1 / m), cost)
    assert least_costs(batch(cost)) == pytest.approx([expected], abs=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_costs_of_any_size(scale):
    cost = np.random.default_rng(3).random((23, 17)) * scale
    expected = ot.emd2(np.full(23, 1 / 23), np.full(17, 1 / 17), cost / scale) * scale
    assert least_costs(batch(cost)) == pytest.approx([expected], rel=1e-9)


def count_steps(monkeypatch, cost):
    """The least limit with which the flow is found."""

    def is_enough(work):
        monkeypatch.setattr(module.limits, "TRANSPORT_WORK", work)
        with contextlib.suppress(PairError):
            return len(flow(cost)) > 0
        return False

    return bisect.bisect_left(range(10**5), True, key=is_enough)


def test_steps_by_hand(monkeypatch):
    """The first tree takes (n + m) m of them, then each row m; the last row needs one to begin."""
    assert count_steps(monkeypatch, np.ones((1, 1))) == 2 * 1 + 1
    assert count_steps(monkeypatch, np.ones((1, 4))) == 5 * 4 + 1
    assert count_steps(monkeypatch, np.array([[0.0, 1.0], [1.0, 0.0]])) == 4 * 2 + 2 + 1


def test_the_first_tree_ships_where_a_column_costs_little_more_than_its_least(monkeypatch):
    """The first row would rather have the first column, but so would the second row."""
    assert count_steps(monkeypatch, np.array([[0.3, 0.4], [0.1, 0.4]])) == 4 * 2 + 2 + 1


def test_steps_of_larger_flows_are_those_of_earlier_versions(monkeypatch):
    rng = np.random.default_rng(0)
    costs = [rng.random(shape) for shape in ((5, 5), (9, 4), (6, 11), (20, 30))]
    assert [count_steps(monkeypatch, cost) for cost in costs] == [106, 250, 496, 8541]


def test_infinite_costs_end():
    cost = np.array([[np.inf, np.inf, 1.0], [np.inf, 0.5, np.inf]])
    assert flow(cost).sum() == pytest.approx(1)
    assert flow(np.full((2, 2), np.inf)).sum() == 1


WEIGHTED = COSTS.flatmap(
    lambda cost: st.tuples(
        st.just(cost),
        arrays(np.float64, sum(cost.shape), elements=st.floats(0.01, 1)),
    )
)


def test_masses_by_hand():
    cost = np.array([[0.0, 1.0], [1.0, 0.0]])
    masses = assign_masses(np.array([3.0, 1.0, 1.0, 1.0]), np.array([[2, 2]]))
    # A quarter of the mass has to move from the first row to the second column.
    assert least_costs(batch(cost), masses=masses).tolist() == [0.25]
    assert flow(cost, masses=masses).tolist() == [[0.5, 0.25], [0, 0.25]]


@RANDOM
@given(problem=WEIGHTED)
def test_no_flow_between_given_masses_is_cheaper(problem):
    cost, weights = problem
    n = len(cost)
    masses = assign_masses(weights, np.array([cost.shape]))
    a, b = weights[:n] / weights[:n].sum(), weights[n:] / weights[n:].sum()
    expected = ot.emd2(a, b, cost)
    assert least_costs(batch(cost), masses=masses) == pytest.approx([expected], abs=1e-9)
    moved = flow(cost, masses=masses)
    assert moved.sum(axis=1) == pytest.approx(a, abs=1e-9)
    assert moved.sum(axis=0) == pytest.approx(b, abs=1e-9)
    costs = from_bases(batch(cost), best_bases(batch(1 - cost), masses))
    assert costs == pytest.approx([expected], abs=1e-9)


def test_masses_add_up_exactly():
    sizes = np.array([[3, 1], [0, 2], [2, 5]])
    masses = assign_masses(np.random.default_rng(0).random(13), sizes)
    sides = np.split(masses, np.cumsum(sizes.ravel())[:-1])
    assert [int(side.sum()) for side in sides] == [
        module.UNITS,
        module.UNITS,
        0,
        *[module.UNITS] * 3,
    ]
