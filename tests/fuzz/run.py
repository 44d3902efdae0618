"""Run the campaigns and print how many cases were tried and how many failed: ``make fuzz``.

    python -m tests.fuzz.run --seconds 600 --seed 0 --only reading,files

The time is divided evenly between the campaigns. The random numbers of a campaign depend only on
the seed, its name and the number of the process, so that a failing case is repeated by the same
seed with ``--only`` and the same ``--processes``, as long as the campaign gets as far. The exit
status is 1 if a case failed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import multiprocessing
import pkgutil
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.fuzz.campaign import Budget, Skipped, described

CAMPAIGNS = Path(__file__).with_name("campaigns")
SHOWN = 10  # failures of one campaign that are printed


@dataclass(frozen=True)
class Report:
    """The outcome of one campaign; `skipped` says why it did not run, if it did not."""

    name: str
    tried: int
    failures: Sequence[str]
    seconds: float
    skipped: str = ""

    def __str__(self):
        result = f"{self.tried:9,} {len(self.failures):7,} {self.seconds:8.1f}"
        return f"{self.name:18} {f'skipped: {self.skipped}' if self.skipped else result}"


HEADER = f"{'campaign':18} {'tried':>9} {'failed':>7} {'seconds':>8}"
Campaign = Callable[[np.random.Generator, Budget], tuple[int, Sequence[str]]]


def names():
    """The names of all campaigns, in the order in which they run."""
    found = [module.name for module in pkgutil.iter_modules([str(CAMPAIGNS)])]
    return sorted(found, key=lambda name: (getattr(_module(name), "ORDER", 50), name))


def run(name, campaign, seed, budget, process=0):
    """Run one campaign; an exception that it raises is a failure."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), process])
    skipped = ""
    try:
        tried, failures = campaign(rng, budget)
    except Skipped as reason:
        tried, failures, skipped = 0, [], str(reason)
    except Exception as error:
        tried, failures = 1, [f"the campaign itself failed: {described(error)}"]
    return Report(name, tried, failures, time.monotonic() - budget.start, skipped)


def main(arguments=None):
    """Run the requested campaigns; returns the exit status."""
    known = names()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="for all campaigns together")
    parser.add_argument("--cases", type=int, default=None, help="most cases of each campaign")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1, help="that run each campaign at once")
    parser.add_argument("--only", default="", help=f"some of {','.join(known)}")
    options = parser.parse_args(arguments)
    chosen = [name for name in options.only.split(",") if name] or known
    if strange := [name for name in chosen if name not in known]:
        parser.error(f"unknown campaign {strange[0]!r}: there are {', '.join(known)}")
    if options.processes < 1:
        parser.error(f"--processes {options.processes}: expected at least 1")
    print(f"seed {options.seed}\n{HEADER}", flush=True)
    end, reports = time.monotonic() + options.seconds, []
    with _executor(options.processes) as executor:
        for k, name in enumerate(chosen):
            share = (end - time.monotonic()) / (len(chosen) - k)
            budget = Budget(max(share, 0.0), options.cases)
            if executor is None:
                report = run(name, campaign_of(name), options.seed, budget)
            else:
                report = _run_in(executor, options.processes, name, options.seed, budget)
            print(report, flush=True)
            for failure in report.failures[:SHOWN]:
                print(f"    {failure}", flush=True)
            if len(report.failures) > SHOWN:
                print(f"    and {len(report.failures) - SHOWN} more", flush=True)
            reports.append(report)
    failed = sum(len(report.failures) for report in reports)
    print(f"{sum(report.tried for report in reports):,} cases, {failed:,} failed")
    return 1 if failed else 0


@contextlib.contextmanager
def _executor(processes):
    """New processes, with nothing of this one; None if campaigns run in this process."""
    if processes == 1:
        yield None
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as executor:
        yield executor


def _run_in(executor, count, name, seed, budget):
    """Run one campaign in several processes, each with a part of the cases."""
    running = [
        executor.submit(_run_part, name, seed, part, k)
        for k, part in enumerate(budget.split(count))
    ]
    reports = [each.result() for each in running]
    tried = sum(report.tried for report in reports)
    return Report(
        name,
        tried,
        [f"process {k}, {text}" for k, report in enumerate(reports) for text in report.failures],
        max(report.seconds for report in reports),
        "" if tried else reports[0].skipped,
    )


def _run_part(name, seed, budget, process):
    return run(name, campaign_of(name), seed, budget, process)


def campaign_of(name):
    """The function that runs a campaign."""
    campaign = _module(name).campaign
    return campaign


def _module(name):
    return importlib.import_module(f"tests.fuzz.campaigns.{name}")


if __name__ == "__main__":
    sys.exit(main())
