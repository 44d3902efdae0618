"""The columns of a comparison of metrics: differences, intervals and significance in one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from amr_metrics.types import Floats, Ints
from bamboo.benchmark.protocols import original_is_higher, rescaled
from bamboo.config.columns import COLUMNS
from bamboo.engines import Engine
from bamboo.statistics import (
    MEAN,
    Sample,
    holm,
    joint_bootstrap,
    mcnemar,
    mean_of,
    percentile_bounds,
    perm_both,
    rank_ranges,
    williams,
)
from bamboo.statistics.resampling import Significance

TESTS = {"pearson": "williams", "pair_accuracy": "mcnemar"}


@dataclass(frozen=True, eq=False)
class Column:
    """All metrics in one column: a cell's statistic, or the mean over the twelve cells (``amean``).

    Attributes:
        name: as in the published tables: ``main_sts`` ... ``arg_para``, ``amean``.
        statistic: ``pearson``, ``spearman``, ``pair_accuracy`` or ``amean``.
        pairs: number of pairs the values are computed from.
        values: (metrics,), times 100.
        intervals: (metrics, 2), times 100: joint percentile bootstrap.
        differences: (metrics, metrics), times 100: row minus column.
        bounds: (metrics, metrics, 2), times 100: joint percentile bootstrap.
        p: (metrics, metrics): PERM-BOTH.
        p_holm: (metrics, metrics): p corrected for all pairs of metrics (Holm).
        check: (metrics, metrics): p of Williams' test, or of McNemar's test for pair accuracy; NaN
            with ``resample=sentences``, because both tests assume independent pairs.
        ranks: (metrics, 2): best and worst rank from `p_holm`; zeros for a metric without a value.
    """

    name: str
    statistic: str
    pairs: int
    values: Floats
    intervals: Floats
    differences: Floats
    bounds: Floats
    p: Floats
    p_holm: Floats
    check: Floats
    ranks: Ints


def columns_of(
    samples: Mapping[str, Sample], settings: Significance, engine: Engine
) -> tuple[Column, ...]:
    """Return the columns of a comparison: one per sample, and the mean of all twelve cells."""
    resampled = joint_bootstrap(samples, settings.resamples, settings.seed)
    tested = perm_both(samples, settings.permutations, settings.seed, engine)
    values = {name: cell.values for name, cell in samples.items()}
    columns = [name for name in COLUMNS if name in samples]
    columns += [name for name in samples if name not in COLUMNS]
    if set(COLUMNS) == set(samples):
        columns.append(MEAN)
        values[MEAN], resampled[MEAN] = mean_of(values), mean_of(resampled)
    result = []
    for name in columns:
        p_holm = corrected(tested[name].p)
        cell = samples.get(name)
        pairwise = resampled[name][:, :, None] - resampled[name][:, None, :]
        result.append(
            Column(
                name=name,
                statistic=MEAN if cell is None else cell.statistic,
                pairs=sum(map(_count, samples.values())) if cell is None else _count(cell),
                values=100 * values[name],
                intervals=100 * percentile_bounds(resampled[name]),
                differences=100 * tested[name].difference,
                bounds=100 * percentile_bounds(pairwise),
                p=tested[name].p,
                p_holm=p_holm,
                check=_cross_check(
                    cell if settings.resample == "pairs" else None, len(values[name])
                ),
                ranks=rank_ranges(values[name], p_holm, settings.level),
            )
        )
    return tuple(result)


def corrected(p: Floats) -> Floats:
    """Apply Holm's correction to all pairs of metrics, each counted once."""
    rows, columns = np.triu_indices(len(p), 1)
    corrected = np.array(p)
    corrected[rows, columns] = corrected[columns, rows] = holm(p[rows, columns])
    return corrected


def _count(cell: Sample) -> int:
    return int(cell.present.sum())


def _cross_check(cell: Sample | None, count: int) -> Floats:
    """Return the p of Williams' or McNemar's test for all pairs of metrics; NaN without one."""
    check = np.full((count, count), np.nan)
    if cell is None or cell.statistic not in TESTS:
        return check
    present = cell.present > 0
    scores, n = cell.scores[:, present], int(present.sum())
    if cell.statistic == "pair_accuracy":
        right = original_is_higher(scores)
    elif n < 4:
        return check
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            between = np.atleast_2d(np.clip(np.corrcoef(rescaled(scores)), -1, 1))
    for i, j in zip(*np.triu_indices(count, 1), strict=True):
        if cell.statistic == "pair_accuracy":
            p = mcnemar(int((right[i] & ~right[j]).sum()), int((right[j] & ~right[i]).sum()))
        elif np.isnan([cell.values[i], cell.values[j], between[i, j]]).any():
            continue
        else:
            p = williams(cell.values[i], cell.values[j], between[i, j], n).p
        check[i, j] = check[j, i] = p
    return check
