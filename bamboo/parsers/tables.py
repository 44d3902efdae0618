"""Tables of systems, such as parsers: their scores, differences and worst pairs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from amr_metrics.utils.text import counted
from bamboo.display.points import listed
from bamboo.display.shown import Shown
from bamboo.display.table import BEST, LEVEL, Table, with_capital
from bamboo.parsers.pair_scores import PairScores
from bamboo.parsers.systems import (
    WHOLE,
    SystemDifference,
    SystemResults,
    SystemScore,
    find_detectable,
)

if TYPE_CHECKING:
    from bamboo.parsers.costs import Cost, Costs
    from bamboo.parsers.verdict import Verdict
    from bamboo.parsers.worst import WorstPair

LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
# Columns that compare a system with the best, and what they show of the difference.
VERSUS = {"minus best": "value", "p boot.": "p_bootstrap", "p perm.": "p", "p adj.": "p_adjusted"}
P_DIGITS = 5  # decimals of p-values
FEWEST = 20  # permutations with which a p-value can be below .05
DIFFERENCES = 6  # of a pair that `worst_table` shows: five pairs fit a screen
MEANINGS = {
    "CA": "concept alignment",
    "RA": "relation alignment",
    "IC": "implicit concepts",
}
ScoreColumn = Callable[[SystemScore], Any]


def meaning_of_marks(
    permutations: int, meaning: str = "the best parser is significantly better"
) -> str:
    """Say what the marks mean, as far as they mean the same for all parts."""
    return (
        f"Marks *, **, ***: {meaning}, p < .05, .01, .001 (paired permutation test, "
        f"{permutations:,} permutations, corrected by Westfall and Young's min-p"
    )


def mark(p: float) -> str:
    """Return the mark of a p-value: ``*``, ``**`` and ``***`` below .05, .01 and .001.

    >>> mark(0.03), mark(0.05)
    ('*', '')
    """
    return next((mark for level, mark in LEVELS if p < level), "")


def results_table(
    title: str,
    results: SystemResults,
    columns: Mapping[str, ScoreColumn],
    names: Sequence[str],
    shown: Shown,
    notes: Sequence[str] = (),
    rules: Sequence[int] = (),
) -> Table:
    """Return one row per part and system; several systems are compared with the best.

    Args:
        columns: the first columns: their headings and values.
        names: the scores; with `LEVEL` at the end of the name, their intervals.
    """
    versus = dict(VERSUS) if results.differences else {}
    if any(row.part != WHOLE for row in results.scores):
        versus.pop("p boot.", None)
    if shown.columns == "main":
        versus = {name: field for name, field in versus.items() if field == "value"}
        hidden = ("macro_", "precision", "recall") if versus else ("macro_",)
        names = [name for name in names if not name.startswith(hidden)]
    headings = [*columns, *(name.replace("_", " ") for name in names), *versus]
    rows, best_cells, marks = [], set(), {}
    for k, row in enumerate(results.scores):
        cells = [value(row) for value in columns.values()]
        for name in names:
            score = name.removesuffix(f" {LEVEL}")
            cells.append((row.scores if name == score else row.intervals).get(score))
        if versus:
            best, difference = results.versus_best(row)
            cells += [getattr(difference, field, None) for field in versus.values()]
            if row.system == best:
                best_cells.add((k, headings.index(results.main.replace("_", " "))))
            marks[k, len(headings) - 1] = _mark(row, best, difference)
        rows.append(tuple(cells))
    are_p = [heading.startswith("p ") for heading in headings]
    return Table(
        title,
        tuple(headings),
        tuple(rows),
        tuple(P_DIGITS if is_p else shown.decimals for is_p in are_p),
        tuple(notes),
        tuple(rules),
        shown.scaled(k for k, is_p in enumerate(are_p) if not is_p),
        frozenset(best_cells),
        marks,
    )


def _mark(row: SystemScore, best: str | None, difference: SystemDifference | None) -> str:
    if difference is not None:
        return mark(difference.p_adjusted)
    return BEST if row.system == best else ""


def with_intervals(names: Iterable[str], beside: Container[str]) -> list[str]:
    """Return names of scores and, after those in `beside`, of their intervals.

    >>> with_intervals(["recall", "f1"], ["f1"])
    ['recall', 'f1', 'f1 95 %']
    """
    pairs = ((name, f"{name} {LEVEL}") if name in beside else (name,) for name in names)
    return [*itertools.chain(*pairs)]


def parser_table(
    results: SystemResults,
    parsers: Mapping[str, PairScores],
    title: str,
    shown: Shown = Shown(),  # noqa: B008  # frozen
) -> Table:
    """Return one row per parser; with several parsers, also the difference from the best one."""
    notes = []
    pairs = {row.system: row.pairs for row in results.scores}
    if results.differences:
        best = listed(results.best(), None)
        marks = meaning_of_marks(results.permutations)
        notes = [f"Best by {with_capital(results.main)}: {best}. {marks})"]
        notes += _detectable(results, shown)
    notes += [f"{name}: {text}" for name, files in parsers.items() for text in files.warnings()]
    notes += [
        f"{one.first} and {one.second} are compared on the {counted(one.pairs, 'pair')} for "
        "which both have a score, so their difference is not that of the scores above"
        for one in results.differences
        if one.score == results.main and max(pairs[one.first], pairs[one.second]) > one.pairs
    ]
    return _table(title, results, "parser", (results.main, "macro_f1"), shown, notes)


def metric_table(
    results: Mapping[str, SystemResults], title: str, notes: Sequence[str], shown: Shown
) -> Table:
    """Return one row per metric, with one column for each corpus score that some metric has.

    Args:
        results: the corpus scores of a single parser, by metric.
    """
    rows = [
        replace(row, system=metric) for metric, result in results.items() for row in result.scores
    ]
    mains = [result.main for result in results.values()]
    return _table(title, SystemResults(rows, [], mains[0], 0), "metric", mains, shown, notes)


def parsers_by_metrics(
    results: Mapping[str, SystemResults], title: str, notes: Sequence[str], shown: Shown
) -> Table:
    """Return one row per parser and one column per metric: the score by which parsers are ranked.

    Args:
        results: the corpus scores of several parsers, by metric. A parser of which no pair could
            be scored by a metric has no score.
    """
    parsers = list(dict.fromkeys(row.system for r in results.values() for row in r.scores))
    columns: list[list[float | None]] = []
    best_cells, marks = set(), {}
    for column, result in enumerate(results.values(), 1):
        scores = {row.system: row for row in result.scores}
        columns.append([scores[name].scores.get(result.main) for name in parsers])
        for k, name in enumerate(parsers):
            best, difference = result.versus_best(scores[name])
            if name == best:
                best_cells.add((k, column))
            marks[k, column] = _mark(scores[name], best, difference)
    return Table(
        shown.title(title),
        ("parser", *results),
        tuple(zip(parsers, *columns, strict=True)),
        shown.decimals,
        tuple(notes),
        (),
        shown.scaled(range(1, len(results) + 1)),
        frozenset(best_cells),
        marks,
    )


def _table(
    title: str,
    results: SystemResults,
    system: str,
    names_with_interval: Sequence[str],
    shown: Shown,
    notes: Sequence[str],
) -> Table:
    """Return one row per system, headed `system`, with its scores."""
    names = [*dict.fromkeys(name for row in results.scores for name in row.scores)]
    if any(row.intervals for row in results.scores):
        names = with_intervals(names, names_with_interval)
    columns = {system: attrgetter("system"), "pairs": attrgetter("pairs")}
    return results_table(shown.title(title), results, columns, names, shown, notes)


def _detectable(results: SystemResults, shown: Shown) -> Iterator[str]:
    """Say which differences are so small that they are seldom found on so few pairs."""
    main = [one for one in results.differences if one.score == results.main]
    if sizes := find_detectable(main):
        ends = dict.fromkeys(map(shown.number, sizes))
        pairs = counted(max(one.pairs for one in main), "pair")
        yield (
            f"With {pairs}, differences in {with_capital(results.main)} below "
            f"{' to '.join(ends)} are detected in fewer than four of five tests (80 % power, 2.8 "
            "times the standard error)"
        )


def part_table(
    results: SystemResults,
    what: str,
    title: str,
    notes: Sequence[str],
    shown: Shown,
    texts: Mapping[str, str] | None = None,
) -> Table:
    """Return one row per part; with several parsers, one group of rows per part.

    Args:
        what: the heading of the parts, such as ``aspect``.
        texts: what is compared for each part, which only terminals and notebooks show.
    """
    rows = results.scores
    several = bool(results.differences)
    columns: dict[str, ScoreColumn] = {what: attrgetter("part")}
    if several:
        columns["parser"] = attrgetter("system")
    columns["pairs"] = attrgetter("pairs")
    if shown.columns == "all":
        columns["left out"] = attrgetter("left_out")
    known = {name for row in rows for name in row.scores}
    scores: tuple[str, ...] = ("precision", "recall", "f1", "macro_f1")
    names = [name for name in scores if name in known or not known]
    names = names if "f1" in names else [results.main]
    names += [f"{results.main} {LEVEL}"] if any(row.intervals for row in rows) else []
    starts = [k == 0 or row.part != rows[k - 1].part for k, row in enumerate(rows)]
    rules = [k for k, is_first in enumerate(starts) if is_first and k] if several else ()
    all_notes = [*notes, *notes_on_tests(results, what)]
    table = results_table(shown.title(title), results, columns, names, shown, all_notes, rules)
    if not texts:
        return table
    compared = [
        texts.get(row.part, "") if is_first else ""
        for row, is_first in zip(rows, starts, strict=True)
    ]
    return replace(table, terminal=table.with_column(len(table.columns), "compared", compared))


def subscore_table(results: SystemResults, shown: Shown = Shown()) -> Table:  # noqa: B008
    """Return one row per parser and sub-score."""
    systems = [*dict.fromkeys(row.system for row in results.scores)]
    rows = sorted(results.scores, key=lambda row: systems.index(row.system))
    columns: dict[str, ScoreColumn] = {
        "parser": attrgetter("system"),
        "sub-score": attrgetter("part"),
        "": lambda row: MEANINGS[row.part],
    }
    notes = notes_on_tests(results, "sub-score")
    names = ("precision", "recall", "f1")
    sorted_rows = replace(results, scores=rows)
    title = shown.title("Sub-scores")
    return results_table(title, sorted_rows, columns, names, shown, notes)


def cost_table(costs: Costs, verdict: Verdict, shown: Shown) -> Table:
    """Return one row per construction and parser; several parsers are compared with the best.

    Args:
        verdict: on the parsers; its title is that of the table.
        shown: with all columns, also the shares of the gold graphs, intervals and p-values.
    """
    from bamboo.explanation.mistakes import DIRECTIONS  # slow to import

    several, has_all = costs.best is not None, shown.columns == "all"
    columns: dict[str, Callable[[Cost], Any]] = {"construction": attrgetter("construction")}
    if len({row.parser for row in costs.rows}) > 1:
        columns["parser"] = attrgetter("parser")
    columns |= {name: attrgetter(name) for name in DIRECTIONS}
    columns |= {"f1 gain": attrgetter("gain"), "per 100": attrgetter("rate")}
    if has_all:
        columns["of gold's"] = attrgetter("share")
    marked = ""
    if several:
        marked = "minus best"
        columns[marked] = attrgetter("difference")
        if has_all:
            marked = "p adj."
            columns[f"minus best {LEVEL}"] = attrgetter("low", "high")
            columns |= {"p perm.": attrgetter("p"), marked: attrgetter("p_adjusted")}
    headings = [*columns]
    rows = costs.rows
    starts = [k for k in range(1, len(rows)) if rows[k].construction != rows[k - 1].construction]
    notes = [*verdict.lead, *(f"{one.text} {one.option}".strip() for one in verdict.notices)]
    notes.append(
        "Each mistake is counted once. F1 gain: how much higher F1 would be without these "
        "mistakes; per 100: mistakes per 100 gold triples"
    )
    if several:
        notes.append(
            f"minus best: per 100, minus that of {costs.best}, the best by F1. "
            f"{meaning_of_marks(costs.permutations, 'the difference is significant')} over all "
            f"constructions and parsers: {counted(costs.tests, 'test')})"
        )
    decimals = {"f1 gain": shown.decimals, "p perm.": P_DIGITS, "p adj.": P_DIGITS}
    return Table(
        verdict.title,
        tuple(headings),
        tuple(tuple(value(row) for value in columns.values()) for row in rows),
        tuple(decimals.get(name, 2) for name in headings),
        tuple(notes),
        tuple(starts) if several else (),
        shown.scaled([headings.index("f1 gain")]),
        marks={
            (k, headings.index(marked)): mark(row.p_adjusted)
            for k, row in enumerate(rows if several else ())
        },
    )


def notes_on_tests(results: SystemResults, what: str) -> list[str]:
    """Say how parsers are compared, and whether any difference could be significant.

    Args:
        what: what the parsers are compared on: ``aspect``, ``sub-score`` or ``bucket``.

    >>> from bamboo.parsers.systems import SystemDifference
    >>> tested = [SystemDifference("ner", "b", "a", 9, "f1", -0.25, p=0.01, p_adjusted=0.4)] * 40
    >>> print(notes_on_tests(SystemResults([], tested, "f1", 15), "aspect")[1])
    15 permutations are too few: no p-value can be below .05. Use 20 or more (permutations=20)
    """
    tests, draws = results.tests, results.permutations
    if not tests:
        return []
    notes = [
        f"minus best: {with_capital(results.main)} minus that of the best parser on the {what}. "
        f"{meaning_of_marks(results.permutations)} over all {what}s and pairs of parsers: "
        f"{counted(tests, 'test')})"
    ]
    if draws < FEWEST:
        notes.append(
            f"{draws} permutations are too few: no p-value can be below .05. Use {FEWEST} or more "
            f"(permutations={FEWEST})"
        )
    return notes


def worst_table(worst: Sequence[WorstPair], numbered: bool, shown: Shown) -> Table:
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
        rows.append((pair.parser, name, shown.number(pair.score), pair.sentence or "(no sentence)"))
        rows += [("", "", "", text) for text in texts]
        rules.append(len(rows))
    note = "X instead of Y, added: X, missing: Y: the parse has X, the reference graph Y"
    if not numbered:
        note += ". The command explain shows a pair in full: pair=NUMBER, or its id"
    notes = (note,) if any(pair.differences for pair in worst) else ()
    columns = ("parser", "pair", "score", "sentence, differences")
    title = shown.title("Worst pairs")
    shape = Table(title, columns, tuple(rows), 4, notes, tuple(rules[:-1]))
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
