"""Significance tests of the differences between parsers on each aspect of meaning or sub-score."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bamboo.documents import plain
from bamboo.evaluation.parsers import mark
from bamboo.statistics.classic import holm
from bamboo.statistics.corpus import Statistics, permute_corpus, share_as_extreme
from bamboo.statistics.resampling import Resampling
from metrics.aspects import AspectScores
from metrics.types import Bools

LEVEL = 0.05  # differences with a corrected p-value below it are marked
COLUMNS = ("minus best", "p perm.", "p Holm", "mark")


@dataclass(frozen=True)
class AspectComparison:
    """The difference of two parsers on one aspect.

    Attributes:
        pairs: number of pairs for which both parsers have a score, and in which the aspect occurs
            in the gold graph or in the parse of either.
        value: micro F1 of the first parser minus that of the second, on these pairs; NaN if the
            aspect occurs in no pair of one parser.
        p: of the paired permutation test, two-sided; NaN without a value or for fewer than two
            pairs.
        p_holm: p corrected by Holm's method for all aspects and pairs of parsers.
    """

    aspect: str
    first: str
    second: str
    pairs: int
    value: float
    p: float
    p_holm: float

    def seen_from(self, parser: str) -> AspectComparison:
        """The same comparison with `parser` as the first of the two.

        >>> AspectComparison("ner", "a", "b", 9, 0.25, 0.5, 1.0).seen_from("b").value
        -0.25
        """
        if parser == self.first:
            return self
        return replace(self, first=self.second, second=self.first, value=-self.value)


@dataclass(frozen=True)
class VersusBest:
    """A parser compared with the best parser on one aspect.

    Attributes:
        best: the parser with the highest micro F1 on the aspect.
        tested: the difference from it; None for the best parser itself.
        tests: number of tests that p-values are corrected for.
        permutations: number of permutations of each test.
    """

    best: str
    tested: AspectComparison | None
    tests: int
    permutations: int

    def cells(self) -> tuple[Any, ...]:
        """The cells of a table below `COLUMNS`."""
        if self.tested is None:
            return None, None, None, "best"
        return self.tested.value, self.tested.p, self.tested.p_holm, mark(self.tested.p_holm)

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        one = self.tested
        if one is None:
            return {"best": self.best, "versus_best": None}
        values = {"pairs": one.pairs, "f1": one.value, "p": one.p, "p_holm": one.p_holm}
        return {"best": self.best, "versus_best": plain(values)}


def compare_aspects(
    statistics: Statistics,
    scores: Mapping[str, Sequence[AspectScores]],
    scored: Mapping[str, Bools],
    resampling: Resampling,
) -> list[AspectComparison]:
    """Compare all pairs of parsers on all aspects.

    Args:
        statistics: computes the micro scores; ``f1`` is tested. A pair in which an aspect does not
            occur has no facts and must not change it.
        scores: for each parser, its scores by aspect: the same aspects for all of them.
        scored: for each parser, which pairs of the files have a score: those in `scores`.
        resampling: `resamples` is the number of permutations.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation); Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    comparisons = []
    for of_aspect in zip(*scores.values(), strict=True):
        by_parser = dict(zip(scores, of_aspect, strict=True))
        for first, second in itertools.combinations(by_parser, 2):
            both = scored[first] & scored[second]
            a, b = (_taken(by_parser[name], both[scored[name]]) for name in (first, second))
            comparisons.append(_compared(statistics, first, second, a, b, resampling))
    corrected = holm(np.array([one.p for one in comparisons]))
    return [replace(one, p_holm=p) for one, p in zip(comparisons, corrected.tolist(), strict=True)]


def _taken(aspect: AspectScores, chosen: Bools) -> AspectScores:
    return AspectScores(aspect.aspect, aspect.scores.take(chosen), aspect.empty[chosen])


def _compared(
    statistics: Statistics,
    first: str,
    second: str,
    a: AspectScores,
    b: AspectScores,
    resampling: Resampling,
) -> AspectComparison:
    """The comparison of two parsers on one aspect, without Holm's correction."""
    occurs = ~(a.empty & b.empty)
    pairs, nan = int(occurs.sum()), float("nan")
    if a.empty.all() or b.empty.all():
        return AspectComparison(a.aspect, first, second, pairs, nan, nan, nan)
    systems = a.scores.take(occurs), b.scores.take(occurs)
    value = statistics(systems[0])["f1"] - statistics(systems[1])["f1"]
    if pairs < 2:
        return AspectComparison(a.aspect, first, second, pairs, value, nan, nan)
    permuted = permute_corpus(statistics, *systems, resampling.resamples, resampling.seed)
    p = share_as_extreme(permuted["f1"], value)
    return AspectComparison(a.aspect, first, second, pairs, value, p, nan)


def versus_best(
    f1: Mapping[str, Mapping[str, float]],
    comparisons: Sequence[AspectComparison],
    resampling: Resampling,
) -> dict[tuple[str, str], VersusBest]:
    """Each parser's comparison with the best parser on each aspect.

    Args:
        f1: for each aspect, the micro F1 of the parsers that have one.
        comparisons: of all pairs of parsers on all aspects (`compare_aspects`).

    Returns:
        the comparison by aspect and parser.
    """
    tests = sum(not np.isnan(one.p) for one in comparisons)
    versus = {}
    for aspect, values in f1.items():
        if not values:
            continue
        best = max(values, key=lambda parser: values[parser])
        versus[aspect, best] = VersusBest(best, None, tests, resampling.resamples)
        for one in comparisons:
            if one.aspect == aspect and best in (one.first, one.second):
                parser = one.first if best == one.second else one.second
                tested = one.seen_from(parser)
                versus[aspect, parser] = VersusBest(best, tested, tests, resampling.resamples)
    return versus


def notes_on_tests(versus: Sequence[VersusBest], what: str) -> list[str]:
    """How parsers are compared, and whether any difference could be significant.

    Args:
        what: what the parsers are compared on: ``aspect`` or ``sub-score``.

    >>> one = AspectComparison("ner", "b", "a", 9, -0.25, 0.01, 0.4)
    >>> print(notes_on_tests([VersusBest("a", one, 40, 500)], "aspect")[1])
    500 permutations are too few for 40 tests: no corrected p-value can be below .05. Use 800 or \
more (resamples=800)
    """
    tests = max((one.tests for one in versus), default=0)
    if not tests:
        return []
    notes = [
        f"minus best: f1 minus that of the best parser on the {what}. Marks *, **, ***: the best "
        "parser is significantly better, p < .05, .01, .001 (paired permutation test, corrected "
        f"by Holm's method over all {what}s and pairs of parsers: "
        f"{tests} test{'s' if tests > 1 else ''})"
    ]
    draws = versus[0].permutations
    if tests / (draws + 1) >= LEVEL:
        needed = int(tests / LEVEL)
        notes.append(
            f"{draws:,} permutations are too few for {tests} tests: no corrected p-value can be "
            f"below .05. Use {needed} or more (resamples={needed})"
        )
    return notes
