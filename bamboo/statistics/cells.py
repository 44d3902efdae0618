"""Samples of the benchmark's cells, and the interval of the mean over several cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.errors import StatisticsError
from bamboo.running.cache import CellScores
from bamboo.statistics.bootstrap import joint_bootstrap
from bamboo.statistics.resampling import Resampling
from bamboo.statistics.sample import Sample, mean_of, quantiles
from metrics.types import Floats


def cell_sample(
    cell: Cell,
    scores: Sequence[Floats],
    pairs: CellScores,
    protocol: Protocol,
    unreadable: Collection[int] = (),
) -> Sample:
    """The scores of some metrics on a cell; cells with the same pairs share random draws.

    Args:
        scores: of each metric, one per pair.
        pairs: the numbers and ratings of the pairs, with the scores of any metric.
        unreadable: the numbers of pairs that are left out.

    Raises:
        StatisticsError: see `Sample`.
    """
    numbers, ratings = pairs.numbers, pairs.ratings
    first = int(numbers[0]) if len(numbers) else 0
    rows = np.array(scores, dtype=np.float64).reshape(len(scores), len(numbers))
    rows[:, np.isin(numbers, list(unreadable))] = np.nan
    group = f"{cell.dataset.name} {cell.split} {cell.unit} {first} {len(numbers)}"
    return Sample(protocol.of(cell.partition), rows, ratings, cell.unit, group)


def mean_interval(
    scores: Mapping[Cell, CellScores], protocol: Protocol, resampling: Resampling
) -> tuple[float, float] | None:
    """The 95 % interval of one metric's mean over cells, by the joint percentile bootstrap.

    The partitions of a data set contain the same pairs and are resampled together, see
    `joint_bootstrap`.

    Returns:
        the bounds, times 100; None if a cell has too few pairs or no value in any resample.
    """
    try:
        samples = {
            cell.column: cell_sample(cell, [one.scores.values], one, protocol)
            for cell, one in scores.items()
        }
    except StatisticsError:
        return None
    drawn = joint_bootstrap(samples, resampling.resamples, resampling.seed)
    means = mean_of(drawn)[:, 0]
    means = means[np.isfinite(means)]
    if not len(means):
        return None
    low, high = quantiles(means, (0.025, 0.975))
    return 100 * float(low), 100 * float(high)
