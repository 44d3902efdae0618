"""How much faster are commands than the smatch command? Ratios, from one run: `make bench`.

Ratios of CPU times of whole processes, of the fastest of a few runs of each, in turn.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from amr_metrics import format_graphs
from bamboo.display.table import Table, render
from tests.bench.run import FOLDER, ROOT, all_pairs, environment

REPEATS = 3  # of each command; the fastest counts
LONG, LONG_PAIRS = 40, 2000  # number of triples of a long graph, at least, and of pairs of them
STS = 1379  # the test pairs of STS, which come first
FEW = (3, 100, 200)  # numbers of them for which starting a process takes much of the time


def main():
    """Measure and print."""
    rows = []
    everything = all_pairs()
    python = environment()
    sts = everything[0][:STS]
    for name, pairs in (
        *((f"STS, every {STS // n}th pair", sts[:: STS // n][:n]) for n in FEW),
        ("STS", sts),
        (f"graphs of {LONG} or more triples", long_pairs(everything)),
    ):
        files = [str(FOLDER / f"{side}.command.amr") for side in ("src", "tgt")]
        for side, path in enumerate(files):
            Path(path).write_text(format_graphs(pair[side] for pair in pairs), "utf-8")
        theirs = [str(python), str(python.parent / "smatch.py"), "-f", *files]
        ours = [sys.executable, "-m", "bamboo", "score", f"src={files[0]}", f"tgt={files[1]}"]
        rows.append((f"score, {name}", "smatch command", len(pairs), measured(theirs, ours)))
        if pairs == sts:
            ratio = measured(theirs, ours, is_first=True)
            rows.append(("score, the first ever, STS", "smatch command", len(pairs), ratio))
    with tempfile.TemporaryDirectory() as runs:
        theirs = [sys.executable, "-c", "import numpy"]
        ours = [sys.executable, "-m", "bamboo", "run", "metric=smatch", "data=sample"]
        ratio = measured(theirs, ours, {"BAMBOO_RUNS_DIR": runs})
    rows.append(("run, the sample, from the cache", "import numpy", 64, ratio))
    title = "Whole commands: CPU time of the reference over ours"
    header = ("command", "reference", "pairs", "times faster")
    print(render([Table(title, header, tuple(rows), 2)], "table"))


def measured(theirs, ours, variables=None, is_first=False):
    """The CPU time of one command over that of another; each is run once before it is measured.

    Args:
        variables: of the environment of our command.
        is_first: whether both find no byte code, as when they run for the first time.
    """
    spent = {False: [], True: []}
    for _ in range(1 + REPEATS):
        spent[False].append(cpu_seconds(theirs, {}, is_first))
        ours_alone = {"PYTHONPATH": str(ROOT), **(variables or {})}
        spent[True].append(cpu_seconds(ours, ours_alone, is_first))
    return min(spent[False][1:]) / min(spent[True][1:])


def cpu_seconds(command, variables, is_first):
    """The CPU seconds of a process, in which one thread is used for linear algebra."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as runs:
        all_variables = {"OMP_NUM_THREADS": "1", "BAMBOO_RUNS_DIR": runs, **variables}
        if is_first:
            all_variables["PYTHONPYCACHEPREFIX"] = str(Path(runs, "empty"))
        environ = {**os.environ, **all_variables}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a later start finds the byte code
        subprocess.run(command, env=environ, cwd=runs, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def long_pairs(partitions):
    """Pairs of two long graphs, repeated until there are enough."""
    pairs = [pair for part in partitions for pair in part if min(map(triples, pair)) >= LONG]
    return (pairs * (1 + LONG_PAIRS // len(pairs)))[:LONG_PAIRS]


def triples(graph):
    """The number of triples of a graph, including those of concepts."""
    return len(graph.variables) + len(graph.attributes) + len(graph.relations)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
