"""What a first score imports."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ONE_SCORE = """
import sys
from amr_metrics import Pair, Smatch, parse_graph
from amr_metrics.aspects import score_subscores

pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
assert Smatch().score([pair]).round(4).tolist() == [0.6667]
assert Smatch().explain(pair).optimal
assert score_subscores("amrlib", [pair], ["srl", "reentrancies"])[1].empty.all()
print([name for name in ("numba", "scipy", "pandas") if name in sys.modules])
"""


def test_a_score_imports_neither_scipy_nor_pandas():
    run = subprocess.run(
        [sys.executable, "-c", ONE_SCORE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "metrics")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout, run.returncode) == ("[]\n", 0), run.stderr
