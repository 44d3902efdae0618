import pytest
from hypothesis import given, settings

from metrics.alignment.milp import Milp
from metrics.alignment.problem import ProblemBatch
from tests.alignment_problems import brute_force, is_map, problems, random_problem


@given(problems())
@settings(max_examples=60)
def test_the_optimum_is_that_of_trying_every_map(problem):
    answer = Milp().solve(problem)
    assert answer.optimal
    assert is_map(problem, answer.mapping)
    assert answer.value == pytest.approx(problem.value(answer.mapping))
    assert answer.value == pytest.approx(brute_force(problem), abs=1e-6)
    assert answer.upper_bound == pytest.approx(answer.value, abs=2e-6)


def test_out_of_time_the_bound_still_holds():
    problem = random_problem(0, nodes=(11, 12))
    hurried, best = Milp(time_limit=1e-6).solve(problem), Milp().solve(problem)
    assert not hurried.optimal
    assert is_map(problem, hurried.mapping)
    assert hurried.value <= best.value + 1e-6 <= hurried.upper_bound + 2e-6


def test_a_batch_is_solved_problem_by_problem():
    several = [random_problem(seed) for seed in range(3)]
    values = Milp().solve_batch(ProblemBatch.pack(several)).value
    assert values.tolist() == [Milp().solve(problem).value for problem in several]
