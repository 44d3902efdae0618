"""From scores to results: the protocol's statistic on each cell, beside the published value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from amr_metrics.types import Bools
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import COLUMNS, MEANS
from bamboo.benchmark.protocols import Protocol
from bamboo.benchmark.published import PublishedLine, find_published_line
from bamboo.board import BUCKET, MACRO, MEAN, NAN, Board, Score
from bamboo.config.rows import Row
from bamboo.errors import ConfigError, StatisticsError
from bamboo.progress import progress_bar
from bamboo.results.cache import Cache, ScoredCells
from bamboo.results.cell_facts import CELL, CellFacts, ScoredCell, compute_means
from bamboo.results.clusters import Clusters, find_clusters
from bamboo.results.provenance import find_source
from bamboo.results.result_table import sentence_notes
from bamboo.results.results import Results
from bamboo.results.score_cells import Settings, score_cells
from bamboo.scoring.problems import count
from bamboo.scoring.scored import Scored
from bamboo.statistics.bootstrap import mean_interval, sample_interval
from bamboo.statistics.ratings import PAIR_ACCURACY, amean, compares_twos, statistic_named
from bamboo.statistics.resampling import Resampling
from bamboo.statistics.sample import Sample, harmonic_mean_of, mean_of, method_of

if TYPE_CHECKING:
    from bamboo.results.buckets import Buckets


def find_published_values(row: Row, cells: Sequence[Cell], protocol: Protocol) -> PublishedLine:
    """Return the published values for a row on cells, under a protocol.

    A note is added if the row uses a single random seed.
    """
    source = protocol.published
    cells = [cell for cell in cells if cell.in_benchmark]
    if source is None or not row.base:
        return PublishedLine()
    excluded = {}
    for cell in cells:
        statistic = source.statistic.get(cell.partition)
        if cell.dataset.source(cell.partition) != "released":
            excluded[cell.dataset.name, cell.partition] = "the released partition"
        elif statistic != cell.statistic(protocol):
            excluded[cell.dataset.name, cell.partition] = f"statistic {statistic}"
    names = [(cell.dataset.name, cell.partition) for cell in cells]
    line = find_published_line(source.file, row, names, excluded)
    if row.seed is None or row.weights_given:
        return line
    seed = f"one random seed ({row.seed}); tables shows the spread over several"
    return replace(line, notes=(*line.notes, seed))


def run(
    rows: Sequence[Row],
    cells: Sequence[Cell],
    protocol: Protocol,
    cache: Cache,
    settings: Settings,
    **callbacks: Any,
) -> tuple[Results, ScoredCells]:
    """Score every row on every cell, with a bar, and compute the protocol's statistics.

    Args:
        callbacks: ``progress``, in place of the bar, and ``read`` of `score_cells`.

    Returns:
        the results, and the scores they are computed from.

    Raises:
        ConfigError: pair accuracy on a cell without altered and original pairs.
        BambooError, MetricError: see `score_cells`.
    """
    check_units(cells, protocol)
    buckets: Mapping[Cell, Buckets] = {}
    if settings.by is not None:
        from bamboo.results.buckets import find_buckets  # most runs have none

        buckets = find_buckets(cells, settings.by, protocol, settings.on_error)
    clusters: Clusters = {}
    if settings.intervals is not None:
        clusters = find_clusters(cells, settings.intervals.resample, settings.on_error)
    with progress_bar("reading") as bar:
        scored, signatures, data = score_cells(
            rows, cells, cache, settings, **{"progress": bar, **callbacks}
        )
    published = {row.name: find_published_values(row, cells, protocol) for row in rows}
    results = evaluate(
        signatures, cells, protocol, settings.intervals, scored, published, clusters, buckets
    )
    if settings.by is not None:
        from bamboo.results.buckets import describe_buckets

        notes = (*results.notes, *describe_buckets(buckets))
        results = replace(results, by=settings.by.name, notes=notes)
    borrowed: Sequence[str] = ()
    if any(row.needs_training for row in rows):
        from bamboo.training.fit import describe_borrowed_splits

        borrowed = describe_borrowed_splits(rows, cells, settings.built)
    notes = (*results.notes, *borrowed, *sentence_notes(rows))
    references = {row.name: find_source(row) for row in rows}
    results = replace(results, notes=notes, data=data, references=references)
    if any(cell.dataset.partitions[cell.partition].lists_raters for cell in cells):
        from bamboo.results.ceiling import find_ceilings  # few data sets need it

        intervals, on_error = settings.intervals, settings.on_error
        ceiling, about = find_ceilings(cells, protocol, intervals, clusters, on_error)
        results = replace(results, ceiling=ceiling, notes=(*notes, *about))
    return results, scored


def check_units(cells: Sequence[Cell], protocol: Protocol) -> None:
    """Check that the statistic of each cell suits its pairs.

    Raises:
        ConfigError: pair accuracy on a cell without altered and original pairs.
    """
    for cell in cells:
        if cell.statistic(protocol) == PAIR_ACCURACY and cell.unit != 2:
            raise ConfigError(
                f"{PAIR_ACCURACY} compares altered with original pairs, but "
                f"{cell} has no such pairs: "
                f"use another protocol.statistic.{cell.partition}"
            )


def evaluate(
    signatures: Mapping[str, str],
    cells: Sequence[Cell],
    protocol: Protocol,
    resampling: Resampling | None,
    scored: ScoredCells,
    published: Mapping[str, PublishedLine],
    clusters: Clusters = MappingProxyType({}),
    buckets: Mapping[Cell, Buckets] = MappingProxyType({}),
) -> Results:
    """Compute the protocol's statistics from scores.

    Args:
        signatures: of each metric, by name; the metrics of the results in this order.
        resampling: how to compute bootstrap intervals; None for none.
        published: the published values of each metric, by name; metrics may be missing.
        clusters: of the pairs that are drawn together, see `find_clusters`.
        buckets: of the pairs of cells; none for cells without.
    """
    ordered = sorted(cells, key=lambda cell: cell.order)
    lines = {name: published.get(name, PublishedLine()) for name in signatures}
    scores: list[Score] = []
    facts: dict[tuple[str, str], CellFacts] = {}
    for name, line in lines.items():
        of_cells = {cell: scored[name, cell] for cell in ordered}
        rows = []
        for cell, cell_scores in of_cells.items():
            row, about = evaluate_cell(name, cell, protocol, resampling, cell_scores, clusters)
            value = line.values.get(cell.column, NAN)
            facts[name, cell.column] = about._replace(published=value)
            rows.append(row)
            scores.append(row)
            if cell in buckets:
                of_cell = protocol, resampling, cell_scores, clusters, buckets[cell]
                for row, about in evaluate_buckets(name, cell, *of_cell):
                    facts[name, row.part] = about
                    scores.append(row)
        for mean in compute_means(rows):
            if resampling is not None:
                low, high = _estimate_mean_interval(
                    mean.part, of_cells, protocol, resampling, clusters
                )
                mean = mean._replace(low=low, high=high)
            scores.append(mean)
            value = line.values.get(mean.part, NAN)
            facts[name, mean.part] = CellFacts(ordered[0].split, published=value)
    notes: tuple[str, ...] = ()
    if protocol.published is None and not all(cell.title for cell in cells):
        notes = (f"Protocol {protocol.name}: no published values are recorded.",)
    problems = tuple(
        {
            "metric": name,
            "dataset": cell.dataset.name,
            "partition": cell.partition,
            "split": cell.split,
            "pair": number,
            **problem.to_json(),
        }
        for (name, cell), cell_scores in scored.items()
        for number, problem in sorted(cell_scores.problems.items())
    )
    metric_notes = {name: line.notes for name, line in lines.items() if line.notes}
    board = Board(tuple(scores))
    return Results(protocol.name, board, facts, signatures, metric_notes, problems, notes)


def evaluate_cell(
    name: str,
    cell: Cell,
    protocol: Protocol,
    resampling: Resampling | None,
    cell_scores: Scored,
    clusters: Clusters,
    within: Bools | None = None,
) -> ScoredCell:
    """Compute the protocol's statistic of a metric on a cell; see `evaluate`.

    Args:
        within: some of the pairs, on which to compute it; None for all.
    """
    statistic = cell.statistic(protocol)
    scores, ratings = cell_scores.scores.values, cell_scores.pairs.ratings
    within = np.ones(len(scores), np.bool_) if within is None else within
    has_score = within & ~np.isnan(scores)
    numbers = np.flatnonzero(within).tolist()
    problems = {k: cell_scores.problems[k] for k in numbers if k in cell_scores.problems}
    complete = _select_complete(has_score, cell)
    counted = complete if compares_twos(statistic) else has_score
    value = statistic_named(statistic)(scores[counted], ratings[counted])
    low = high = NAN
    method = None
    if resampling is not None and complete.sum() > cell.unit and not np.isnan(value):
        rng = np.random.default_rng([resampling.seed, len(counted)])
        of_pairs = clusters.get(cell)
        if of_pairs is not None:
            # Numbered again, without the clusters of which no pair has a score.
            of_pairs = np.unique(of_pairs[complete], return_inverse=True)[1]
        sample = Sample(
            statistic, scores[None, complete], ratings[complete], of_pairs, pairs_per_unit=cell.unit
        )
        low, high = sample_interval(sample, rng, resampling.resamples)
        method = None if np.isnan(low) else sample.method
    optimal = cell_scores.scores.details.get("optimal")
    row = Score("", CELL, cell.column, name, int(counted.sum()), 0, statistic, 100 * float(value))
    facts = CellFacts(
        cell.split,
        cell.dataset.name,
        cell.partition,
        cell.dataset.source(cell.partition),
        resample=method,
        missing=int((within & ~has_score).sum()),
        empty=count(problems, "empty"),
        unproven=None if optimal is None else int((optimal[counted] == 0).sum()),
        seconds=round(cell_scores.seconds, 3),
        cached=cell_scores.cached,
        in_benchmark=cell.in_benchmark,
        title=cell.title,
    )
    return row._replace(low=100 * low, high=100 * high), facts


def evaluate_buckets(
    name: str,
    cell: Cell,
    protocol: Protocol,
    resampling: Resampling | None,
    cell_scores: Scored,
    clusters: Clusters,
    buckets: Buckets,
) -> list[ScoredCell]:
    """Compute the protocol's statistic of a metric on buckets of a cell, and the mean over these.

    The interval of the mean is computed as that of a mean over cells: the pairs of all buckets are
    drawn together, in their clusters, which may belong to several buckets.
    """
    members, averaged = buckets
    rows: dict[str, ScoredCell] = {}
    for label, within in members.items():
        row, facts = evaluate_cell(name, cell, protocol, resampling, cell_scores, clusters, within)
        facts = facts._replace(bucket=label, seconds=0.0, cached=None, in_benchmark=False)
        rows[label] = row._replace(kind=BUCKET, part=f"{cell.column} {label}"), facts
    if not averaged:
        return [*rows.values()]
    values = [rows[label][0].value for label in averaged]
    pairs = sum(rows[label][0].pairs for label in averaged)
    row, facts = rows[averaged[0]]
    row = row._replace(kind=MACRO, part=f"{cell.column} {MEAN}", pairs=pairs, value=amean(values))
    facts = facts._replace(bucket=MEAN, missing=0, empty=0, unproven=None, resample=None)
    row = row._replace(low=NAN, high=NAN)
    if resampling is not None and not np.isnan(row.value):
        numbers = np.asarray(cell_scores.pairs.numbers)
        samples = {
            label: cell_sample(
                cell, [cell_scores], protocol, numbers[~members[label]].tolist(), clusters
            )
            for label in averaged
        }
        low, high = mean_interval(samples, resampling.resamples, resampling.seed)
        row = row._replace(low=100 * low, high=100 * high)
        facts = facts._replace(resample=None if np.isnan(low) else method_of(samples.values()))
    return [*rows.values(), (row, facts)]


def _select_complete(has_score: Bools, cell: Cell) -> Bools:
    """Return which pairs count: altered and original pairs only together."""
    return np.asarray(np.repeat(has_score.reshape(-1, cell.unit).all(axis=1), cell.unit))


def _estimate_mean_interval(
    name: str,
    scores: Mapping[Cell, Scored],
    protocol: Protocol,
    resampling: Resampling,
    clusters: Clusters = MappingProxyType({}),
) -> tuple[float, float]:
    """Return the interval of a metric's mean over cells, times 100; NaN if a cell has none.

    Args:
        name: of the mean; amean and hmean are over the benchmark's cells only.
    """
    try:
        samples = {
            cell.column: cell_sample(cell, [of_cell], protocol, (), clusters)
            for cell, of_cell in scores.items()
            if name not in MEANS or cell.column in COLUMNS
        }
    except StatisticsError:
        return NAN, NAN
    mean = harmonic_mean_of if name == "hmean" else mean_of
    low, high = mean_interval(samples, resampling.resamples, resampling.seed, mean)
    return 100 * low, 100 * high


def cell_sample(
    cell: Cell,
    scored: Sequence[Scored],
    protocol: Protocol,
    unreadable: Collection[int] = (),
    clusters: Clusters = MappingProxyType({}),
) -> Sample:
    """Return the scores of some metrics on a cell; cells with the same pairs share random draws.

    Args:
        scored: the scores of each metric.
        unreadable: the numbers of pairs that are left out.
        clusters: of the pairs that are drawn together, see `find_clusters`.

    Raises:
        StatisticsError: see `Sample`.
    """
    numbers, ratings = np.asarray(scored[0].pairs.numbers), scored[0].pairs.ratings
    values = np.array([of_metric.scores.values for of_metric in scored], dtype=np.float64)
    values[:, np.isin(numbers, list(unreadable))] = np.nan
    has_score = np.asarray(np.isfinite(values).all(axis=0))
    values[:, ~_select_complete(has_score, cell)] = np.nan
    group = cell.group(numbers)
    return Sample(cell.statistic(protocol), values, ratings, clusters.get(cell), group, cell.unit)
