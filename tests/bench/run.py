"""Compare the speed of exact Smatch with that of its reference tools: `make bench`.

Both sides score the same pairs of all twelve partitions on one core. Time for reading, and for
loading the compiled kernels, is excluded. The tools are installed in a separate environment.
"""

import json
import subprocess
import sys
import time
import venv
from pathlib import Path

import numpy as np

from amr_metrics import Smatch, format_graphs
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import PARTITIONS
from bamboo.display.table import Table, render
from tests.configured import configured

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build" / "bench"
PER_PARTITION = 150  # pairs drawn from each of the twelve partitions
REPEATS = 5  # of our measurement; the fastest counts
CONTESTANTS = {
    "smatch (4 restarts)": ("smatch", "smatch_package.py"),
    "smatchpp (ILP)": ("smatchpp", "smatchpp_package.py"),
}


def main():
    """Measure and print; the numbers are also written to ``build/bench/result.json``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    python = environment()
    clock = time.process_time()
    everything = all_pairs()
    reading = time.process_time() - clock
    pairs = drawn(everything)
    files = [FOLDER / "src.amr", FOLDER / "tgt.amr"]
    for side, path in enumerate(files):
        path.write_text(format_graphs(pair[side] for pair in pairs), "utf-8")
    metric = Smatch()
    clock = time.process_time()
    metric.warm_up()
    compiling = time.process_time() - clock
    ours = min(timed(metric, pairs) for _ in range(REPEATS))
    rows, ratios = [], {}
    for name, (_, script) in CONTESTANTS.items():
        done = subprocess.run(
            [str(python), str(HERE / "contestants" / script), *map(str, files)],
            capture_output=True,
            text=True,
            check=True,
        )
        theirs = json.loads(done.stdout.splitlines()[-1])
        assert theirs["pairs"] == len(pairs)
        ratios[name] = theirs["cpu"] / ours
        rows.append((name, len(pairs), round(ratios[name], 1)))
    spent = {"reading": reading, "loading kernels": compiling}
    spent["scoring"] = sum(timed(metric, part) for part in everything)
    shares = {name: seconds / sum(spent.values()) for name, seconds in spent.items()}
    count = sum(map(len, everything))
    listed = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    notes = [f"CPU time of this project for all {count:,} pairs: {listed}."]
    table = Table(
        "Exact Smatch (all alignments proven) and its reference tools: ratio of CPU times",
        ("reference", "pairs", "times faster"),
        tuple(rows),
        1,
        tuple(notes),
    )
    print(render([table], "table"))
    document = {"pairs": len(pairs), "ratios": ratios, "shares": shares}
    (FOLDER / "result.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def timed(metric, pairs):
    """CPU seconds of scoring the pairs, all alignments proven."""
    clock = time.process_time()
    scores = metric.evaluate(pairs)
    spent = time.process_time() - clock
    assert scores.details["optimal"].all()
    return spent


def all_pairs():
    """The test pairs of each of the twelve partitions."""
    datasets = list(configured("run", ["data=all"]).data)
    return [Cell(d, partition, "test").load().pairs for d in datasets for partition in PARTITIONS]


def drawn(partitions):
    """The same number of pairs from each partition, drawn with a fixed seed."""
    rng = np.random.default_rng(0)
    pairs = []
    for part in partitions:
        chosen = rng.choice(len(part), min(PER_PARTITION, len(part)), replace=False)
        pairs += [part[k] for k in sorted(chosen)]
    return pairs


def environment():
    """The Python interpreter with the reference tools; created on first use."""
    home = FOLDER / "environment"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        packages = [package for package, _ in CONTESTANTS.values()]
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
