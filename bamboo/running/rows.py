"""The rows of a table of results: each metric's statistic on each cell, beside published values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import PAIR_ACCURACY, Protocol, statistic_named
from bamboo.benchmark.published import PublishedLine, published_line
from bamboo.config.columns import COLUMNS
from bamboo.config.jobs import Job
from bamboo.pairs.problems import count
from bamboo.running.cache import CellScores, Scored
from bamboo.running.coverage import Coverage
from bamboo.running.results import CellResult, Result, Row, Unscored, in_order, mean_name
from bamboo.statistics import bootstrap_interval
from bamboo.statistics.cells import mean_interval
from bamboo.statistics.resampling import Resampling


def published_values(
    job: Job, cells: Sequence[Cell], protocol: Protocol, weights_given: bool = False
) -> PublishedLine:
    """The published values for a job on cells, under a protocol.

    A note is added if the job uses a single random seed.

    Args:
        weights_given: the metric's parameters come from a weights file.
    """
    source = protocol.published
    cells = [cell for cell in cells if cell.in_benchmark]
    if source is None or not job.base:
        return PublishedLine()
    excluded = {}
    for cell in cells:
        statistic = source.statistic.get(cell.partition)
        if cell.dataset.source(cell.partition) != "released":
            excluded[cell.dataset.name, cell.partition] = "the released partition"
        elif statistic != protocol.of(cell.partition):
            excluded[cell.dataset.name, cell.partition] = f"statistic {statistic}"
    names = [(cell.dataset.name, cell.partition) for cell in cells]
    line = published_line(source.file, job, names, excluded, weights_given)
    if job.metric.get("seed") is None or weights_given:
        return line
    seed = f"one random seed ({job.metric['seed']}); tables shows the spread over several"
    return replace(line, notes=(*line.notes, seed))


def evaluate(
    signatures: Mapping[str, str],
    cells: Sequence[Cell],
    protocol: Protocol,
    intervals: Resampling | None,
    scored: Scored,
    published: Mapping[str, PublishedLine],
) -> Result:
    """Compute the protocol's statistics from scores.

    Args:
        signatures: of each metric, by name; one row per metric.
        intervals: how to compute bootstrap intervals; None for none.
        published: the published values of each metric, by name; metrics may be missing.
    """
    rows = []
    for name, signature in signatures.items():
        line = published.get(name, PublishedLine())
        results = [
            _cell_result(cell, protocol, intervals, scored[name, cell], line) for cell in cells
        ]
        means = line.means.get("amean"), line.means.get("hmean")
        row = Row(name, signature, in_order(results), *means, line.notes)
        if intervals is not None:
            of_row = {cell: scored[name, cell] for cell in cells}
            row = replace(row, intervals=_mean_intervals(row, of_row, protocol, intervals))
        rows.append(row)
    notes: tuple[str, ...] = ()
    if protocol.published is None:
        notes = (f"Protocol {protocol.name}: no published values are recorded.",)
    unscored = tuple(
        Unscored(name, cell.dataset.name, cell.partition, cell.split, number, problem)
        for (name, cell), cell_scores in scored.items()
        for number, problem in sorted(cell_scores.problems.items())
    )
    return Result(protocol.name, tuple(rows), unscored, notes)


def _mean_intervals(
    row: Row, scored: Mapping[Cell, CellScores], protocol: Protocol, resampling: Resampling
) -> dict[str, tuple[float, float]]:
    """The intervals of the row's arithmetic means."""
    twelve = {cell: scores for cell, scores in scored.items() if cell.column in COLUMNS}
    over = {"amean": twelve, mean_name(len(scored)): scored}
    names = [mean.name for mean in row.means if mean.name in over]
    intervals = {name: mean_interval(over[name], protocol, resampling) for name in names}
    return {name: bounds for name, bounds in intervals.items() if bounds is not None}


def _cell_result(
    cell: Cell,
    protocol: Protocol,
    intervals: Resampling | None,
    cell_scores: CellScores,
    published: PublishedLine,
) -> CellResult:
    statistic = protocol.of(cell.partition)
    has_score = ~np.isnan(cell_scores.scores.values)
    complete = np.repeat(has_score.reshape(-1, cell.unit).all(axis=1), cell.unit)
    counted = complete if statistic == PAIR_ACCURACY else has_score
    scores, ratings = cell_scores.scores.values[counted], cell_scores.ratings[counted]
    value = float(statistic_named(statistic)(scores, ratings))
    interval = None
    if intervals is not None and not np.isnan(value):
        rng = np.random.default_rng([intervals.seed, len(counted)])
        low, high = bootstrap_interval(
            statistic,
            cell_scores.scores.values[complete],
            cell_scores.ratings[complete],
            rng,
            intervals.resamples,
            unit=cell.unit,
        )
        interval = None if np.isnan(low) else (100 * low, 100 * high)
    optimal = cell_scores.scores.details.get("optimal")
    return CellResult(
        dataset=cell.dataset.name,
        partition=cell.partition,
        split=cell.split,
        statistic=statistic,
        value=None if np.isnan(value) else 100 * value,
        n=len(scores),
        missing=int((~has_score).sum()),
        seconds=round(cell_scores.seconds, 3),
        published=published.values.get((cell.dataset.name, cell.partition))
        if cell.split == "test"
        else None,
        interval=interval,
        unproven=None if optimal is None else int((optimal[counted] == 0).sum()),
        source=cell.dataset.source(cell.partition),
        empty=count(cell_scores.problems, "empty"),
        coverage=Coverage.of(cell_scores.scores),
        cached=cell_scores.cached,
    )
