import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.alignment import hillclimb
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.workspace import ProblemBatch
from tests.alignment_problems import (
    is_map,
    many_problems,
    problems,
    random_problem,
    record,
    swapped,
)


@given(problems(), st.integers(0, 3), st.integers(0, 5))
def test_never_above_the_optimum_and_its_bound_never_below(problem, restarts, seed):
    answer = HillClimb(restarts=restarts, seed=seed).solve(problem)
    best = Exact().solve(problem).value
    assert is_map(problem, answer.mapping)
    assert answer.value == pytest.approx(problem.value(answer.mapping), abs=1e-9)
    assert answer.value <= best + 1e-8
    assert answer.upper_bound >= best - 1e-8
    assert answer.optimal == (answer.upper_bound <= answer.value)


@given(problems(), st.integers(0, 2))
def test_no_move_and_no_swap_betters_the_map(problem, restarts):
    mapping = HillClimb(restarts=restarts).solve(problem).mapping
    value, (n, m) = problem.value(mapping), problem.unary.shape
    for i in range(n):
        for j in range(m):
            changed = mapping.copy()
            for k in np.flatnonzero(mapping == j):
                changed[k] = mapping[i]
            changed[i] = j
            assert problem.value(changed) <= value + 1e-8


@given(problems())
def test_more_restarts_never_lose(problem):
    values = [HillClimb(restarts=k).solve(problem).value for k in (0, 1, 5)]
    assert values == sorted(values)


@given(st.lists(problems(max_nodes=4), max_size=5))
def test_a_batch_gives_what_its_problems_give_one_by_one(several):
    solver = HillClimb(restarts=2)
    together = solver.solve_batch(ProblemBatch.pack(several))
    for p, problem in enumerate(several):
        assert together[p].mapping.tolist() == solver.solve(problem).mapping.tolist()


def test_the_seed_decides():
    several = ProblemBatch.pack([random_problem(seed, nodes=(9, 12)) for seed in range(40)])
    once, again, reseeded = [
        HillClimb(restarts=1, seed=seed).solve_batch(several) for seed in (1, 1, 2)
    ]
    assert once.mapping.tolist() == again.mapping.tolist()
    assert once.value.tolist() != reseeded.value.tolist()
    assert (once.value <= Exact().solve_batch(several).value + 1e-8).all()


def test_the_bound_is_simple_arithmetic():
    # 2 + 1 for the rows' best unary weights, 1 for the edge; the map gets 2 + 1 and the edge.
    problem = AlignmentProblem.build([[2, 1], [0, 1]], [(0, 1)], [(0, 1)], [(0, 0)])
    answer = HillClimb(restarts=0).solve(problem)
    assert (answer.value, answer.upper_bound, answer.optimal) == (2 + 1 + 1, 2 + 1 + 1, True)


def test_the_bound_is_a_sum_of_largest_weights():
    """The nodes of src 0.5 + 0.125, its edges 2 + 0.25; the nodes of tgt 0.5 + 0.25 are more."""
    edges, matches = [(0, 1), (1, 0)], [(0, 0), (0, 1), (1, 1)]
    unary = np.array([[0.5, 0.25], [0, 0.125]])
    problem = AlignmentProblem.build(unary, edges, edges, matches, [1, 2, 0.25])
    answer = HillClimb().solve(problem)
    assert (answer.value, answer.upper_bound) == (0.25 + 2, 2.875)
    problem = AlignmentProblem.build(unary.T, edges, edges, matches, [1, 2, 0.25])
    assert HillClimb().solve(problem).upper_bound == 2.875


def test_without_work_only_the_first_start_is_climbed(monkeypatch):
    """The first start maps nothing, and no single node gains; some random start maps both."""
    problem = AlignmentProblem.build(np.zeros((2, 2)), [(0, 1)], [(0, 1)], [(0, 0)])
    assert HillClimb().solve(problem).value == 1
    monkeypatch.setattr(hillclimb, "WORK", 0)
    assert HillClimb().solve(problem).value == 0


def climb_slowly(problem):
    """Each node of the smaller side takes its best partner; the one that had it gets the other."""
    n, m = problem.unary.shape
    if n > m:
        return climb_slowly(swapped(problem))
    allowed = problem.unary > 0
    for a, b in problem.matches:
        allowed[problem.src_edges[a], problem.tgt_edges[b]] = True
    mapping = np.full(n, -1)
    for i in range(n):
        free = [problem.unary[i, j] * (j not in mapping[:i]) for j in range(m)]
        mapping[i] = np.argmax(free) if max(free) > 0 else -1
    unchanged = 0
    while unchanged < n:
        for i in range(n):
            steps = []
            for j in set(range(m)) - {mapping[i]}:
                step = mapping.copy()
                for k in np.flatnonzero(mapping == j):
                    step[k] = mapping[i] if allowed[k, mapping[i]] else -1
                step[i] = j
                steps.append(step)
            best = max(steps, key=problem.value)
            unchanged += 1
            if problem.value(best) > problem.value(mapping) + 1e-9:
                mapping, unchanged = best, 0
    return problem.value(mapping)


@pytest.mark.parametrize("seed", range(1, 16, 2))  # of odd seeds, all weights differ
def test_a_climb_takes_the_best_step_of_each_row_in_turn(seed):
    problem = random_problem(seed, nodes=(4, 8))
    assert HillClimb(restarts=0).solve(problem).value == pytest.approx(climb_slowly(problem))


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (0, (521.779704, 1514.840058, 0, 2863875840)),
        (500, (646.521625, 1514.840058, 0, 2608554703)),
        (2000, (671.032169, 1514.840058, 0, 1927407221)),
        (10**9, (671.032169, 1514.840058, 0, 1927407221)),
    ],
)
def test_maps_are_those_of_earlier_versions(monkeypatch, work, expected):
    """Seeds, ties and limits decide alike on all machines."""
    monkeypatch.setattr(hillclimb, "WORK", work)
    assert record(HillClimb(restarts=2).solve_batch(many_problems())) == expected
