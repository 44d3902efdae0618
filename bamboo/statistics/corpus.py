"""Scores of a whole corpus: their intervals, and whether two systems' scores differ.

A corpus score is no mean of the pairs' scores (micro F1 is a ratio of sums), so each draw makes a
new corpus of pairs that are scored already, and scores it as the metric scores any corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bamboo.errors import StatisticsError
from metrics.base import Scores
from metrics.types import Bools, Floats

Statistics = Callable[[Scores], Mapping[str, float]]

SAME = 1e-12  # differences closer than this are the same; they may come from other sums


class Difference(NamedTuple):
    """A corpus score of one system less that of another, with two-sided p-values."""

    value: float
    low: float
    high: float
    p_bootstrap: float
    p_permutation: float


def bootstrap_corpus(
    statistics: Statistics, systems: Sequence[Scores], resamples: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """Every corpus score of every system on the same resamples of the pairs.

    Returns:
        by score, (resamples, systems).

    Raises:
        StatisticsError: fewer than two pairs: there is nothing to draw from.
    """
    n = len(systems[0].values)
    if n < 2:
        raise StatisticsError(f"intervals want two pairs at least, not {n}")
    rng = np.random.default_rng([seed, n])
    drawn = [rng.integers(0, n, n) for _ in range(resamples)]
    found = [[statistics(scores.take(d)) for scores in systems] for d in drawn]
    return {
        name: np.array([[one[name] for one in row] for row in found])
        for name in statistics(systems[0])
    }


def percentile_interval(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """The middle part of resampled values; NaN where there are none.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def permute_corpus(
    statistics: Statistics, a: Scores, b: Scores, permutations: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """The differences of two systems after they change places on each pair with probability 1/2.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation).
    """
    n = len(a.values)
    rng = np.random.default_rng([seed, n, 1])
    found = []
    for _ in range(permutations):
        swap = rng.random(n) < 0.5
        one, other = statistics(_mixed(a, b, swap)), statistics(_mixed(b, a, swap))
        found.append({name: value - other[name] for name, value in one.items()})
    return {name: np.array([row[name] for row in found]) for name in statistics(a)}


def differences(
    statistics: Statistics,
    a: Scores,
    b: Scores,
    resampled: Mapping[str, tuple[Floats, Floats]],
    permutations: int = 1000,
    seed: int = 0,
) -> dict[str, Difference]:
    """Each corpus score of `a` less that of `b`, with interval and p-values.

    Both p-values are (c + 1) / (n + 1), where c of n draws give a difference at least as large,
    of either sign: for the bootstrap, as far from the observed one as that is from zero.

    Args:
        resampled: both systems' scores on the same resamples, by score (`bootstrap_corpus`).
    """
    first, second = statistics(a), statistics(b)
    permuted = permute_corpus(statistics, a, b, permutations, seed)
    found = {}
    for name, value in first.items():
        observed = value - second[name]
        drawn = resampled[name][0] - resampled[name][1]
        found[name] = Difference(
            observed,
            *percentile_interval(drawn),
            _share_as_extreme(drawn - observed, observed),
            _share_as_extreme(permuted[name], observed),
        )
    return found


def _share_as_extreme(draws: Floats, observed: float) -> float:
    return float((np.sum(np.abs(draws) >= abs(observed) - SAME) + 1) / (len(draws) + 1))


def _mixed(a: Scores, b: Scores, swap: Bools) -> Scores:
    """The scores of `a`, but of `b` where the two change places."""
    return Scores(
        np.where(swap, b.values, a.values),
        {name: np.where(swap, b.details[name], column) for name, column in a.details.items()},
    )
