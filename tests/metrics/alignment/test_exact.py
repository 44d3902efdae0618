import time

import numpy as np
import pytest
from alignment_problems import brute_force, is_map, problems, random_problem, swapped
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from metrics import Pair, Smatch
from metrics.alignment import hillclimb
from metrics.alignment.exact import Exact
from metrics.alignment.facts import problems as problems_of
from metrics.alignment.hillclimb import HillClimb
from metrics.alignment.milp import Milp
from metrics.alignment.problem import AlignmentProblem, ProblemBatch
from metrics.errors import OptionError


def check(problem, answer):
    """What holds of every answer."""
    assert is_map(problem, answer.mapping)
    assert answer.value == pytest.approx(problem.value(answer.mapping), abs=1e-9)
    assert answer.upper_bound >= answer.value
    assert answer.optimal == (answer.upper_bound <= answer.value)


@given(problems())
@settings(max_examples=300)
def test_the_optimum_is_that_of_trying_every_map(problem):
    answer = Exact().solve(problem)
    check(problem, answer)
    assert answer.optimal
    assert answer.value == pytest.approx(brute_force(problem), abs=1e-8)


@given(problems(), st.sampled_from([{"node_limit": 0}, {"work_limit": 0}, {"work_limit": 40}]))
def test_a_limit_leaves_a_valid_bound(problem, limits):
    answer = Exact(**limits, root_rounds=2).solve(problem)
    check(problem, answer)
    best = brute_force(problem)
    assert answer.value <= best + 1e-8
    assert answer.upper_bound >= best - 1e-8


@given(problems())
def test_exchanging_the_graphs_keeps_the_optimum(problem):
    assert Exact().solve(swapped(problem)).value == pytest.approx(
        Exact().solve(problem).value, abs=1e-8
    )


@given(problems())
def test_every_mapped_pair_adds_to_the_value(problem):
    mapping = Exact().solve(problem).mapping
    for i in np.flatnonzero(mapping >= 0):
        without = mapping.copy()
        without[i] = -1
        assert problem.value(without) < problem.value(mapping)


@given(st.lists(problems(max_nodes=4), max_size=5))
def test_a_batch_gives_what_its_problems_give_one_by_one(several):
    solver = Exact()
    for problem, together in zip(
        several, solver.solve_batch(ProblemBatch.pack(several)), strict=True
    ):
        alone = solver.solve(problem)
        assert together.mapping.tolist() == alone.mapping.tolist()
        assert (together.value, together.upper_bound) == (alone.value, alone.upper_bound)


@given(graphs(max_nodes=8, loops=True), graphs(max_nodes=8, loops=True))
@settings(max_examples=30)
def test_milp_agrees_on_graphs(a, b):
    problem = problems_of(*Smatch().encode([Pair(a, b)]).tables())[0]
    assert Exact().solve(problem).value == Milp().solve(problem).value


# Problems in which the last step's disagreements are dropped before the search branches.
HARD = [2441, 2700, 2987, 5164, 11031, 12773]


@pytest.mark.parametrize("seed", [*HARD, *range(30)])
def test_milp_agrees_on_real_weights(seed):
    problem = random_problem(seed)
    answer = Exact().solve(problem)
    check(problem, answer)
    assert answer.optimal
    assert answer.value == pytest.approx(Milp().solve(problem).value, abs=1e-6)


def test_two_matches_of_parallel_edges_count_both():
    # One edge fits both parallel edges: 0.5 + 0.25, and 1 for the node.
    problem = AlignmentProblem.build(
        [[1, 0], [0, 0]], [(0, 1)], [(0, 1), (0, 1)], [(0, 0), (0, 1)], [0.5, 0.25]
    )
    assert Exact().solve(problem).value == 1 + 0.5 + 0.25


def test_a_match_of_self_loops_counts_at_its_pair():
    problem = AlignmentProblem.build([[0.0]], [(0, 0)], [(0, 0)], [(0, 0)], [2.0])
    answer = Exact().solve(problem)
    assert (answer.value, answer.mapping.tolist()) == (2.0, [0])


def test_a_self_loop_never_fits_an_edge_between_two_nodes():
    problem = AlignmentProblem.build([[0, 0]], [(0, 0)], [(0, 1)], [(0, 0)])
    answer = Exact().solve(problem)
    assert (answer.value, answer.mapping.tolist(), answer.optimal) == (0.0, [-1], True)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_an_empty_side_maps_nothing(shape):
    answer = Exact().solve(AlignmentProblem.build(np.zeros(shape)))
    assert answer.mapping.tolist() == [-1] * shape[0]
    assert (answer.value, answer.upper_bound, answer.optimal) == (0.0, 0.0, True)


def test_whole_weights_have_whole_bounds():
    rng = np.random.default_rng(1)
    ends = [tuple(map(int, rng.integers(0, 30, 2))) for _ in range(60)]
    matches = [(a, b) for a in range(60) for b in range(60)]
    problem = AlignmentProblem.build(np.zeros((30, 30)), ends, ends, matches)
    answer = Exact(node_limit=0).solve(problem)
    assert not answer.optimal
    assert answer.upper_bound == int(answer.upper_bound)


@pytest.mark.parametrize(
    "options",
    [
        {"node_limit": -1},
        {"work_limit": -1},
        {"work_limit": 2**63},
        {"root_rounds": 0},
        {"node_rounds": 0},
        {"root_rounds": 10_001},
    ],
)
def test_options_out_of_range(options):
    with pytest.raises(OptionError):
        Exact(**options)


@pytest.mark.parametrize(
    "parts",
    [
        {"unary": [[-1.0]]},
        {"unary": [[float("nan")]]},
        {"unary": [[1.0]], "src_edges": [(0, 1)]},
        {"unary": [[1.0]], "src_edges": [(0, 0)], "matches": [(0, 0)]},
        {
            "unary": [[1.0]],
            "src_edges": [(0, 0)],
            "tgt_edges": [(0, 0)],
            "matches": [(0, 0)],
            "weights": [1.0, 2.0],
        },
    ],
)
def test_problems_that_are_none(parts):
    with pytest.raises(OptionError):
        AlignmentProblem.build(**parts)


def test_parallel_edges_count_together_however_many_there_are():
    # Two parallel edges of each side match each other: 4 matches of 1, as one of 4.
    problem = AlignmentProblem.build(
        np.zeros((2, 2)), [(0, 1)], [(0, 1), (1, 0), (0, 1)], [(0, 0), (0, 1), (0, 2)], [1, 1.5, 1]
    )
    answer = Exact().solve(problem)
    assert answer.value == brute_force(problem) == 2
    assert answer.optimal


def bipartite(size):
    """A complete bipartite graph with itself: every edge matches every edge."""
    edges = [(i, size + j) for i in range(size) for j in range(size)]
    matches = [(a, b) for a in range(len(edges)) for b in range(len(edges))]
    return AlignmentProblem.build(np.ones((2 * size, 2 * size)), edges, edges, matches)


def star(size):
    edges = [(0, k) for k in range(1, size)]
    matches = [(a, b) for a in range(len(edges)) for b in range(len(edges))]
    return AlignmentProblem.build(np.ones((size, size)), edges, edges, matches)


@pytest.mark.parametrize("solver", [Exact(work_limit=2_000_000), HillClimb()])
@pytest.mark.parametrize("problem", [bipartite(12), star(120)], ids=["bipartite", "star"])
def test_every_phase_counts_its_work(monkeypatch, solver, problem):
    monkeypatch.setattr(hillclimb, "WORK", 2_000_000)
    start = time.process_time()
    answer = solver.solve(problem)
    assert time.process_time() - start < 20  # compiling included; without a limit, minutes
    total = len(problem.unary) + len(problem.src_edges)
    assert is_map(problem, answer.mapping)
    assert problem.value(answer.mapping) == answer.value <= answer.upper_bound
    assert answer.upper_bound >= total  # that of the identity
