"""Checks of metrics with the pairs of the sample and random graphs, also in other processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from amr_metrics.base import Metric, Pair, pair_up
from amr_metrics.building import build_metric, metric_options
from amr_metrics.conformance import CHECKS, Requirement, Violation, fingerprint, ready
from amr_metrics.errors import MetricError, PairError
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.notation import format_triples
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.reading import read_graphs
from amr_metrics.utils.user_code import guard_user_code
from bamboo.config.rows import Row
from bamboo.errors import BambooError
from bamboo.files import json_text
from bamboo.installation import resource
from bamboo.user_code import reserve_output, user_code_error

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
        skipped: what the check left out; None if nothing.
        problem: why the check failed; None if it did not.
        cause: the metric's error that made it fail; None if the metric computed scores.
        graphs: the graphs for which it failed, in Penman notation, by what they are.
    """

    metric: str
    check: str
    promise: str
    skipped: str | None = None
    problem: str | None = None
    cause: str | None = None
    graphs: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The problem, or the promise that is kept, with what was left out."""
        kept = self.promise + ("" if self.skipped is None else f"; skipped: {self.skipped}")
        return kept if self.problem is None else self.problem


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
    elsewhere = Requirement(
        PROCESSES,
        "other processes compute the same scores",
        lambda metric, pairs: _check_processes(row, metric, pairs),
    )
    return [
        *(_run_check(check, row.name, metric, pairs) for check in CHECKS),
        _run_check(elsewhere, row.name, metric, pairs[:sample]),
    ]


def _run_check(check: Requirement, name: str, metric: Metric, pairs: Sequence[Pair]) -> Outcome:
    """Return the outcome of one check of a metric with a name."""
    outcome = Outcome(name, check.name, check.promise)
    try:
        with guard_user_code():
            return replace(outcome, skipped=check.run(metric, pairs))
    except Violation as violation:
        cause = violation.__cause__
        return replace(
            outcome,
            problem=str(violation),
            cause=None if cause is None else _describe_problem(cause),
            graphs={side: _format_line(graph) for side, graph in violation.graphs.items()},
        )
    except (MetricError, BambooError) as error:
        problem = _describe_problem(error)
    except Exception as error:
        of_user = user_code_error(error)
        if of_user is None:
            raise
        problem = str(of_user)
    return replace(outcome, problem=problem, cause=problem)


def _describe_problem(error: BaseException) -> str:
    """Return what is wrong, without the number of a pair among those that a check scored."""
    return error.problem if isinstance(error, PairError) else str(error)


def _format_line(graph: Graph) -> str:
    """Format a graph on one line."""
    return format_triples(graph.triples, graph.top, indent=None) if graph.triples else "(empty)"


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
            "from bamboo.conformance import print_fingerprints as f; f()",
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
    fingerprints: dict[str, str] = json.loads(done.stdout)
    return fingerprints


@reserve_output()
def print_fingerprints() -> None:
    """Read a request of `fingerprints_elsewhere` from standard input and print the answer."""
    request = json.load(sys.stdin)
    pairs = sample_pairs(request["count"])
    with guard_user_code():
        answer = {
            name: fingerprint(ready(build_metric(name, config), pairs), pairs)
            for name, config in request["rows"]
        }
    print(json_text(answer))
