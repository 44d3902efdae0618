"""The local optima of hill-climbing, against the objective of each map."""

from itertools import combinations, permutations

import numpy as np
import pytest

from amr_metrics import Pair, SmatchPP, parse_graph
from amr_metrics.alignment.problem import AlignmentProblem
from bamboo.published_tables.local_optima import climb, count_optima


def random_problem(rng, n, m):
    """A problem whose edges, loops included, match at random with unequal weights."""
    src_edges, tgt_edges = (rng.integers(0, size, (5, 2)) for size in (n, m))
    matches = np.argwhere(rng.random((5, 5)) < 0.6)
    weights = rng.integers(1, 4, len(matches))
    return AlignmentProblem.build(
        rng.integers(0, 3, (n, m)), src_edges, tgt_edges, matches, weights
    )


def neighbours(mapping, m):
    """The maps in which two nodes have swapped partners, or one has moved to a free partner."""
    for i, k in combinations(range(len(mapping)), 2):
        swapped = mapping.copy()
        swapped[[i, k]] = mapping[[k, i]]
        yield swapped
    for i in range(len(mapping)):
        for j in set(range(m)) - set(mapping.tolist()):
            moved = mapping.copy()
            moved[i] = j
            yield moved


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 4), (3, 5), (5, 3)])
def test_climbing_ends_at_local_optima(n, m):
    rng = np.random.default_rng(0)
    for _ in range(20):
        problem = random_problem(rng, n, m)
        starts = rng.permuted(np.tile(np.arange(max(n, m)), (6, 1)), axis=1)
        values, maps = climb(problem, starts)
        for value, mapping in zip(values, maps, strict=True):
            assert value == pytest.approx(problem.value(mapping))
            assert all(problem.value(near) <= value + 1e-9 for near in neighbours(mapping, m))


def test_two_optima_by_hand():
    # The identity has 2 + 2 + 2, and each swap of two partners leaves at most 2 + 3. The shift has
    # 3 + 3 + 3, but is two swaps away.
    unary = np.array([[2, 3, 0], [0, 2, 3], [3, 0, 2]])
    edges, none = np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64)
    problem = AlignmentProblem.build(unary, edges, edges, none, np.zeros(0))
    starts = np.array([*permutations(range(3))])
    values, maps = climb(problem, starts)
    assert values[0] == 6
    assert maps[0].tolist() == [0, 1, 2]
    assert {*values.tolist()} == {6, 9}


def test_unique_scores_are_counted():
    # The two free nodes of the second pair can be aligned in two ways, which have the same score.
    src = parse_graph("(a / and :op1 (c / cat) :op2 (d / dog))")
    tgt = parse_graph("(a / and :op3 (h / hat) :op4 (p / pig :mod (b / big)))")
    variables, optima = count_optima(SmatchPP(), [Pair(src, src), Pair(tgt, src)], restarts=8)
    assert variables.tolist() == [3, 4]
    assert optima.tolist() == [1, 1]
    few, many = (
        count_optima(SmatchPP(), [CHAINS], restarts, seed=1)[1].tolist() for restarts in (1, 12)
    )
    assert few == [1]
    assert many[0] > 1


# Every node of one fits every node of the other, and chains can be matched with shifts.
CHAINS = Pair(
    parse_graph("(a / x :r (b / x :r (c / x :r (d / x :r (e / x :s (f / x))))))"),
    parse_graph("(a / x :r (b / x :s (c / x :r (d / x :r (e / x :r (f / x))))))"),
)
