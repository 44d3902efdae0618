"""Compare systems on a whole corpus and on parts of it: scores, intervals and tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from amr_metrics.base import LazyColumns, Metric, Scores, corpora_scores
from amr_metrics.types import Bools, Floats
from bamboo.statistics.corpus import (
    Compared,
    Statistics,
    bootstrap_corpus,
    corpus_scores,
    main_score,
    percentile_interval,
    permutation_tests,
    share_as_extreme,
)
from bamboo.statistics.resampling import DETECTABLE, Resampling, SystemTests

WHOLE = ""  # the part with all pairs
EMPTY = "empty"  # column of a part: whether it occurs in neither graph of a pair
NAN = float("nan")
DIGITS = 12  # decimals in which equal scores agree: the order of a sum changes the last ones
# The columns of which the means over pairs are scores.
MACRO = {"macro_precision": "precision", "macro_recall": "recall", "macro_f1": "score"}


@dataclass(frozen=True)
class SystemScore:
    """The corpus scores of a system on a part.

    Attributes:
        part: the name of the part, or `WHOLE`.
        pairs: number of pairs with a score in which the part occurs.
        left_out: number of pairs with a score in which it does not.
        scores: by name; empty if the part occurs in no pair.
        intervals: 95 % intervals by name, for parts that of the main score; empty if not requested,
            and for less than two pairs of a part.
    """

    part: str
    system: str
    pairs: int
    left_out: int
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


class SystemDifference(NamedTuple):
    """A corpus score of the first system minus that of the second, on a part.

    Attributes:
        pairs: number of pairs for which both have a score and in which the part occurs in the
            graphs of either.
        value: the difference on these pairs; NaN if the part occurs in no pair of one system.
        low, high: 95 % interval from resampled pairs; NaN on a part.
        p_bootstrap: (c + 1) / (n + 1), if c of n resamples give a difference at least as far from
            the value as that is from zero; NaN on a part.
        p: of the paired permutation test: (c + 1) / (n + 1), if c of n permutations give a
            difference at least as large in absolute value; NaN for fewer than two pairs.
        p_adjusted: `p` corrected for all parts and pairs of systems (`Family`); NaN except for the
            main score.
        detectable: the true difference that a test at the 5 % level finds with 80 % power; NaN on a
            part.
    """

    part: str
    first: str
    second: str
    pairs: int
    score: str
    value: float
    low: float = NAN
    high: float = NAN
    p_bootstrap: float = NAN
    p: float = NAN
    p_adjusted: float = NAN
    detectable: float = NAN

    @property
    def is_testable(self) -> bool:
        """Whether there is a difference on at least two pairs."""
        return self.pairs > 1 and not np.isnan(self.value)

    def reversed(self) -> SystemDifference:
        """Return the difference of the second system from the first."""
        return self._replace(
            first=self.second, second=self.first, value=-self.value, low=-self.high, high=-self.low
        )


@dataclass(frozen=True)
class SystemResults:
    """The corpus scores of systems on the same parts, and their differences.

    Attributes:
        scores: of each part and system.
        differences: of all pairs of systems; empty for a single system. On the whole corpus those
            of every score, on a part those of the main score.
        main: the name of the score by which systems are ranked.
        permutations: number of permutations of each test.
    """

    scores: Sequence[SystemScore]
    differences: Sequence[SystemDifference]
    main: str
    permutations: int

    def best(self, part: str = WHOLE) -> list[str]:
        """Return the systems with the highest main score on a part; none for a single system."""
        values = {
            row.system: row.scores[self.main]
            for row in self.scores
            if row.part == part and row.scores and self.differences
        }
        return find_highest(values)

    def versus_best(self, row: SystemScore) -> tuple[str | None, SystemDifference | None]:
        """Return the best system on a row's part, and the difference of the row's system from it.

        Returns:
            the system with the highest main score, None if there is nothing to compare; of several
            the row's, otherwise the first by name, so that their order does not matter. And the
            difference, None for the best.
        """
        systems = self.best(row.part)
        if not systems or row.system in systems:
            return (row.system if systems else None), None
        best = min(systems)
        for one in self.differences:
            compared = {one.first, one.second} == {best, row.system}
            if compared and (one.part, one.score) == (row.part, self.main):
                return best, one if one.first == row.system else one.reversed()
        return best, None

    @property
    def tests(self) -> int:
        """The number of tests that p-values are corrected for."""
        return sum(one.score == self.main and not np.isnan(one.p) for one in self.differences)


def find_highest(values: Mapping[str, float]) -> list[str]:
    """Return the names with the highest value, in their order.

    >>> find_highest({"a": 0.1 + 0.2, "b": 0.25, "c": 0.3})
    ['a', 'c']
    """
    rounded = {name: round(value, DIGITS) for name, value in values.items()}
    return [name for name, value in rounded.items() if value == max(rounded.values())]


def find_detectable(differences: Iterable[SystemDifference]) -> list[float]:
    """Return the smallest and the largest detectable difference.

    Unknown ones do not count, nor those of systems with the same score on every pair, which are 0.
    """
    sizes = [one.detectable for one in differences if round(one.detectable, DIGITS) > 0]
    return [min(sizes), max(sizes)] if sizes else []


def corpus_statistics(metric: Metric) -> Statistics:
    """Return a function for a metric's corpus scores (micro) and means over pairs (macro)."""

    def statistics(sums: LazyColumns, pairs: Floats) -> Mapping[str, Floats]:
        values = corpora_scores(metric, sums, pairs)
        if "f1" not in values:
            return values
        macro = {name: column for name, column in MACRO.items() if column in sums}
        return LazyColumns(
            (*values, *macro),
            lambda name: sums[macro[name]] / pairs if name in macro else values[name],
        )

    return statistics


def compare_systems(
    statistics: Statistics,
    parts: Mapping[str, Mapping[str, Scores]],
    resampling: SystemTests,
    ci: bool = False,
) -> SystemResults:
    """Score systems on each part, and compare all pairs of them.

    Args:
        statistics: computes the corpus scores; on a part, the main score is tested.
        parts: for each part, the scores of each system on all pairs: NaN where a pair is missing;
            the column `EMPTY`, if there is one, says for which pairs the part does not occur.
        ci: compute 95 % intervals. Several systems are always compared.

    Raises:
        StatisticsError: `ci` with fewer than two pairs of the whole corpus.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation).
    """
    scores = [
        _score(statistics, part, system, values, resampling if ci else None)
        for part, systems in parts.items()
        for system, values in systems.items()
    ]
    main = main_score(next((row.scores for row in scores if row.scores), ["f1"]))
    observed = [
        difference
        for part, systems in parts.items()
        for pair in itertools.combinations(systems.items(), 2)
        for difference in _differences(statistics, part, *pair, main, resampling)
    ]
    tested = _tested(statistics, parts, observed, main, resampling)
    return SystemResults(scores, tested, main, resampling.number)


def _tested(
    statistics: Statistics,
    parts: Mapping[str, Mapping[str, Scores]],
    observed: Sequence[SystemDifference],
    main: str,
    resampling: SystemTests,
) -> list[SystemDifference]:
    """Return the differences with the p-values of permutation tests."""
    testable = [one for one in observed if one.is_testable]
    if not testable:
        return [*observed]
    compared = {
        one[:3]: _compared(parts[one.part][one.first], parts[one.part][one.second])
        for one in testable
    }
    names = sorted(dict.fromkeys(one.score for one in testable), key=lambda name: name != main)
    count = len(next(iter(compared.values())).chosen)
    rng = np.random.default_rng([resampling.seed, count, 1])
    found = permutation_tests(statistics, [*compared.values()], names, resampling.number, rng)
    p = dict(zip(compared, zip(*found, strict=True), strict=True))
    tested = []
    for one in observed:
        if one[:3] in p:
            of_scores, corrected = p[one[:3]]
            one = one._replace(p=of_scores[one.score])
            if one.score == main:
                one = one._replace(p_adjusted=float(corrected))
        tested.append(one)
    return tested


def _scored(scores: Scores) -> Bools:
    return ~np.isnan(scores.values)


def _present(scores: Scores) -> Bools:
    """Return which pairs have a score and the part."""
    scored = _scored(scores)
    return scored & ~scores.details[EMPTY] if EMPTY in scores.details else scored


def _compared(first: Scores, second: Scores) -> Compared:
    """Return two systems' scores, and the pairs on which they are compared."""
    occurs = _present(first) | _present(second)
    return Compared(first, second, _scored(first) & _scored(second) & occurs)


def _score(
    statistics: Statistics,
    part: str,
    system: str,
    scores: Scores,
    resampling: Resampling | None,
) -> SystemScore:
    present = scores.take(_present(scores))
    pairs = len(present.values)
    values, intervals = corpus_scores(statistics, present), {}
    if resampling is not None and (pairs > 1 or (part == WHOLE and pairs)):
        names = values if part == WHOLE else [main_score(values)]
        draws = resampling.resamples, resampling.seed
        drawn = bootstrap_corpus(statistics, [present], *draws, names)
        intervals = {name: percentile_interval(column[:, 0]) for name, column in drawn.items()}
    left_out = int(_scored(scores).sum()) - pairs
    return SystemScore(part, system, pairs, left_out, values, intervals)


def _differences(
    statistics: Statistics,
    part: str,
    first: tuple[str, Scores],
    second: tuple[str, Scores],
    main: str,
    resampling: Resampling,
) -> Iterator[SystemDifference]:
    """Yield the differences of two systems on a part, without p-values of permutation tests."""
    (first_name, a), (second_name, b) = first, second
    compared = _compared(a, b)
    systems = a.take(compared.chosen), b.take(compared.chosen)
    pairs = int(compared.chosen.sum())
    draws = resampling.resamples, resampling.seed
    whole = part == WHOLE
    both = _scored(a) & _scored(b)
    if not (both & _present(a)).any() or not (both & _present(b)).any():
        yield SystemDifference(part, first_name, second_name, pairs, main, NAN)
        return
    scores = [corpus_scores(statistics, system) for system in systems]
    has_draws = whole and pairs > 1
    resampled = bootstrap_corpus(statistics, systems, *draws, scores[0]) if has_draws else {}
    for name in scores[0] if whole else [main]:
        value = scores[0][name] - scores[1][name]
        one = SystemDifference(part, first_name, second_name, pairs, name, value)
        if resampled:
            drawn = resampled[name][:, 0] - resampled[name][:, 1]
            low, high = percentile_interval(drawn)
            p = share_as_extreme(drawn - value, value)
            detectable = float(DETECTABLE * drawn.std(ddof=1)) if len(drawn) > 1 else NAN
            one = one._replace(low=low, high=high, p_bootstrap=p, detectable=detectable)
        yield one
