"""What every metric promises, on random graphs: range, symmetry, identity, order, batches."""

import warnings
from collections.abc import Callable, Sequence

from amr_metrics import Metric, Pair
from amr_metrics.blend.metric import Blend
from amr_metrics.conformance import (
    Violation,
    check_batches,
    check_range,
    check_renaming,
    check_repetition,
    check_self_scores,
    check_symmetry,
    ready,
)
from amr_metrics.graphs.random_graphs import random_graph
from tests.fuzz.campaign import described
from tests.fuzz.metrics import every_metric

ORDER = 70
PAIRS = 400  # that are scored together; each is a case
ALONE = 10  # one of so many is also scored alone, which takes about 20 times as long
LARGEST = 11  # nodes of a graph
Run = Callable[[Metric, Sequence[Pair]], None]


def campaign(rng, budget):
    """Check all promises of one metric on a batch of pairs; the metrics take turns."""
    tried, failures = 0, []
    metrics = list(every_metric().items())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for turn, batch in enumerate(budget.batches(PAIRS)):
            name, metric = metrics[turn % len(metrics)]
            pairs = [_pair(rng) for _ in batch]
            tried += len(pairs)
            for promise in _promises(metric):
                what = f"cases {batch.start} to {batch[-1]}: {name}: {promise.__name__}"
                try:
                    promise(ready(metric, pairs), pairs)
                except Violation as error:
                    failures.append(f"{what}: {error}")
                except Exception as error:
                    failures.append(f"{what}: {described(error)}")
    return tried, failures


def _pair(rng):
    """Two random graphs of up to a random number of nodes."""
    most = int(rng.integers(1, LARGEST + 1))
    return Pair(random_graph(rng, most), random_graph(rng, most))


def _batches(metric, pairs):
    check_batches(metric, pairs, ALONE)


def _promises(metric):
    """The checks that hold for a metric: variants that reproduce a tool have its quirks."""
    promises = [check_range, _batches, check_repetition]
    if metric.symmetric:
        promises.append(check_symmetry)
    if getattr(metric, "self_score", True) and not isinstance(metric, Blend):
        promises.append(check_self_scores)
    if getattr(metric, "variant", "definition") in ("definition", "corrected"):
        promises.append(check_renaming)
    return promises
