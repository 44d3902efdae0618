"""Pairwise comparison of metrics: differences, intervals and significance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from types import MappingProxyType

import numpy as np

from amr_metrics.types import Floats
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import COLUMNS, mean_name
from bamboo.benchmark.protocols import Protocol
from bamboo.board import NAN, Board, Difference, Score
from bamboo.engines import SERIAL, Engine
from bamboo.results.cache import ScoredCells
from bamboo.results.cell_facts import CELL, MEAN, CellFacts
from bamboo.results.clusters import Clusters
from bamboo.results.evaluate import cell_sample
from bamboo.results.missing import Unreadable, count_missing_pairs
from bamboo.results.results import Results
from bamboo.statistics.bootstrap import estimate, joint_bootstrap, limited
from bamboo.statistics.classic import mcnemar, williams
from bamboo.statistics.leave_out import ValueFunction
from bamboo.statistics.permutation import perm_both
from bamboo.statistics.ratings import original_is_higher, pearson
from bamboo.statistics.resampling import DETECTABLE, Significance
from bamboo.statistics.sample import MEAN as AMEAN
from bamboo.statistics.sample import Sample, mean_of, method_of

TESTED = ("pearson", "pair_accuracy")  # statistics with a closed-form test


def compare(
    results: Results,
    cells: Sequence[Cell],
    scored: ScoredCells,
    protocol: Protocol,
    settings: Significance,
    unreadable: Unreadable = MappingProxyType({}),
    engine: Engine = SERIAL,
    clusters: Clusters = MappingProxyType({}),
    *,
    with_intervals: bool = True,
) -> Results:
    """Compare the metrics that have a score for every pair.

    Args:
        results: of the metrics on the cells.
        unreadable: pairs that are ignored for all metrics (`unreadable_pairs`).
        engine: where permutations are evaluated.
        clusters: of the pairs that are drawn together, see `clusters_of`.
        with_intervals: compute intervals and what follows from resamples.

    Returns:
        the results with the differences of these metrics, and with their values and intervals on
        the pairs compared; if there are several cells, also on their mean.

    Raises:
        StatisticsError: cells with too few pairs.
    """
    incomplete = count_missing_pairs([*results.signatures], cells, scored, unreadable)
    names = [name for name in results.signatures if name not in incomplete]
    board, facts = Board(), dict(results.facts)
    if names:
        samples = {}
        for cell in cells:
            of_cell, left_out = [scored[name, cell] for name in names], unreadable.get(cell, ())
            samples[cell.column] = cell_sample(cell, of_cell, protocol, left_out, clusters)
        board = compare_samples(names, samples, settings, engine, with_intervals)
        mean_facts = CellFacts(cells[0].split)
        for row in board.scores:
            used = samples.values() if row.kind == MEAN else [samples[row.part]]
            key = row.system, row.part
            facts[key] = facts.get(key, mean_facts)._replace(resample=method_of(used))
    scores = sorted(board.scores, key=lambda row: names.index(row.system))
    scores += [row for row in results.board.scores if row.system in incomplete]
    return replace(
        results,
        board=Board(tuple(scores), board.differences),
        facts=facts,
        tests=settings,
        is_clustered=any(cell in clusters for cell in cells),
        incomplete=incomplete,
    )


def compare_samples(
    names: Sequence[str],
    samples: Mapping[str, Sample],
    settings: Significance,
    engine: Engine = SERIAL,
    with_intervals: bool = True,
) -> Board:
    """Return the values of metrics, times 100, and the differences of all, in both directions.

    There is a part for each sample, in the order of the published tables, and if there are several
    one for their mean. The check of a difference is the p of Williams' test, or of McNemar's test
    for pair accuracy; NaN if pairs are drawn in clusters, because both assume independent pairs.
    """
    drawn = joint_bootstrap(samples, settings.resamples, settings.seed) if with_intervals else {}
    tested = perm_both(samples, settings.permutations, settings.seed, engine)
    values = {name: sample.values for name, sample in samples.items()}
    columns = [name for name in COLUMNS if name in samples]
    columns += [name for name in samples if name not in COLUMNS]
    if len(samples) > 1:
        mean = AMEAN if set(COLUMNS) == set(samples) else mean_name(len(samples))
        columns.append(mean)
        values[mean], tested[mean] = mean_of(values), tested[AMEAN]
    scores: list[Score] = []
    differences: list[Difference] = []
    for name in columns:
        sample = samples.get(name)
        used = samples if sample is None else {name: sample}
        kind, statistic = (MEAN, name) if sample is None else (CELL, sample.statistic)
        pairs = sum(int(part.present.sum()) for part in used.values())
        count = len(names)
        intervals, bounds = np.full((count, 2), NAN), np.full((count, count, 2), NAN)
        errors = np.full((count, count), NAN)
        if with_intervals:
            value_of: ValueFunction = mean_of if sample is None else itemgetter(name)
            intervals = limited(estimate(used, drawn, value_of)[0], used.values())
            bounds, errors = estimate(used, drawn, partial(_subtract_values, value_of))
        difference, p, p_adjusted = tested[name]
        check = _check_by_classic_test(sample, count)
        for metric, value, ends in zip(names, 100 * values[name], 100 * intervals, strict=True):
            row = Score("", kind, name, metric, pairs, 0, statistic, float(value))
            scores.append(row._replace(low=float(ends[0]), high=float(ends[1])))
        arrays = 100 * difference, 100 * bounds[..., 0], 100 * bounds[..., 1]
        tests = p, p_adjusted, 100 * DETECTABLE * errors, check
        for i, j in itertools.permutations(range(count), 2):
            numbers = [float(array[i, j]) for array in (*arrays, np.full_like(p, NAN), *tests)]
            where = "", kind, name, names[i], names[j], pairs, statistic
            differences.append(Difference(*where, *numbers))
    return Board(tuple(scores), tuple(differences))


def _subtract_values(value_of: ValueFunction, cells: Mapping[str, Floats]) -> Floats:
    values = value_of(cells)
    return np.asarray(values[:, :, None] - values[:, None, :])


def _check_by_classic_test(sample: Sample | None, count: int) -> Floats:
    """Return the p of Williams' or McNemar's test for all pairs of metrics; NaN without one."""
    check = np.full((count, count), np.nan)
    if sample is None or sample.is_clustered or sample.statistic not in TESTED:
        return check
    present = sample.present > 0
    scores, n = sample.scores[:, present], int(present.sum())
    if sample.statistic == "pair_accuracy":
        right = original_is_higher(scores)
    elif n < 4:
        return check
    for i, j in zip(*np.triu_indices(count, 1), strict=True):
        if sample.statistic == "pair_accuracy":
            p = mcnemar(int((right[i] & ~right[j]).sum()), int((right[j] & ~right[i]).sum()))
        else:
            first, second = sample.values[[i, j]].tolist()
            between = pearson(scores[i], scores[j])
            if np.isnan([first, second, between]).any():
                continue
            _, p = williams(first, second, between, n)
        check[i, j] = check[j, i] = p
    return check
