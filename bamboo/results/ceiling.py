"""The human ceiling of cells whose pairs have several raters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.board import NAN, Score
from bamboo.errors import StatisticsError
from bamboo.results.cell_facts import CELL, HUMANS, CellFacts, ScoredCell
from bamboo.results.clusters import Clusters
from bamboo.scoring.problems import OnError
from bamboo.statistics.ceiling import (
    compare_raters,
    describe_gap,
    estimate_ceiling_interval,
    find_ceiling,
)
from bamboo.statistics.resampling import Method, Resampling
from bamboo.statistics.sample import method_of


def find_ceilings(
    cells: Sequence[Cell],
    protocol: Protocol,
    resampling: Resampling | None,
    clusters: Clusters,
    on_error: OnError,
) -> tuple[list[ScoredCell], list[str]]:
    """Return the human ceiling of each cell with several raters, as rows, and notes.

    Args:
        resampling: how to compute intervals; None for none.
        clusters: of the pairs that are drawn together.
        on_error: how to treat pairs that cannot be read.
    """
    rows, notes = [], []
    for cell in sorted(cells, key=lambda cell: cell.order):
        if cell.dataset.partitions[cell.partition].raters:
            row, gap = _find_ceiling(cell, protocol, resampling, clusters, on_error)
            rows += [] if row is None else [row]
            notes += [] if gap is None else [f"{cell}: no human ceiling: {gap}."]
    if rows:
        notes.append(
            f"{HUMANS}: the mean over raters of the statistic of one with the others' mean."
        )
    return rows, notes


def _find_ceiling(
    cell: Cell,
    protocol: Protocol,
    resampling: Resampling | None,
    clusters: Clusters,
    on_error: OnError,
) -> tuple[ScoredCell | None, str | None]:
    """Return the row of a cell, or why there is none."""
    raters, statistic = cell.load(on_error).raters.T, cell.statistic(protocol)
    try:
        samples = compare_raters(statistic, raters, clusters.get(cell), cell.unit)
    except StatisticsError:
        few = "a rater shares fewer than two pairs with the others"
        return None, "one rater" if len(raters) < 2 else few
    value = find_ceiling(samples)
    if np.isnan(value):
        return None, describe_gap(raters, samples)
    low = high = NAN
    method: Method | None = None
    if resampling is not None:
        low, high = estimate_ceiling_interval(samples, resampling)
        method = None if np.isnan(low) else method_of(samples.values())
    pairs = int(np.any([sample.present for sample in samples.values()], axis=0).sum())
    row = Score("", CELL, cell.column, HUMANS, pairs, 0, statistic, 100 * value)
    row = row._replace(low=100 * low, high=100 * high)
    source = cell.dataset.source(cell.partition)
    facts = CellFacts(cell.split, cell.dataset.name, cell.partition, source, resample=method)
    return (row, facts), None
