"""What the pages of the report need: the parsers in their order, their colours, their mistakes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import urlencode

import numpy as np

from amr_metrics.types import Floats
from bamboo.parsers.pair_scores import PairScores
from bamboo.parsers.ranking import COUNTS, Ranked, rank, sentence_costs
from bamboo.parsers.report.sentences import Collected
from bamboo.parsers.result import ParserReport
from bamboo.parsers.systems import SystemDifference, SystemResults
from bamboo.parsers.tables import LEVELS
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.scored import mistakes_of

SIGNIFICANT = LEVELS[-1][0]
COLOURED = 6  # with so many parsers only the first two have colours and columns
BEGINNING = 110  # characters of a sentence in a list


@dataclass(frozen=True, eq=False)
class Overview:
    """The report, in the order of the ranking.

    Attributes:
        ranking: the parsers, best first; those without ranks come last.
        hues: the class of the colour of each parser.
        costs: what each sentence takes from the corpus score, by parser; None for a metric that
            does not count triples.
        mistakes: by parser; empty for a metric that compares no triples.
    """

    report: ParserReport
    found: Collected
    ranking: Sequence[Ranked]
    hues: Mapping[str, str]
    costs: Mapping[str, Floats] | None
    mistakes: Mapping[str, ParserMistakes]

    @classmethod
    def of(cls, report: ParserReport, found: Collected) -> Overview:
        """Order the parsers by their corpus scores."""
        ranking = rank(report.parsers, report.results)
        hues = {name: f"k{k}" for k, name in enumerate(report.parsers)}
        if len(hues) >= COLOURED:
            first = [row.parser for row in ranking[:2]]
            hues = {name: f"k{first.index(name)}" if name in first else "kx" for name in hues}
        counts = all(
            name in scores.values.scores.details
            for name in COUNTS
            for scores in report.parsers.values()
        )
        costs = {name: sentence_costs(scores) for name, scores in report.parsers.items()}
        mistakes = mistakes_of({name: one.values for name, one in report.parsers.items()})
        return cls(report, found, ranking, hues, costs if counts else None, mistakes)

    @property
    def ranked(self) -> list[str]:
        """The parsers that are ranked, best first; all if none is."""
        names = [row.parser for row in self.ranking if row.is_ranked]
        return names or [row.parser for row in self.ranking]

    @property
    def is_wide(self) -> bool:
        """Whether there are so many parsers that only the first two have columns of their own."""
        return len(self.ranked) >= COLOURED

    @property
    def numbered(self) -> list[str]:
        """The parsers that have columns of their own."""
        return self.ranked[:2] if self.is_wide else self.ranked

    @property
    def main(self) -> str:
        """The score by which parsers are ranked, as the pages write it."""
        return "F1" if self.report.results.main == "f1" else self.report.results.main

    @property
    def gold(self) -> str:
        """The name of the gold graphs."""
        return PurePath(self.report.tgt).name

    @property
    def gold_triples(self) -> Floats | None:
        """The triples of each gold graph; None for a metric that does not count them."""
        if self.costs is None:
            return None
        details = next(iter(self.report.parsers.values())).values.scores.details
        return np.nan_to_num(np.asarray(details["tgt_total"], np.float64))

    def __getitem__(self, parser: str) -> PairScores:
        """Return the scores of a parser."""
        return self.report[parser]

    def address(self, **values: str) -> str:
        """Return the address of sentences; parsers (a, b) by their names."""
        slugs = {k: self.found.slugs.get(v, v) if k in ("a", "b") else v for k, v in values.items()}
        return f"sentences.html#{urlencode(slugs)}"

    def sentence(self, k: int) -> str:
        """Return the beginning of a sentence; the first concepts of its graph if there is none."""
        text = self.found.sentences[k] or ", ".join(self.found.concepts[k][:3])
        return f"{text[:BEGINNING]}…" if len(text) > BEGINNING else text


def difference_on(results: SystemResults, a: str, b: str, part: str) -> SystemDifference | None:
    """Return the main score of a parser minus that of another on a part."""
    for one in results.differences:
        if one.part == part and one.score == results.main and {one.first, one.second} == {a, b}:
            return one if one.first == a else one.reversed()
    return None


def is_significant(one: SystemDifference | None) -> bool:
    """Return whether a difference is significant at the 5 % level, corrected."""
    return one is not None and not math.isnan(one.p_adjusted) and one.p_adjusted < SIGNIFICANT
