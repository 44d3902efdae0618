"""What all pages of the report share: the parsers in their order, their colours and mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.text import format_count
from bamboo.board import MISTAKE, Difference
from bamboo.display.points import mark
from bamboo.display.table import Table, capitalize_f1
from bamboo.parsers.analyses.errors import Costs, group_costs
from bamboo.parsers.confusions import Confusion, Key, find_agreements, group_confusions
from bamboo.parsers.ranking import (
    COUNTS,
    Ranks,
    list_ranked,
    measure_sentence_costs,
    rank_parsers,
    select_common,
)
from bamboo.parsers.report.sentences import Collected
from bamboo.parsers.result import Report
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.scored import collect_mistakes

MANY = 6  # from this number of parsers on, only the best two have colours and columns
BEGINNING = 110  # characters of a sentence in a list


class Words(NamedTuple):
    """What the page of sentences calls systems, their graphs, the graph beside, and mistakes."""

    system: str = "parser"
    graph: str = "parse"
    reference: str = "gold"
    mistake: str = "mistake"


OF_PARSERS = Words()


class ListedSentence(NamedTuple):
    """A sentence to read, as texts.

    Attributes:
        address: where it is shown, on the page of sentences.
        value: the number by which it was selected.
        sentence: its beginning.
        scores: those of the best parsers; "" for none.
    """

    address: str
    value: str
    sentence: str
    scores: str


@dataclass(frozen=True, eq=False)
class Overview:
    """The report, in the order of the ranking: templates have it as ``shared``.

    It is about parsers against gold, or about annotators against the central graph.

    Attributes whose names end with ``_label`` are texts for the pages.

    Attributes:
        words: what the page of sentences calls parsers and gold.
        agreement: of annotators, for each sentence the mean score over couples; None for parsers.
    """

    report: Report
    collected: Collected
    words: Words = OF_PARSERS
    agreement: Floats | None = None

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks of all parsers, best first, see `rank_parsers`."""
        return rank_parsers(self.report.by_parser, self.report.board)

    @cached_property
    def hues(self) -> Mapping[str, str]:
        """By parser, the CSS class of its colour: ``k0``, ``k1``, ...; ``kx`` is grey."""
        parsers = self.column_parsers
        if not self.has_many_parsers:  # in the order of the files
            parsers = [name for name in self.report.parsers if name in parsers]
        return {
            name: f"k{parsers.index(name)}" if name in parsers else "kx"
            for name in self.report.parsers
        }

    @cached_property
    def sentence_costs(self) -> Mapping[str, Floats] | None:
        """By parser, what each sentence takes from the corpus score, as shares of 1.

        Of the sentences that all compared parsers have, so that their costs can be added and
        subtracted; annotators may have none in common. None without triples.
        """
        parsers = self.report.by_parser
        if any(not {*COUNTS} <= {*scored.scores.details} for scored in parsers.values()):
            return None
        if self.agreement is None:
            parsers = {**parsers, **select_common({n: parsers[n] for n in self.compared})}
        return {name: measure_sentence_costs(scored) for name, scored in parsers.items()}

    @cached_property
    def tables(self) -> list[tuple[Table, Table]]:
        """The tables of the command, each as it is by default and with all columns."""
        default, whole = (self.report.tables(columns, listed=None) for columns in ("main", "all"))
        return [*zip(default, whole, strict=True)]

    @cached_property
    def mistakes(self) -> Mapping[str, ParserMistakes]:
        """The mistakes of each parser; empty for a metric that compares no triples."""
        return collect_mistakes(self.report.by_parser)

    @cached_property
    def compared(self) -> list[str]:
        """The parsers that tables and plots compare, best first: those that are ranked.

        If none is ranked, since all have the same graphs as gold, tables show all of them.
        """
        return list_ranked(self.ranks) or [*self.ranks]

    @property
    def has_several_parsers(self) -> bool:
        """Whether there are several parsers, ranked or not."""
        return len(self.ranks) > 1

    @property
    def has_many_parsers(self) -> bool:
        """Whether so many are compared that only two have colours and columns."""
        return len(self.compared) >= MANY

    @property
    def column_parsers(self) -> list[str]:
        """The parsers that have columns of their own."""
        return self.compared[:2] if self.has_many_parsers else self.compared

    @property
    def score_label(self) -> str:
        """The score by which parsers are ranked."""
        return capitalize_f1(self.report.board.main)

    @property
    def metric_label(self) -> str:
        """The name of the metric, without the values of its options."""
        name, _, options = self.report.metric.partition(" ")
        return f"{name} with options" if options else name

    @property
    def sentences_label(self) -> str:
        """How many sentences there are, with the word."""
        return format_count(len(self.collected.ids), "sentence")

    @property
    def gold_triples(self) -> Floats | None:
        """The number of triples of each gold graph; None for a metric that does not count them."""
        if self.sentence_costs is None:
            return None
        # A parser has no counts for the pairs that it lacks.
        counts = [of.scores.details["tgt_total"] for of in self.report.by_parser.values()]
        most: Floats = np.fmax.reduce(np.asarray(counts, np.float64))
        return np.nan_to_num(most)

    @property
    def has_sentences(self) -> bool:
        """Whether any graph has its sentence."""
        return any(self.collected.sentences)

    @cached_property
    def construction_costs(self) -> Costs:
        """What the mistakes of each construction cost the parsers."""
        return group_costs(self.report.board.select(kind=MISTAKE))

    @cached_property
    def confusions(self) -> dict[Key, list[tuple[str, int]]]:
        """The occurrences of each confusion of the compared parsers."""
        return group_confusions({name: self.mistakes[name] for name in self.compared})

    @cached_property
    def shared_mistakes(self) -> list[Confusion]:
        """Where all compared parsers agree with one another and not with gold."""
        return find_agreements([self.mistakes[n] for n in self.compared if n in self.mistakes])

    def scores(self, parser: str) -> Floats:
        """Return a parser's score of each sentence, as shares of 1; NaN for a missing pair."""
        return self.report.by_parser[parser].scores.values

    def address(self, **query: str) -> str:
        """Return the address of the page of sentences with a query for its script.

        Args:
            query: what its form and list select, such as ``order``, ``kind`` or ``s`` (the name of
                a sentence); ``a`` and ``b`` are given as names of parsers.
        """
        slugs = self.collected.slugs
        query = {k: slugs.get(v, v) if k in ("a", "b") else v for k, v in query.items()}
        return f"sentences.html#{urlencode(query)}"

    def shorten_sentence(self, k: int) -> str:
        """Return the beginning of sentence k; the first concepts of its graph if it has no text."""
        text = self.collected.sentences[k] or ", ".join(self.collected.concepts[k][:3])
        return f"{text[:BEGINNING]}…" if len(text) > BEGINNING else text

    def list_sentence(self, k: int, value: str, scores: str = "", **query: str) -> ListedSentence:
        """Return an entry of a list of sentences.

        Args:
            k: the position of the sentence.
            value, scores: see `ListedSentence`.
            query: see `address`; the sentence is added to it.
        """
        address = self.address(**query, s=self.collected.names[k])
        return ListedSentence(address, value, self.shorten_sentence(k), scores)


def is_significant(row: Difference | None) -> bool:
    """Return whether the corrected p-value of a difference is below .05; False for None."""
    return row is not None and bool(mark(row.p_adjusted))
