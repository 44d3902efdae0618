"""The columns of a comparison of metrics: differences, intervals and significance in one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np

from amr_metrics.types import Floats, Ints
from bamboo.benchmark.columns import COLUMNS, mean_name
from bamboo.engines import Engine
from bamboo.statistics.bootstrap import estimate, joint_bootstrap, limited
from bamboo.statistics.classic import mcnemar, williams
from bamboo.statistics.leave_out import ValueFunction
from bamboo.statistics.permutation import perm_both
from bamboo.statistics.ranking import rank_ranges
from bamboo.statistics.ratings import original_is_higher, rescaled
from bamboo.statistics.resampling import DETECTABLE, Method, Significance
from bamboo.statistics.sample import MEAN, Sample, mean_of, method_of

TESTS = {"pearson": "williams", "pair_accuracy": "mcnemar"}


@dataclass(frozen=True, eq=False)
class Column:
    """All metrics in one column: a cell's statistic, or the mean over the cells.

    Attributes:
        name: as in the published tables: ``main_sts`` ... ``arg_para``, ``amean``; or the name of
            the mean over other cells (`bamboo.benchmark.columns.mean_name`).
        statistic: ``pearson``, ``spearman`` or ``pair_accuracy``; of a mean, its name.
        pairs: number of pairs the values are computed from.
        values: (metrics,), times 100.
        resample: how intervals are computed.
        intervals: (metrics, 2), times 100.
        differences: (metrics, metrics), times 100: row minus column.
        bounds: (metrics, metrics, 2), times 100: intervals of the differences.
        detectable: (metrics, metrics), times 100: the true difference that a test at the 5 % level
            finds with 80 % power.
        p: (metrics, metrics): PERM-BOTH.
        p_adjusted: (metrics, metrics): p corrected for all pairs of metrics.
        check: (metrics, metrics): p of Williams' test, or of McNemar's test for pair accuracy; NaN
            if pairs are drawn in clusters, because both tests assume independent pairs.
        ranks: (metrics, 2): best and worst rank by `p_adjusted`; zeros without a value.
    """

    name: str
    statistic: str
    pairs: int
    resample: Method
    values: Floats
    intervals: Floats
    differences: Floats
    bounds: Floats
    detectable: Floats
    p: Floats
    p_adjusted: Floats
    check: Floats
    ranks: Ints

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean over the other columns."""
        return self.statistic == self.name


def columns_of(
    samples: Mapping[str, Sample], settings: Significance, engine: Engine
) -> tuple[Column, ...]:
    """Return the columns of a comparison: one per sample, and if there are several, their mean."""
    drawn = joint_bootstrap(samples, settings.resamples, settings.seed)
    tested = perm_both(samples, settings.permutations, settings.seed, engine)
    values = {name: cell.values for name, cell in samples.items()}
    columns = [name for name in COLUMNS if name in samples]
    columns += [name for name in samples if name not in COLUMNS]
    if len(samples) > 1:
        mean = MEAN if set(COLUMNS) == set(samples) else mean_name(len(samples))
        columns.append(mean)
        values[mean], tested[mean] = mean_of(values), tested[MEAN]
    result = []
    for name in columns:
        p_adjusted = tested[name].p_adjusted
        cell = samples.get(name)
        used = samples if cell is None else {name: cell}
        value_of = mean_of if cell is None else itemgetter(name)
        value = estimate(used, drawn, value_of)
        difference = estimate(used, drawn, partial(_differences, value_of))
        result.append(
            Column(
                name=name,
                statistic=name if cell is None else cell.statistic,
                pairs=sum(map(_count, samples.values())) if cell is None else _count(cell),
                resample=method_of(used.values()),
                values=100 * values[name],
                intervals=100 * limited(value.bounds, used.values()),
                differences=100 * tested[name].difference,
                bounds=100 * difference.bounds,
                detectable=100 * DETECTABLE * difference.error,
                p=tested[name].p,
                p_adjusted=p_adjusted,
                check=_cross_check(cell, len(values[name])),
                ranks=rank_ranges(values[name], p_adjusted, settings.level),
            )
        )
    return tuple(result)


def _differences(value_of: ValueFunction, cells: Mapping[str, Floats]) -> Floats:
    values = value_of(cells)
    return np.asarray(values[:, :, None] - values[:, None, :])


def _count(cell: Sample) -> int:
    return int(cell.present.sum())


def _cross_check(cell: Sample | None, count: int) -> Floats:
    """Return the p of Williams' or McNemar's test for all pairs of metrics; NaN without one."""
    check = np.full((count, count), np.nan)
    if cell is None or cell.is_clustered or cell.statistic not in TESTS:
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
