"""A gate for tests: whether parsers reach a score, and are not worse than an older version."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bamboo.board import CORPUS, WHOLE
from bamboo.display.points import difference, equals_p
from bamboo.errors import ConfigError
from bamboo.parsers.analysis import ONE_METRIC, Needs
from bamboo.parsers.report_data import ReportData
from bamboo.ties import are_tied

LEVEL = 0.05  # a parser is worse if its score is lower, and the p-value below this
MOST_DIGITS = 6


@dataclass(frozen=True)
class Gate:
    """What parsers have to reach.

    Attributes:
        at_least: the least score, as tables show it: F1 times 100; None for any.
        old: the name of the older parser, which is scored as well; None without one.
        permutations: the number of permutations of a test.

    Raises:
        ConfigError: a score that is no number, or too few permutations for a p-value below `LEVEL`.
    """

    at_least: float | None
    old: str | None
    permutations: int

    def __post_init__(self) -> None:
        if self.at_least is not None and not math.isfinite(self.at_least):
            raise ConfigError(f"at_least={self.at_least}: use a number of points, such as 80.0")
        if self.old is not None and 1 / (self.permutations + 1) >= LEVEL:
            raise ConfigError(
                f"permutations={self.permutations}: no_worse_than needs at least "
                f"{round(1 / LEVEL)}, since with fewer no p-value is below {LEVEL}"
            )

    @property
    def needs(self) -> list[Needs]:
        """What its options need."""
        options = {"at_least": self.at_least, "no_worse_than": self.old}
        return [Needs(name, ONE_METRIC, True) for name, v in options.items() if v is not None]

    def find_failures(self, report: ReportData) -> Iterator[str]:
        """Yield what the parsers fail, in a sentence each.

        A parser is worse than the old one if its score is lower and p of the paired permutation
        test, without correction for other parsers, is below `LEVEL`.

        Args:
            report: of one metric.

        Raises:
            ConfigError: `at_least` is between 0 and 1 for scores that are shown times 100, or
                there are too few pairs for a test.
        """
        at_least, old, board = self.at_least, self.old, report.board.select(kind=CORPUS)
        main, times_100 = board.main, report.facts.times_100
        what = "F1" if main == "f1" else main
        if at_least is not None and times_100 and 0 < at_least <= 1:
            raise ConfigError(
                f"at_least={at_least} is in points, as tables show scores: for {at_least} of 1 use "
                f"at_least={100 * at_least:g}"
            )
        for parser in (name for name in report.systems if name != old):
            score = board.value(parser, main) * (100 if times_100 else 1)
            if at_least is not None and not (score >= at_least or are_tied(score, at_least)):
                lower = _format_below(score, at_least)
                yield f"at_least={at_least:g}: {parser} has {what} {lower}"
            if old is None:
                continue
            row = board.by_systems[report.metric, CORPUS, WHOLE, parser, old, main]
            if math.isnan(row.p):
                raise ConfigError(
                    f"no_worse_than: {parser} and {old} have {row.pairs} scored pairs in common, "
                    "a test needs at least 2"
                )
            if row.value < 0 and row.p < LEVEL:
                by = difference(-row.value, signed=False) if times_100 else f"{-row.value:.4g}"
                p = equals_p(row.p)
                yield f"no_worse_than: {parser} has {what} {by} lower than {old} ({p})"


def _format_below(score: float, at_least: float) -> str:
    """Return a score with so many digits that it is seen to be lower."""
    texts = (f"{score:.{digits}f}" for digits in range(1, MOST_DIGITS))
    return next((text for text in texts if float(text) < at_least), f"{score:.{MOST_DIGITS}f}")
