"""Kernels that return to Python after some steps, and go on where they were."""

import ctypes
import gc
import importlib
import os
import pkgutil
import signal
import threading
import weakref
from collections import Counter

import numpy as np
import pytest

import amr_metrics
from amr_metrics import (
    WWLK,
    Exact,
    HillClimb,
    LabelOverlap,
    Pair,
    RelationMatch,
    Rematch,
    S2match,
    Sema,
    SemBleu,
    Smatch,
    Wlk,
    WordVectors,
    WWLKTheta,
)
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.kernels import library
from amr_metrics.reading.scanner_kernels import scan as scan_bytes
from amr_metrics.transport.flow import best_bases, flow
from tests.metrics.transport.test_flow import batch, from_bases

VECTORS = WordVectors.of({"cat": [1, 0, 0], "dog": [0.8, 0.6, 0], "sleep-01": [0, 1, 0.5]})
RNG = np.random.default_rng(0)
PAIRS = [Pair(*(random_graph(RNG, nodes) for _ in range(2))) for nodes in (4, 30, 12)]
COSTS = [RNG.random((n, m)) for n, m in ((3, 4), (12, 9))]


# `bool NAME(State *now, ...)`
PAUSING = {
    name
    for name, (_, parameters) in library.read_declarations().kernels.items()
    if parameters.split()[0] in library.read_declarations().structs and "*" in parameters.split()[1]
}


def score_with(metric):
    def score():
        scores = metric.evaluate(PAIRS)
        return [scores.values, *map(np.asarray, scores.columns().values())]

    return score


def score_weights():
    metric = WWLKTheta(vectors=VECTORS).initialised(PAIRS)
    pairs, values = metric.prepare(PAIRS), metric.parameters.values
    return lambda: [pairs.scores(np.stack([values, values / 2, -values]))]


def read():
    graph = "# ::id a\n(a / b :c (d / e~1 :f a) :g -)\n\n"
    text = graph + "(b / c :d e))\n\n" + graph
    return lambda: [np.array([repr(scan(text, whole)) for whole in (True, False)])]


def scan(text, whole):
    data = text.encode()
    regions = np.array([[0, 50], [50, len(data)]])
    return scan_bytes(data, regions, whole=whole, complete=len(data))


# The kernels, and how to prepare a calculation that calls them.
WORK = {
    "solve_problems": lambda: score_with(Smatch()),
    "climb_problems": lambda: score_with(Smatch(solver=HillClimb())),
    "match_all_with_reuse": lambda: score_with(Sema()),
    "match_one_to_one": lambda: score_with(Sema(variant="corrected")),
    "count_ngrams": lambda: score_with(SemBleu()),
    "share_motifs": lambda: score_with(Rematch()),
    "multiply_labels": lambda: score_with(Wlk()),
    "match_facts": lambda: score_with(LabelOverlap()),
    "multiply_label_vectors match_relations": lambda: score_with(RelationMatch(vectors=VECTORS)),
    "grade_matches": lambda: score_with(S2match(vectors=VECTORS)),
    "redraw_label_vectors add_node_distances find_least_costs": lambda: score_with(
        WWLK(vectors=VECTORS, stability=2)
    ),
    "find_flow": lambda: lambda: [flow(cost) for cost in COSTS],
    "find_bases cost_from_basis": lambda: (
        lambda: [
            np.array(from_bases(batch(*COSTS), best_bases(batch(*(1 - cost for cost in COSTS)))))
        ]
    ),
    "score_pairs": score_weights,
    "read_graphs": read,
}


@pytest.fixture(autouse=True, scope="module")
def heed_ctrl_c():
    """Raise KeyboardInterrupt, also where the shell started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def write_bytes(results):
    return [result.tobytes() for result in results]


@pytest.fixture(scope="module")
def kernels():
    """The functions that call the kernels that pause, by name."""
    found = {}
    for module in pkgutil.walk_packages(amr_metrics.__path__, "amr_metrics."):
        for value in vars(importlib.import_module(module.name)).values():
            if getattr(value, "__globals__", {}).get("_run") is library.run_to_end:
                found[value.__name__] = value
    assert found.keys() == PAUSING
    return found


@pytest.fixture
def pauses(kernels, monkeypatch):
    """Kernels pause as often as they can; returns how often, by name.

    The key "limit", if there is one, is the number of pauses up to Ctrl-C.
    """
    counts = Counter()

    def count_pauses(kernel):
        def run(function, *arguments):
            def call(*passed):
                finished = function(*passed)
                counts[kernel] += not finished
                if not finished and "limit" in counts:
                    counts["limit"] -= 1
                    if counts["limit"] == 0:
                        signal.raise_signal(signal.SIGINT)
                return finished

            library.run_to_end(call, *arguments)

        return run

    monkeypatch.setattr(library, "PAUSE", 1)
    for name, kernel in kernels.items():
        monkeypatch.setitem(kernel.__globals__, "_run", count_pauses(name))
    return counts


def test_all_kernels_that_pause_are_tested():
    assert {name for names in WORK for name in names.split()} == PAUSING


@pytest.mark.parametrize("names", WORK)
def test_pauses_change_no_bit(names, request):
    expected = write_bytes(WORK[names]()())
    pauses = request.getfixturevalue("pauses")
    assert write_bytes(WORK[names]()()) == expected
    assert all(pauses[name] > 0 for name in names.split())


@pytest.mark.parametrize("names", WORK)
def test_after_ctrl_c_the_same_objects_give_the_same(names, request):
    expected = write_bytes(WORK[names]()())
    pauses = request.getfixturevalue("pauses")
    calculate = WORK[names]()
    pauses.clear()
    calculate()
    total = pauses.total()
    for limit in {1, 2, total // 3, total // 2, total - 1, total} - {0}:
        calculate = WORK[names]()
        pauses["limit"] = limit
        with pytest.raises(KeyboardInterrupt):
            calculate()
        del pauses["limit"]
        assert write_bytes(calculate()) == expected


def test_a_kernel_is_called_with_a_new_budget_until_it_is_finished():
    budgets, states = [], set()

    def kernel(state, argument):
        budgets.append(state[0])
        state[0] = 0
        states.add(ctypes.addressof(state))
        state[1] += 1  # zero at first
        return state[1] == argument

    library.run_to_end(kernel, 3)
    assert budgets == [library.PAUSE] * 3
    assert len(states) == 1


def test_memory_is_freed_after_ctrl_c():
    array = np.zeros(1000)
    freed = []
    weakref.finalize(array, freed.append, "array")

    def kernel(state, argument):
        weakref.finalize(state, freed.append, "state")
        signal.raise_signal(signal.SIGINT)
        return False

    with pytest.raises(KeyboardInterrupt):
        library.run_to_end(kernel, array)
    del array
    gc.collect()
    assert sorted(freed) == ["array", "state"]


def test_ctrl_c_within_one_problem():
    """Ends only if the kernel returns: the search would take years."""
    rng = np.random.default_rng(0)
    edges = [sorted({(int(rng.integers(k)), k) for k in range(1, 60)} | {(1, 5)}) for _ in "ab"]
    every = [(q, r) for q in range(len(edges[0])) for r in range(len(edges[1]))]
    problem = AlignmentProblem.build(np.ones((60, 60)), *edges, every)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        Exact(work_limit=2**62, node_limit=2**62).solve(problem)
