import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy.optimize import linear_sum_assignment

from amr_metrics.alignment.assignment import assign
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.relaxation import set_profits
from amr_metrics.alignment.workspace import ProblemBatch, Workspace, load


@njit
def _assign(batch, work, space):
    load(0, batch, space)
    space.state[0].work = work
    set_profits(space)
    return assign(space)


def assigned(profit, work=10**9):
    """The sum of the prices, and the workspace, for profits with no more rows than columns."""
    batch = ProblemBatch.pack([AlignmentProblem.build(profit)])
    space = Workspace.allocate(batch)
    return _assign(batch, work, space), space


def check(profit, total, space):
    """Prices are feasible and not negative, add up to the total, and fit the assignment."""
    n, m = profit.shape
    rows, columns = space.rows[:n], space.columns[:m]
    assert (rows.price >= 0).all()
    assert (columns.price >= 0).all()
    assert (rows.price[:, None] + columns.price[None, :] >= profit - 1e-9).all()
    assert total == pytest.approx(rows.price.sum() + columns.price.sum())
    for i in range(n):
        if rows.partner[i] >= 0:
            assert columns.owner[rows.partner[i]] == i
    assert (columns.owner >= 0).sum() == (rows.partner >= 0).sum()


whole = st.integers(0, 3).map(float)
real = st.floats(0, 1, width=32)


@given(st.data())
def test_the_assignment_is_scipys_and_its_prices_prove_it(data):
    n = data.draw(st.integers(1, 6))
    m = data.draw(st.integers(n, 8))
    entry = data.draw(st.sampled_from([whole, real]))
    profit = np.array([[data.draw(entry) for _ in range(m)] for _ in range(n)])
    total, space = assigned(profit)
    rows, columns = linear_sum_assignment(profit, maximize=True)
    assert total == pytest.approx(profit[rows, columns].sum())
    check(profit, total, space)
    partner = space.rows.partner[:n]
    taken = sum(profit[i, partner[i]] for i in range(n) if partner[i] >= 0)
    assert taken == pytest.approx(total)
    # complementary slackness: what is left over has no price
    assert (space.rows.price[:n][partner < 0] < 1e-9).all()
    assert (space.columns.price[:m][space.columns.owner[:m] < 0] == 0).all()


@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_prices_bound_the_assignment_whenever_the_work_runs_out(seed, work):
    profit = np.random.default_rng(seed).integers(0, 4, (6, 6)).astype(float)
    total, space = assigned(profit, work)
    rows, columns = linear_sum_assignment(profit, maximize=True)
    assert total >= profit[rows, columns].sum() - 1e-9
    check(profit, total, space)


def test_a_larger_matrix_of_ties():
    profit = np.random.default_rng(0).integers(0, 3, (80, 100)).astype(float)
    total, space = assigned(profit)
    rows, columns = linear_sum_assignment(profit, maximize=True)
    assert total == profit[rows, columns].sum()
    check(profit, total, space)
