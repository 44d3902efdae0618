import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.workspace import ProblemBatch
from tests.alignment_problems import is_map, problems, random_problem


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
