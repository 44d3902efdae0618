"""Compare parsers on one gold standard: corpus scores, intervals, tests and the worst pairs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamboo.documents import plain
from bamboo.evaluation.file_scores import FileScores
from bamboo.results.coverage import coverage_notes
from bamboo.results.table import Table
from bamboo.statistics.classic import holm
from bamboo.statistics.corpus import (
    Difference,
    Statistics,
    bootstrap_corpus,
    differences,
    percentile_interval,
)
from bamboo.statistics.resampling import Resampling
from metrics.base import Metric, Scores
from metrics.errors import MetricError, NoAlignmentError
from metrics.utils.text import counted

MACRO = ("precision", "recall")
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


@dataclass(frozen=True, eq=False)
class ParserComparison:
    """The differences of two parsers, on the pairs for which both have a score."""

    first: str
    second: str
    pairs: int
    differences: Mapping[str, Difference]


@dataclass(frozen=True, eq=False)
class ParserResults:
    """The corpus scores of parsers on one gold standard, and their comparisons.

    Attributes:
        scores: for each parser, its corpus scores by name.
        intervals: for each parser, the 95 % intervals by name; empty if not requested.
        comparisons: of all pairs of parsers; empty for a single parser.
        corrected: the permutation p-value of each comparison's main score, corrected by Holm's
            method.
        main: the name of the score by which parsers are ranked.
    """

    scores: Mapping[str, Mapping[str, float]]
    intervals: Mapping[str, Mapping[str, tuple[float, float]]]
    comparisons: tuple[ParserComparison, ...]
    corrected: tuple[float, ...]
    main: str

    def to_json(self) -> list[dict[str, Any]]:
        """The comparisons as JSON values."""
        return [
            {
                "first": comparison.first,
                "second": comparison.second,
                "pairs": comparison.pairs,
                "p_holm": plain(corrected),
                "differences": {
                    name: plain(difference._asdict())
                    for name, difference in comparison.differences.items()
                },
            }
            for comparison, corrected in zip(self.comparisons, self.corrected, strict=True)
        ]


def corpus_statistics(metric: Metric) -> Statistics:
    """A function for a metric's corpus scores (micro) and the means over pairs (macro)."""

    def statistics(scores: Scores) -> dict[str, float]:
        values = {k: v for k, v in metric.corpus(scores).items() if k != "f1_upper"}
        if "f1" in values:
            for name in MACRO:
                values[f"macro_{name}"] = _mean(scores.details[name])
            values["macro_f1"] = _mean(scores.values)
        return values

    return statistics


def compare_parsers(
    metric: Metric, parsers: Mapping[str, FileScores], resampling: Resampling, ci: bool
) -> ParserResults:
    """Score and compare parsers on the same gold standard.

    Args:
        ci: whether to compute 95 % intervals. Several parsers are always compared.

    Raises:
        StatisticsError: fewer than two pairs to resample.
    """
    statistics = corpus_statistics(metric)
    has_score = {name: ~np.isnan(files.scores.values) for name, files in parsers.items()}
    scored = {name: files.scores.take(has_score[name]) for name, files in parsers.items()}
    scores = {name: statistics(values) for name, values in scored.items()}
    draws = (resampling.resamples, resampling.seed)
    intervals = {}
    if ci:
        for name, values in scored.items():
            drawn = bootstrap_corpus(statistics, [values], *draws)
            intervals[name] = {k: percentile_interval(v[:, 0]) for k, v in drawn.items()}
    comparisons = []
    for a, b in itertools.combinations(parsers, 2):
        both = has_score[a] & has_score[b]
        first, second = (parsers[name].scores.take(both) for name in (a, b))
        drawn = bootstrap_corpus(statistics, [first, second], *draws)
        resampled = {name: (v[:, 0], v[:, 1]) for name, v in drawn.items()}
        tested = differences(statistics, first, second, resampled, *draws)
        comparisons.append(ParserComparison(a, b, int(both.sum()), tested))
    names = next(iter(scores.values()))
    main = "f1" if "f1" in names else next(iter(names))
    p = np.array([pair.differences[main].p_permutation for pair in comparisons])
    return ParserResults(scores, intervals, tuple(comparisons), tuple(holm(p).tolist()), main)


def parser_table(results: ParserResults, parsers: Mapping[str, FileScores], title: str) -> Table:
    """One row per parser; with several parsers, also the difference from the best one."""
    best = max(results.scores, key=lambda name: results.scores[name][results.main])
    several = len(results.scores) > 1
    names = list(results.scores[best])
    rows = []
    for parser, scores in results.scores.items():
        row: list[Any] = [parser, _scored(parsers[parser])]
        for name in names:
            row.append(scores[name])
            if results.intervals and name in (results.main, "macro_f1"):
                row.append(results.intervals[parser][name])
        rows.append((*row, *(_minus_best(results, best, parser) if several else ())))
    columns = ["parser", "pairs"]
    for name in names:
        columns.append(name.replace("_", " "))
        if results.intervals and name in (results.main, "macro_f1"):
            columns.append(f"{columns[-1]} 95 %")
    columns += ["minus best", "p boot.", "p perm.", "p Holm", "mark"] if several else []
    notes = []
    if several:
        notes = [
            f"Best by {results.main}: {best}. Marks *, **, ***: the best parser is significantly "
            "better, p < .05, .01, .001 (paired permutation test, corrected by Holm's method)"
        ]
    notes += [f"{name}: {text}" for name, files in parsers.items() for text in files.warnings()]
    notes += [
        f"{pair.first} and {pair.second} are compared on the {counted(pair.pairs, 'pair')} for "
        "which both have a score, so their difference is not that of the scores above"
        for pair in results.comparisons
        if any(_scored(parsers[name]) > pair.pairs for name in (pair.first, pair.second))
    ]
    notes += coverage_notes({name: files.coverage for name, files in parsers.items()})
    return Table(title, tuple(columns), tuple(rows), 4, tuple(notes))


def _scored(files: FileScores) -> int:
    """The number of pairs that have a score."""
    return int(np.sum(~np.isnan(files.scores.values)))


def _minus_best(results: ParserResults, best: str, parser: str) -> tuple[Any, ...]:
    """A parser's main score minus that of the best, p-values and mark."""
    if parser == best:
        return None, None, None, None, "best"
    for pair, corrected in zip(results.comparisons, results.corrected, strict=True):
        if {pair.first, pair.second} == {best, parser}:
            tested = pair.differences[results.main]
            value = tested.value if pair.first == parser else -tested.value
            return value, tested.p_bootstrap, tested.p_permutation, corrected, mark(corrected)
    raise AssertionError(f"no comparison of {best} and {parser}")


def mark(p: float) -> str:
    """The mark of a p-value: ``*``, ``**`` and ``***`` below .05, .01 and .001.

    >>> mark(0.03), mark(0.05)
    ('*', '')
    """
    return next((mark for level, mark in LEVELS if p < level), "")


@dataclass(frozen=True)
class WorstPair:
    """A pair with a low score, and what did not match."""

    parser: str
    pair: int
    id: str | None
    score: float
    unmatched_src: tuple[str, ...]
    unmatched_tgt: tuple[str, ...]


def worst_pairs(metric: Metric, parsers: Mapping[str, FileScores], count: int) -> list[WorstPair]:
    """The pairs with the lowest scores of each parser, lowest first; ties in file order.

    For a metric without an alignment, no unmatched triples are given.

    Args:
        count: their number; at most as many as `FileScores.lowest` has.
    """
    worst = []
    for parser, files in parsers.items():
        for k, pair in [*files.lowest.items()][:count]:
            unmatched: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
            try:
                explained = metric.explain(pair)
                unmatched = explained.unmatched_src, explained.unmatched_tgt
            except NoAlignmentError:
                pass
            except MetricError:
                if k not in files.problems:
                    raise
            score, id = float(files.scores.values[k]), files.id(k)
            worst.append(WorstPair(parser, k, id, score, *unmatched))
    return worst


def worst_table(worst: Sequence[WorstPair]) -> Table:
    """One row per unmatched triple, grouped by pair."""
    rows: list[tuple[Any, ...]] = []
    rules = []
    for pair in worst:
        first: tuple[Any, ...] = (pair.parser, str(pair.pair), pair.id, pair.score)
        unmatched = [(side, triple) for side in ("src", "tgt") for triple in _unmatched(pair, side)]
        for k, (side, triple) in enumerate(unmatched or [(None, None)]):
            rows.append((*(first if k == 0 else ("", "", "", None)), side, triple))
        rules.append(len(rows))
    columns = ("parser", "pair", "id", "score", "only in", "triple")
    return Table("Worst pairs", columns, tuple(rows), 4, rules=tuple(rules[:-1]))


def _unmatched(worst: WorstPair, side: str) -> tuple[str, ...]:
    return worst.unmatched_src if side == "src" else worst.unmatched_tgt


def _mean(values: np.ndarray[Any, Any]) -> float:
    return float(values.mean()) if len(values) else float("nan")
