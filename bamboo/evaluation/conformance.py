"""Checks of metrics with the pairs of the sample and random graphs, also in other processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from amr_metrics.base import Metric, Pair, pair_up
from amr_metrics.building import build_metric, metric_options
from amr_metrics.conformance import CHECKS, Requirement, Violation, fingerprint, ready
from amr_metrics.errors import MetricError
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.reading import read_graphs
from bamboo.config.rows import Row
from bamboo.errors import BambooError
from bamboo.files import json_text
from bamboo.installation import resource
from bamboo.user_code import user_code_error

PROCESSES = "processes"
# Python's hashes of strings, and so the order of sets, differ between these processes.
HASH_SEEDS = ("1", "2")


@dataclass(frozen=True)
class Outcome:
    """The result of one check.

    Attributes:
        metric: the metric's name.
        check: the name of the check.
        promise: what is checked.
        problem: why the check failed; None if it did not.
    """

    metric: str
    check: str
    promise: str
    problem: str | None


def sample_pairs(count: int) -> Sequence[Pair]:
    """Return the first pairs of the sample's main partition."""
    folder = resource("data") / "sample" / "main"
    src, tgt = (read_graphs(folder / f"{side}.test.amr")[:count] for side in ("src", "tgt"))
    return pair_up(src, tgt)


def random_pairs(count: int, seed: int) -> list[Pair]:
    """Return pairs of random graphs."""
    rng = np.random.default_rng(seed)
    return [Pair(random_graph(rng), random_graph(rng)) for _ in range(count)]


def check_metric(row: Row, pairs: Sequence[Pair], sample: int) -> list[Outcome]:
    """Return all checks of one metric.

    Args:
        pairs: the pairs, the first of which are those of the sample.
        sample: the number of these, which are also scored in other processes.

    Raises:
        ConfigError: a metric that cannot be built.
    """
    metric = ready(row.on(), pairs)
    outcomes = [
        Outcome(row.name, check.name, check.promise, _problem(check, metric, pairs))
        for check in CHECKS
    ]
    elsewhere = Requirement(
        PROCESSES,
        "other processes compute the same scores",
        lambda metric, pairs: _check_processes(row, metric, pairs),
    )
    problem = _problem(elsewhere, metric, pairs[:sample])
    return [*outcomes, Outcome(row.name, elsewhere.name, elsewhere.promise, problem)]


def _problem(check: Requirement, metric: Metric, pairs: Sequence[Pair]) -> str | None:
    """Return why a check fails; None if it does not."""
    try:
        check.run(metric, pairs)
    except (MetricError, BambooError) as error:
        return str(error)
    except Exception as error:
        own = user_code_error(error)
        if own is None:
            raise
        return str(own)
    return None


def _check_processes(row: Row, metric: Metric, pairs: Sequence[Pair]) -> None:
    here = fingerprint(metric, pairs)
    for seed in HASH_SEEDS:
        if fingerprints_elsewhere([row], len(pairs), seed)[row.name] != here:
            raise Violation(
                f"a process with PYTHONHASHSEED={seed} computes other scores: does the metric "
                "depend on the order of a set, or on random numbers without a seed?"
            )


def fingerprints_elsewhere(rows: Sequence[Row], count: int, hash_seed: str) -> Mapping[str, str]:
    """Return the fingerprint of each metric's scores on the sample, computed in a new process.

    Args:
        count: the number of pairs.
        hash_seed: the seed of Python's hashes of strings in that process.

    Raises:
        BambooError: the process failed.
    """
    request = {"rows": [[row.name, metric_options(row.on())] for row in rows], "count": count}
    folders = os.pathsep.join(path or os.getcwd() for path in sys.path)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from bamboo.evaluation.conformance import print_fingerprints as f; f()",
        ],
        input=json_text(request),
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": folders},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BambooError(f"scoring in another process failed: {last}")
    fingerprints: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return fingerprints


def print_fingerprints() -> None:
    """Read a request of `fingerprints_elsewhere` from standard input and print the answer."""
    request = json.load(sys.stdin)
    pairs = sample_pairs(request["count"])
    answer = {
        name: fingerprint(ready(build_metric(name, config), pairs), pairs)
        for name, config in request["rows"]
    }
    print(json_text(answer))
