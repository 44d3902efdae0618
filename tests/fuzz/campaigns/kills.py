"""Runs that are killed at a random moment, and run again: the second gives the usual result."""

from __future__ import annotations

import signal
import time

import numpy as np

from tests.fuzz.campaign import Budget, home
from tests.fuzz.processes import RUN, finish, numbers, start

ORDER = 70
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def campaign(rng: np.random.Generator, budget: Budget) -> tuple[int, list[str]]:
    """Kill a run after a random part of its usual time, then run it to its end."""
    tried, failures = 0, []
    with home() as folder:
        begin = time.monotonic()
        status, _, err = finish(start(*RUN, "out=whole", folder=folder))
        if status != 0:
            return 1, [f"the whole run failed: {err[-300:]}"]
        usual = time.monotonic() - begin
        expected = numbers(folder / "whole")
        for case in budget.cases():
            tried += 1
            runs = folder / f"runs-{case // 5}"  # five kills with the same caches
            process = start(*RUN, "out=killed", folder=folder, runs=runs)
            delay = float(rng.uniform(0, usual))
            sent = SIGNALS[int(rng.integers(0, len(SIGNALS)))]
            time.sleep(delay)
            process.send_signal(sent)
            status, _, err = finish(process)
            what = f"case {case}, {sent.name} after {delay:.2f} s"
            if sent == signal.SIGINT and (status not in (0, 130, -2) or "Traceback" in err):
                failures.append(f"{what}: status {status}, {err[-300:]!r}")
            status, _, err = finish(start(*RUN, "out=again", folder=folder, runs=runs))
            if status != 0 or "Traceback" in err or "warning" in err:
                failures.append(f"{what}: the second run has status {status}, {err[-300:]!r}")
            elif numbers(folder / "again") != expected:
                failures.append(f"{what}: the second run has other numbers")
    return tried, failures
