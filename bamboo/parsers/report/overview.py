"""What all pages of the report share: the parsers in their order, their colours and mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.text import format_count
from bamboo.board import MISTAKE, Difference
from bamboo.display.points import mark
from bamboo.parsers.confusions import Confusion, Key, find_agreements, group_confusions
from bamboo.parsers.costs import Costs, list_costs
from bamboo.parsers.ranking import COUNTS, Ranks, list_ranked, rank_parsers, sentence_costs
from bamboo.parsers.report.sentences import Collected
from bamboo.parsers.result import Report
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.scored import collect_mistakes

COLOURED = 6  # with so many parsers only the first two have colours and columns
BEGINNING = 110  # characters of a sentence in a list


class Words(NamedTuple):
    """What the page of sentences calls systems, their graphs, the graph beside, and mistakes."""

    system: str = "parser"
    graph: str = "parse"
    reference: str = "gold"
    mistake: str = "mistake"


OF_PARSERS = Words()


class ListedSentence(NamedTuple):
    """A sentence to read: its number in the list, and the scores of the best parsers."""

    address: str
    value: str
    sentence: str
    scores: str


@dataclass(frozen=True, eq=False)
class Overview:
    """The report, in the order of the ranking: templates have it as ``shared``.

    Attributes:
        ranks: of the parsers, best first, see `rank_parsers`.
        hues: the class of the colour of each parser.
        costs: what each sentence takes from the corpus score, by parser; None for a metric that
            does not count triples.
        mistakes: by parser; empty for a metric that compares no triples.
        words: what the page of sentences calls parsers and gold.
        agreement: of annotators, the mean score of every two on each sentence; None for parsers.
    """

    report: Report
    collected: Collected
    ranks: Ranks
    hues: Mapping[str, str]
    costs: Mapping[str, Floats] | None
    mistakes: Mapping[str, ParserMistakes]
    words: Words = OF_PARSERS
    agreement: Floats | None = None

    @classmethod
    def of(cls, report: Report, collected: Collected) -> Overview:
        """Order the parsers by their corpus scores."""
        parsers = report.of_metric
        ranks = rank_parsers(parsers, report.board)
        hues = {name: f"k{k}" for k, name in enumerate(report.parsers)}
        if len(hues) >= COLOURED:
            first = [*ranks][:2]
            hues = {name: f"k{first.index(name)}" if name in first else "kx" for name in hues}
        counts = all(
            name in scored.scores.details for name in COUNTS for scored in parsers.values()
        )
        costs = {name: sentence_costs(scored) for name, scored in parsers.items()}
        mistakes = collect_mistakes(parsers)
        return cls(report, collected, ranks, hues, costs if counts else None, mistakes)

    @cached_property
    def ranked(self) -> list[str]:
        """The parsers that are ranked, best first; all if none is."""
        return list_ranked(self.ranks) or [*self.ranks]

    @property
    def is_several(self) -> bool:
        """Whether there are several parsers."""
        return len(self.ranks) > 1

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
    def metric(self) -> str:
        """The name of the metric, without the values of its options."""
        name, _, options = self.report.metric.partition(" ")
        return f"{name} with options" if options else name

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

    @property
    def pairs(self) -> str:
        """How many sentences there are, with the word."""
        return format_count(len(self.collected.ids), "sentence")

    @property
    def has_sentences(self) -> bool:
        """Whether a graph has its sentence."""
        return any(self.collected.sentences)

    @cached_property
    def report_costs(self) -> Costs:
        """What the mistakes of the parsers cost."""
        return list_costs(self.report.board.select(kind=MISTAKE))

    @cached_property
    def confusions(self) -> dict[Key, list[tuple[str, int]]]:
        """The occurrences of each confusion of the ranked parsers."""
        return group_confusions({name: self.mistakes[name] for name in self.ranked})

    @cached_property
    def places(self) -> list[Confusion]:
        """Where all ranked parsers agree with one another and not with gold."""
        return find_agreements([self.mistakes[n] for n in self.ranked if n in self.mistakes])

    def scores(self, parser: str) -> Floats:
        """Return the scores of a parser's pairs."""
        return self.report.of_metric[parser].scores.values

    def address(self, **values: str) -> str:
        """Return the address of sentences; parsers (a, b) by their names."""
        names = self.collected.slugs
        slugs = {k: names.get(v, v) if k in ("a", "b") else v for k, v in values.items()}
        return f"sentences.html#{urlencode(slugs)}"

    def sentence(self, k: int) -> str:
        """Return the beginning of a sentence; the first concepts of its graph if there is none."""
        text = self.collected.sentences[k] or ", ".join(self.collected.concepts[k][:3])
        return f"{text[:BEGINNING]}…" if len(text) > BEGINNING else text

    def list_sentence(self, k: int, value: str, scores: str = "", **query: str) -> ListedSentence:
        """Return a sentence for a list; the query is what else its address says."""
        address = self.address(**query, s=self.collected.names[k])
        return ListedSentence(address, value, self.sentence(k), scores)


def is_significant(row: Difference | None) -> bool:
    """Return whether a difference is significant at the 5 % level, corrected."""
    return row is not None and bool(mark(row.p_adjusted))
