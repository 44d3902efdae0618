import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Smatch
from amr_metrics.alignment import hillclimb
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.facts import problems as problems_of
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.problem import AlignmentBatch, AlignmentProblem
from amr_metrics.alignment.workspace import ProblemBatch
from amr_metrics.errors import OptionError
from amr_metrics.limits import MOST_ROUNDS
from tests.alignment_problems import (
    brute_force,
    is_map,
    many_problems,
    problems,
    random_problem,
    record,
)
from tests.integer_program import optimum
from tests.released import released


def check(problem, answer):
    """What holds of every answer."""
    assert is_map(problem, answer.mapping)
    assert answer.value == pytest.approx(problem.value(answer.mapping), abs=1e-9)
    assert answer.upper_bound >= answer.value
    assert answer.optimal == (answer.upper_bound <= answer.value)


@given(problems())
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


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"work_limit": 0}, (427.204545, 1041.019988, 0, 2124950953)),
        ({"work_limit": 300}, (454.831128, 1026.523006, 1, 2763327779)),
        ({"work_limit": 1000}, (619.260244, 921.155953, 8, 2269769923)),
        ({"work_limit": 3000}, (669.354116, 832.405772, 21, 145913563)),
        ({"work_limit": 10000}, (679.264353, 742.160395, 47, 1187537859)),
        ({"node_limit": 0, "root_rounds": 1}, (663.261772, 943.273034, 1, 3249773633)),
        ({"node_limit": 0}, (689.836055, 712.325078, 48, 3029747104)),
        ({"node_limit": 3}, (691.196618, 703.575637, 64, 4290090985)),
        ({}, (691.404836, 691.404836, 80, 4069711651)),
    ],
)
def test_answers_at_limits_are_those_of_earlier_versions(limits, expected):
    """Limits count steps, and ties are broken by the order: the same on all machines."""
    assert record(Exact(**limits).solve_batch(many_problems())) == expected


@pytest.mark.parametrize(
    ("problem", "limits", "rounds", "expected"),
    [
        (random_problem(4), range(2000), 30, (8989.039335, 33165.867292, 0, 1384062045)),
        # After branches, of which some are closed and the last one proves the optimum.
        (
            random_problem(128, nodes=(4, 7)),
            range(3000, 4000),
            1,
            (4636.752854, 6122.002542, 11, 791611080),
        ),
    ],
)
def test_every_limit_gives_what_it_gave(problem, limits, rounds, expected):
    """Also one that is reached exactly where the solver checks it."""
    options = {"root_rounds": rounds, "node_rounds": min(rounds, 10)}
    answers = [Exact(work_limit=limit, **options).solve(problem) for limit in limits]
    assert record(AlignmentBatch.pack(answers)) == expected


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


@pytest.mark.parametrize(
    "options",
    [{"node_limit": -1}, {"work_limit": -1}, {"root_rounds": 0}, {"node_rounds": 0}],
)
def test_each_limit_and_number_of_rounds_has_a_least_value(options):
    with pytest.raises(OptionError, match="at least"):
        Exact(**options)


@pytest.mark.parametrize("name", ["node_limit", "work_limit"])
def test_limits_are_numbers_that_a_kernel_holds(name):
    problem = AlignmentProblem.build([[1, 0], [0, 1]])
    assert Exact(**{name: 2**62}).solve(problem).value == 2
    with pytest.raises(OptionError, match=f"at most {2**62}"):
        Exact(**{name: 2**62 + 1})


@pytest.mark.parametrize("name", ["root_rounds", "node_rounds"])
def test_rounds_have_a_greatest_number(name):
    problem = AlignmentProblem.build([[1, 0], [0, 1]])
    assert Exact(**{name: MOST_ROUNDS}).solve(problem).value == 2
    with pytest.raises(OptionError, match=f"at most {MOST_ROUNDS:,}"):
        Exact(**{name: MOST_ROUNDS + 1})


# Problems in which the last step's disagreements are dropped before the search branches, and the
# optima of those that the integer program solves slowly.
HARD = [2441, 2700, 2987, 5164, 11031, 12773]
OPTIMA = {2987: 5.98713673, 11031: 5.796427313}


@pytest.mark.parametrize("seed", [*HARD, *range(5, 9)])
def test_the_integer_program_agrees_on_any_problem(seed):
    problem = random_problem(seed)
    answer = Exact().solve(problem)
    check(problem, answer)
    assert answer.optimal
    expected = OPTIMA[seed] if seed in OPTIMA else optimum(problem)
    assert answer.value == pytest.approx(expected, abs=1e-6)


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


@pytest.mark.parametrize(
    "changes",
    [
        {"matches": [[0, 2]]},
        {"matches": [[-1, 0]]},
        {"src_edges": [[0, 2], [1, 0]]},
        {"tgt_edges": [[0, -1], [1, 0]]},
        {"tgt_edges": [0, 1]},
        {"src_edges": [[np.nan, 1.0], [1.0, 0.0]]},
        {"unary": [1.0, 1.0]},
        {"unary": [[1.0, np.inf], [1.0, 1.0]]},
        {"weights": [1.0, 1.0]},
        {"weights": [-1.0]},
        {"matches": [[1, 0], [0, 0]], "weights": [1.0, 1.0]},
    ],
)
def test_problems_made_by_hand_are_checked(changes):
    """Kernels would read what an index refers to outside of the arrays."""
    edges = np.array([[0, 1], [1, 0]], np.int32)
    parts = {"unary": np.ones((2, 2)), "src_edges": edges, "tgt_edges": edges}
    parts |= {"matches": np.array([[0, 0]], np.int32), "weights": np.ones(1)}
    assert Exact().solve(AlignmentProblem(**parts)).value == 3
    with pytest.raises(OptionError):
        AlignmentProblem(**parts | {name: np.array(value) for name, value in changes.items()})


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
    """Without the limit, this takes minutes."""
    monkeypatch.setattr(hillclimb, "WORK", 2_000_000)
    answer = solver.solve(problem)
    total = len(problem.unary) + len(problem.src_edges)
    assert is_map(problem, answer.mapping)
    assert problem.value(answer.mapping) == answer.value <= answer.upper_bound
    assert answer.upper_bound >= total  # that of the identity


@pytest.fixture(scope="module")
def data(shared):
    return shared / "bamboo-amr-benchmark"


def batch_of(data, dataset, partition, count=None):
    pairs, _ = released(data, dataset, partition)
    if count is not None:
        rng = np.random.default_rng(len(pairs))
        pairs = [pairs[k] for k in rng.choice(len(pairs), count, replace=False)]
    return problems_of(*Smatch().encode(pairs).tables())


@pytest.mark.parametrize(("dataset", "partition"), [("sick", "syno"), ("para", "reify")])
def test_the_integer_program_agrees_on_released_pairs(data, dataset, partition):
    batch = batch_of(data, dataset, partition, 12)
    expected = [optimum(batch.problem(p)) for p in range(len(batch.sizes))]
    assert Exact().solve_batch(batch).value == pytest.approx(expected, abs=1e-6)


def test_hill_climbing_stays_below_and_near(data):
    batch = batch_of(data, "para", "reify")
    exact, climbed = Exact().solve_batch(batch), HillClimb().solve_batch(batch)
    assert (climbed.value <= exact.value).all()
    assert (climbed.upper_bound >= exact.value).all()
    assert climbed.value.sum() > 0.98 * exact.value.sum()


def test_bounds_hold_when_the_search_is_cut_short(data):
    batch = batch_of(data, "para", "reify")
    best = Exact().solve_batch(batch).value
    for cut in (Exact(node_limit=0, root_rounds=3), Exact(work_limit=0), Exact(work_limit=3000)):
        answer = cut.solve_batch(batch)
        assert (answer.value <= best).all()
        assert (answer.upper_bound >= best).all()
        assert (answer.optimal == (answer.upper_bound == answer.value)).all()
        assert (answer.value[answer.optimal] == best[answer.optimal]).all()
        assert not answer.optimal.all()


def test_real_weights_are_proven_too(data):
    batch = batch_of(data, "para", "reify", 300)
    rng = np.random.default_rng(0)
    batch.unary[:] += rng.random(batch.unary.size) * (rng.random(batch.unary.size) < 0.15)
    answer = Exact().solve_batch(batch)
    assert answer.optimal.all()
    for p in range(12):
        assert answer.value[p] == pytest.approx(optimum(batch.problem(p)), abs=1e-6)
