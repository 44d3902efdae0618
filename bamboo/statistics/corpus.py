"""Corpus scores: confidence intervals, and significance of the difference of two systems.

A corpus score is not the mean of the pairs' scores (micro F1 is a ratio of sums), but it follows
from the sums of their columns. Each resample or permutation is a new corpus: a matrix product of
its weights and the columns gives the sums of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from amr_metrics.base import LazyColumns, Scores
from amr_metrics.types import Bools, Floats, Ints
from bamboo.errors import StatisticsError
from bamboo.statistics.families import Family
from bamboo.statistics.resampling import quantiles
from bamboo.statistics.sums import Addends

# Computes corpus scores from the sums of columns and the number of pairs, for any number of corpora
# at once (see `amr_metrics.base.corpora_scores`).
Statistics = Callable[[LazyColumns, Floats], Mapping[str, Floats]]

LEVEL = 0.95  # of intervals
SAME = 1e-12  # smaller differences are rounding errors
BLOCK = 4_000_000  # pairs that are drawn or swapped at a time
DRAWN = 4  # numbers of pairs whose resamples are kept
ROWS = 2_000  # permutations that are evaluated at a time


def corpus_scores(statistics: Statistics, scores: Scores) -> dict[str, float]:
    """Return the corpus scores of some pairs; none without pairs."""
    if not len(scores.values):
        return {}
    columns = scores.columns()
    sums = LazyColumns(columns, lambda name: columns[name].sum())
    values = statistics(sums, np.array(float(len(scores.values))))
    return {name: float(value) for name, value in values.items()}


def score_corpora(statistics: Statistics, corpora: Sequence[Scores]) -> dict[str, Floats]:
    """Return the corpus scores that all of several corpora have: (corpora,) for each."""
    each = [*map(partial(corpus_scores, statistics), corpora)]
    names = min(each, key=len)  # a corpus without pairs has no score
    return {name: np.array([values[name] for values in each]) for name in names}


def score_resamples(statistics: Statistics, scores: Scores, counts: Floats) -> Mapping[str, Floats]:
    """Return the corpus scores of resamples: (resamples,) for each.

    Args:
        counts: (resamples, pairs): how often each pair is drawn.
    """
    columns, pairs = scores.columns(), counts.sum(axis=1)
    most = pairs.max()
    sums = LazyColumns(columns, lambda name: Addends.of(columns[name], most).sum(counts))
    return statistics(sums, pairs)


def bootstrap_corpus(
    statistics: Statistics,
    systems: Sequence[Scores],
    resamples: int,
    seed: int,
    names: Iterable[str],
    strata: Ints | None = None,
) -> dict[str, Floats]:
    """Return corpus scores of every system, on the same resamples of the pairs.

    Args:
        names: the scores.
        strata: the stratum of each pair, a number from 0 on, if pairs are drawn within strata.

    Returns:
        (resamples, systems) for each score.

    Raises:
        StatisticsError: fewer than two pairs.
    """
    n = len(systems[0].values)
    if n < 2:
        raise StatisticsError(f"intervals need at least two pairs, not {n}")
    drawn: dict[str, list[list[Floats]]] = {name: [[] for _ in systems] for name in names}
    for counts in draw_resamples(n, resamples, seed, strata):
        for k, scores in enumerate(systems):
            scored = score_resamples(statistics, scores, counts)
            for name, columns in drawn.items():
                columns[k].append(scored[name])
    return {
        name: np.stack([np.concatenate(parts) for parts in columns], axis=1)
        for name, columns in drawn.items()
    }


def draw_resamples(
    n: int, resamples: int, seed: int, strata: Ints | None = None
) -> Iterator[Floats]:
    """Yield how often each of n pairs is drawn, for some resamples at a time.

    Args:
        strata: as in `bootstrap_corpus`: each resample has as many pairs of each as there are.
            Source: Davison and Hinkley (1997), Bootstrap methods and their application, section
            3.2.
    """
    rows = max(BLOCK // n, 1)
    if (
        strata is None and resamples <= rows
    ):  # the scores of the parts of a corpus use the same resamples
        yield _draw_all(n, resamples, seed)
        return
    rng = np.random.default_rng([seed, n])
    for start in range(0, resamples, rows):
        yield _draw_counts(rng, n, min(rows, resamples - start), strata)


@lru_cache(maxsize=DRAWN)
def _draw_all(n: int, resamples: int, seed: int) -> Floats:
    return _draw_counts(np.random.default_rng([seed, n]), n, resamples)


def _draw_counts(
    rng: np.random.Generator, n: int, resamples: int, strata: Ints | None = None
) -> Floats:
    if strata is None:
        drawn = rng.integers(0, n, (resamples, n))
    else:
        sizes = np.bincount(strata)
        first = (np.cumsum(sizes) - sizes)[strata]  # where the stratum begins in the order of them
        places = rng.integers(first, first + sizes[strata], (resamples, n))
        drawn = np.argsort(strata, kind="stable")[places]
    counts = np.zeros(resamples * n)
    drawn += np.arange(0, counts.size, n)[:, np.newaxis]
    np.add.at(counts, drawn.ravel(), 1.0)
    return counts.reshape(resamples, n)


def percentile_interval(values: Floats) -> tuple[float, float]:
    """Return the 95 % percentile interval of resampled values; NaN without finite values.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = quantiles(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


class Compared(NamedTuple):
    """Two systems' scores of the same pairs, and which of these count."""

    first: Scores
    second: Scores
    counting: Bools


def permutation_tests(
    statistics: Statistics,
    compared: Sequence[Compared],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
) -> tuple[list[dict[str, float]], Floats]:
    """Test the differences in some corpus scores, for each comparison.

    Both systems' scores are swapped on each pair with probability 1/2, on the same pairs in all
    comparisons. p = (c + 1) / (n + 1), where c of n permutations give a difference at least as
    large in absolute value.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation).

    Args:
        compared: comparisons on the same pairs.
        names: the corpus scores to test.

    Returns:
        the p-values of each comparison; and those of the first score, corrected for all
        comparisons (`Family`).
    """
    if not compared:
        return [], np.empty(0)
    differences = _prepare_differences(statistics, compared, names)
    n = len(compared[0].counting)
    observed = differences(np.zeros((1, n), np.bool_))
    extreme, steps = np.zeros(observed.shape[1:]), np.zeros(len(compared))
    rows = max(min(BLOCK // n, ROWS), 1)
    family = None
    for start in range(0, permutations, rows):
        swapped = rng.integers(2, size=(min(rows, permutations - start), n), dtype=np.bool_)
        drawn = differences(swapped)
        extreme += is_as_extreme(drawn, observed).sum(axis=0)
        if family is None:
            family = Family(observed[0, :, 0], np.sqrt(np.square(drawn[:, :, 0]).mean(axis=0)))
        steps += family.count(drawn[:, :, 0])
    p = (extreme + 1) / (permutations + 1)
    corrected = np.maximum(family.corrected(steps, permutations), p[:, 0]) if family else p[:, 0]
    return [dict(zip(names, row, strict=True)) for row in p.tolist()], corrected


def share_as_extreme(draws: Floats, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of n draws are at least as large in absolute value."""
    return float((np.sum(is_as_extreme(draws, observed)) + 1) / (len(draws) + 1))


def is_as_extreme(draws: Floats, observed: Floats | float) -> Bools:
    """Return which draws are at least as large in absolute value, up to rounding (`SAME`)."""
    return np.abs(draws) >= np.abs(observed) - SAME


def _prepare_differences(
    statistics: Statistics, compared: Sequence[Compared], names: Sequence[str]
) -> Callable[[Bools], Floats]:
    """Return a function that computes the differences after swapping systems on some pairs.

    The sums after swapping are those before, plus the differences on the pairs that are swapped.

    Returns:
        from (permutations, pairs), which pairs are swapped, to (permutations, comparisons, scores).
    """
    counting = np.stack([systems.counting for systems in compared], axis=1)
    pairs = np.tile(counting.sum(axis=0).astype(np.float64), 2)
    firsts = [systems.first.columns() for systems in compared]
    seconds = [systems.second.columns() for systems in compared]
    # Of each column that the corpus scores use: the sums of the first systems and then of the
    # second ones, and the changes. Parsers seldom differ in the number of gold triples.
    sums: dict[str, Floats] = {}
    changes: dict[str, Addends] = {}

    def differences(swapped: Bools) -> Floats:
        weights = swapped.astype(np.float64)

        def sum_swapped(name: str) -> Floats:
            if name not in sums:
                column_of = itemgetter(name)
                first = np.where(counting, np.stack([*map(column_of, firsts)], axis=1), 0.0)
                second = np.where(counting, np.stack([*map(column_of, seconds)], axis=1), 0.0)
                sums[name] = np.concatenate([first.sum(axis=0), second.sum(axis=0)])
                if (first != second).any():
                    changes[name] = Addends.of(second - first, len(counting))
            if name not in changes:
                return np.broadcast_to(sums[name], (len(weights), len(pairs)))
            gains = changes[name].sum(weights)
            swapped_sums: Floats = sums[name] + np.concatenate([gains, -gains], axis=1)
            return swapped_sums

        of_each = np.broadcast_to(pairs, (len(weights), len(pairs)))
        columns = statistics(LazyColumns(firsts[0], sum_swapped), of_each)
        scores = np.stack([columns[name] for name in names], axis=-1)
        of_first, of_second = np.split(scores, 2, axis=1)
        return of_first - of_second

    return differences
