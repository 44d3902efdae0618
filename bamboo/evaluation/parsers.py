"""Compare parsers on one gold standard, or metrics on one parser; find the worst pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.base import Explanation, Metric
from amr_metrics.errors import MetricError, NoAlignmentError
from amr_metrics.utils.text import counted
from bamboo.errors import ConfigError
from bamboo.evaluation.file_scores import optimality_note, short_signature
from bamboo.evaluation.systems import (
    DIGITS,
    WHOLE,
    PartScores,
    ShownColumns,
    SystemResults,
    compare_systems,
    corpus_statistics,
    results_table,
    with_intervals,
)
from bamboo.explanation.matches import Difference, differences
from bamboo.files import plain
from bamboo.pairs.inputs import STDIN
from bamboo.results.table import Table
from bamboo.scoring.files import FileScores
from bamboo.statistics.resampling import SystemTests

DIFFERENCES = 6  # of a pair that `worst` shows: five pairs fit a screen


def compare_parsers(
    metric: Metric, parsers: Mapping[str, FileScores], resampling: SystemTests, ci: bool
) -> SystemResults:
    """Score parsers on the same gold standard; several parsers are compared.

    Args:
        ci: compute 95 % intervals.

    Raises:
        StatisticsError: fewer than two pairs to resample.
    """
    systems = {}
    for name, files in parsers.items():
        scored = ~np.isnan(files.scores.values)
        systems[name] = PartScores(files.scores, scored, scored)
    return compare_systems(corpus_statistics(metric), {WHOLE: systems}, resampling, ci)


def parser_table(
    results: SystemResults,
    parsers: Mapping[str, FileScores],
    title: str,
    columns: ShownColumns = "main",
) -> Table:
    """Return one row per parser; with several parsers, also the difference from the best one."""
    notes = []
    pairs = {row.system: row.pairs for row in results.scores}
    if results.differences:
        best, _ = results.versus_best(results.scores[0])
        notes = [f"Best by {results.main}: {best}. {results.marks})", *_detectable(results)]
    notes += [f"{name}: {text}" for name, files in parsers.items() for text in files.warnings()]
    notes += [
        f"{one.first} and {one.second} are compared on the {counted(one.pairs, 'pair')} for "
        "which both have a score, so their difference is not that of the scores above"
        for one in results.differences
        if one.score == results.main and max(pairs[one.first], pairs[one.second]) > one.pairs
    ]
    return _table(title, results, "parser", (results.main, "macro_f1"), columns, notes)


def metric_table(
    results: Mapping[str, SystemResults],
    scores: Mapping[str, FileScores],
    title: str,
    columns: ShownColumns = "main",
) -> Table:
    """Return one row per metric, with one column for each corpus score that some metric has.

    Args:
        results: the corpus scores of a single parser, by metric.
        scores: the scores of its pairs, by metric.
    """
    notes = []
    for metric, files in scores.items():
        proven = optimality_note(files)
        notes += [
            f"{metric}: {text}" for text in (*([proven] if proven else []), *files.warnings())
        ]
        notes.append(f"signature: {short_signature(metric, files.on_error)}")
    rows = [
        replace(row, system=metric) for metric, result in results.items() for row in result.scores
    ]
    mains = [result.main for result in results.values()]
    return _table(title, SystemResults(rows, [], mains[0], 0), "metric", mains, columns, notes)


def _table(
    title: str,
    results: SystemResults,
    system: str,
    names_with_interval: Sequence[str],
    chosen: ShownColumns,
    notes: Sequence[str],
) -> Table:
    """Return one row per system, headed `system`, with its scores."""
    names = [*dict.fromkeys(name for row in results.scores for name in row.scores)]
    if any(row.intervals for row in results.scores):
        names = with_intervals(names, names_with_interval)
    columns = {system: attrgetter("system"), "pairs": attrgetter("pairs")}
    return results_table(title, results, columns, names, chosen, notes)


def _detectable(results: SystemResults) -> Iterator[str]:
    """Say which differences are too small to be found on so few pairs."""
    main = [one for one in results.differences if one.score == results.main]
    sizes = [one.detectable for one in main if not np.isnan(one.detectable)]
    if sizes:
        ends = dict.fromkeys(f"{size:.{DIGITS}f}" for size in (min(sizes), max(sizes)))
        pairs = counted(max(one.pairs for one in main), "pair")
        yield (
            f"With {pairs}, differences in {results.main} below {' to '.join(ends)} are not "
            "detectable (80 % power, 2.8 times the standard error)"
        )


def comparisons_json(results: SystemResults) -> list[dict[str, Any]]:
    """Return the differences of parsers as JSON values, one entry per pair of parsers."""
    entries = []
    for main in (one for one in results.differences if one.score == results.main):
        tested = {
            one.score: {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "p_bootstrap": one.p_bootstrap,
                "p_permutation": one.p,
                "detectable": one.detectable,
            }
            for one in results.differences
            if (one.first, one.second) == (main.first, main.second)
        }
        named = {"first": main.first, "second": main.second, "pairs": main.pairs}
        entries.append(plain({**named, "p_adjusted": main.p_adjusted, "differences": tested}))
    return entries


def parser_json(results: SystemResults, parser: str) -> dict[str, Any]:
    """Return a parser's means over pairs, and the intervals of its scores, as JSON values."""
    (row,) = (row for row in results.scores if row.system == parser)
    macro = {k.removeprefix("macro_"): v for k, v in row.scores.items() if k.startswith("macro_")}
    return {"macro": plain(macro), "intervals": plain(row.intervals)}


@dataclass(frozen=True)
class WorstPair:
    """A pair with a low score, and what did not match."""

    parser: str
    pair: int
    id: str | None
    score: float
    sentence: str
    unmatched_src: tuple[str, ...]
    unmatched_tgt: tuple[str, ...]
    differences: tuple[Difference, ...]


def worst_pairs(metric: Metric, parsers: Mapping[str, FileScores], count: int) -> list[WorstPair]:
    """Return the pairs with the lowest scores of each parser, lowest first; ties in file order.

    For a metric without an alignment, no unmatched triples are given.

    Args:
        count: their number; at most as many as `FileScores.lowest` has.
    """
    worst = []
    for parser, files in parsers.items():
        for k, pair in [*files.lowest.items()][:count]:
            explained, different = Explanation(0.0, ()), []
            try:
                explained = metric.explain(pair)
                different = differences(explained, metric.view(pair))
            except NoAlignmentError:
                pass
            except MetricError:
                if k not in files.problems:
                    raise
            worst.append(
                WorstPair(
                    parser,
                    k,
                    files.id(k),
                    float(files.scores.values[k]),
                    pair.tgt.sentence or pair.src.sentence,
                    tuple(map(str, explained.unmatched_src)),
                    tuple(map(str, explained.unmatched_tgt)),
                    tuple(different),
                )
            )
    return worst


def worst_table(worst: Sequence[WorstPair], numbered: bool) -> Table:
    """Return for each pair its sentence and what differs; in CSV one row per unmatched triple.

    Args:
        numbered: whether pair k is not graph k of both sides, so that `explain` has other numbers.
    """
    rows: list[tuple[Any, ...]] = []
    rules: list[int] = []
    for pair in worst:
        texts = [str(difference) for difference in pair.differences]
        if len(texts) > DIFFERENCES:
            texts[DIFFERENCES - 1 :] = [f"and {len(texts) - DIFFERENCES + 1} more differences"]
        name = f"{pair.pair}" if pair.id is None else f"{pair.pair} ({pair.id})"
        rows.append((pair.parser, name, f"{pair.score:.4f}", pair.sentence or "(no sentence)"))
        rows += [("", "", "", text) for text in texts]
        rules.append(len(rows))
    note = "X instead of Y, added: X, missing: Y: the parse has X, the reference graph Y"
    if not numbered:
        note += ". The command explain shows a pair in full: pair=NUMBER, or its id"
    notes = (note,) if any(pair.differences for pair in worst) else ()
    columns = ("parser", "pair", "score", "sentence, differences")
    shape = Table("Worst pairs", columns, tuple(rows), 4, notes, tuple(rules[:-1]))
    return replace(shape, long=_unmatched_table(worst))


def _unmatched_table(worst: Sequence[WorstPair]) -> Table:
    """Return one row per unmatched triple."""
    rows: list[tuple[Any, ...]] = []
    for pair in worst:
        named = (pair.parser, str(pair.pair), pair.id, pair.score)
        rows += [(*named, "src", triple) for triple in pair.unmatched_src]
        rows += [(*named, "tgt", triple) for triple in pair.unmatched_tgt]
        if not pair.unmatched_src and not pair.unmatched_tgt:
            rows.append((*named, None, None))
    columns = ("parser", "pair", "id", "score", "only in", "triple")
    return Table("Worst pairs", columns, tuple(rows), 4)


def check_sides(parsers: Sequence[object], tgt: object, every: bool) -> None:
    """Check that several parsers can be compared.

    Args:
        parsers: the side of each parser, a path or graphs.
        tgt: the reference graphs.
        every: score every src with every tgt.

    Raises:
        ConfigError: standard input, or every pair, with several parsers.
    """
    if len(parsers) < 2:
        return
    if any(isinstance(side, Path) and side == STDIN for side in (*parsers, tgt)):
        raise ConfigError("-: standard input can be read for a single parser only")
    if every:
        raise ConfigError("pairs=all: give a single src")


def check_scored(parsers: Mapping[str, FileScores], prefix: str = "") -> None:
    """Check that every parser has at least one scored pair.

    Args:
        prefix: the beginning of the message.

    Raises:
        ConfigError: one has none.
    """
    for name, files in parsers.items():
        if np.isnan(files.scores.values).all():
            reason = next(iter(files.problems.values()))
            raise ConfigError(f"{prefix}{name}: no pair could be scored; first problem: {reason}")


def score_warnings(parsers: Mapping[str, FileScores]) -> Iterator[str]:
    """Yield warnings about pairs that could not be read or scored."""
    for name, files in parsers.items():
        yield from (f"{name}: {text}" for text in files.warnings())
