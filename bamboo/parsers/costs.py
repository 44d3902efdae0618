"""What each construction costs each parser: mistakes, the F1 they cost, and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.types import Floats
from bamboo.explanation.mistakes import CONSTRUCTIONS
from bamboo.parsers.mistakes import CONSTRUCTION
from bamboo.parsers.systems import NAN, find_highest
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.statistics.corpus import (
    Compared,
    bootstrap_corpus,
    corpus_scores,
    percentile_interval,
    permutation_tests,
)
from bamboo.statistics.resampling import SystemTests

RATE, GOLD = "rate", "gold triples"  # columns of the tests


class Cost(NamedTuple):
    """The mistakes of a parser in a construction.

    Attributes:
        construction: one of `CONSTRUCTIONS`.
        parser: the name of the parser.
        missing, wrong, extra: numbers of mistakes.
        gain: how much higher the corpus F1 would be without these mistakes: 2 (M + q) / (S - p + q
            + G) - F1, if M triples match, of S of the parses and G of the gold graphs, and the
            mistakes have p and q of them. The alignment stays, so it is an estimate; gains of
            several constructions do not add up.
        gain_missing, gain_wrong, gain_extra: the same without the mistakes of one direction.
        rate: mistakes per 100 triples of the gold graphs.
        items: how many of the construction the gold graphs have.
        share: how many of these are missing or wrong, in 0..1; NaN without any.
        difference: the rate minus that of the best parser, on the pairs for which both have a
            score; NaN for the best parser itself, and if the gold graphs have none of the
            construction. So are the following.
        low, high: its 95 % bootstrap interval.
        p: of the paired permutation test.
        p_adjusted: corrected for all constructions and parsers (`bamboo.statistics.Family`).
    """

    construction: str
    parser: str
    missing: int
    wrong: int
    extra: int
    gain: float
    gain_missing: float
    gain_wrong: float
    gain_extra: float
    rate: float
    items: int
    share: float
    difference: float = NAN
    low: float = NAN
    high: float = NAN
    p: float = NAN
    p_adjusted: float = NAN

    @property
    def mistakes(self) -> int:
        """The number of mistakes."""
        return self.missing + self.wrong + self.extra


@dataclass(frozen=True)
class Costs:
    """What mistakes cost parsers.

    Attributes:
        rows: of each construction that occurs, in the order of the mean gain, and each parser.
        best: the parser that the others are compared with: that with the highest F1 among those
            that make mistakes, of several the first by name; None for a single one.
        permutations: number of permutations of each test.
    """

    rows: Sequence[Cost]
    best: str | None
    permutations: int

    @property
    def constructions(self) -> list[str]:
        """The constructions, in the order of their mean gain."""
        return [*dict.fromkeys(row.construction for row in self.rows)]

    def of(self, construction: str) -> dict[str, Cost]:
        """Return the rows of a construction by parser."""
        return {row.parser: row for row in self.rows if row.construction == construction}

    def of_parser(self, parser: str) -> list[Cost]:
        """Return the rows of a parser."""
        return [row for row in self.rows if row.parser == parser]

    @property
    def tests(self) -> int:
        """The number of tests that p-values are corrected for."""
        return sum(not np.isnan(row.p) for row in self.rows)


def construction_costs(columns: Mapping[str, ParserMistakes], tests: SystemTests) -> Costs:
    """Compute what each construction costs each parser, and compare parsers with the best.

    Args:
        columns: the mistakes of each parser in the same pairs.
        tests: how intervals and p-values are computed (`bamboo.statistics.corpus`).
    """
    rows = [_cost(c, name, own) for c in CONSTRUCTIONS for name, own in columns.items()]
    occurring = dict.fromkeys(row.construction for row in rows if row.mistakes)
    means = {c: np.mean([row.gain for row in rows if row.construction == c]) for c in occurring}
    order = sorted(occurring, key=lambda construction: -means[construction])
    rows = [row for c in order for row in rows if row.construction == c]
    f1 = {name: _f1(*np.nansum(own.totals, axis=0)) for name, own in columns.items()}
    ranked = [name for name, own in columns.items() if np.nansum(own.counts)]
    if len(ranked) < 2:
        return Costs(rows, None, tests.number)
    best = min(find_highest({name: f1[name] for name in ranked}))
    items = columns[best].items[columns[best].present].sum(axis=0)
    in_gold = [construction for construction in order if items[CONSTRUCTION[construction]]]
    others = {name: columns[name] for name in ranked if name != best}
    compared = {
        name: _differences(in_gold, own, columns[best], tests) for name, own in others.items()
    }
    p = _p_values(in_gold, others, columns[best], tests)
    tested = [
        row._replace(**compared[row.parser][row.construction], **p[row.parser, row.construction])
        if row.parser in others and row.construction in in_gold
        else row
        for row in rows
    ]
    return Costs(tested, best, tests.number)


def _f1(matched: float, src: float, tgt: float) -> float:
    return float(2 * matched / (src + tgt)) if src + tgt else 1.0


def _cost(construction: str, parser: str, own: ParserMistakes) -> Cost:
    k = CONSTRUCTION[construction]
    counts, p, q, items = (
        np.nansum(column[:, k], axis=0)
        for column in (own.counts, own.src_weights, own.tgt_weights, own.items)
    )
    matched, src, tgt = np.nansum(own.totals, axis=0)
    f1 = _f1(matched, src, tgt)

    def gain(chosen: slice = slice(None)) -> float:
        removed, added = p[chosen].sum(), q[chosen].sum()
        return _f1(matched + added, src - removed + added, tgt) - f1

    missing, wrong, extra = (int(count) for count in counts)
    return Cost(
        construction,
        parser,
        missing,
        wrong,
        extra,
        gain=gain(),
        gain_missing=gain(slice(0, 1)),
        gain_wrong=gain(slice(1, 2)),
        gain_extra=gain(slice(2, 3)),
        rate=float(100 * counts.sum() / tgt) if tgt else NAN,
        items=int(items),
        share=float((missing + wrong) / items) if items else NAN,
    )


def _differences(
    constructions: Sequence[str], own: ParserMistakes, best: ParserMistakes, tests: SystemTests
) -> dict[str, dict[str, Any]]:
    """Return for each construction the difference of two parsers' rates and its interval."""
    both = own.present & best.present
    names = dict(zip(constructions, constructions, strict=True))
    systems = [_columns(mistakes, names).take(both) for mistakes in (own, best)]
    statistics = partial(_rates, constructions)
    values = [corpus_scores(statistics, system) for system in systems]
    if both.sum() < 2:
        return {c: {"difference": values[0][c] - values[1][c]} for c in constructions}
    drawn = bootstrap_corpus(statistics, systems, tests.resamples, tests.seed, constructions)
    found = {}
    for c in constructions:
        low, high = percentile_interval(drawn[c][:, 0] - drawn[c][:, 1])
        found[c] = {"difference": values[0][c] - values[1][c], "low": low, "high": high}
    return found


def _p_values(
    constructions: Sequence[str],
    others: Mapping[str, ParserMistakes],
    best: ParserMistakes,
    tests: SystemTests,
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the p-values of the differences from the best parser, by parser and construction."""
    compared = {
        (parser, c): Compared(
            _columns(own, {RATE: c}), _columns(best, {RATE: c}), own.present & best.present
        )
        for parser, own in others.items()
        for c in constructions
    }
    rng = np.random.default_rng([tests.seed, len(best.present), 2])
    statistics = partial(_rates, [RATE])
    p, corrected = permutation_tests(statistics, [*compared.values()], [RATE], tests.number, rng)
    values = zip(p, corrected.tolist(), strict=True)
    return {
        key: {"p": of_scores[RATE], "p_adjusted": adjusted}
        for key, (of_scores, adjusted) in zip(compared, values, strict=True)
    }


def _columns(own: ParserMistakes, constructions: Mapping[str, str]) -> Scores:
    """Return the numbers of mistakes in constructions, under other names, and of gold triples."""
    counts = own.counts.sum(axis=2)
    details = {name: counts[:, CONSTRUCTION[c]] for name, c in constructions.items()}
    return Scores(own.totals[:, 0], {**details, GOLD: own.totals[:, 2]})


def _rates(
    constructions: Sequence[str], sums: Mapping[str, Floats], _: Floats
) -> dict[str, Floats]:
    """Return the mistakes in constructions per 100 gold triples."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {c: np.asarray(100 * sums[c] / sums[GOLD]) for c in constructions}
