"""`Sample`: the scores of several metrics on the same pairs, prepared for resampling."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from amr_metrics.types import Floats, Ints
from amr_metrics.utils.text import format_count
from bamboo.errors import StatisticsError
from bamboo.statistics.ratings import (
    ROUNDING,
    average_ranks,
    compares_twos,
    original_is_higher,
    ranks,
    scale_rows,
    statistic_named,
)
from bamboo.statistics.resampling import METHODS, Method
from bamboo.statistics.sums import Addends
from bamboo.ties import number_ranks

FEW = 200  # with fewer effective clusters, percentile intervals are too narrow
BLOCK = 200  # draws computed at a time
VECTORISED = ("pearson", "spearman", "pair_accuracy")  # computed for many draws at once
MEAN = "amean"  # the name of the mean over all samples
FLAT = 1e-12  # a variance below this, of standardised values, is rounding error


@dataclass(frozen=True, eq=False)
class Sample:
    """The scores of several metrics on one cell.

    Attributes:
        statistic: one of `VECTORISED`, or the name of another statistic (see
            `bamboo.statistics.ratings.statistic_named`), which is called once for each draw.
        scores: (metrics, pairs); NaN for a missing pair.
        ratings: one per pair.
        clusters: the number of each pair's cluster, from 0; the pairs of a cluster are drawn and
            swapped together, because they depend on each other. None if each unit is a cluster.
        group: samples of one group have the same pairs in the same order; they share their
            random draws.
        pairs_per_unit: the number of consecutive pairs that always belong together: 2 for an
            altered pair and its original, which ``pair_accuracy`` and ``accuracy_with_ties`` imply.

    Raises:
        StatisticsError: arrays that do not fit together, an infinite score, or fewer than two
            units with a pair that every metric has a score for.

    >>> sample = Sample("pearson", np.array([[1.0, 2.0, 4.0]]), np.array([0.0, 1.0, 2.0]))
    >>> sample.values.round(4).tolist()
    [0.982]
    """

    statistic: str
    scores: Floats
    ratings: Floats
    clusters: Ints | None = None
    group: str = ""
    pairs_per_unit: int = 1

    def __post_init__(self) -> None:
        if self.scores.ndim != 2 or self.scores.shape[1] != len(self.ratings):
            raise StatisticsError(
                f"{format_count(self.scores.shape[-1], 'score')} per metric for "
                f"{format_count(len(self.ratings), 'rating')}: expected one score per pair"
            )
        if compares_twos(self.statistic) and len(self.ratings) % 2:
            raise StatisticsError(
                f"{format_count(len(self.ratings), 'pair')} cannot be grouped in twos: expected an "
                "even number"
            )
        if np.isinf(self.scores).any():
            raise StatisticsError(
                "a score is infinite: expected finite scores, or NaN for a missing pair"
            )
        units = consecutive(len(self.ratings), self._pairs_per_unit)
        if (scored := len(np.unique(units[self.present > 0]))) < 2:
            has = "has" if scored == 1 else "have"
            raise StatisticsError(
                f"{scored} of {format_count(len(np.unique(units)), 'unit')} {has} a score of every "
                "metric: a statistic needs at least two"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled without the values that are computed from the fields.
        arrays = self.scores, self.ratings, self.clusters
        return Sample, (self.statistic, *arrays, self.group, self.pairs_per_unit)

    @property
    def _pairs_per_unit(self) -> int:
        return 2 if compares_twos(self.statistic) else self.pairs_per_unit

    @cached_property
    def cluster_of(self) -> Ints:
        """The number of each pair's cluster."""
        if self.clusters is None:
            return consecutive(len(self.ratings), self._pairs_per_unit)
        return self.clusters

    @cached_property
    def sizes(self) -> Floats:
        """The number of pairs in each cluster, without those that lack a score."""
        return np.asarray(np.bincount(self.cluster_of, self.present, self.n_clusters), np.float64)

    @cached_property
    def method(self) -> Method:
        """How intervals are computed: see `Method`."""
        if effective_clusters(self.sizes) < FEW:
            return "jackknife"
        return "sentences" if self.is_clustered else "pairs"

    @cached_property
    def is_clustered(self) -> bool:
        """Whether any units are drawn together, because they depend on each other."""
        return bool((np.bincount(self.cluster_of) > self._pairs_per_unit).any())

    @cached_property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return int(self.cluster_of.max(initial=-1)) + 1

    @cached_property
    def present(self) -> Floats:
        """1 for a pair for which every metric has a score, else 0.

        If the statistic compares two consecutive pairs, they count only together.
        """
        complete = np.isfinite(self.scores).all(axis=0) & np.isfinite(self.ratings)
        if compares_twos(self.statistic):
            complete = np.repeat(complete.reshape(-1, 2).all(axis=1), 2)
        return np.asarray(complete, dtype=np.float64)

    @cached_property
    def values(self) -> Floats:
        """The statistic of each metric; NaN where it does not exist (constant scores)."""
        return np.asarray(self.weighted(np.ones((1, self.n_clusters)))[0])

    @property
    def is_function(self) -> bool:
        """Whether the statistic is a function to be called, because it has no vectorised form."""
        return self.statistic not in VECTORISED

    @cached_property
    def sums(self) -> Floats:
        """The sums from which a statistic follows, for each cluster: (clusters, columns).

        A correlation needs 1, y, y², then x, x², xy of each metric, all standardised; pair
        accuracy needs 1, then each metric's 0 or 1.
        """
        present, clusters = self.present, self.cluster_of
        if self.statistic == "pair_accuracy":
            present, clusters = present[::2], clusters[::2]  # one for each couple
            right = original_is_higher(self.scores).T * present[:, None]
            columns = np.column_stack([present, right])
        else:
            x = standardize_rows(self.measured, present).T
            y = standardize_rows(self.rated, present)[:, None]
            columns = np.column_stack([present, y, y * y, x, x * x, x * y])
        sums = np.zeros_like(columns, shape=(self.n_clusters, columns.shape[1]))
        np.add.at(sums, clusters, columns)
        return sums

    @cached_property
    def _addends(self) -> Addends:
        return Addends.of(self.sums, self.n_clusters)

    def sum_clusters(self, weights: Floats) -> Floats:
        """Return the sums of `sums` with clusters weighted: (draws, columns).

        Args:
            weights: (draws, clusters), whole numbers whose absolute values add up to the number of
                clusters at most.
        """
        return self._addends.sum(weights)

    @cached_property
    def measured(self) -> Floats:
        """The scores, or for a rank correlation their ranks."""
        if self.statistic != "spearman":
            return self.scores
        return np.stack([self._ranked(row) for row in self.scores])

    @cached_property
    def rated(self) -> Floats:
        """The ratings, or for a rank correlation their ranks."""
        return self._ranked(self.ratings) if self.statistic == "spearman" else self.ratings

    def _ranked(self, row: Floats) -> Floats:
        present = self.present > 0
        ranked = np.zeros(len(row))
        ranked[present] = ranks(row[present])
        return ranked

    def weighted(self, weights: Floats) -> Floats:
        """Return the statistic with clusters weighted.

        Args:
            weights: (draws, clusters), as in `sum_clusters`, not negative.

        Returns:
            (draws, metrics); NaN where the statistic does not exist.
        """
        if self.statistic == "spearman":
            return self._weighted_ranks(weights)
        if self.is_function:
            return self._resampled(weights)
        totals = self.sum_clusters(weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = totals / totals[:, :1]
        if self.statistic == "pair_accuracy":
            return np.asarray(means[:, 1:])
        y, yy = means[:, 1:2], means[:, 2:3]
        x, xx, xy = np.split(means[:, 3:], 3, axis=1)
        return correlation(x, xx, xy, y, yy)

    def _resampled(self, weights: Floats) -> Floats:
        function = statistic_named(self.statistic)
        values = np.empty((len(weights), len(self.scores)))
        present = np.flatnonzero(self.present)
        clusters = self.cluster_of[present]
        for k, row in enumerate(weights):
            # Those that are drawn, then those that are drawn twice, and so on, each in the order of
            # the data: a statistic may break ties by it, and an altered pair stays beside its
            # original.
            times = row[clusters].astype(np.int64)
            copies = range(times.max(initial=1))
            pairs = np.concatenate([present[times > copy] for copy in copies])
            for m, scores in enumerate(self.scores):
                values[k, m] = function(scores[pairs], self.ratings[pairs])
        return values

    def exchanged(self, signs: Floats) -> Floats:
        """Return metric i's statistic with metric j's scores in the clusters whose sign is -1.

        Scores are standardised before they change places, as in `bamboo.statistics.permutation`.
        This is for statistics that are functions to be called, which must not depend on the scale
        of the scores.

        Args:
            signs: (draws, clusters), 1 or -1.

        Returns:
            (draws, metrics, metrics).
        """
        function = statistic_named(self.statistic)
        present = self.present > 0
        rows = standardize_rows(self.scores, self.present)[:, present]
        ratings, metrics = self.ratings[present], range(len(rows))
        clusters = self.cluster_of[present]
        values = np.empty((len(signs), len(rows), len(rows)))
        values[:, metrics, metrics] = [function(row, ratings) for row in rows]
        for k, row in enumerate(signs):
            swapped = (row < 0)[clusters]
            for i, j in itertools.permutations(metrics, 2):
                values[k, i, j] = function(np.where(swapped, rows[j], rows[i]), ratings)
        return values

    def _weighted_ranks(self, weights: Floats) -> Floats:
        """Return Spearman's correlation of each draw; ranks are those within the draw."""
        present = self.present > 0
        numbers = [number_ranks(row[present]) for row in (*self.scores, self.ratings)]
        clusters = self.cluster_of[present]
        values = np.empty((len(weights), len(self.scores)))
        for k, row in enumerate(weights):
            counts = row[clusters]
            *ranked, rated = [average_ranks(numbered, counts) for numbered in numbers]
            values[k] = [_correlate_weighted(x, rated, counts) for x in ranked]
        return values


def effective_clusters(sizes: Floats) -> float:
    """Return the number of clusters of equal size that weigh as much as those given.

    >>> effective_clusters(np.array([2.0, 2, 2])), effective_clusters(np.array([8.0, 1, 1]))
    (3.0, 1.5151515151515151)
    """
    return float(np.square(sizes.sum()) / np.square(sizes).sum())


def method_of(samples: Iterable[Sample]) -> Method:
    """Return how intervals of a statistic of some samples are computed."""
    return max((sample.method for sample in samples), key=[*METHODS].index)


def consecutive(count: int, size: int) -> Ints:
    """Return the clusters of pairs of which each `size` consecutive ones belong together.

    >>> consecutive(6, 2).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    return np.arange(count) // size


def correlation(x: Floats, xx: Floats, xy: Floats, y: Floats, yy: Floats) -> Floats:
    """Return Pearson's correlation from the means of x, x², xy, y, y²; NaN without variance.

    The variables are standardised (or the means are of a resample of such), so the sums have no
    extreme magnitude; values slightly outside -1..1, from rounding, are clipped.
    """
    variances = (xx - x * x), (yy - y * y)
    flat = (variances[0] < FLAT) | (variances[1] < FLAT)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (xy - x * y) / np.sqrt(variances[0] * variances[1])
    return np.where(flat, np.nan, np.clip(values, -1, 1))


def standardize_rows(rows: Floats, present: Floats) -> Floats:
    """Return rows with mean 0 and variance 1 over the present values.

    Absent values become 0, and so does a row that is constant up to rounding.
    """
    rows = scale_rows(np.where(present > 0, rows, 0.0))
    count = present.sum()
    centred = (rows - rows.sum(axis=-1, keepdims=True) / count) * present
    deviation = np.sqrt((centred * centred).sum(axis=-1, keepdims=True) / count)
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    varies = deviation > ROUNDING * largest
    return np.asarray(np.where(varies, centred / np.where(varies, deviation, 1.0), 0.0))


def _correlate_weighted(x: Floats, y: Floats, counts: Floats) -> float:
    total = counts.sum()
    x, y = x - (counts * x).sum() / total, y - (counts * y).sum() / total
    spread = (counts * x * x).sum() * (counts * y * y).sum()
    if spread <= 0:
        return float("nan")
    return float(np.clip((counts * x * y).sum() / np.sqrt(spread), -1, 1))


def mean_of(columns: Mapping[str, Floats]) -> Floats:
    """Return the mean over the samples; NaN where one is missing."""
    stacked: Floats = np.stack(list(columns.values()))
    return np.asarray(stacked.sum(axis=0) / len(stacked))


def harmonic_mean_of(columns: Mapping[str, Floats]) -> Floats:
    """Return the harmonic mean over the samples; NaN where one is missing or not positive."""
    stacked: Floats = np.stack(list(columns.values()))
    positive = (stacked > 0).all(axis=0)
    return np.where(
        positive, len(stacked) / (1 / np.where(positive, stacked, 1)).sum(axis=0), np.nan
    )


def random_draws(
    samples: Mapping[str, Sample], kind: str, draws: int, seed: int
) -> Iterator[dict[str, Floats]]:
    """Yield blocks of random weights for each sample; samples of one group share them.

    Args:
        kind: ``resample``: how often each cluster is drawn with replacement; ``swap``: 1 or -1.

    Yields:
        (draws of this block, clusters) for each sample. The draws of a group do not depend on the
        other groups.
    """
    sizes = {sample.group or name: sample.n_clusters for name, sample in samples.items()}
    rngs = {group: np.random.default_rng([seed, *group.encode()]) for group in sizes}
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        drawn = {
            group: _draw_weights(kind, rngs[group], size, units) for group, units in sizes.items()
        }
        yield {name: drawn[sample.group or name] for name, sample in samples.items()}


def _draw_weights(kind: str, rng: np.random.Generator, draws: int, units: int) -> Floats:
    if kind == "swap":
        return (2 * rng.integers(0, 2, (draws, units), dtype=np.int8) - 1).astype(np.float64)
    return resample(rng, draws, units)


def resample(rng: np.random.Generator, draws: int, units: int) -> Floats:
    """Return how often each unit occurs in a resample of all units, drawn with replacement."""
    # Numbers of row k are shifted by k * units, so that one `bincount` counts all rows.
    drawn = rng.integers(0, units, (draws, units)) + units * np.arange(draws)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=draws * units)
    return counts.reshape(draws, units).astype(np.float64)
