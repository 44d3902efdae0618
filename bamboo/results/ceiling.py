"""The human ceiling of cells whose pairs have several raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import COLUMNS, MEANS
from bamboo.benchmark.protocols import Protocol
from bamboo.board import NAN, Score
from bamboo.errors import StatisticsError
from bamboo.results.cell_facts import CELL, HUMANS, CellFacts, ScoredCell, compute_means
from bamboo.results.clusters import Clusters
from bamboo.scoring.problems import OnError
from bamboo.statistics.bootstrap import mean_interval
from bamboo.statistics.ceiling import (
    compare_raters,
    describe_gap,
    estimate_ceiling_interval,
    find_ceiling,
)
from bamboo.statistics.leave_out import ValueFunction
from bamboo.statistics.resampling import Method, Resampling
from bamboo.statistics.sample import Sample, harmonic_mean_of, mean_of, method_of

Raters = Mapping[str, Sample]  # the sample of each rater, see `compare_raters`


def find_ceilings(
    cells: Sequence[Cell],
    protocol: Protocol,
    resampling: Resampling | None,
    clusters: Clusters,
    on_error: OnError,
) -> tuple[tuple[ScoredCell, ...], tuple[str, ...]]:
    """Return the human ceiling of each cell with several raters, as rows, and notes.

    If all cells have a ceiling, the means over cells are rows as well, as for metrics.

    Args:
        resampling: how to compute intervals; None for none.
        clusters: of the pairs that are drawn together.
        on_error: how to treat pairs that cannot be read.
    """
    rows: list[ScoredCell] = []
    notes: list[str] = []
    samples: dict[str, Raters] = {}
    for cell in sorted(cells, key=lambda cell: cell.order):
        if not cell.dataset.partitions[cell.partition].lists_raters:
            continue
        raters, gap = _compare_raters(cell, protocol, clusters, on_error)
        if gap is None:
            samples[cell.column] = raters
            rows.append(_make_row(cell, protocol, raters, resampling))
        else:
            notes.append(f"{cell}: no human ceiling: {gap}.")
    if len(rows) == len(cells):
        rows += _average(rows, samples, resampling)
    if rows:
        notes.append(
            f"{HUMANS}: the mean over raters of the statistic of one with the others' mean."
        )
    return tuple(rows), tuple(notes)


def _compare_raters(
    cell: Cell, protocol: Protocol, clusters: Clusters, on_error: OnError
) -> tuple[Raters, str | None]:
    """Return the samples of a cell's raters, and why they have no ceiling; None if they have."""
    pair_set = cell.load(on_error)
    raters, group = pair_set.raters.T, cell.group(pair_set.numbers)
    try:
        samples = compare_raters(
            cell.statistic(protocol), raters, clusters.get(cell), cell.unit, group
        )
    except StatisticsError:
        few = "a rater shares fewer than two pairs with the others"
        return {}, "one rater" if len(raters) < 2 else few
    has_ceiling = not np.isnan(find_ceiling(samples))
    return samples, None if has_ceiling else describe_gap(raters, samples)


def _make_row(
    cell: Cell, protocol: Protocol, raters: Raters, resampling: Resampling | None
) -> ScoredCell:
    low = high = NAN
    method: Method | None = None
    if resampling is not None:
        low, high = estimate_ceiling_interval(raters, resampling)
        method = None if np.isnan(low) else method_of(raters.values())
    pairs = int(np.any([sample.present for sample in raters.values()], axis=0).sum())
    value, statistic = 100 * find_ceiling(raters), cell.statistic(protocol)
    row = Score("", CELL, cell.column, HUMANS, pairs, 0, statistic, value, 100 * low, 100 * high)
    source = cell.dataset.source(cell.partition)
    place = cell.split, cell.dataset.name, cell.partition, source
    return row, CellFacts(*place, resample=method, title=cell.title)


def _average(
    rows: Sequence[ScoredCell], samples: Mapping[str, Raters], resampling: Resampling | None
) -> list[ScoredCell]:
    """Return the means over cells of the ceiling.

    Args:
        rows: of the cells.
        samples: the raters of each cell, by column.
    """
    facts = CellFacts(rows[0][1].split)
    means: list[ScoredCell] = []
    for mean in compute_means([row for row, _ in rows]):
        if resampling is not None:
            columns = COLUMNS if mean.part in MEANS else samples
            of_mean = {
                f"{column} {rater}": sample
                for column in columns
                for rater, sample in samples[column].items()
            }
            average = average_raters({column: [*samples[column]] for column in columns}, mean.part)
            low, high = mean_interval(of_mean, resampling.resamples, resampling.seed, average)
            mean = mean._replace(low=100 * low, high=100 * high)
        means.append((mean, facts))
    return means


def average_raters(raters: Mapping[str, Sequence[str]], name: str) -> ValueFunction:
    """Return the function that computes a mean over cells from the values of all raters.

    Every cell counts the same, however many raters it has.

    Args:
        raters: the names of the raters of each cell, by column.
        name: of the mean.
    """
    mean = harmonic_mean_of if name == "hmean" else mean_of
    return lambda values: mean(
        {
            column: mean_of({rater: values[f"{column} {rater}"] for rater in names})
            for column, names in raters.items()
        }
    )
