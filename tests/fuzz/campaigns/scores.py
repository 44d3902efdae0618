"""What every metric promises, on random graphs: range, symmetry, identity, order, batches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from metrics import Metric, Pair
from metrics.blend.metric import Blend
from metrics.conformance import (
    Violation,
    check_batches,
    check_range,
    check_renaming,
    check_repetition,
    check_self_scores,
    check_symmetry,
    ready,
)
from metrics.random_graphs import random_graph
from tests.fuzz.campaign import Budget, described
from tests.fuzz.metrics import every_metric

ORDER = 70
PAIRS = 40  # pairs of one case; each counts as a case of the campaign
Run = Callable[[Metric, Sequence[Pair]], None]


def campaign(rng: np.random.Generator, budget: Budget) -> tuple[int, list[str]]:
    """Check one promise of one metric on some pairs."""
    tried, failures = 0, []
    metrics = list(every_metric().items())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in budget.cases():
            name, metric = metrics[case % len(metrics)]
            most = int(rng.integers(1, 12))
            pairs = [Pair(random_graph(rng, most), random_graph(rng, most)) for _ in range(PAIRS)]
            tried += len(pairs)
            for promise in _promises(metric):
                try:
                    promise(ready(metric, pairs), pairs)
                except Violation as error:
                    failures.append(f"case {case}: {name}: {promise.__name__}: {error}")
                except Exception as error:
                    failures.append(f"case {case}: {name}: {promise.__name__}: {described(error)}")
    return tried, failures


def _promises(metric: Metric) -> list[Run]:
    """The checks that hold for a metric: variants that reproduce a tool have its quirks."""
    promises: list[Run] = [check_range, check_batches, check_repetition]
    if metric.symmetric:
        promises.append(check_symmetry)
    if getattr(metric, "self_score", True) and not isinstance(metric, Blend):
        promises.append(check_self_scores)
    if getattr(metric, "variant", "definition") in ("definition", "corrected"):
        promises.append(check_renaming)
    return promises
