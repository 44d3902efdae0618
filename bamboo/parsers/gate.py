"""A gate for tests: whether parsers reach a score, and are not worse than an older version."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bamboo.board import CORPUS, WHOLE
from bamboo.display.points import difference, equals_p
from bamboo.errors import ConfigError
from bamboo.ties import are_tied

if TYPE_CHECKING:
    from bamboo.parsers.result import Report

LEVEL = 0.05  # a parser is worse if its score is lower, and the p-value below this
MOST_DIGITS = 6


def check_gate(at_least: float | None, old: str | None, permutations: int) -> None:
    """Check that a gate can fail.

    Raises:
        ConfigError: a score that is no number, or too few permutations for a p-value below `LEVEL`.
    """
    if at_least is not None and not math.isfinite(at_least):
        raise ConfigError(f"at_least={at_least}: use a number of points, such as 80.0")
    if old is not None and 1 / (permutations + 1) >= LEVEL:
        raise ConfigError(
            f"permutations={permutations}: no_worse_than needs at least {round(1 / LEVEL)}, since "
            f"with fewer no p-value is below {LEVEL}"
        )


def find_failures(
    report: Report, parsers: Iterable[str], at_least: float | None, old: str | None
) -> Iterator[str]:
    """Yield what the parsers fail, in a sentence each.

    A parser is worse than the old one if its score is lower and p of the paired permutation test,
    without correction for other parsers, is below `LEVEL`.

    Args:
        report: of one metric.
        parsers: the names of those that are tested.
        at_least: the least score, as tables show it: F1 times 100.
        old: the name of the older parser.

    Raises:
        ConfigError: `at_least` is between 0 and 1 for scores that are shown times 100, or there are
            too few pairs for a test.
    """
    board = report.board.select(kind=CORPUS)
    main, times_100 = board.main, report.facts.times_100
    what = "F1" if main == "f1" else main
    if at_least is not None and times_100 and 0 < at_least <= 1:
        raise ConfigError(
            f"at_least={at_least} is in points, as tables show scores: for {at_least} of 1 use "
            f"at_least={100 * at_least:g}"
        )
    for parser in parsers:
        score = board.value(parser, main) * (100 if times_100 else 1)
        if at_least is not None and not (score >= at_least or are_tied(score, at_least)):
            lower = _format_below(score, at_least)
            yield f"at_least={at_least:g}: {parser} has {what} {lower}"
        if old is None:
            continue
        row = board.by_systems[report.metric, CORPUS, WHOLE, parser, old, main]
        if math.isnan(row.p):
            raise ConfigError(
                f"no_worse_than: {parser} and {old} have {row.pairs} scored pairs in common, a "
                "test needs at least 2"
            )
        if row.value < 0 and row.p < LEVEL:
            by = difference(-row.value, signed=False) if times_100 else f"{-row.value:.4g}"
            yield f"no_worse_than: {parser} has {what} {by} lower than {old} ({equals_p(row.p)})"


def _format_below(score: float, at_least: float) -> str:
    """Return a score with so many digits that it is seen to be lower."""
    texts = (f"{score:.{digits}f}" for digits in range(1, MOST_DIGITS))
    return next((text for text in texts if float(text) < at_least), f"{score:.{MOST_DIGITS}f}")
