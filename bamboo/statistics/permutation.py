"""PERM-BOTH: a permutation test of whether two metrics agree with people equally well."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from amr_metrics.types import Floats
from bamboo.engines import SERIAL, Engine
from bamboo.statistics.corpus import is_as_extreme
from bamboo.statistics.families import Family
from bamboo.statistics.sample import MEAN, Sample, correlation, mean_of, random_draws

BLOCKS = 5  # blocks of draws in one call of an engine

# The signs of a block of draws, as bits, for each group of samples.
Bits = dict[str, np.ndarray[Any, np.dtype[np.uint8]]]


def perm_both(
    samples: Mapping[str, Sample],
    permutations: int = 10_000,
    seed: int = 0,
    engine: Engine = SERIAL,
) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Test all pairs of metrics on all samples, and on their mean (`MEAN`), by permutation.

    Both metrics' scores are standardised, then swapped on each cluster with probability 1/2, and
    both statistics are computed again. p = (c + 1) / (n + 1), where c of n permutations give a
    difference at least as large in absolute value. Samples of one group share their swaps. For a
    rank correlation the ranks are swapped.

    Source: Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation
    metrics using resampling methods, section 4.2 (PERM-BOTH).

    Args:
        engine: where permutations are evaluated; all random numbers are drawn here.

    Returns:
        for each sample three matrices, (metrics, metrics): the differences, row less column; their
        p-values, two-sided, NaN where a metric has no value, or if all pairs of a sample are in one
        cluster; and these corrected for all pairs of metrics (`Family`).
    """
    observed = {
        name: np.asarray(sample.values[:, None] - sample.values[None, :])
        for name, sample in samples.items()
    }
    observed[MEAN] = mean_of(observed)
    blocks = _pack_draws(samples, permutations, seed)
    parts = iter(lambda: list(itertools.islice(blocks, BLOCKS)), [])
    first = next(parts, [])
    families = _build_families(samples, observed, first)
    extreme = {name: np.zeros(values.shape) for name, values in observed.items()}
    steps = {name: np.zeros(family.observed.shape) for name, family in families.items()}
    tasks = ((samples, observed, families, part) for part in itertools.chain([first], parts))
    for counts in engine.map(_count_extreme, tasks, ordered=False):
        for name, (count, step) in counts.items():
            extreme[name] += count  # whole numbers: their order does not matter
            steps[name] += step
    # Swapping all pairs of a sample changes no difference.
    single = {name for name, sample in samples.items() if np.count_nonzero(sample.sizes) < 2}
    single |= {MEAN} if single else set()
    tested = {}
    for name, values in observed.items():
        p = (extreme[name] + 1) / (permutations + 1)
        p[np.isnan(values) | (name in single)] = np.nan
        adjusted = np.array(p)
        rows, columns = np.triu_indices(len(p), 1)
        corrected = families[name].corrected(steps[name], permutations)
        corrected = np.maximum(corrected, p[rows, columns])
        adjusted[rows, columns] = adjusted[columns, rows] = corrected
        tested[name] = values, p, adjusted
    return tested


def _pack_draws(samples: Mapping[str, Sample], permutations: int, seed: int) -> Iterator[Bits]:
    """Yield blocks of draws, one bit per cluster: whether its scores are kept."""
    for block in random_draws(samples, "swap", permutations, seed):
        by_group = {samples[name].group or name: signs for name, signs in block.items()}
        yield {group: np.packbits(signs > 0, axis=1) for group, signs in by_group.items()}


def _build_families(
    samples: Mapping[str, Sample], observed: Mapping[str, Floats], blocks: Sequence[Bits]
) -> dict[str, Family]:
    """Return the pairs of metrics of each sample; some permutations give their scales."""
    squares = {name: np.zeros(values.shape) for name, values in observed.items()}
    for name, differences in _permute_samples(samples, blocks):
        squares[name] += np.nansum(np.square(differences), axis=0)
    upper = np.triu_indices(len(observed[MEAN]), 1)
    return {
        name: Family(values[upper], np.sqrt(squares[name][upper]))
        for name, values in observed.items()
    }


def _count_extreme(
    samples: Mapping[str, Sample],
    observed: Mapping[str, Floats],
    families: Mapping[str, Family],
    blocks: Sequence[Bits],
) -> dict[str, tuple[Floats, Floats]]:
    """Count permutations whose difference is at least as large as observed, by sample.

    Returns:
        the counts of each test, and those of the families' steps.
    """
    extreme = {name: np.zeros(values.shape) for name, values in observed.items()}
    steps = {name: np.zeros(family.observed.shape) for name, family in families.items()}
    rows, columns = np.triu_indices(len(observed[MEAN]), 1)
    for name, differences in _permute_samples(samples, blocks):
        extreme[name] += is_as_extreme(differences, observed[name]).sum(axis=0)
        steps[name] += families[name].count(differences[:, rows, columns])
    return {name: (extreme[name], steps[name]) for name in observed}


def _permute_samples(
    samples: Mapping[str, Sample], blocks: Sequence[Bits]
) -> Iterator[tuple[str, Floats]]:
    """Yield the differences of each sample, and of the mean, in each block of permutations."""
    for block in blocks:
        total: Floats | float = 0.0
        signs: dict[str, Floats] = {}
        for name, sample in samples.items():
            group = sample.group or name
            if group not in signs:
                keep = np.unpackbits(block[group], axis=1, count=sample.n_clusters)
                signs[group] = 2 * keep.astype(np.float64) - 1
            swapped = _swap_scores(sample, signs[group])
            difference = swapped - swapped.transpose(0, 2, 1)
            total = total + difference
            yield name, difference
        yield MEAN, np.asarray(total) / len(samples)


def _swap_scores(sample: Sample, signs: Floats) -> Floats:
    """Return metric i's statistic after swapping scores with metric j, as (draws, i, j).

    Where the sign is -1 metric i gets the scores of j. A sum over i's new scores is therefore
    half of (all of i + all of j + signed sum of i - signed sum of j), which avoids a loop over
    clusters for each pair of metrics.
    """
    if sample.is_function:
        return sample.exchanged(signs)
    sums = sample.sums
    count, totals = sums[:, 0].sum(), sums.sum(axis=0)
    first = 1 if sample.statistic == "pair_accuracy" else 3  # columns of metrics, see `Sample.sums`
    # One matrix product for all draws and metrics; of the exchanged scores, only sums are needed.
    signed = sample.sum_clusters(signs)[:, first:] / count
    means = totals[first:] / count

    def exchanged(part: slice) -> Floats:
        a, b = means[part], signed[:, part]
        fixed = a[:, None] + a[None, :]
        return np.asarray((fixed + b[:, :, None] - b[:, None, :]) / 2)

    if sample.statistic == "pair_accuracy":
        return exchanged(slice(None))
    # An exchanged score takes its square and its product with the rating along, so that the sums
    # of all three are exchanged in the same way.
    m = len(sample.scores)
    x, xx, xy = [exchanged(slice(k * m, (k + 1) * m)) for k in range(3)]
    return correlation(x, xx, xy, totals[1] / count, totals[2] / count)
