"""Compare systems on a whole corpus and on parts of it: scores, intervals and tests."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from amr_metrics.base import LazyColumns, Metric, Scores, corpora_scores
from amr_metrics.types import Bools, Floats
from bamboo.board import CORPUS, DEVIATION, NAN, RUN, WHOLE, Board, Difference, Score, find_main
from bamboo.scoring.scored import select_pairs
from bamboo.statistics.corpus import (
    Compared,
    Statistics,
    bootstrap_corpus,
    percentile_interval,
    permutation_tests,
    score_corpora,
    share_as_extreme,
)
from bamboo.statistics.families import correct_holm
from bamboo.statistics.resampling import DETECTABLE, SystemTests

EMPTY = "empty"  # column of a part: whether it occurs in neither graph of a pair
STRATUM = "stratum"  # column of a part: within which of its pairs are resampled, if not all
HALF_WIDTH = 1.96  # standard errors on both sides of a mean: the quantile .975 of the normal


class CorpusScore(NamedTuple):
    """A corpus score in tables.

    Attributes:
        columns: the least columns with which tables have it: ``main``, ``all``, or ``alone``:
            ``main``, but ``all`` where parsers are compared.
        mean_of: the column of which it is the mean over pairs (macro); "" if it is no mean.
        in_parts: whether tables of aspects, buckets and runs have it as well.
    """

    columns: Literal["main", "alone", "all"] = "main"
    mean_of: str = ""
    in_parts: bool = True


# Those of metrics with F1, in the order of tables.
SCORES = {
    "precision": CorpusScore("alone"),
    "recall": CorpusScore("alone"),
    "f1": CorpusScore(),
    "macro_precision": CorpusScore("all", mean_of="precision", in_parts=False),
    "macro_recall": CorpusScore("all", mean_of="recall", in_parts=False),
    "macro_f1": CorpusScore("all", mean_of="score"),
}
MACRO = {name: score.mean_of for name, score in SCORES.items() if score.mean_of}


def find_score(name: str) -> CorpusScore:
    """Return how tables show a corpus score, or its standard deviation; by default always.

    >>> find_score("recall_sd").columns, find_score("mean").columns
    ('alone', 'main')
    """
    return SCORES.get(name.removesuffix(DEVIATION), CorpusScore())


def corpus_statistics(metric: Metric, shares: Sequence[str] = ()) -> Statistics:
    """Return a function for a metric's corpus scores (micro) and means over pairs (macro).

    Args:
        shares: further columns of which the means over pairs are scores.
    """
    share_columns = dict(zip(shares, shares, strict=True))

    def statistics(sums: LazyColumns, pairs: Floats) -> Mapping[str, Floats]:
        values = corpora_scores(metric, sums, pairs)
        means = MACRO | share_columns if "f1" in values else share_columns
        macro = {name: column for name, column in means.items() if column in sums}
        return LazyColumns(
            (*values, *macro),
            lambda name: sums[macro[name]] / pairs if name in macro else values[name],
        )

    return statistics


class _System(NamedTuple):
    """The scores of a system on a part, of each of its runs by name.

    Attributes:
        pooled: the mean of each column over the runs; NaN for a pair that some run has not scored.
    """

    runs: Mapping[str, Scores]
    pooled: Scores

    @classmethod
    def of(cls, runs: Mapping[str, Scores]) -> _System:
        first, *others = runs.values()
        if not others:
            return cls(runs, first)
        columns = {
            name: np.mean([np.asarray(run.details[name], np.float64) for run in runs.values()], 0)
            for name in first.details
            if name != EMPTY
        }
        if EMPTY in first.details:
            columns[EMPTY] = np.all([run.details[EMPTY] for run in runs.values()], axis=0)
        return cls(runs, Scores(np.mean([run.values for run in runs.values()], axis=0), columns))

    def take_present(self) -> list[Scores]:
        """Return the scores of the pairs with a score and the part, of each run."""
        present = find_present(self.pooled)
        return [select_pairs(run, present & find_present(run)) for run in self.runs.values()]

    def take(self, pairs: Bools) -> list[Scores]:
        """Return the scores of some pairs, of each run."""
        return [select_pairs(run, pairs) for run in self.runs.values()]


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

    The score of a system with several runs is the mean over them. Its variance is that of the mean
    of these runs under resampling of the pairs, plus the variance over the runs divided by their
    number. The runs of a system are also scored one by one (`RUN`).

    Args:
        metric: the name of the metric.
        kind: the kind of the parts (`Score`).
        statistics: computes the corpus scores.
        parts: for each part, the scores of each run of a system on all pairs: NaN where a pair is
            missing; the column `EMPTY`, if there is one, says for which pairs the part does not
            occur, the column `STRATUM` within which pairs to resample.
        tests: how intervals and p-values are computed, and the runs of each system.
        ci: compute 95 % intervals; of differences, on the whole corpus and where there are strata.
            Several systems are always compared.

    Raises:
        StatisticsError: `ci` with fewer than two pairs of the whole corpus.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses (approximate
    randomisation).
    """
    systems = {part: _group_runs(by_name, tests) for part, by_name in parts.items()}
    values = {}
    for part, named in systems.items():
        for name, system in named.items():
            values[part, name] = score_corpora(statistics, system.take_present())
    main = find_main(next(filter(None, values.values()), ()))
    scores, runs = [], []
    for (part, name_of_system), of_runs in values.items():
        system = systems[part][name_of_system]
        present = find_present(system.pooled)
        pairs = int(present.sum())
        left_out = int(_has_score(system.pooled).sum()) - pairs
        place = metric, kind, part, name_of_system, pairs, left_out
        means = {name: float(column.mean()) for name, column in of_runs.items()}
        intervals = {}
        if ci and (pairs > 1 or (part == WHOLE and pairs)):
            names = [*means] if part == WHOLE else [find_main(means)]
            intervals = _compute_intervals(statistics, system.take(present), tests, of_runs, names)
        scores += [
            Score(*place, name, value, *intervals.get(name, ()))
            for name, value in (means or {main: NAN}).items()
        ]
        if tests.runs_by_system and kind == CORPUS:
            scores += [
                Score(*place, name + DEVIATION, math.sqrt(_variance(column)))
                for name, column in of_runs.items()
            ]
            scores.append(Score(*place, "runs", len(system.runs)))
            runs += [
                Score(metric, RUN, run, *place[3:], name, float(column[k]))
                for k, run in enumerate(system.runs)
                for name, column in of_runs.items()
            ]
    observed: list[Difference] = []
    for part, named in systems.items():
        for pair in itertools.combinations(named.items(), 2):
            observed += _compare_pair((metric, kind, part), statistics, *pair, main, tests, ci)
    return Board((*scores, *runs), _test(statistics, systems, observed, main, tests))


class Comparison(NamedTuple):
    """How parsers are compared by a metric.

    Attributes:
        name, metric: the metric.
        statistics: computes its corpus scores.
        tests: how intervals and p-values are computed.
        ci: whether there are intervals.
    """

    name: str
    metric: Metric
    statistics: Statistics
    tests: SystemTests
    ci: bool = False

    def compare(self, kind: str, parts: Mapping[str, Mapping[str, Scores]]) -> Board:
        """Score parsers on each part, and compare all pairs of them; see `compare_systems`."""
        return compare_systems(self.name, kind, self.statistics, parts, self.tests, self.ci)


def _group_runs(scores: Mapping[str, Scores], tests: SystemTests) -> dict[str, _System]:
    runs = tests.runs_by_system or {name: (name,) for name in scores}
    return {
        system: _System.of({name: scores[name] for name in names}) for system, names in runs.items()
    }


def _variance(values: Floats) -> float:
    """Return the variance over runs; NaN for one run."""
    return float(values.var(ddof=1)) if len(values) > 1 else NAN


def variance_of_mean(drawn: Floats, *runs: Floats) -> float:
    """Return the variance of means over runs: that under resampling, and that over the runs.

    Args:
        drawn: the mean, or the difference of two means, of each resample.
        runs: the score of each run, of one system or of both; one run has no variance.
    """
    variance = float(drawn.var(ddof=1)) if len(drawn) > 1 else NAN
    return variance + sum(_variance(run) / len(run) for run in runs if len(run) > 1)


def _compute_intervals(
    statistics: Statistics,
    runs: Sequence[Scores],
    tests: SystemTests,
    values: Mapping[str, Floats],
    names: Sequence[str],
) -> dict[str, tuple[float, float]]:
    drawn = _resample(statistics, runs, tests, names)
    if not tests.runs_by_system:
        return {name: percentile_interval(column[:, 0]) for name, column in drawn.items()}
    intervals = {}
    for name, column in drawn.items():
        error = math.sqrt(variance_of_mean(column.mean(axis=1), values[name]))
        mean = float(values[name].mean())
        intervals[name] = mean - HALF_WIDTH * error, mean + HALF_WIDTH * error
    return intervals


def _resample(
    statistics: Statistics, runs: Sequence[Scores], tests: SystemTests, names: Iterable[str]
) -> dict[str, Floats]:
    """Return scores of runs on resamples, as `bootstrap_corpus`.

    If there are strata, pairs are drawn within those of all runs. There are no resamples if each
    stratum is one pair.
    """
    strata = None
    if STRATUM in runs[0].details:
        columns = np.stack([run.details[STRATUM] for run in runs])
        strata = np.unique(columns, axis=1, return_inverse=True)[1].reshape(-1)
        if np.bincount(strata).max() < 2:
            return {}
    return bootstrap_corpus(statistics, runs, tests.resamples, tests.seed, names, strata)


def _test(
    statistics: Statistics,
    parts: Mapping[str, Mapping[str, _System]],
    observed: Sequence[Difference],
    main: str,
    tests: SystemTests,
) -> tuple[Difference, ...]:
    """Return the differences with the p-values of permutation tests."""
    testable = [row for row in observed if row.pairs > 1 and not np.isnan(row.value)]
    if not testable:
        return tuple(observed)
    compared = {
        row[2:5]: _pair_up(parts[row.part][row.first].pooled, parts[row.part][row.second].pooled)
        for row in testable
    }
    names = sorted(dict.fromkeys(row.score for row in testable), key=lambda name: name != main)
    count = len(next(iter(compared.values())).counting)
    rng = np.random.default_rng([tests.seed, count, 1])
    p_values = permutation_tests(statistics, [*compared.values()], names, tests.number, rng)
    p = dict(zip(compared, zip(*p_values, strict=True), strict=True))
    # The p-values of z tests, which systems with several runs have, are corrected in their place.
    checks = {row[2:5]: row.check for row in observed if row.score == main}
    checked = dict(zip(checks, correct_holm(np.array([*checks.values()])).tolist(), strict=True))
    tested = []
    for row in observed:
        of_scores, corrected = p.get(row[2:5], ({}, NAN))
        if row.score in of_scores:
            adjusted = float(corrected) if row.score == main else NAN
            row = row._replace(p=of_scores[row.score], p_adjusted=adjusted)
        if row.score == main and not np.isnan(row.check):
            row = row._replace(p_adjusted=checked[row[2:5]])
        tested.append(row)
    return tuple(tested)


def _has_score(scores: Scores) -> Bools:
    return ~np.isnan(scores.values)


def find_present(scores: Scores) -> Bools:
    """Return which pairs have a score and the part."""
    scored = _has_score(scores)
    return scored & ~scores.details[EMPTY] if EMPTY in scores.details else scored


def mark_empty(scores: Scores, is_empty: Bools) -> Scores:
    """Return the scores of a part with the column that says for which pairs it does not occur."""
    return Scores(scores.values, {**scores.details, EMPTY: is_empty})


def _pair_up(first: Scores, second: Scores) -> Compared:
    """Return two systems' scores, and the pairs on which they are compared."""
    occurs = find_present(first) | find_present(second)
    return Compared(first, second, _has_score(first) & _has_score(second) & occurs)


def _compare_pair(
    place: tuple[str, str, str],
    statistics: Statistics,
    first: tuple[str, _System],
    second: tuple[str, _System],
    main: str,
    tests: SystemTests,
    ci: bool,
) -> Iterator[Difference]:
    """Yield the differences of two systems on a part, without p-values of permutation tests."""
    (first_name, a), (second_name, b) = first, second
    compared = _pair_up(a.pooled, b.pooled)
    pairs = int(compared.counting.sum())
    is_whole = place[2] == WHOLE
    both = _has_score(a.pooled) & _has_score(b.pooled)
    if not (both & find_present(a.pooled)).any() or not (both & find_present(b.pooled)).any():
        yield Difference(*place, first_name, second_name, pairs, main, NAN)
        return
    runs = a.take(compared.counting), b.take(compared.counting)
    of_first, of_second = score_corpora(statistics, runs[0]), score_corpora(statistics, runs[1])
    names = [*of_first] if is_whole else [main]
    resampled: Mapping[str, Floats] = {}
    if pairs > 1 and (is_whole or (ci and STRATUM in a.pooled.details)):
        resampled = _resample(statistics, [*runs[0], *runs[1]], tests, names)
    for name in names:
        each = of_first[name], of_second[name]
        value = float(each[0].mean() - each[1].mean())
        row = Difference(*place, first_name, second_name, pairs, name, value)
        if resampled:
            split = len(runs[0])
            first_runs, second_runs = resampled[name][:, :split], resampled[name][:, split:]
            drawn = first_runs.mean(axis=1) - second_runs.mean(axis=1)
            with_error = _add_error(row, drawn, each, is_repeated=bool(tests.runs_by_system))
            # Other parts are tested by permutations only.
            of_part = row._replace(low=with_error.low, high=with_error.high)
            row = with_error if is_whole else of_part
        yield row


def _add_error(
    row: Difference, drawn: Floats, runs: Sequence[Floats], is_repeated: bool
) -> Difference:
    """Return a difference with its interval, p-values and the detectable difference.

    Args:
        drawn: the difference, of each resample of the pairs.
        runs: the score of each run of both systems.
        is_repeated: whether the errors of runs count, so that a z test takes the place of the test
            by resamples.
    """
    if not is_repeated:
        low, high = percentile_interval(drawn)
        p = share_as_extreme(drawn - row.value, row.value)
        detectable = float(DETECTABLE * drawn.std(ddof=1)) if len(drawn) > 1 else NAN
        return row._replace(low=low, high=high, p_bootstrap=p, detectable=detectable)
    # z test: the difference of the means over its standard error, which has the errors of pairs and
    # of runs. Without an error the difference is 0 or nothing is known of it.
    error = math.sqrt(variance_of_mean(drawn, *runs))
    low, high = row.value - HALF_WIDTH * error, row.value + HALF_WIDTH * error
    p = NAN if row.value else 1.0
    if error > 0:
        p = math.erfc(abs(row.value) / error / math.sqrt(2))
    return row._replace(low=low, high=high, detectable=DETECTABLE * error, check=p)
