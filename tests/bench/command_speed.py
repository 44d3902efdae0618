"""How much faster are whole commands than before, and than the smatch command? `make bench`.

Ratios of CPU times of whole processes, of the faster of a few runs of each, in turn: `run` on all
twelve cells against an earlier version of this repository, and `score` against the command of the
PyPI package smatch. The earlier version is taken from the history of the repository; without git or
that commit its rows are left out, with the reason.
"""

import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from amr_metrics import format_graphs
from bamboo.results.table import Table, render
from tests.bench.run import FOLDER, ROOT, all_pairs, environment

EARLIER = "f68b26c"  # before graphs were read into flat arrays
METRICS = ("smatch", "rematch", "sema", "sembleu")
REPEATS = 3  # of each command; the fastest counts
LONG, LONG_PAIRS = 40, 2000  # number of triples of a long graph, at least, and of pairs of them
STS = 1379  # the test pairs of STS, which come first
FEW = 100  # of them, for which starting a process takes most of the time


def main():
    """Measure and print."""
    rows = []
    notes = []
    with tempfile.TemporaryDirectory() as folder:
        everything = all_pairs()
        problem = check_out(Path(folder))
        if problem is None:
            count = sum(map(len, everything))
            for metric in METRICS:
                command = [sys.executable, "-m", "bamboo", "run", f"metric={metric}"]
                command += ["data=all", "partition=all", "cache=off"]
                ratio = measured(command, command, at(Path(folder)), at(ROOT))
                rows.append((f"run metric={metric}", f"commit {EARLIER}", count, ratio))
        else:
            notes.append(f"No comparison with commit {EARLIER}: {problem}.")
    python = environment()
    sts = everything[0][:STS]
    for name, pairs in (
        ("STS, every 13th pair", sts[:: STS // FEW][:FEW]),
        ("STS", sts),
        (f"graphs of {LONG} or more triples", long_pairs(everything)),
    ):
        files = [str(FOLDER / f"{side}.command.amr") for side in ("src", "tgt")]
        for side, path in enumerate(files):
            Path(path).write_text(format_graphs(pair[side] for pair in pairs), "utf-8")
        theirs = [str(python), str(python.parent / "smatch.py"), "-f", *files]
        ours = [sys.executable, "-m", "bamboo", "score", f"src={files[0]}", f"tgt={files[1]}"]
        ratio = measured(theirs, ours, dict(os.environ), at(ROOT))
        rows.append((f"score, {name}", "smatch command", len(pairs), ratio))
    title = "Whole commands: CPU time of the reference over ours"
    header = ("command", "reference", "pairs", "times faster")
    print(render([Table(title, header, tuple(rows), 1, tuple(notes))], "table"))


def check_out(folder):
    """Write the files of the earlier commit to a folder; the reason if that is not possible."""
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), "archive", EARLIER], capture_output=True, check=False
        )
    except OSError as error:
        return f"git cannot be run ({error.strerror})"
    if done.returncode:
        return f"git says {done.stderr.decode(errors='replace').strip().splitlines()[-1]!r}"
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return None


def at(folder):
    """The environment in which Python imports the packages of a folder."""
    return {**os.environ, "PYTHONPATH": str(folder)}


def measured(theirs, ours, their_environment, own_environment):
    """The CPU time of one command over that of another; each is run once before it is measured."""
    spent = {False: [], True: []}
    for _ in range(1 + REPEATS):
        spent[False].append(cpu_seconds(theirs, their_environment))
        spent[True].append(cpu_seconds(ours, own_environment))
    return min(spent[False][1:]) / min(spent[True][1:])


def cpu_seconds(command, environment):
    """The CPU seconds of a process, in which one thread is used for linear algebra."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as runs:
        own = {**environment, "OMP_NUM_THREADS": "1", "BAMBOO_RUNS_DIR": runs}
        subprocess.run(command, env=own, cwd=runs, capture_output=True, check=True)
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
