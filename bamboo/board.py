"""Results as rows: the scores of systems on parts of the data, and their differences.

A system is a parser, or a metric that is compared with ratings. Every table, data frame and JSON
document is a function of these rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bamboo.ties import TIE, number_ranks

if TYPE_CHECKING:
    import pandas as pd

NAN = float("nan")
CORPUS = "corpus"  # the kind of the only part with all pairs
FLAG = "flag"  # the kind of parts that are kinds of flags of graphs, whatever the metric
FLAGGED = ("unreadable", "flagged")  # numbers of graphs: scores of all kinds of flags together
GOLD = "(gold)"  # the system that stands for the gold graphs
BUCKET = "bucket"  # the kind of parts that are some of the pairs
NONE = "(none)"  # the bucket of pairs without a value
MACRO = "macro"  # the kind of the mean of the scores of buckets
MEAN = "(macro)"  # the name of that mean
RUN = "run"  # the kind of parts that are one run of a system, on all pairs
DEVIATION = "_sd"  # ends the name of the standard deviation of a score over the runs of a system
MISTAKE = "mistake"  # the kind of parts that are constructions, with what mistakes in them cost
WHOLE = ""  # the name of that part


class Score(NamedTuple):
    """A score of a system on a part of the data.

    Attributes:
        metric: the metric that computed it; "" for `FLAG` and where metrics are the systems.
        kind: what the part is: `CORPUS`, `RUN`, ``aspect``, `BUCKET`, `MACRO` (of aspects see
            `name_kind`), ``subscore``, `MISTAKE`, `FLAG`, or, where metrics are the systems,
            ``cell`` or ``mean``.
        part: the name of the part; `WHOLE` for the whole corpus.
        system: the name of the system.
        pairs: number of pairs with a score in which the part occurs.
        left_out: number of pairs with a score in which it does not.
        score: the name of the score, such as ``f1`` or ``pearson``. A system with several runs also
            has ``f1_sd`` (`DEVIATION`) and the number of its ``runs``.
        value: the mean over the runs; NaN if it is undefined, or the part occurs in no pair.
        low, high: 95 % interval; NaN without one.
    """

    metric: str
    kind: str
    part: str
    system: str
    pairs: int
    left_out: int
    score: str
    value: float
    low: float = NAN
    high: float = NAN

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval; None without one."""
        return None if np.isnan(self.low) else (self.low, self.high)


class Difference(NamedTuple):
    """A score of the first system minus that of the second, on a part of the data.

    Attributes:
        metric, kind, part: as in `Score`.
        first, second: the systems.
        pairs: number of pairs for which both have a score and in which the part occurs.
        score: the name of the score.
        value: the difference on these pairs; NaN if the part occurs in no pair of one system.
        low, high: 95 % interval from resampled pairs; NaN without one.
        p_bootstrap: (c + 1) / (n + 1), if c of n resamples give a difference at least as far from
            the value as that is from zero; NaN without resamples.
        p: of the paired permutation test: (c + 1) / (n + 1), if c of n permutations give a
            difference at least as large in absolute value; NaN for fewer than two pairs.
        p_adjusted: `p` (see `check`) corrected for all tests of the same kind
            (`bamboo.statistics.families`); NaN for scores by which systems are not ranked.
        detectable: the true difference that a test at the 5 % level finds with 80 % power; NaN
            without resamples.
        check: p of another test of the same difference; NaN without one. Of systems with several
            runs, that of a z test with the errors of pairs and of runs, and `p_adjusted` is this
            one corrected.
    """

    metric: str
    kind: str
    part: str
    first: str
    second: str
    pairs: int
    score: str
    value: float
    low: float = NAN
    high: float = NAN
    p_bootstrap: float = NAN
    p: float = NAN
    p_adjusted: float = NAN
    detectable: float = NAN
    check: float = NAN

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval; None without one."""
        return None if np.isnan(self.low) else (self.low, self.high)

    def reverse(self) -> Difference:
        """Return the difference of the second system from the first."""
        value, low, high = (0.0 - x for x in (self.value, self.high, self.low))  # never -0.0
        return self._replace(first=self.second, second=self.first, value=value, low=low, high=high)


@dataclass(frozen=True)
class Board:
    """The scores of systems, and the differences of pairs of systems.

    >>> board = Board((Score("m", "corpus", "", "a", 9, 0, "f1", 0.5),))
    >>> board.select(system="b").scores, board.value("a", "f1")
    ((), 0.5)
    """

    scores: tuple[Score, ...] = ()
    differences: tuple[Difference, ...] = ()

    @classmethod
    def join(cls, boards: Iterable[Board]) -> Board:
        """Return the rows of several boards."""
        boards = [*boards]
        return cls(
            tuple(row for board in boards for row in board.scores),
            tuple(row for board in boards for row in board.differences),
        )

    def select(
        self,
        *,
        metric: str | None = None,
        kind: str | None = None,
        part: str | None = None,
        system: str | None = None,
        score: str | None = None,
    ) -> Board:
        """Return the rows with these values; of the differences none if a system is selected."""
        values = {"metric": metric, "kind": kind, "part": part, "system": system, "score": score}
        scores, differences = self.scores, self.differences if system is None else ()
        for name, value in values.items():
            if value is not None:
                scores = tuple(row for row in scores if getattr(row, name) == value)
                differences = tuple(row for row in differences if getattr(row, name) == value)
        return Board(scores, differences)

    def list_names(self, field: str) -> list[str]:
        """Return the distinct values of a field of the scores, such as ``system``, in order."""
        return [*dict.fromkeys(getattr(row, field) for row in self.scores)]

    def to_frame(self, system: str) -> pd.DataFrame:
        """Return one row per score.

        Args:
            system: the heading of the column of systems.
        """
        import pandas as pd  # slow to import

        frame = pd.DataFrame(self.scores, columns=Score._fields)
        return frame.rename(columns={"system": system})

    @cached_property
    def rows(self) -> Mapping[tuple[str, str, str, str], Mapping[str, Score]]:
        """The scores by name, by metric, kind, part and system."""
        rows: dict[tuple[str, str, str, str], dict[str, Score]] = {}
        for row in self.scores:
            rows.setdefault(row[:4], {})[row.score] = row
        return rows

    @cached_property
    def by_systems(self) -> Mapping[tuple[str, str, str, str, str, str], Difference]:
        """The differences by metric, kind, part, first and second system, and score; both ways."""
        both = {(*row[:5], row.score): row for row in map(Difference.reverse, self.differences)}
        return both | {(*row[:5], row.score): row for row in self.differences}

    @property
    def has_intervals(self) -> bool:
        """Whether some score has an interval."""
        return any(row.interval is not None for row in self.scores)

    @property
    def main(self) -> str:
        """The score by which systems are ranked, on the first kind of part."""
        return next(iter(self.main_scores.values()), "f1")

    def value(self, system: str, score: str) -> float:
        """Return a score of a system on the first of the parts; NaN if there is none."""
        values = (r.value for r in self.scores if (r.system, r.score) == (system, score))
        return next(values, NAN)

    def compare_with_best(
        self, metric: str, kind: str, part: str, system: str
    ) -> tuple[str | None, Difference | None]:
        """Return the best system on a part, and the difference of a system from it.

        Returns:
            the system with the highest main score; of several equal ones this system, otherwise the
            first by name, so that their order does not matter; None if there is nothing to compare.
            And the difference, None for the best.
        """
        best = self.best_systems.get((metric, kind, part), [])
        if not best or system in best:
            return (system if best else None), None
        first = min(best)
        score = self.main_scores[metric, kind]
        return first, self.by_systems.get((metric, kind, part, system, first, score))

    @cached_property
    def main_scores(self) -> Mapping[tuple[str, str], str]:
        """The score by which systems are ranked, by metric and kind of part."""
        names: dict[tuple[str, str], dict[str, None]] = {}
        for row in self.scores:
            names.setdefault(row[:2], {})[row.score] = None
        return {key: find_main(scores) for key, scores in names.items()}

    @cached_property
    def best_systems(self) -> Mapping[tuple[str, str, str], list[str]]:
        """The systems with the highest main score, by metric, kind and part that is compared."""
        compared = {row[:3] for row in self.differences}
        values: dict[tuple[str, str, str], dict[str, float]] = {}
        for row in self.scores:
            if row[:3] in compared and row.score == self.main_scores[row[:2]]:
                values.setdefault(row[:3], {})[row.system] = row.value
        return {part: find_highest(of_part) for part, of_part in values.items()}


def name_kind(kind: str, aspect: str = "") -> str:
    """Return the kind of a part of the pairs of which an aspect is scored; "" for whole graphs.

    >>> name_kind(BUCKET), name_kind(MACRO, "coreference")
    ('bucket', 'macro of coreference')
    """
    return f"{kind} of {aspect}" if aspect else kind


def find_main(names: Iterable[str]) -> str:
    """Return the score by which systems are ranked: F1 if there is one, else the first.

    >>> find_main(["precision", "f1"]), find_main({"mean": 0.5}), find_main([])
    ('f1', 'mean', 'f1')
    """
    names = [*names]
    return "f1" if "f1" in names or not names else names[0]


def find_highest(values: Mapping[str, float]) -> list[str]:
    """Return the names with the highest value, or one tied with it, in their order.

    NaN is no value.

    >>> find_highest({"a": 0.1 + 0.2, "b": 0.25, "c": 0.3, "d": NAN})
    ['a', 'c']
    """
    names = [name for name, value in values.items() if value == value]
    numbers = number_ranks(np.array([values[name] for name in names], np.float64))
    return [names[k] for k in np.flatnonzero(numbers == numbers.max(initial=0))]


def find_lowest(values: Mapping[str, float]) -> list[str]:
    """Return the names with the lowest value, in their order; NaN is no value.

    >>> find_lowest({"a": 0.1 + 0.2, "b": 0.3, "c": 0.5, "d": NAN})
    ['a', 'b']
    """
    return find_highest({name: -value for name, value in values.items()})


def count_needed(differences: Iterable[Difference], size: float) -> int | None:
    """Return with how many pairs a test finds a difference with 80 % power; None if unknown.

    n pairs, with which the smallest detectable difference is D, need n (D / size)² pairs, if the
    others are like them. Of several differences, the largest number is returned.

    >>> row = Difference("m", CORPUS, WHOLE, "a", "b", 200, "f1", 0.0, detectable=0.02)
    >>> count_needed([row], 0.01), count_needed([row._replace(detectable=0.0)], 0.01)
    (800, None)
    """
    needed = (
        math.ceil(row.pairs * (row.detectable / size) * (row.detectable / size))
        for row in differences
        if row.detectable > TIE
    )
    return max(needed, default=None)


def find_detectable(differences: Iterable[Difference]) -> list[float]:
    """Return the smallest and the largest detectable difference.

    Unknown ones do not count, nor those of systems with the same score on every pair, which are 0.
    """
    sizes = [row.detectable for row in differences if row.detectable > TIE]
    return [min(sizes), max(sizes)] if sizes else []
