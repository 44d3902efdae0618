"""Parsers against a gold standard: corpus scores with intervals, comparisons, the worst pairs."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamboo.documents import plain
from bamboo.evaluation.scoring import FileScores
from bamboo.running.coverage import coverage_notes
from bamboo.statistics.classic import holm
from bamboo.statistics.corpus import (
    Difference,
    Statistics,
    bootstrap_corpus,
    differences,
    percentile_interval,
)
from bamboo.statistics.resampling import Resampling
from bamboo.tables.model import Table
from metrics.base import Metric, Scores
from metrics.errors import MetricError, NoAlignmentError

MACRO = ("precision", "recall")
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


@dataclass(frozen=True, eq=False)
class ParserComparison:
    """Two parsers on the pairs that both have a score for."""

    first: str
    second: str
    pairs: int
    differences: Mapping[str, Difference]


@dataclass(frozen=True, eq=False)
class Standing:
    """How parsers stand on one gold standard.

    Attributes:
        scores: by parser, its corpus scores by name.
        intervals: likewise, their 95 % intervals; empty unless asked for.
        comparisons: of every two parsers; empty unless there are several.
        corrected: the permutation p-value of each comparison's main score, by Holm's method.
        main: the name of the score that parsers are ranked by.
    """

    scores: Mapping[str, Mapping[str, float]]
    intervals: Mapping[str, Mapping[str, tuple[float, float]]]
    comparisons: tuple[ParserComparison, ...]
    corrected: tuple[float, ...]
    main: str

    def to_json(self) -> list[dict[str, Any]]:
        """The comparisons as plain values."""
        return [
            {
                "first": found.first,
                "second": found.second,
                "pairs": found.pairs,
                "p_holm": plain(corrected),
                "differences": {
                    name: plain(one._asdict()) for name, one in found.differences.items()
                },
            }
            for found, corrected in zip(self.comparisons, self.corrected, strict=True)
        ]


def corpus_statistics(metric: Metric) -> Statistics:
    """A metric's corpus scores (micro) with the means over pairs (macro), as one function."""

    def statistics(scores: Scores) -> dict[str, float]:
        found = {k: v for k, v in metric.corpus(scores).items() if k != "f1_upper"}
        if "f1" in found:
            for name in MACRO:
                found[f"macro_{name}"] = _mean(scores.details[name])
            found["macro_f1"] = _mean(scores.values)
        return found

    return statistics


def stand(
    metric: Metric, parsers: Mapping[str, FileScores], resampling: Resampling, ci: bool
) -> Standing:
    """The corpus scores of parsers on the same gold standard.

    Args:
        ci: whether to draw 95 % intervals. Several parsers are always compared.

    Raises:
        StatisticsError: fewer than two pairs to draw from.
    """
    statistics = corpus_statistics(metric)
    there = {name: ~np.isnan(found.scores.values) for name, found in parsers.items()}
    whole = {name: found.scores.take(there[name]) for name, found in parsers.items()}
    scores = {name: statistics(one) for name, one in whole.items()}
    draws = (resampling.resamples, resampling.seed)
    intervals = {}
    if ci:
        for name, one in whole.items():
            drawn = bootstrap_corpus(statistics, [one], *draws)
            intervals[name] = {k: percentile_interval(v[:, 0]) for k, v in drawn.items()}
    comparisons = []
    for a, b in itertools.combinations(parsers, 2):
        both = there[a] & there[b]
        first, second = (parsers[name].scores.take(both) for name in (a, b))
        drawn = bootstrap_corpus(statistics, [first, second], *draws)
        resampled = {name: (v[:, 0], v[:, 1]) for name, v in drawn.items()}
        found = differences(statistics, first, second, resampled, *draws)
        comparisons.append(ParserComparison(a, b, int(both.sum()), found))
    names = next(iter(scores.values()))
    main = "f1" if "f1" in names else next(iter(names))
    p = np.array([one.differences[main].p_permutation for one in comparisons])
    return Standing(scores, intervals, tuple(comparisons), tuple(holm(p).tolist()), main)


def standing_table(standing: Standing, parsers: Mapping[str, FileScores], title: str) -> Table:
    """A line a parser; several with their distance from the best one."""
    best = max(standing.scores, key=lambda name: standing.scores[name][standing.main])
    several = len(standing.scores) > 1
    names = list(standing.scores[best])
    rows = []
    for parser, scores in standing.scores.items():
        row: list[Any] = [parser, _scored(parsers[parser])]
        for name in names:
            row.append(scores[name])
            if standing.intervals and name in (standing.main, "macro_f1"):
                low, high = standing.intervals[parser][name]
                row.append(f"{low:.4f} .. {high:.4f}")
        rows.append((*row, *(_against(standing, best, parser) if several else ())))
    columns = ["parser", "pairs"]
    for name in names:
        columns.append(name.replace("_", " "))
        if standing.intervals and name in (standing.main, "macro_f1"):
            columns.append(f"{columns[-1]} 95 %")
    columns += ["less best", "p boot.", "p perm.", "p Holm", "mark"] if several else []
    notes = []
    if several:
        notes = [
            f"best by {standing.main}: {best}. Marks: * ** *** the best one is better with "
            "p < .05, .01, .001 (paired permutation test, corrected by Holm's method)"
        ]
    notes += [f"{name}: {text}" for name, found in parsers.items() for text in found.warnings()]
    notes += [
        f"{one.first} and {one.second} are compared on the {one.pairs} pairs that both have a "
        "score for: their difference is not that of the scores above"
        for one in standing.comparisons
        if any(_scored(parsers[name]) > one.pairs for name in (one.first, one.second))
    ]
    notes += coverage_notes({name: found.coverage for name, found in parsers.items()})
    return Table(title, tuple(columns), tuple(rows), 4, tuple(notes))


def _scored(found: FileScores) -> int:
    """How many pairs have a score."""
    return int(np.sum(~np.isnan(found.scores.values)))


def _against(standing: Standing, best: str, parser: str) -> tuple[Any, ...]:
    """A parser's main score less that of the best, p-values and mark."""
    if parser == best:
        return None, None, None, None, "best"
    for found, corrected in zip(standing.comparisons, standing.corrected, strict=True):
        if {found.first, found.second} == {best, parser}:
            one = found.differences[standing.main]
            value = one.value if found.first == parser else -one.value
            mark = next((mark for level, mark in LEVELS if corrected < level), "")
            return value, one.p_bootstrap, one.p_permutation, corrected, mark
    raise AssertionError(f"no comparison of {best} and {parser}")


@dataclass(frozen=True)
class Worst:
    """A pair with a low score, and what did not match."""

    parser: str
    pair: int
    id: str | None
    score: float
    unmatched_src: tuple[str, ...]
    unmatched_tgt: tuple[str, ...]


def worst_pairs(metric: Metric, parsers: Mapping[str, FileScores], count: int) -> list[Worst]:
    """The pairs of lowest score of each parser, lowest first; of equal ones the first ones.

    A metric without an alignment has no unmatched triples to show.
    """
    found = []
    for parser, one in parsers.items():
        ids = one.ids()
        values = one.scores.values
        order = np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")
        for k in order[: min(count, _scored(one))].tolist():
            left: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
            pair = one.pairs[k]
            if pair is not None:
                try:
                    explained = metric.explain(pair)
                    left = explained.unmatched_src, explained.unmatched_tgt
                except NoAlignmentError:
                    pass
                except MetricError:
                    if k not in one.problems:
                        raise
            found.append(Worst(parser, k, ids[k], float(values[k]), *left))
    return found


def worst_table(worst: Sequence[Worst]) -> Table:
    """A line an unmatched triple, grouped by pair."""
    rows: list[tuple[Any, ...]] = []
    rules = []
    for one in worst:
        first: tuple[Any, ...] = (one.parser, str(one.pair), one.id, one.score)
        left = [(side, triple) for side in ("src", "tgt") for triple in _unmatched(one, side)]
        for k, (side, triple) in enumerate(left or [(None, None)]):
            rows.append((*(first if k == 0 else ("", "", "", None)), side, triple))
        rules.append(len(rows))
    columns = ("parser", "pair", "id", "score", "only in", "triple")
    return Table("Worst pairs", columns, tuple(rows), 4, rules=tuple(rules[:-1]))


def _unmatched(worst: Worst, side: str) -> tuple[str, ...]:
    return worst.unmatched_src if side == "src" else worst.unmatched_tgt


def per_pair_csv(parsers: Mapping[str, FileScores]) -> str:
    """Every pair of every parser with all columns of its score, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, (parser, found) in enumerate(parsers.items()):
        names = list(found.scores.details)
        if number == 0:
            writer.writerow(["parser", "pair", "id", "score", *names, "problem"])
        columns = [plain(found.scores.values), *(plain(found.scores.details[n]) for n in names)]
        for k, name in enumerate(found.ids()):
            cells = [parser, k, name, *(column[k] for column in columns), found.problems.get(k)]
            writer.writerow(["" if cell is None else cell for cell in cells])
    return text.getvalue()


def _mean(values: np.ndarray[Any, Any]) -> float:
    return float(values.mean()) if len(values) else float("nan")
