"""Statistics that compare scores with ratings: one per cell, and means over cells."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any

import numpy as np

from amr_metrics.errors import OptionError
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.functions import extract_target, import_function
from amr_metrics.utils.user_code import describe_error, guard_user_code
from bamboo.errors import ConfigError, StatisticsError, describe_unknown
from bamboo.ties import are_tied, number_ranks

Statistic = Callable[[Floats, Floats], float]
ROUNDING = 1e-13  # a standard deviation below this share of the largest value is rounding error


def scale_rows(values: Floats) -> Floats:
    """Return each row times a power of two, so that its largest absolute value lies in 0.5..1.

    Scaling by a power of two is exact, so a scale-invariant statistic does not change in any
    bit, while sums of squares neither overflow nor underflow. Zeros stay zeros.

    >>> scale_rows(np.array([3.0, -6.0])).tolist()
    [0.375, -0.75]
    """
    largest = np.abs(values).max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.ldexp(values, -np.frexp(largest)[1]))


def pearson(scores: Floats, ratings: Floats) -> float:
    """Return Pearson's correlation in -1..1, of values of any magnitude.

    NaN if either side is constant up to rounding, has a non-finite value, or has fewer than two
    values.

    >>> round(pearson(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 1.0])), 12)
    0.5
    """
    if len(scores) < 2 or not (np.isfinite(scores).all() and np.isfinite(ratings).all()):
        return float("nan")
    x, y = scale_rows(scores), scale_rows(ratings)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    x_deviations, y_deviations = x - x.mean(), y - y.mean()
    # Products are summed in a fixed order; that of `@` depends on the processor.
    xx, yy = (x_deviations * x_deviations).sum(), (y_deviations * y_deviations).sum()
    if not (_has_variance(x, xx) and _has_variance(y, yy)):
        return float("nan")
    return float(np.clip((x_deviations * y_deviations).sum() / np.sqrt(xx * yy), -1, 1))


def _has_variance(values: Floats, squares: float) -> bool:
    """Check that values differ by more than rounding, from their squared deviations."""
    return bool(np.sqrt(squares / len(values)) > ROUNDING * np.abs(values).max())


def spearman(scores: Floats, ratings: Floats) -> float:
    """Return Spearman's rank correlation in -1..1, ties at their mean rank.

    Values that are equal up to rounding are tied (`bamboo.ties`). NaN if all values of a side are
    tied, one is NaN, or there are fewer than two.

    >>> spearman(np.array([1.0, 10.0, 100.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    return pearson(ranks(scores), ranks(ratings))


def kendall(scores: Floats, ratings: Floats) -> float:
    """Return Kendall's rank correlation, tau-b, in -1..1; NaN as in `pearson`.

    Values that are equal up to rounding are tied (`bamboo.ties`).
    Source: Kendall (1945), The treatment of ties in ranking problems.

    >>> round(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 12)  # (2 - 1) / 3
    0.333333333333
    """
    if len(scores) < 2 or not (np.isfinite(scores).all() and np.isfinite(ratings).all()):
        return float("nan")
    by_scores, by_ratings = number_ranks(scores), number_ranks(ratings)
    if not (by_scores.any() and by_ratings.any()):
        return float("nan")
    from scipy.stats import kendalltau  # takes 0.6 seconds, and is not needed for Pearson

    return float(kendalltau(by_scores, by_ratings).statistic)


def original_is_higher(scores: Floats) -> Bools:
    """Return whether the original scores strictly higher, for (altered, original).

    A tie (`bamboo.ties.are_tied`) counts as not higher: many graphs differ only in ways that a
    metric ignores, and have scores that are equal up to rounding, which can make either of them
    larger.

    Args:
        scores: of the altered and the original pair in turn, along the last axis.

    >>> original_is_higher(np.array([0.5, 0.9, 0.7, 0.7, 0.3, 0.1 + 0.2])).tolist()
    [True, False, False]
    """
    altered, original = scores[..., 0::2], scores[..., 1::2]
    return np.asarray((original > altered) & ~are_tied(original, altered))


def pair_accuracy(scores: Floats, ratings: Floats) -> float:
    """Return the share of (altered, original) pairs in which the original scores strictly higher.

    Scores that are equal up to rounding are tied, see `original_is_higher`.

    >>> pair_accuracy(np.array([0.5, 0.9, 0.7, 0.7]), np.array([0.0, 1.0, 0.0, 1.0]))  # a tie
    0.5
    """
    if len(scores) < 2:
        return float("nan")
    return float(np.mean(original_is_higher(scores)))


def accuracy_with_ties(scores: Floats, ratings: Floats, eps: float = 0.0) -> float:
    """Return the share of couples of pairs that scores and ratings order alike, or both tie.

    A couple is two consecutive pairs, such as the parses of two systems with the same reference.
    The ratings tie if they are equal, the scores if they differ by at most `eps` or are equal up to
    rounding (`bamboo.ties`). Of C couples in the same order, D in the opposite one, T_r and T_s
    with a tie of the ratings or the scores alone, and T_rs with both, this is (C + T_rs) / all.
    Source: Deutsch, Foster and Freitag (2023), Ties matter: meta-evaluating modern metrics with
    pairwise accuracy and tie calibration, acc_eq.

    Raises:
        StatisticsError: an odd number of pairs.

    >>> ratings = np.array([1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 1.0, 0.0])
    >>> scores = np.array([0.9, 0.1, 0.7, 0.7, 0.6, 0.6, 0.2, 0.3])  # C, T_rs, T_s, D
    >>> accuracy_with_ties(scores, ratings), accuracy_with_ties(scores, ratings, eps=1.0)
    (0.5, 0.25)
    """
    if len(scores) < 2:
        return float("nan")
    differences, preferences = _compare_couples(scores, ratings)
    orders = np.where(np.abs(differences) <= eps, 0.0, np.sign(differences))
    return float(np.mean(orders == preferences))


def calibrate_ties(scores: Floats, ratings: Floats) -> float:
    """Return the `eps` with the highest `accuracy_with_ties`, the smallest of equally good ones.

    Tried are 0 and the observed differences of scores. The value fits the data it was chosen on:
    report the accuracy at 0, too.
    Source: Deutsch, Foster and Freitag (2023), tie calibration.

    Raises:
        StatisticsError: an odd number of pairs.

    >>> ratings = np.array([1.0, 0.0, 0.5, 0.5, 0.5, 0.5])
    >>> round(calibrate_ties(np.array([0.9, 0.1, 0.7, 0.6, 0.3, 0.5]), ratings), 12)
    0.2
    """
    differences, preferences = _compare_couples(scores, ratings)
    sizes = np.abs(differences)
    order = np.argsort(sizes, kind="stable")
    # With the k smallest differences as ties: those of them that people tie, and the others that
    # are ordered alike.
    tied = np.concatenate([[0], np.cumsum((preferences == 0)[order])])
    alike = np.concatenate([[0], np.cumsum((np.sign(differences) == preferences)[order])])
    candidates = np.unique(np.concatenate([[0.0], sizes]))
    k = np.searchsorted(sizes[order], candidates, side="right")
    return float(candidates[np.argmax(tied[k] + alike[-1] - alike[k])])


def _compare_couples(scores: Floats, ratings: Floats) -> tuple[Floats, Floats]:
    """Return first minus second score of each couple, and which one the ratings prefer: 1, 0, -1.

    Differences that are rounding errors are 0.
    """
    if len(scores) % 2:
        raise StatisticsError(
            f"{ACCURACY_WITH_TIES}: {len(scores)} pairs cannot be grouped in twos: two consecutive "
            "pairs are compared, and both need a score"
        )
    first, second = scores[0::2], scores[1::2]
    differences = np.where(are_tied(first, second), 0.0, first - second)
    return differences, np.sign(ratings[0::2] - ratings[1::2])


PAIR_ACCURACY = "pair_accuracy"  # computed from two consecutive pairs: altered and original
ACCURACY_WITH_TIES = "accuracy_with_ties"  # likewise, of any two pairs
IN_TWOS = (PAIR_ACCURACY, ACCURACY_WITH_TIES)
STATISTICS: Mapping[str, Statistic] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    PAIR_ACCURACY: pair_accuracy,
    ACCURACY_WITH_TIES: accuracy_with_ties,
}


def compares_twos(name: str) -> bool:
    """Return whether a statistic compares two consecutive pairs.

    >>> compares_twos("accuracy_with_ties(eps=0.01)"), compares_twos("pearson")
    (True, False)
    """
    return extract_target(name) in IN_TWOS


def statistic_named(name: str) -> Statistic:
    """Return the statistic with a name in `STATISTICS`, or a Python function.

    A function is written as ``module.function`` or, with options, as ``module.function(k=10)``
    (`amr_metrics.options`); so are the options of a name, as in ``accuracy_with_ties(eps=0.01)``.
    It receives scores and ratings (float64, one per pair, in the same order) and returns a number,
    NaN where the statistic is not defined. If it fails or returns anything else, its call raises a
    `StatisticsError`.

    Raises:
        ConfigError: an unknown name, or a function that cannot be imported.

    >>> statistic_named("spearman") is spearman
    True
    >>> statistic_named("scipy.stats.kendalltau").__name__
    'kendalltau'
    """
    if name in STATISTICS:
        return STATISTICS[name]
    if extract_target(name) in STATISTICS:
        return statistic_named(f"{__name__}.{name}")
    if "." not in extract_target(name):
        raise ConfigError(
            f"{describe_unknown('statistic', name, STATISTICS)}. "
            "A Python function is written as module.function"
        )
    try:
        return _check_results(import_function(name), name)
    except OptionError as error:
        raise ConfigError(f"statistic {error}") from None


def _check_results(function: Callable[..., Any], name: str) -> Statistic:
    """Return a user's function as one that returns a float, or raises a `StatisticsError`."""

    @wraps(function)
    def call(scores: Floats, ratings: Floats) -> float:
        try:
            with guard_user_code():
                value = function(scores, ratings)
        except Exception as error:  # a user's function may raise anything
            raise StatisticsError(f"statistic {name}: {describe_error(error)}") from None
        with suppress(TypeError, ValueError):
            if not isinstance(value, str | bytes):  # float would read "0.5"
                return float(value)
        raise StatisticsError(
            f"statistic {name} returned {reprlib.repr(value)}: expected a number, NaN where it is "
            "not defined"
        )

    return call


def amean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return float(np.mean(values))


def hmean(values: Sequence[float]) -> float:
    """Return the harmonic mean; NaN unless all values are positive.

    >>> hmean([1.0, 2.0])  # 2 / (1/1 + 1/2)
    1.3333333333333333
    """
    # Not scipy.stats.hmean: every run over all cells needs it, and scipy.stats takes 0.6 seconds to
    # import. It also rounds the last digit of a quarter of all means the other way.
    if min(values) <= 0:
        return float("nan")
    return float(len(values) / np.sum(1 / np.asarray(values)))


def ranks(values: Floats) -> Floats:
    """Return ranks from 0, ties (`bamboo.ties`) at their mean rank; all NaN if any value is NaN.

    >>> ranks(np.array([0.5, 0.25, 0.5])).tolist()
    [1.5, 0.0, 1.5]
    """
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    return average_ranks(number_ranks(values), np.ones(len(values)))


def average_ranks(numbers: Ints, counts: Floats) -> Floats:
    """Return the mean ranks, from 0, of values that occur several times each.

    Args:
        numbers: of their ranks, see `bamboo.ties.number_ranks`.
        counts: how often each value occurs.
    """
    # The last of the equal values has the rank cumsum(times) - 1, the first that less times - 1.
    times = np.bincount(numbers, weights=counts)
    return np.asarray((np.cumsum(times) - (times + 1) / 2)[numbers])
