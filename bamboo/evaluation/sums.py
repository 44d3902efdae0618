"""Corpus scores and their intervals from sums over pairs, so that no pair has to be kept.

The corpus scores of the metrics in this package follow from the sums of the columns of `Scores`.
Sums of parts of a corpus are added, and so are those of resampled parts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamboo.errors import ConfigError
from bamboo.statistics.corpus import Statistics, percentile_interval
from metrics.base import Scores
from metrics.types import Floats

BLOCK = 4_096  # pairs whose weights are drawn at a time
CLOSE = 1e-9  # relative difference up to which two corpus scores are equal
VALUE, COUNT = " value", " count"  # columns beside the metric's own


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of some columns over pairs.

    Attributes:
        columns: the names of the columns.
        totals: float64, one sum per column.
        resampled: float64 resamples x columns: the sums over resampled pairs.
        flags: the columns that are true or false: whether they are true for all pairs.
    """

    columns: tuple[str, ...]
    totals: Floats
    resampled: Floats
    flags: Mapping[str, bool]

    @classmethod
    def of(cls, scores: Scores, resamples: int, rng: np.random.Generator) -> Sums:
        """The sums over pairs that have scores.

        A pair is drawn Poisson(1) times in each resample, so that pairs can be resampled part by
        part. Source: Chamandy et al. (2012), Estimating uncertainty for massive data streams.
        """
        flags = {k: bool(v.all()) for k, v in scores.details.items() if v.dtype == bool}
        table = {COUNT: np.ones(len(scores.values)), VALUE: scores.values}
        table |= {k: v for k, v in scores.details.items() if v.dtype.kind in "iuf"}
        rows = np.stack([np.asarray(column, np.float64) for column in table.values()], axis=1)
        resampled = np.zeros((resamples, rows.shape[1]))
        for start in range(0, len(rows) if resamples else 0, BLOCK):
            block = rows[start : start + BLOCK]
            weights = rng.poisson(1.0, (resamples, len(block))).astype(np.float64)
            # Not a matrix product: its last bits would depend on the number of threads.
            resampled += np.einsum("rp,pc->rc", weights, block)
        totals = np.array([math.fsum(column) for column in rows.T.tolist()])
        return cls(tuple(table), totals, resampled, flags)

    @classmethod
    def added(cls, parts: Sequence[Sums]) -> Sums:
        """The sums over all pairs of several parts; parts without pairs are left out."""
        parts = [part for part in parts if part.totals[0]] or list(parts[:1])
        flags = {name: all(part.flags[name] for part in parts) for name in parts[0].flags}
        resampled = parts[0].resampled.copy()
        for part in parts[1:]:
            resampled += part.resampled
        totals = [math.fsum(column) for column in zip(*(p.totals for p in parts), strict=True)]
        return cls(parts[0].columns, np.array(totals), resampled, flags)

    @property
    def count(self) -> int:
        """The number of pairs."""
        return int(self.totals[0])

    def corpus(self, statistics: Statistics) -> dict[str, float]:
        """The corpus scores.

        Args:
            statistics: `bamboo.evaluation.systems.corpus_statistics` of the metric.
        """
        return self._statistics(statistics, self.totals, self.flags)

    def intervals(self, statistics: Statistics) -> dict[str, tuple[float, float]]:
        """The 95 % bootstrap interval of each corpus score."""
        drawn = [self._statistics(statistics, row, self.flags) for row in self.resampled if row[0]]
        return {
            name: percentile_interval(np.array([values[name] for values in drawn]))
            for name in (drawn[0] if drawn else ())
        }

    def _statistics(
        self, statistics: Statistics, totals: Floats, flags: Mapping[str, bool]
    ) -> dict[str, float]:
        """The corpus scores of one row with the sums, and of means from the means."""
        named = dict(zip(self.columns, totals.tolist(), strict=True))
        count = named.pop(COUNT)
        mean = np.array([named.pop(VALUE) / count])
        flag_columns = {name: np.array([value]) for name, value in flags.items()}
        sums = {name: np.array([value]) for name, value in named.items()}
        means = {name: np.array([value / count]) for name, value in named.items()}
        of_sums = statistics(Scores(mean, {**sums, **flag_columns}))
        of_means = statistics(Scores(mean, {**means, **flag_columns}))
        return {k: of_means[k] if k.startswith("macro_") else v for k, v in of_sums.items()}

    def check(self, statistics: Statistics, scores: Scores, name: str) -> None:
        """Check that the corpus scores of some pairs follow from their sums.

        Args:
            scores: of the pairs that the sums are of.
            name: the metric's name, for the error.

        Raises:
            ConfigError: they do not, as for a median.
        """
        expected: Mapping[str, Any] = statistics(scores)
        try:
            found = self.corpus(statistics)
        except (KeyError, TypeError, ValueError):  # the metric needs more than numbers
            found = {}
        for key, value in expected.items():
            close = math.isclose(found.get(key, math.nan), value, rel_tol=CLOSE, abs_tol=CLOSE)
            if not (close or (key in found and math.isnan(found[key]) and math.isnan(value))):
                raise ConfigError(
                    f"metric {name}: the corpus score {key} does not follow from sums over pairs, "
                    "so it cannot be computed shard by shard: leave out shards="
                )
