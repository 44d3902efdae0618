"""The kernels as plain Python functions find exactly what they find compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path

from alignment_problems import random_problem

from metrics import Pair, Smatch, parse_graph
from metrics.alignment.exact import Exact
from metrics.alignment.hillclimb import HillClimb
from metrics.alignment.problem import ProblemBatch

REPOSITORY = Path(__file__).parents[3]
TEXTS = [
    "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 b) :polarity -)",
    "(w / want-01 :ARG0 (g / girl :mod (b / boy)) :ARG1 (s / sleep-01 :ARG0 g) :ARG1 (g2 / go-01))",
    "(a / and :op1 (s / sleep-01 :ARG0 (b / boy)) :op2 (s2 / sleep-01 :ARG0 b :ARG0-of (c / cat)))",
]


def found():
    small = ProblemBatch.pack([random_problem(seed, nodes=(4, 9)) for seed in range(12)])
    batch = ProblemBatch.pack([random_problem(seed) for seed in range(12)])
    answers = [
        Exact().solve_batch(small),  # without a limit, larger problems take seconds uncompiled
        Exact(work_limit=300).solve_batch(batch),
        HillClimb(restarts=2).solve_batch(batch),
    ]
    graphs = [parse_graph(text) for text in TEXTS]
    scores = Smatch().evaluate([Pair(a, b) for a in graphs for b in graphs])
    return [
        [a.mapping.tolist(), a.value.tolist(), a.upper_bound.tolist(), a.optimal.tolist()]
        for a in answers
    ] + [scores.values.tolist()]


def test_plain_equals_compiled():
    run = subprocess.run(
        [sys.executable, __file__],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "tests")]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == found()


if __name__ == "__main__":
    print(json.dumps(found()))
