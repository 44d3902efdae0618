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
from hypothesis import given, settings
from strategies import graphs

from bamboo.config.jobs import compose_metrics
from bamboo.config.metrics import build_metric
from bamboo.evaluation.conformance import sample_pairs
from metrics import Pair, Smatch, format_graph, parse_graph
from metrics.alignment import exact
from metrics.alignment.exact import Exact
from metrics.alignment.problem import AlignmentProblem, ProblemBatch
from metrics.compiled import Kernel, compiled, is_plain, kernels, load_numba, plain_if_quick
from metrics.graphs.numbering import numbering

ROOT = Path(__file__).parents[3]
NAMES = ("smatch", "smatch_1.0", "smatchpp", "wsmatch", "sema", "sembleu", "rematch", "wlk")
ONE_SCORE = """
import sys
from metrics import Pair, Smatch, parse_graph

pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
assert Smatch().score([pair]).round(4).tolist() == [0.6667]
assert Smatch().explain(pair).optimal
print([name for name in ("numba", "scipy", "llvmlite", "pandas") if name in sys.modules])
"""
MANY_SCORES = """
import sys
from metrics import Pair, Smatch, parse_graph

pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
numba = []
for _ in range(300):
    value = float(Smatch().score([pair])[0])
    numba.append("numba" in sys.modules)
print([round(value, 4), numba[0], numba[-1]])
"""


METRICS = [
    build_metric(job.name, job.metric)
    for job in compose_metrics([(name, name, {}) for name in NAMES])
]


def begin(patch):
    """Begin as a process that has called no kernel."""
    load_numba()
    patch.setattr(kernels, "plain_budget", 100_000.0)


@pytest.fixture
def no_numba(monkeypatch):
    """Begin as a process that has called no kernel; a call of a compiled one is an error."""
    begin(monkeypatch)
    monkeypatch.setattr(kernels, "plain_budget", 1e12)

    def target(kernel):
        raise AssertionError(f"{kernel.py_func} is compiled")

    monkeypatch.setattr(Kernel, "target", property(target))


def assert_same(one, two):
    assert one.details.keys() == two.details.keys()
    for name in one.details:
        a, b = one.details[name], two.details[name]
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes(), name
    assert one.values.tobytes() == two.values.tobytes()


@pytest.mark.parametrize(("name", "metric"), zip(NAMES, METRICS, strict=True), ids=NAMES)
def test_metrics_give_the_same_values_to_the_last_bit(name, metric, request):
    pairs = sample_pairs(10)
    expected = metric.evaluate(pairs)
    explained = [metric.explain(pair) for pair in pairs[:3]] if name in NAMES[:4] else []
    request.getfixturevalue("no_numba")
    assert_same(metric.evaluate(pairs), expected)
    assert [metric.explain(pair) for pair in pairs[: len(explained)]] == explained


@settings(max_examples=15, deadline=None)
@given(graphs(max_nodes=5, loops=True, duplicates=True), graphs(max_nodes=5))
def test_random_graphs_have_the_same_values(src, tgt):
    pairs = [Pair(src, tgt), Pair(tgt, tgt)]
    expected = [metric.evaluate(pairs) for metric in METRICS]
    text = format_graph(tgt)
    graph = parse_graph(text)
    with pytest.MonkeyPatch.context() as patch:
        begin(patch)
        with plain_if_quick(0):
            assert is_plain()
            for metric, scores in zip(METRICS, expected, strict=True):
                assert_same(metric.evaluate(pairs), scores)
            assert parse_graph(text) == graph


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


def test_division_by_zero_is_infinite(no_numba):
    @compiled
    def ratios(values):
        return 1.0 / values[0], values[0] / values[0]

    with plain_if_quick(0):
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
