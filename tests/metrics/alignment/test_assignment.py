"""Linear assignment in the exact solver: without edges its first bound is the optimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.problem import AlignmentProblem

FIRST_BOUND = {"root_rounds": 1, "node_limit": 0}


def check(profit):
    """The assignment is SciPy's, and the sum of the prices proves it."""
    problem = AlignmentProblem.build(profit)
    answer = Exact(**FIRST_BOUND).solve(problem)
    assert answer.value == pytest.approx(profit[linear_sum_assignment(profit, maximize=True)].sum())
    assert answer.value == pytest.approx(problem.value(answer.mapping))
    assert answer.optimal


whole = st.integers(0, 3).map(float)
real = st.floats(0, 1, width=32)


@given(st.data())
def test_the_assignment_is_scipys_and_its_prices_prove_it(data):
    n, m = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 8))
    entry = data.draw(st.sampled_from([whole, real]))
    check(np.array([[data.draw(entry) for _ in range(m)] for _ in range(n)]))


@given(st.integers(0, 2**32 - 1), st.integers(0, 100))
def test_prices_bound_the_assignment_whenever_the_work_runs_out(seed, work):
    profit = np.random.default_rng(seed).integers(0, 4, (6, 6)).astype(float)
    answer = Exact(work_limit=work, **FIRST_BOUND).solve(AlignmentProblem.build(profit))
    optimum = profit[linear_sum_assignment(profit, maximize=True)].sum()
    assert answer.value <= optimum <= answer.upper_bound


def test_a_larger_matrix_of_ties():
    check(np.random.default_rng(0).integers(0, 3, (80, 100)).astype(float))
