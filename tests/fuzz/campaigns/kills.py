"""Runs that are killed at a random moment, and run again: the second gives the usual result."""

import os
import signal
import subprocess
import time

from tests.fuzz.campaign import command, home
from tests.fuzz.processes import RUN, finish, numbers, start

ORDER = 70
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PAUSE = 0.03  # seconds on average, from a cell that is stored to the signal


def campaign(rng, budget):
    """Kill a run, then run it to its end.

    Most runs start without caches, and are killed soon after a random number of cells was stored,
    or after the last while the results are written. One in four is killed after a random part of
    its usual time, and uses the caches of the one before. A run that ended before is not counted.
    The second run is made in this process, which saves the time of starting another.
    """
    tried, failures = 0, []
    with home() as folder:
        begin = time.monotonic()
        status, _, err = finish(start(*RUN, "out=whole", folder=folder))
        if status != 0:
            return 1, [f"the whole run failed: {err[-300:]}"]
        usual = time.monotonic() - begin
        expected = numbers(folder / "whole")
        cells = _cells(folder / "runs")
        runs = folder / "runs-0"
        for case in budget.cases():
            timed = rng.integers(0, 4) == 0
            runs = runs if timed else folder / f"runs-{case}"
            begin = time.monotonic()
            process = start(*RUN, "out=killed", folder=folder, runs=runs)
            if timed:
                delay = float(rng.uniform(0, usual))
                when = f"{delay:.2f} s"
            else:
                count, delay = int(rng.integers(0, cells + 1)), float(rng.exponential(PAUSE))
                when = f"{count} cells and {delay:.3f} s"
                _wait(process, runs, count)
            sent = SIGNALS[int(rng.integers(0, len(SIGNALS)))]
            try:
                process.wait(delay)
                usual = min(usual, time.monotonic() - begin)  # the first run may compile kernels
            except subprocess.TimeoutExpired:
                process.send_signal(sent)
                tried += 1
            status, _, err = finish(process)
            what = f"case {case}, {sent.name} after {when}"
            if sent == signal.SIGINT and (status not in (0, 130, -2) or "Traceback" in err):
                failures.append(f"{what}: status {status}, {err[-300:]!r}")
            os.environ["BAMBOO_RUNS_DIR"] = str(runs)
            again = command(*RUN, "out=again")
            if (problem := again.problem()) or again.status != 0 or "warning" in again.err:
                failures.append(f"{what}: the second run: {problem or again.err[-300:]!r}")
            elif numbers(folder / "again") != expected:
                failures.append(f"{what}: the second run has other numbers")
            elif _cells(runs) != cells:
                failures.append(f"{what}: {_cells(runs)} of {cells} cells are stored")
    return tried, failures


def _cells(runs):
    """The number of cells whose scores are cached."""
    return sum(1 for _ in (runs / "cache").glob("*/*.npz"))


def _wait(process, runs, count):
    """Wait until so many cells are stored, or the process has ended."""
    while process.poll() is None and _cells(runs) < count:
        time.sleep(0.01)
