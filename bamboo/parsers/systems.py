"""Compare systems on a whole corpus and on parts of it: scores, intervals and tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from amr_metrics.base import LazyColumns, Metric, Scores, corpora_scores
from amr_metrics.types import Bools, Floats
from bamboo.board import NAN, WHOLE, Board, Difference, Score, find_main
from bamboo.scoring.exact import EXACT
from bamboo.statistics.corpus import (
    Compared,
    Statistics,
    bootstrap_corpus,
    corpus_scores,
    percentile_interval,
    permutation_tests,
    share_as_extreme,
)
from bamboo.statistics.resampling import DETECTABLE, Resampling, SystemTests

EMPTY = "empty"  # column of a part: whether it occurs in neither graph of a pair
# The columns of which the means over pairs are scores: of metrics with F1, and of all.
MACRO = {"macro_precision": "precision", "macro_recall": "recall", "macro_f1": "score"}
SHARES = {EXACT: EXACT}


def corpus_statistics(metric: Metric) -> Statistics:
    """Return a function for a metric's corpus scores (micro) and means over pairs (macro)."""

    def statistics(sums: LazyColumns, pairs: Floats) -> Mapping[str, Floats]:
        values = corpora_scores(metric, sums, pairs)
        means = MACRO | SHARES if "f1" in values else SHARES
        macro = {name: column for name, column in means.items() if column in sums}
        if not macro:
            return values
        return LazyColumns(
            (*values, *macro),
            lambda name: sums[macro[name]] / pairs if name in macro else values[name],
        )

    return statistics


def compare_systems(
    metric: str,
    kind: str,
    statistics: Statistics,
    parts: Mapping[str, Mapping[str, Scores]],
    tests: SystemTests,
    ci: bool = False,
) -> Board:
    """Score systems on each part, and compare all pairs of them.

    On the whole corpus every score is compared, on a part the score by which systems are ranked.

    Args:
        metric: the name of the metric.
        kind: the kind of the parts (`Score`).
        statistics: computes the corpus scores.
        parts: for each part, the scores of each system on all pairs: NaN where a pair is missing;
            the column `EMPTY`, if there is one, says for which pairs the part does not occur.
        tests: how intervals and p-values are computed.
        ci: compute 95 % intervals. Several systems are always compared.

    Raises:
        StatisticsError: `ci` with fewer than two pairs of the whole corpus.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation).
    """
    each, present, values = [], [], []
    for part, by_name in parts.items():
        for name, own in by_name.items():
            each.append((part, name, own))
            present.append(own.take(find_present(own)))
            values.append(corpus_scores(statistics, present[-1]))
    main = find_main(next(filter(None, values), ()))
    scores = []
    for (part, system, own), own_present, of_system in zip(each, present, values, strict=True):
        pairs = len(own_present.values)
        intervals = {}
        if ci and (pairs > 1 or (part == WHOLE and pairs)):
            names = [*of_system] if part == WHOLE else [find_main(of_system)]
            intervals = _compute_intervals(statistics, own_present, tests, names)
        left_out = int(_has_score(own).sum()) - pairs
        scores += [
            Score(
                metric, kind, part, system, pairs, left_out, name, value, *intervals.get(name, ())
            )
            for name, value in (of_system or {main: NAN}).items()
        ]
    observed = [
        difference
        for part, by_name in parts.items()
        for pair in itertools.combinations(by_name.items(), 2)
        for difference in _compare_pair((metric, kind, part), statistics, *pair, main, tests)
    ]
    return Board(tuple(scores), _test(statistics, parts, observed, main, tests))


def _compute_intervals(
    statistics: Statistics, scores: Scores, resampling: Resampling, names: Sequence[str]
) -> dict[str, tuple[float, float]]:
    draws = resampling.resamples, resampling.seed
    drawn = bootstrap_corpus(statistics, [scores], *draws, names)
    return {name: percentile_interval(column[:, 0]) for name, column in drawn.items()}


def _test(
    statistics: Statistics,
    parts: Mapping[str, Mapping[str, Scores]],
    observed: Sequence[Difference],
    main: str,
    tests: SystemTests,
) -> tuple[Difference, ...]:
    """Return the differences with the p-values of permutation tests."""
    testable = [row for row in observed if row.pairs > 1 and not np.isnan(row.value)]
    if not testable:
        return tuple(observed)
    compared = {
        row[2:5]: _pair_up(parts[row.part][row.first], parts[row.part][row.second])
        for row in testable
    }
    names = sorted(dict.fromkeys(row.score for row in testable), key=lambda name: name != main)
    count = len(next(iter(compared.values())).chosen)
    rng = np.random.default_rng([tests.seed, count, 1])
    p_values = permutation_tests(statistics, [*compared.values()], names, tests.number, rng)
    p = dict(zip(compared, zip(*p_values, strict=True), strict=True))
    tested = []
    for row in observed:
        of_scores, corrected = p.get(row[2:5], ({}, NAN))
        if row.score in of_scores:
            adjusted = float(corrected) if row.score == main else NAN
            row = row._replace(p=of_scores[row.score], p_adjusted=adjusted)
        tested.append(row)
    return tuple(tested)


def _has_score(scores: Scores) -> Bools:
    return ~np.isnan(scores.values)


def find_present(scores: Scores) -> Bools:
    """Return which pairs have a score and the part."""
    scored = _has_score(scores)
    return scored & ~scores.details[EMPTY] if EMPTY in scores.details else scored


def _pair_up(first: Scores, second: Scores) -> Compared:
    """Return two systems' scores, and the pairs on which they are compared."""
    occurs = find_present(first) | find_present(second)
    return Compared(first, second, _has_score(first) & _has_score(second) & occurs)


def _compare_pair(
    place: tuple[str, str, str],
    statistics: Statistics,
    first: tuple[str, Scores],
    second: tuple[str, Scores],
    main: str,
    tests: Resampling,
) -> Iterator[Difference]:
    """Yield the differences of two systems on a part, without p-values of permutation tests."""
    (first_name, a), (second_name, b) = first, second
    compared = _pair_up(a, b)
    systems = a.take(compared.chosen), b.take(compared.chosen)
    pairs = int(compared.chosen.sum())
    is_whole = place[2] == WHOLE
    both = _has_score(a) & _has_score(b)
    if not (both & find_present(a)).any() or not (both & find_present(b)).any():
        yield Difference(*place, first_name, second_name, pairs, main, NAN)
        return
    scores = [corpus_scores(statistics, system) for system in systems]
    resampled: Mapping[str, Floats] = {}
    if is_whole and pairs > 1:
        resampled = bootstrap_corpus(statistics, systems, tests.resamples, tests.seed, scores[0])
    for name in scores[0] if is_whole else [main]:
        value = scores[0][name] - scores[1][name]
        row = Difference(*place, first_name, second_name, pairs, name, value)
        if resampled:
            drawn = resampled[name][:, 0] - resampled[name][:, 1]
            low, high = percentile_interval(drawn)
            p = share_as_extreme(drawn - value, value)
            detectable = float(DETECTABLE * drawn.std(ddof=1)) if len(drawn) > 1 else NAN
            row = row._replace(low=low, high=high, p_bootstrap=p, detectable=detectable)
        yield row
