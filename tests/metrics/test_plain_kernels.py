"""Small work is done by the plain functions of the kernels, with the same values, without Numba."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from amr_metrics import Pair
from amr_metrics.compiled import compiled, is_plain, plain_if_quick
from amr_metrics.conformance import ready
from amr_metrics.graphs.numbering import numbering
from amr_metrics.parameters import Parametric
from bamboo.config.rows import named_rows
from bamboo.conformance import sample_pairs
from tests.conformance.forms import FORMS
from tests.plain_kernels import plain_kernels
from tests.strategies import rough_graph

ROOT = Path(__file__).parents[2]
NAMES = ("sema", "sembleu", "rematch", "wlk")
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
METRICS = [job.metric for job in named_rows([(name, name, {}) for name in NAMES])]


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
    with plain_kernels():
        check_scores(metric.evaluate(pairs), expected)


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


def test_division_by_zero_is_infinite():
    @compiled
    def ratios(values):
        return 1.0 / values[0], values[0] / values[0]

    with plain_kernels():
        assert str(ratios(np.zeros(1))) in ("(np.float64(inf), np.float64(nan))", "(inf, nan)")


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(numbering)) is numbering


def test_other_threads_call_compiled_kernels():
    with plain_if_quick(0), ThreadPoolExecutor(1) as pool:
        assert is_plain()
        assert not pool.submit(is_plain).result()
