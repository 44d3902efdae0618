"""Alignment solvers against an independent one, the integer program of `tests.integer_program`.

The exact solver must agree with it; the other answers must lie between a map that exists and a
bound that holds.
"""

from amr_metrics import Pair, Smatch
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.facts import problems
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.large import align_large
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.graphs.random_graphs import random_graph
from tests.integer_program import optimum

ORDER = 60
CLOSE = 1e-6  # the tolerance of the integer program
SOLVERS = {
    "exact": Exact(),
    "exact, a few steps": Exact(work_limit=2_000),
    "exact, no branching": Exact(node_limit=0, root_rounds=2),
    "hill-climbing": HillClimb(restarts=2),
}


def campaign(rng, budget):
    """Solve a problem of two graphs, or one without graphs, with every solver."""
    tried, failures = 0, []
    for case in budget.cases():
        kind = int(rng.integers(0, 3))
        tables = None
        if kind < 2:
            metric = (Smatch(), WSmatch())[kind]
            most = int(rng.integers(1, 13))
            pair = Pair(random_graph(rng, most), random_graph(rng, most))
            tables = metric.encode([pair]).tables()
            (problem,) = problems(*tables)
        else:
            problem = _problem(rng)
        tried += 1
        if message := _compared(problem, tables):
            failures.append(f"case {case}: {('Smatch', 'WSmatch', 'any problem')[kind]}: {message}")
    return tried, failures


def _problem(rng):
    """Any problem: self-loops, parallel edges, any matches, integer or real weights."""
    n, m = (int(size) for size in rng.integers(1, 8, 2))
    unary = (rng.random((n, m)) < rng.random()) * rng.integers(0, 3, (n, m)).astype(float)
    edges = [rng.integers(0, size, (int(rng.integers(0, 10)), 2)) for size in (n, m)]
    share = rng.random()
    matches = [
        (a, b) for a in range(len(edges[0])) for b in range(len(edges[1])) if rng.random() < share
    ]
    weights = rng.integers(0, 3, len(matches)).astype(float)
    if rng.integers(0, 2):
        unary, weights = unary * rng.random((n, m)), weights * rng.random(len(matches))
    ends = [[(int(s), int(t)) for s, t in side] for side in edges]
    return AlignmentProblem.build(unary, ends[0], ends[1], matches, weights.tolist())


def _compared(problem, tables):
    best = optimum(problem)
    answers = {name: solver.solve(problem) for name, solver in SOLVERS.items()}
    if tables is not None:
        answers["colours"] = align_large(*tables)
    if not answers["exact"].optimal:
        return "exact: not proven optimal"
    for name, answer in answers.items():
        if message := _wrong(problem, answer, best):
            return f"{name}: {message}"
    return None


def _wrong(problem, answer, best):
    """Why an answer cannot be right, given the optimum."""
    used = answer.mapping[answer.mapping >= 0]
    if len(set(used.tolist())) != len(used):
        return f"{answer.mapping.tolist()} is not one to one"
    value = problem.value(answer.mapping)
    if abs(value - answer.value) > CLOSE:
        return f"its map is worth {value}, not {answer.value}"
    if answer.optimal != (answer.upper_bound <= answer.value):
        return f"optimal={answer.optimal} with {answer.value} and the bound {answer.upper_bound}"
    if answer.value > best + CLOSE:
        return f"{answer.value} is above the optimum {best}"
    if answer.upper_bound < best - CLOSE:
        return f"the bound {answer.upper_bound} is below the optimum {best}"
    if answer.optimal and abs(answer.value - best) > CLOSE:
        return f"{answer.value} is called optimal, but the optimum is {best}"
    return None
