"""How much faster is optimal transport than in POT? Ratios, from one run: `make bench`.

All solve the problems that WWLK-theta poses on pairs of all twelve partitions, on one core.
"Training" scores them after each edge weight has moved by a hundredth, as training does: its time
includes that of computing the distances, that of the others does not.
"""

import itertools
import sys
import time
from pathlib import Path

import numpy as np
import ot

from amr_metrics.transport.embedding import mean_distances
from amr_metrics.transport.flow import least_costs
from bamboo.config.requests import build_named_row
from bamboo.display.table import Table, render
from tests.bench.run import all_pairs, drawn

REPEATS = 5  # the best counts


def main():
    """Measure and print."""
    pairs = drawn(all_pairs())
    job = build_named_row("wwlk_theta", "wwlk_theta")
    metric = job.metric.initialised(pairs)
    values = metric.parameters.values
    moved = values + np.random.default_rng(0).choice([-0.01, 0.01], len(values))
    prepared = metric.prepare(pairs)
    encoded = prepared.encoded
    weights = metric.with_parameters(moved).weights_of(encoded.roles)
    distances = mean_distances(encoded, metric.label_vectors(encoded, 1), weights, metric.K)
    prepared.score(values)
    expected = by_pot(distances)
    for costs in (least_costs(distances), 1 - prepared.score(moved)):
        assert np.allclose(costs, expected, rtol=0, atol=1e-9)
    reference = timed(lambda: by_pot(distances))
    rounds = itertools.cycle((values, moved))
    rows = [
        ("least_costs", len(pairs), reference / timed(lambda: least_costs(distances))),
        ("training", len(pairs), reference / timed(lambda: prepared.score(next(rounds)))),
    ]
    title = "Optimal transport against POT's ot.emd2: CPU time, theirs over ours"
    print(render([Table(title, ("search", "pairs", "times faster"), tuple(rows), 1)], "table"))


def by_pot(batch):
    """What the cheapest flow of each pair costs, by POT."""
    matrices = [
        batch.costs[batch.start[p] : batch.start[p + 1]].reshape(n, m)
        for p, (n, m) in enumerate(batch.sizes)
    ]
    return np.array([ot.emd2([], [], cost) for cost in matrices])


def timed(work):
    """The least CPU seconds of a few goes."""
    spent = []
    for _ in range(REPEATS):
        clock = time.process_time()
        work()
        spent.append(time.process_time() - clock)
    return min(spent)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
