"""Lay out scores and differences of systems as tables, and say how they are tested."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS, DEVIATION, Board, Difference, Score, count_needed
from bamboo.display.points import join_names, mark
from bamboo.display.shown import Shown
from bamboo.display.table import BEST, LEVEL, Table, capitalize_f1
from bamboo.parsers.systems import SCORES, find_score

# The difference between a system and the best one: headings, and fields of `Difference`.
VERSUS = {"minus best": "value", "p boot.": "p_bootstrap", "p perm.": "p", "p adj.": "p_adjusted"}
VERSUS_OF_RUNS = {"minus best": "value", "p z": "check", "p perm.": "p", "p adj.": "p_adjusted"}
P_DIGITS = dict.fromkeys(("p boot.", "p z", "p perm.", "p adj."), 5)  # decimals of p-values
SPREAD = " sd"  # ends the headings of columns of standard deviations over runs
FEWEST = 20  # permutations with which a p-value can be below .05
# What stands in a column of keys: a field of a score, or what a function returns for it.
Key = str | Callable[[Score], Any]
Comparison = tuple[str | None, Difference | None]  # the best system, and the difference from it


def describe_marks(
    permutations: int,
    meaning: str = "the best parser is significantly better",
    board: Board | None = None,
) -> str:
    """Say what the marks mean, as far as they mean the same for all parts.

    Args:
        board: the differences that are tested, if these are of the whole corpus.
    """
    test = describe_test(board or Board(), permutations)
    return f"Marks *, **, ***: {meaning}, p < .05, .01, .001 ({test}"


def describe_test(board: Board, permutations: int | None = None) -> str:
    """Name the test whose corrected p-values are marked.

    Args:
        permutations: their number; None to leave it out.
    """
    if have_checks(board):
        return "z test with the errors of sentences and of runs, corrected by Holm's method"
    number = "" if permutations is None else f"{permutations:,} permutations, "
    return f"paired permutation test, {number}corrected by Westfall and Young's min-p"


def describe_bold(board: Board) -> str:
    """Say for a caption what is bold and what the stars mean."""
    return (
        "Bold: the highest. *, **, ***: significantly below it, p < .05, .01, .001 "
        f"({describe_test(board)})"
    )


def have_checks(board: Board) -> bool:
    """Return whether parsers are compared by a z test, since they have several runs."""
    return any(row.check == row.check for row in board.differences)


def describe_runs(board: Board) -> list[str]:
    """Say what the p-values are about if parsers have several runs."""
    if not have_checks(board):
        return []
    notes = [
        "Scores are means over runs; their intervals and the marks have the errors of sentences "
        "and of runs. p perm. (columns=all) is that of a paired permutation test about these runs "
        "only"
    ]
    single = Board(tuple(r for r in board.scores if r.score == "runs" and r.value == 1))
    if single.scores:
        names = join_names(single.list_names("system"), None)
        notes.append(f"{names}: one run only, so that tests and intervals are about this run")
    return notes


def describe_needed(board: Board, difference: float | None) -> list[str]:
    """Say with how many sentences a difference would be found; nothing if it is not requested.

    Args:
        board: the scores of a metric on the whole corpus.
        difference: the one that is to be found, in 0..1.
    """
    differences = board.select(score=board.main).differences
    if difference is None:
        return []
    size = f"{100 * difference:g}"
    needed = count_needed(differences, difference)
    if needed is None:
        return [
            f"detect={size}: there is no number of sentences, because the parsers have the same "
            "score on every sentence, or there is one sentence only"
        ]
    of_several = f", the most of {len(differences)} comparisons" if len(differences) > 1 else ""
    return [
        f"To detect a difference of {size} in {capitalize_f1(board.main)} in four of five tests, "
        f"{needed:,} sentences like these are needed{of_several} (80 % power, 5 % level, not "
        "corrected for several comparisons)"
    ]


def lay_out(
    title: str,
    board: Board,
    keys: Mapping[str, Key],
    scores: Mapping[str, str],
    style: Shown,
    *,
    across: str = "score",
    versus: Mapping[str, str] | None = None,
    compare: Callable[[Score], Comparison] | None = None,
    digits: Mapping[str, int] = P_DIGITS,
    rule: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """Lay out the scores of a board as a table; stars mark what is significantly below the best.

    Scores with the same keys are one row.

    Args:
        keys: the first columns, by heading.
        scores: the columns of scores, by heading: their names, or what `across` names. A heading
            that ends with `LEVEL` is that of a column of intervals.
        across: the field that distinguishes the columns: ``score``, ``metric`` or ``part``.
        versus: the columns that compare each row with the best system, by heading.
        compare: returns the best system, and the difference of a row's system from it; by default
            that of `Board`.
        digits: the decimals of columns with other numbers than scores.
        rule: draw a line wherever this field changes.
    """
    compare = compare or (lambda row: board.compare_with_best(*row[:4]))
    versus = versus or {}
    headings = [*keys, *scores, *versus]
    body: list[tuple[Any, ...]] = []
    place_of: dict[tuple[str, str, str, str], tuple[int, int]] = {}
    best_of: dict[tuple[int, int], tuple[str, str, str, str]] = {}
    marks, rules, last = {}, [], None
    compared: set[str] = set()  # the scores of which there are differences
    for k, (values, by_name) in enumerate(_group_rows(board, keys, across)):
        first = next(iter(by_name.values()))
        cells = [*values]
        for column, (heading, name) in enumerate(scores.items(), len(keys)):
            row = by_name.get(name)
            cells.append(row and (row.interval if heading.endswith(LEVEL) else row.value))
            is_ranking = across != "score" or name == board.main_scores[first[:2]]
            if row is None or not is_ranking or heading.endswith((LEVEL, SPREAD)):
                continue
            best, difference = compare(row)
            place_of[row[:4]] = k, column
            if best is not None:
                best_of[k, column] = (*row[:3], best)
            if across != "score" and board.differences:
                marks[k, column] = _mark(row, best, difference)
        if versus:
            best, difference = compare(first)
            cells += [getattr(difference, field, None) for field in versus.values()]
            compared |= {difference.score} if difference is not None else set()
            marks[k, len(headings) - 1] = _mark(first, best, difference)
        body.append(tuple(cells))
        group = getattr(first, rule) if rule else None
        rules += [k] if k and group != last else []
        last = group
    table = Table(
        style.title(title),
        tuple(headings),
        tuple(body),
        tuple(digits.get(heading, style.decimals) for heading in headings),
        tuple(notes),
        tuple(rules),
        style.scaled(k for k, heading in enumerate(headings) if heading not in digits),
        marks=marks,
    )

    def show(place: tuple[int, int]) -> str:
        return table.texts(place[0])[place[1]]

    # Of equal numbers, as they are shown, all are bold.
    bold = [
        p for p, best in best_of.items() if best in place_of and show(p) == show(place_of[best])
    ]
    order = _place_versus([*scores.values()], compared, len(keys), len(versus))
    return replace(table, best=frozenset(bold)).select_columns(order)


def _place_versus(
    scores: Sequence[str], compared: Container[str], keys: int, versus: int
) -> list[int]:
    """Return the order of columns in which differences follow the scores that they are of.

    Args:
        scores: what the columns of scores have, between those of keys and those of differences.
        compared: the scores that the differences are of.

    >>> _place_versus(["recall", "f1", "f1", "macro_f1"], ["f1"], 1, 2)
    [0, 1, 2, 3, 5, 6, 4]
    """
    ends = [k for k, name in enumerate(scores, 1) if name.removesuffix(DEVIATION) in compared]
    before = keys + max(ends, default=len(scores))
    last = keys + len(scores)
    return [*range(before), *range(last, last + versus), *range(before, last)]


def _group_rows(
    board: Board, keys: Mapping[str, Key], across: str
) -> Iterator[tuple[tuple[Any, ...], Mapping[str, Score]]]:
    """Yield the keys of each row of a table, and its scores by what `across` names."""
    groups: dict[tuple[Any, ...], dict[str, Score]] = {}
    fields = [name for name in ("metric", "part") if name != across]
    for row in board.scores:
        values = tuple(getattr(row, k) if isinstance(k, str) else k(row) for k in keys.values())
        place = (*(getattr(row, name) for name in fields), values)
        groups.setdefault(place, {})[getattr(row, across)] = row
    yield from ((values, by_name) for (*_, values), by_name in groups.items())


def _mark(row: Score, best: str | None, difference: Difference | None) -> str:
    if difference is not None:
        return mark(difference.p_adjusted)
    return BEST if row.system == best else ""


def choose_versus(board: Board, style: Shown) -> dict[str, str]:
    """Return the columns that compare each row with the best; none if nothing is compared."""
    versus = dict(VERSUS_OF_RUNS if have_checks(board) else VERSUS) if board.differences else {}
    if any(row.kind != CORPUS for row in board.scores):
        versus.pop("p boot.", None)
    return versus if style.columns == "all" else {k: v for k, v in versus.items() if v == "value"}


def choose_scores(
    names: Sequence[str], with_interval: Container[str], versus: Container[str], style: Shown
) -> dict[str, str]:
    """Return the columns of scores by heading.

    Args:
        names: the scores.
        with_interval: those followed by their intervals.
        versus: the columns that compare with the best, if parsers are compared.

    >>> choose_scores(["recall", "macro_f1"], ["recall"], (), Shown(columns="all"))
    {'recall': 'recall', 'recall 95 %': 'recall', 'macro f1': 'macro_f1'}
    """
    hidden = ("alone", "all") if versus else ("all",)
    if style.columns == "main":
        names = [name for name in names if find_score(name).columns not in hidden]
    columns = {}
    for name in names:
        heading = name.replace("_", " ")
        columns[heading] = name
        if name in with_interval:
            columns[f"{heading} {LEVEL}"] = name
    return columns


def tabulate_parts(
    board: Board,
    what: str,
    title: str,
    notes: Sequence[str],
    permutations: int,
    style: Shown,
    texts: Mapping[str, str] | None = None,
) -> Table:
    """Return one row per part; of several parsers one row each, with a column per part.

    With all columns, several parsers have a group of rows per part.

    Args:
        what: the heading of the parts, such as ``aspect``.
        texts: what is compared for each part, which only terminals and notebooks show.
    """
    is_compared = bool(board.differences)
    is_across = is_compared and style.columns == "main"
    versus = {} if is_across else choose_versus(board, style)
    # P-values are corrected for the parts of a kind: those of the first are described.
    tested = board.select(kind=board.scores[0].kind)
    notes = [*notes, *describe_tests(tested, what, permutations, versus)]
    if is_across:
        return _tabulate_across_parts(board, what, title, notes, style, texts or {})
    keys: dict[str, Key] = {what: "part"}
    keys |= {"parser": "system"} if is_compared else {}
    keys |= {"pairs": "pairs"}
    keys |= {"left out": "left_out"} if style.columns == "all" else {}
    scored = {row.score for row in board.scores if row.pairs}
    names = [n for n, s in SCORES.items() if s.in_parts and (n in scored or not scored)]
    names = names if "f1" in names else [board.main]
    scores = choose_scores(names, [board.main] if board.has_intervals else (), versus, style)
    if any(row.interval is not None for row in board.differences):
        versus = {"minus best": "value", f"minus best {LEVEL}": "interval", **versus}
    table = lay_out(
        title,
        board,
        keys,
        scores,
        style,
        versus=versus,
        rule="part" if is_compared else "",
        notes=notes,
    )
    if not texts:
        return table
    parts = [row[0] for row in table.rows]
    is_first = [part != before for part, before in zip(parts, ["", *parts], strict=False)]
    compared = [texts.get(p, "") * first for p, first in zip(parts, is_first, strict=True)]
    return replace(table, terminal=table.with_column(len(table.columns), "compared", compared))


def _tabulate_across_parts(
    board: Board,
    what: str,
    title: str,
    notes: Sequence[str],
    style: Shown,
    texts: Mapping[str, str],
) -> Table:
    """Return one row per parser, with the main score on each part, and its form for papers."""
    rows = tuple(row for row in board.scores if row.score == board.main_scores[row[:2]])
    mains, score = Board(rows, board.differences), capitalize_f1(board.main)
    columns = {part: part for part in mains.list_names("part")}
    compared = [f"{part}: {texts[part]}" for part in columns if part in texts]
    notes = [
        *notes,
        f"Pairs: {', '.join(_count_pairs(mains, part) for part in columns)}",
        f"columns=all: one row per {what} and parser, with more scores, differences and p-values",
    ]
    keys: dict[str, Key] = {"parser": "system"}
    table = lay_out(f"{title}, {score}", mains, keys, columns, style, across="part")
    table = replace(table, repeated=len(keys), notes=(*compared, *notes))
    caption = f"{table.title}. {describe_bold(board)}."
    return replace(table, paper=replace(table, notes=(caption, *notes)))


def _count_pairs(board: Board, part: str) -> str:
    """Return a part with the number of its pairs, or their range if parsers differ."""
    pairs = {row.pairs for row in board.scores if row.part == part}
    ends = dict.fromkeys(f"{end:,}" for end in (min(pairs), max(pairs)))
    return f"{part} {' to '.join(ends)}"


def count_tests(board: Board) -> int:
    """Return the number of tests that p-values are corrected for."""
    return sum(row.p_adjusted == row.p_adjusted for row in board.differences)


def describe_tests(
    board: Board, what: str, permutations: int, versus: Container[str] = ()
) -> list[str]:
    """Say how parsers are compared, and whether any difference could be significant.

    Args:
        what: what the parsers are compared on: ``aspect``, ``sub-score`` or ``bucket``.
        versus: the columns that compare with the best.

    >>> row = Difference("m", "aspect", "ner", "b", "a", 9, "f1", -0.25, p=0.01, p_adjusted=0.4)
    >>> print(describe_tests(Board((), (row,)), "aspect", 15)[1])
    15 permutations are too few: no p-value can be below .05. Use 20 or more (permutations=20)
    """
    tests = count_tests(board)
    if not tests:
        return []
    minus = f"minus best: {capitalize_f1(board.main)} minus that of the best parser on the {what}. "
    notes = [
        f"{minus if 'minus best' in versus else ''}{describe_marks(permutations)} over all "
        f"{what}s and pairs of parsers: {format_count(tests, 'test')})"
    ]
    if permutations < FEWEST:
        notes.append(
            f"{permutations} permutations are too few: no p-value can be below .05. Use {FEWEST} "
            f"or more (permutations={FEWEST})"
        )
    return notes
