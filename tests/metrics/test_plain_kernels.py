"""Small work is done by the plain functions of the kernels, with the same values, without Numba."""

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from amr_metrics import Pair, Smatch
from amr_metrics import compiled as kernels
from amr_metrics.alignment import exact
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.workspace import ProblemBatch
from amr_metrics.compiled import compiled, is_plain, load_numba, plain_if_quick
from amr_metrics.conformance import ready
from amr_metrics.graphs.numbering import numbering
from amr_metrics.parameters import Parametric
from bamboo.config.rows import named_rows
from bamboo.evaluation.conformance import sample_pairs
from tests.alignment_problems import random_problem
from tests.conformance.forms import FORMS
from tests.plain_kernels import plain_kernels
from tests.strategies import rough_graph

ROOT = Path(__file__).parents[2]
NAMES = ("smatch", "smatch_1.0", "smatchpp", "wsmatch", "sema", "sembleu", "rematch", "wlk")
ONE_SCORE = """
import sys
from amr_metrics import Pair, Smatch, parse_graph
from amr_metrics.aspects import score_subscores

pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
assert Smatch().score([pair]).round(4).tolist() == [0.6667]
assert Smatch().explain(pair).optimal
assert score_subscores("amrlib", [pair], ["srl", "reentrancies"])[1].empty.all()
print([name for name in ("numba", "scipy", "llvmlite", "pandas") if name in sys.modules])
"""
MANY_SCORES = """
import sys
from amr_metrics import Pair, Smatch, parse_graph

pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
numba = []
for _ in range(300):
    value = float(Smatch().score([pair])[0])
    numba.append("numba" in sys.modules)
print([round(value, 4), numba[0], numba[-1]])
"""


METRICS = [job.metric for job in named_rows([(name, name, {}) for name in NAMES])]


def begin(patch):
    """Begin as a process that has called no kernel."""
    load_numba()
    patch.setattr(kernels, "plain_budget", 100_000.0)


def check_scores(one, two, tolerance=0.0):
    assert one.details.keys() == two.details.keys()
    for a, b in zip(
        (one.values, *one.details.values()), (two.values, *two.details.values()), strict=True
    ):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


@pytest.mark.parametrize(("name", "metric"), zip(NAMES, METRICS, strict=True), ids=NAMES)
def test_metrics_give_the_same_values_to_the_last_bit(name, metric):
    pairs = sample_pairs(10)
    expected = metric.evaluate(pairs)
    explained = [metric.explain(pair) for pair in pairs[:3]] if name in NAMES[:4] else []
    with plain_kernels():
        check_scores(metric.evaluate(pairs), expected)
        assert [metric.explain(pair) for pair in pairs[: len(explained)]] == explained


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_the_same_values_on_random_graphs(name):
    rng = np.random.default_rng(1)
    pairs = [Pair(rough_graph(rng, 5), rough_graph(rng, 5)) for _ in range(4)]
    metric = ready(FORMS[name], pairs)

    def prepared():
        values = metric.parameters.values
        return metric.prepare(pairs).scores(np.array([values, values * 0.75, values * 0.7]))

    parametric = isinstance(metric, Parametric) and metric.parameters.names
    expected, rows = metric.evaluate(pairs), prepared() if parametric else None
    # Sums over vectors are added in another order.
    tolerance = 1e-6 if "vectors=" in metric.signature else 0.0
    with plain_kernels():
        check_scores(metric.evaluate(pairs), expected, tolerance)
        if parametric:
            assert prepared() == pytest.approx(rows, abs=tolerance)


def test_solvers_give_the_same_answers():
    small = ProblemBatch.pack([random_problem(seed, nodes=(4, 8)) for seed in range(4)])
    batch = ProblemBatch.pack([random_problem(seed) for seed in range(4)])
    # Without a limit, larger problems take seconds uncompiled.
    cases = [(Exact(), small), (Exact(work_limit=300), batch), (HillClimb(restarts=1), batch)]
    compiled_answers = [solver.solve_batch(problems) for solver, problems in cases]
    with plain_kernels():
        for (solver, problems), expected in zip(cases, compiled_answers, strict=True):
            answer = solver.solve_batch(problems)
            for name in ("mapping", "value", "upper_bound", "optimal"):
                assert getattr(answer, name).tolist() == getattr(expected, name).tolist()


def python(program):
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_one_score_imports_no_numba():
    assert python(ONE_SCORE) == "[]\n"


def test_after_some_scores_kernels_are_compiled():
    assert json.loads(python(MANY_SCORES).lower()) == [0.6667, False, True]


def test_an_alignment_that_takes_long_is_found_by_the_compiled_kernel(monkeypatch):
    rng = np.random.default_rng(0)
    edges, others = (
        [(i, int(j)) for i in range(6) for j in rng.choice(6, 2, replace=False) if i != j]
        for _ in range(2)
    )
    matches = [(a, b) for a in range(len(edges)) for b in range(len(others))]
    hard = AlignmentProblem.build(np.ones((6, 6)), edges, others, matches)
    easy = AlignmentProblem.build([[1, 0], [0, 1]], [(0, 1)], [(0, 1)], [(0, 0)])
    batch = ProblemBatch.pack([easy, hard])
    expected = Exact().solve_batch(batch)
    begin(monkeypatch)
    monkeypatch.setattr(exact, "PLAIN_WORK", 200)
    called = []
    solve = exact._solve_all

    def solve_all(*arguments):
        called.append(is_plain())
        solve(*arguments)

    monkeypatch.setattr(exact, "_solve_all", solve_all)
    with plain_if_quick(0):
        answer = Exact().solve_batch(batch)
    assert called == [True, False]
    for one, two in zip(answer, expected, strict=True):
        assert one.mapping.tolist() == two.mapping.tolist()
        assert (one.value, one.upper_bound, one.optimal) == (two.value, two.upper_bound, True)


def test_division_by_zero_is_infinite():
    @compiled
    def ratios(values):
        return 1.0 / values[0], values[0] / values[0]

    with plain_kernels():
        assert str(ratios(np.zeros(1))) in ("(np.float64(inf), np.float64(nan))", "(inf, nan)")


def test_warming_up_compiles(monkeypatch):
    begin(monkeypatch)
    called = []
    encode = Smatch.encode

    def observed(metric, pairs):
        called.append(is_plain())
        return encode(metric, pairs)

    monkeypatch.setattr(Smatch, "encode", observed)
    Smatch().warm_up()
    Smatch().score(sample_pairs(1))
    assert called == [False, True]


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(numbering)) is numbering


def test_other_threads_call_compiled_kernels():
    with plain_if_quick(0), ThreadPoolExecutor(1) as pool:
        assert is_plain()
        assert not pool.submit(is_plain).result()
