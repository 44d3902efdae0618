"""Huge and degenerate graphs: each is scored or refused, within the stated memory and work."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.fuzz.campaign import Skipped
from tests.fuzz.huge import SHAPES
from tests.fuzz.metrics import every_metric

ORDER = 80
ROOT = Path(__file__).parents[3]
LARGEST = 50_000  # nodes; a third of the cases have at most a hundredth of them
SECONDS = 90  # of processor time: several times what the limits of work stand for
REFUSED = re.compile(
    r"pair 0: (blend: |smatch: |label_overlap: )*graphs of [\d,]+ and [\d,]+ nodes "
    r"(would need .* of memory, the limit for one pair is 1 GB|need more than [\d,]+ steps)"
)


def campaign(rng, budget):
    """Score one pair in a process of its own."""
    if not Path("/proc/self/statm").exists():
        raise Skipped("needs Linux, where the memory of a process can be limited")
    tried, failures = 0, []
    metrics, shapes = list(every_metric()), list(SHAPES)
    for case in budget.cases():
        name, shape = metrics[case % len(metrics)], shapes[int(rng.integers(0, len(shapes)))]
        size = int(10 ** rng.uniform(1, np.log10(LARGEST)))
        other = size - int(rng.integers(0, 2)) * int(rng.integers(0, size // 2))
        tried += 1
        if message := _problem(name, shape, size, other):
            failures.append(f"case {case}: {name}, {shape} of {size} and {other}: {message}")
    return tried, failures


def _problem(name, shape, size, other):
    try:
        run = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.huge", name, shape, str(size), str(other)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=40 * SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {40 * SECONDS} s"
    if run.returncode:
        return f"status {run.returncode}: {run.stderr.strip()[-200:]!r}"
    seconds, _, answer = run.stdout.partition(" ")
    verb, _, rest = answer.strip().partition(" ")
    if float(seconds) > SECONDS:
        return f"took {seconds} s of processor time: {answer.strip()}"
    if verb == "refused" and not REFUSED.match(rest):
        return f"not refused in the usual form: {rest}"
    if verb == "scored" and not -1.001 <= float(rest) <= 2.001:
        return f"score {rest}"
    return None
