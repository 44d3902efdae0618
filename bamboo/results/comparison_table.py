"""The tables of a comparison of metrics, its ranks, and its JSON form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bamboo.board import NAN, Board, Score
from bamboo.display.table import LEVEL, Table
from bamboo.results.result_table import describe_resampling
from bamboo.statistics.ranking import order_descending, rank_ranges
from bamboo.statistics.resampling import Method, Significance

# The columns of data frames; tables have most of them.
DIFFERENCES = (
    *("column", "a", "b", "value_a", "value_b", "difference", "low", "high", "detectable"),
    *("p", "p_adjusted", "check"),
)
HEADINGS = (
    *("column", "a", "b", "value a", "value b", "a - b", LEVEL, "detectable"),
    *("p", "p adj.", "check"),
)
CHECKS = {
    True: "check: Williams' test, or McNemar's exact test for pair accuracy.",
    False: "check: not computed where pairs share sentences, because Williams' and McNemar's tests "
    "assume independent pairs.",
}


def list_differences(board: Board, metrics: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the differences of each pair of metrics on each part, as `DIFFERENCES` names them."""
    values = {(row.part, row.system): row.value for row in board.scores}
    place = {name: k for k, name in enumerate(metrics)}
    return [
        (
            *(row.part, row.first, row.second),
            *(values[row.part, row.first], values[row.part, row.second]),
            *(row.value, row.low, row.high, row.detectable, row.p, row.p_adjusted, row.check),
        )
        for row in board.differences
        if place[row.first] < place[row.second]
    ]


def difference_table(
    name: str,
    differences: Sequence[tuple[Any, ...]],
    methods: Mapping[str, Method | None],
    settings: Significance,
    is_clustered: bool,
    incomplete: Mapping[str, Mapping[str, int]],
) -> Table:
    """Return a table of differences.

    Args:
        name: of the results, by `name_results`.
        differences: by `list_differences`.
        methods: how intervals are computed, by part; None without any.
    """
    names = {part: part.replace("_", " ") for part in methods}
    resampled = {names[part]: method for part, method in methods.items() if method is not None}
    notes = [
        *([describe_resampling(resampled)] if resampled else []),
        f"p: PERM-BOTH, {settings.permutations:,} permutations; joint bootstrap, "
        f"{settings.resamples:,} resamples; seed {settings.seed}. p adj.: corrected for all "
        f"pairs of metrics in a column (min-p). {CHECKS[not is_clustered]}",
        "detectable: the difference found with 80 % power, 2.8 times its standard error.",
    ]
    if incomplete:
        missing = [f"{name}: {sum(by.values()):,}" for name, by in incomplete.items()]
        notes.append(f"Not compared, because pairs are missing: {'; '.join(missing)}.")
    body = [
        (names[part], *others[:5], (low, high), *tests)
        for part, *others in differences
        for low, high, *tests in [others[5:]]
    ]
    count = len(body) // max(len(methods), 1)
    return Table(
        f"Differences, {name} (x 100)",
        HEADINGS,
        tuple(body),
        digits=(2,) * 8 + (4,) * 3,
        notes=tuple(notes),
        rules=tuple(range(count, len(body) + 1, count)) if body else (),
    )


def tabulate_ranking(part: Board, column: str, level: float, notes: Sequence[str]) -> Table:
    """Return the metrics with their ranks, best first; those without a value come last.

    Args:
        part: the scores and differences of the metrics that are compared.
        column: the name of the part.
    """
    ranks = rank_systems(part, level)
    body = [
        (row.system, write_ranks(ranks[row.system]), row.value, row.interval)
        for row in order_rows(part)
    ]
    name = column.replace("_", " ")
    explanation = (
        "rank: the places of the best and the worst metric that do not differ significantly "
        f"from it ({100 * level:g} % level, corrected for all pairs)."
    )
    heads = ("metric", "rank", name, LEVEL)
    return Table(f"Ranking by {name}", heads, tuple(body), notes=(explanation, *notes))


def describe_column(part: Board, level: float) -> dict[str, Any]:
    """Return the values of the metrics on a part as JSON values, and matrices of differences.

    Args:
        part: the scores and differences of the metrics that are compared.
    """
    rows = part.scores
    ranks = rank_systems(part, level)
    none = [None if math.isnan(row.value) else 0.0 for row in rows]
    unsure = [None if row.interval is None else 0.0 for row in rows]
    return {
        "values": [row.value for row in rows],
        "intervals": [(row.low, row.high) for row in rows],
        "differences": _fill_matrix((row.value for row in part.differences), none),
        "bounds": _fill_matrix(
            ((row.low, row.high) for row in part.differences), [(zero, zero) for zero in unsure]
        ),
        "detectable": _fill_matrix((row.detectable for row in part.differences), unsure),
        "p": _fill_matrix((row.p for row in part.differences), _list_equal(part)),
        "p_adjusted": _fill_matrix((row.p_adjusted for row in part.differences), _list_equal(part)),
        "check": _fill_matrix((row.check for row in part.differences), [None] * len(rows)),
        "ranks": [ranks[row.system] for row in rows],
    }


def _list_equal(part: Board) -> list[float]:
    """Return the p-value of each metric and itself: 1 if it can be tested, else NaN."""
    tested = {row.first for row in part.differences if not math.isnan(row.p)}
    tested |= {row.system for row in part.scores if row.interval is not None}
    return [1.0 if row.system in tested else NAN for row in part.scores]


def _fill_matrix(values: Iterable[Any], diagonal: Sequence[Any]) -> list[list[Any]]:
    """Return a matrix of values that are listed by row, without the diagonal."""
    others, places = iter(values), range(len(diagonal))
    return [[diagonal[i] if i == j else next(others) for j in places] for i in places]


def rank_systems(part: Board, level: float) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank of each metric on a part; see `rank_ranges`."""
    p = _fill_matrix((row.p_adjusted for row in part.differences), [1.0] * len(part.scores))
    values = np.array([row.value for row in part.scores])
    ranges = rank_ranges(values, np.array(p), level)
    return {
        row.system: (best, worst)
        for row, (best, worst) in zip(part.scores, ranges.tolist(), strict=True)
    }


def order_rows(part: Board) -> list[Score]:
    """Return the scores on a part, best first; those without a value come last."""
    return [part.scores[k] for k in order_descending([row.value for row in part.scores])]


def write_ranks(ranks: Sequence[int]) -> str | None:
    """Return a range of ranks as text; None for a metric without a value.

    >>> write_ranks((2, 4)), write_ranks((1, 1))
    ('2-4', '1')
    """
    best, worst = ranks
    return (f"{best}" if best == worst else f"{best}-{worst}") if best else None
