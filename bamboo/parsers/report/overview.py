"""What the pages of the report need: the parsers in their order, their colours, their mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from urllib.parse import urlencode

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.text import counted
from bamboo.board import MISTAKE, Difference
from bamboo.parsers.costs import Costs, list_costs
from bamboo.parsers.ranking import COUNTS, Ranked, rank, sentence_costs
from bamboo.parsers.report.page_types import OF_PARSERS, ParserLabel, ReportFacts, Words
from bamboo.parsers.report.sentences import Collected
from bamboo.parsers.result import Report
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
        words: what the page of sentences calls parsers and gold.
        agreement: of annotators, the mean score of every two on each sentence; None for parsers.
    """

    report: Report
    found: Collected
    ranking: Sequence[Ranked]
    hues: Mapping[str, str]
    costs: Mapping[str, Floats] | None
    mistakes: Mapping[str, ParserMistakes]
    words: Words = OF_PARSERS
    agreement: Floats | None = None

    @classmethod
    def of(cls, report: Report, found: Collected) -> Overview:
        """Order the parsers by their corpus scores."""
        parsers = report.of_metric
        ranking = rank(parsers, report.board)
        hues = {name: f"k{k}" for k, name in enumerate(report.parsers)}
        if len(hues) >= COLOURED:
            first = [row.parser for row in ranking[:2]]
            hues = {name: f"k{first.index(name)}" if name in first else "kx" for name in hues}
        counts = all(
            name in scored.scores.details for name in COUNTS for scored in parsers.values()
        )
        costs = {name: sentence_costs(scored) for name, scored in parsers.items()}
        mistakes = mistakes_of(parsers)
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
        return "F1" if self.report.board.main == "f1" else self.report.board.main

    @property
    def gold(self) -> str:
        """The name of the gold graphs."""
        return PurePath(self.report.tgt).name

    @property
    def gold_triples(self) -> Floats | None:
        """The triples of each gold graph; None for a metric that does not count them."""
        if self.costs is None:
            return None
        details = next(iter(self.report.of_metric.values())).scores.details
        return np.nan_to_num(np.asarray(details["tgt_total"], np.float64))

    def label(self, parser: str) -> ParserLabel:
        """Return a parser with its slug and its colour."""
        return ParserLabel(parser, self.found.slugs[parser], self.hues[parser])

    def facts(self) -> ReportFacts:
        """Return what all pages show."""
        return ReportFacts(
            metric=self.report.metric,
            gold=self.gold,
            parsers=[*map(self.label, self.found.slugs)],
            ranked=[*map(self.label, self.ranked)],
            numbered=[*map(self.label, self.numbered)],
            is_wide=self.is_wide,
            pairs=counted(len(self.found.ids), "sentence"),
            has_sentences=any(self.found.sentences),
            is_aligned=self.found.is_aligned,
            words=self.words,
        )

    @cached_property
    def report_costs(self) -> Costs:
        """What the mistakes of the parsers cost."""
        return list_costs(self.report.board.select(kind=MISTAKE))

    def scores(self, parser: str) -> Floats:
        """Return the scores of a parser's pairs."""
        return self.report.of_metric[parser].scores.values

    def address(self, **values: str) -> str:
        """Return the address of sentences; parsers (a, b) by their names."""
        slugs = {k: self.found.slugs.get(v, v) if k in ("a", "b") else v for k, v in values.items()}
        return f"sentences.html#{urlencode(slugs)}"

    def sentence(self, k: int) -> str:
        """Return the beginning of a sentence; the first concepts of its graph if there is none."""
        text = self.found.sentences[k] or ", ".join(self.found.concepts[k][:3])
        return f"{text[:BEGINNING]}…" if len(text) > BEGINNING else text


def is_significant(row: Difference | None) -> bool:
    """Return whether a difference is significant at the 5 % level, corrected."""
    return row is not None and row.p_adjusted < SIGNIFICANT  # false if it is NaN
