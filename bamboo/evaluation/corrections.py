"""How the quality of graphs affects metrics: original and corrected graphs.

Source: Opitz, Daza and Frank (2021), tables 2 and 7: people labelled parses gold, silver or flawed,
and corrected them; a metric is robust if its scores on the original graphs agree with those on the
corrected graphs, and equally well with human ratings.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.benchmark.protocols import STATISTICS
from bamboo.csv_files import csv_rows
from bamboo.errors import DataError, StatisticsError
from bamboo.statistics import Sample, bootstrap_interval, joint_bootstrap, perm_both
from bamboo.statistics.corpus import percentile_interval
from bamboo.statistics.resampling import DEFAULT, Resampling
from bamboo.results.table import Table
from metrics.base import Metric, Pair
from metrics.types import Bools, Floats

SCHEMA = 1
GRADES = ("gold", "silver", "flawed")
COLUMNS = ("item", "group", "label")
BLOCK = 10_000_000  # values drawn at a time


@dataclass(frozen=True)
class Robustness:
    """One metric on original and on corrected graphs.

    Attributes:
        intra: correlation of its scores on both (intra-metric agreement, IMA), with 95 % interval.
        original, corrected: correlation with the ratings (metric-human agreement, MHA), with 95 %
            intervals; None without ratings.
        gain: corrected minus original, with 95 % interval and two-sided p (PERM-BOTH).
    """

    metric: str
    signature: str
    pairs: int
    intra: tuple[float, float, float]
    original: tuple[float, float, float] | None
    corrected: tuple[float, float, float] | None
    gain: tuple[float, float, float, float] | None

    def to_json(self) -> dict[str, Any]:
        """The results as JSON values."""
        return dict(self.__dict__)


def robustness(
    name: str,
    metric: Metric,
    original: Sequence[Pair],
    corrected: Sequence[Pair],
    ratings: Floats | None,
    statistic: str = "pearson",
    resampling: Resampling = DEFAULT,
) -> Robustness:
    """A metric's agreement with itself and with people on original and corrected graphs.

    Raises:
        StatisticsError: fewer than two pairs.
    """
    resamples, seed = resampling.resamples, resampling.seed
    scores = np.stack([metric.score(original), metric.score(corrected)])

    def estimate(x: Floats, y: Floats) -> tuple[float, float, float]:
        rng = np.random.default_rng([seed, len(x)])
        low, high = bootstrap_interval(statistic, x, y, rng, resamples)
        return float(STATISTICS[statistic](x, y)), low, high

    if len(original) < 2:
        raise StatisticsError(f"a correlation needs at least two pairs, not {len(original)}")
    intra = estimate(scores[0], scores[1])
    if ratings is None:
        return Robustness(name, metric.signature, len(original), intra, None, None, None)
    sample = {"pairs": Sample(statistic, scores, ratings)}
    drawn = joint_bootstrap(sample, resamples, seed)["pairs"]
    tested = perm_both(sample, resamples, seed)["pairs"]
    gain = (
        float(tested.difference[1, 0]),
        *percentile_interval(drawn[:, 1] - drawn[:, 0]),
        float(tested.p[1, 0]),
    )
    before, after = (estimate(row, ratings) for row in scores)
    return Robustness(name, metric.signature, len(original), intra, before, after, gain)


@dataclass(frozen=True)
class Share:
    """The share of a group's graphs that have a label, with a 95 % interval."""

    group: str
    label: str
    count: int
    of: int
    share: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class ShareDifference:
    """The share of a label in one group minus that in another, with 95 % interval and p."""

    first: str
    second: str
    label: str
    difference: float
    interval: tuple[float, float]
    p: float


@dataclass(frozen=True)
class Labels:
    """A label (one of `GRADES`) for each item in each group, for instance of two parsers."""

    groups: Mapping[str, Mapping[str, str]]

    @classmethod
    def read(cls, path: Path) -> Labels:
        """Read a tab-separated table with the columns item, group and label.

        Raises:
            DataError: a file with other columns, an unknown label, or an item labelled twice in a
                group; it names the line.
        """
        rows = csv_rows(path, delimiter="\t", quoting=csv.QUOTE_NONE)
        if tuple(next(rows, (1, []))[1]) != COLUMNS:
            raise DataError(
                f"{path}, line 1: expected the tab-separated columns {', '.join(COLUMNS)}"
            )
        groups: dict[str, dict[str, str]] = {}
        for number, row in rows:
            if len(row) != len(COLUMNS) or row[2] not in GRADES:
                raise DataError(
                    f"{path}, line {number}: expected an item, a group and one of "
                    f"{', '.join(GRADES)}: {row}"
                )
            item, group, label = row
            if item in groups.setdefault(group, {}):
                raise DataError(f"{path}, line {number}: {item} is labelled twice in group {group}")
            groups[group][item] = label
        if not groups:
            raise DataError(f"{path}: the file has no labels")
        return cls(groups)


def label_study(
    labels: Labels, resampling: Resampling = DEFAULT
) -> tuple[list[Share], list[ShareDifference]]:
    """The share of each label in each group, and the differences between all pairs of groups.

    A difference uses the items that are labelled in both groups. They are resampled jointly, and
    the p-value comes from randomly swapping the two labels of an item.
    """
    resamples, seed = resampling.resamples, resampling.seed
    shares = []
    for group, items in labels.groups.items():
        for label in GRADES:
            has = np.array([given == label for given in items.values()])
            rng = np.random.default_rng([seed, len(has)])
            drawn = _resampled_means(has, resamples, rng)
            interval = percentile_interval(drawn)
            shares.append(
                Share(group, label, int(has.sum()), len(has), float(has.mean()), interval)
            )
    differences = []
    for a, b in combinations(labels.groups, 2):
        common = [item for item in labels.groups[a] if item in labels.groups[b]]
        for label in GRADES:
            in_a, in_b = (
                np.array([labels.groups[g][item] == label for item in common], np.bool_)
                for g in (a, b)
            )
            if common:
                differences.append(_difference(a, b, label, in_a, in_b, resampling))
    return shares, differences


def _difference(
    a: str, b: str, label: str, in_a: Bools, in_b: Bools, resampling: Resampling
) -> ShareDifference:
    resamples, seed = resampling.resamples, resampling.seed
    margin = in_a.astype(np.float64) - in_b
    rng = np.random.default_rng([seed, len(margin), 1])
    drawn = _resampled_means(margin, resamples, rng)
    flipped = np.concatenate(
        [
            (margin * rng.choice([-1.0, 1.0], (rows, len(margin)))).mean(axis=1)
            for rows in _blocks(resamples, len(margin))
        ]
    )
    extreme = int(np.sum(np.abs(flipped) >= abs(margin.mean()) - 1e-12))
    p = (extreme + 1) / (resamples + 1)
    return ShareDifference(a, b, label, float(margin.mean()), percentile_interval(drawn), p)


def _resampled_means(values: Bools | Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """The mean of each resample of some values."""
    return np.concatenate(
        [
            values[rng.integers(0, len(values), (rows, len(values)))].mean(axis=1)
            for rows in _blocks(resamples, len(values))
        ]
    )


def _blocks(draws: int, items: int) -> list[int]:
    """The numbers of draws to compute at a time, so that memory is bounded."""
    most = max(1, BLOCK // items)
    return [min(most, draws - start) for start in range(0, draws, most)]


def robustness_table(results: Sequence[Robustness], statistic: str, title: str) -> Table:
    """One row per metric, correlations times 100."""
    rows = []
    for result in results:
        row: list[Any] = [result.metric, result.pairs]
        for part in (result.intra, result.original, result.corrected, result.gain):
            row += [None, ""] if part is None else [100 * part[0], _interval(part[1], part[2])]
        rows.append((*row, None if result.gain is None else result.gain[3]))
    columns = ["metric", "pairs", "IMA", "95 %", "MHA original", "95 % ", "MHA corrected"]
    columns += ["95 %  ", "gain", "95 %   ", "p"]
    notes = (
        f"{statistic} x 100. IMA: the metric's scores on original and corrected graphs; MHA: its "
        "scores and human ratings",
    )
    return Table(title, tuple(columns), tuple(rows), 2, notes)


def label_tables(shares: Sequence[Share], differences: Sequence[ShareDifference]) -> list[Table]:
    """The shares of labels, and their differences, in percent."""
    rows = [
        (s.group, s.label, s.count, s.of, 100 * s.share, _interval(*s.interval)) for s in shares
    ]
    columns = ("group", "label", "graphs", "of", "%", "95 %")
    tables = [Table("Quality of graphs", columns, tuple(rows), 1)]
    if differences:
        lines = [
            (
                f"{d.first} minus {d.second}",
                d.label,
                100 * d.difference,
                _interval(*d.interval),
                d.p,
            )
            for d in differences
        ]
        headings = ("groups", "label", "% points", "95 %", "p")
        tables.append(Table("Differences", headings, tuple(lines), 3))
    return tables


def _interval(low: float, high: float) -> str:
    return f"{100 * low:.1f} .. {100 * high:.1f}"
