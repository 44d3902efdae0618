"""What the templates and scripts of the report receive: a dataclass for each page.

All numbers are texts with the digits that are shown; plots are drawn. A new column needs a field
here, its value where the row is built (`scores`, `parts`, `mistake_tables`, `sentence_list`), and
its cell in the template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from bamboo.parsers.report.provenance import Provenance


@dataclass(frozen=True)
class ParserLabel:
    """A parser: its name, its name in addresses and files, and the class of its colour."""

    name: str
    slug: str
    hue: str


@dataclass(frozen=True)
class ReportFacts:
    """What all pages show or decide by.

    Attributes:
        gold: the name of the gold graphs.
        parsers: in the order of the command.
        ranked: those that are ranked, best first; all if none is.
        numbered: those with columns of their own.
        is_wide: whether there are too many parsers for a column each.
        pairs: how many sentences there are, with the word.
        has_sentences: whether a graph has its sentence.
        is_aligned: whether the metric aligns graphs.
    """

    metric: str
    gold: str
    parsers: Sequence[ParserLabel]
    ranked: Sequence[ParserLabel]
    numbered: Sequence[ParserLabel]
    is_wide: bool
    pairs: str
    has_sentences: bool
    is_aligned: bool


class Fact(NamedTuple):
    """A line of the card beside the title; the meaning explains the term."""

    term: str
    value: str
    meaning: str = ""


@dataclass(frozen=True)
class NoticeLine:
    """A notice, with the option that it recommends and the address of its sentences, or ""."""

    text: str
    option: str
    address: str


@dataclass(frozen=True)
class RankingRow:
    """A parser in the ranking.

    Attributes:
        is_ranked: False beside others that are ranked.
        rank: a place, or a range such as 1–2.
        plot: the score with its interval.
        sides: precision and recall; empty without.
        size: triples of the parser in per cent of those of gold; "" if they are not counted.
        perfect: the number of sentences with a score of 100.
        difference, p: from the best.
    """

    name: str
    hue: str
    is_ranked: bool
    rank: str
    value: str
    plot: Markup
    interval: str
    sides: Sequence[str]
    size: str
    perfect: str
    difference: str
    p: str


@dataclass(frozen=True)
class Ranking:
    """The parsers, best first, and the axis of their plots."""

    axis: Markup
    rows: Sequence[RankingRow]


@dataclass(frozen=True)
class DifferenceRow:
    """Two parsers, the better one first.

    Attributes:
        names, hues: of both.
        address: of the sentences on which they differ.
        p: corrected for all pairs of parsers.
        counts, shares: how many sentences are better, equal and worse, also in per cent.
    """

    names: tuple[str, str]
    hues: tuple[str, str]
    address: str
    value: str
    plot: Markup
    p: str
    is_significant: bool
    counts: Sequence[str]
    shares: Sequence[float]


@dataclass(frozen=True)
class DifferenceTable:
    """The differences between parsers.

    Attributes:
        matrix: of all ranked parsers but the last with all but the first, in place of `rows`; None
            if there are few parsers.
        detectable: the smallest and largest difference that is found in four of five tests, in
            points; "" if it is unknown.
    """

    axis: Markup
    rows: Sequence[DifferenceRow]
    matrix: Sequence[Sequence[DifferenceRow | None]] | None
    detectable: str


@dataclass(frozen=True)
class DistributionRow:
    """How the scores of a parser are distributed over sentences.

    Attributes:
        low: the number of scores below 50, whose sentences are at `address`.
        quartiles: 25 %, median and 75 %.
        perfect: the number of scores of 100.
    """

    name: str
    hue: str
    plot: Markup
    low: str
    address: str
    quartiles: Sequence[str]
    perfect: str


@dataclass(frozen=True)
class CostRow:
    """What the mistakes of a construction cost.

    Attributes:
        id: of the construction in addresses.
        values: of the parsers with columns of their own; `most` are the positions of the highest.
    """

    id: str
    title: str
    plot: Markup
    values: Sequence[str]
    most: Sequence[int]


@dataclass(frozen=True)
class CostTable:
    """The constructions that cost most, and the axis of their plots."""

    axis: Markup
    rows: Sequence[CostRow]


@dataclass(frozen=True)
class ListedSentence:
    """A sentence to read: its number in the list, and the scores of the best parsers."""

    address: str
    value: str
    sentence: str
    scores: str


@dataclass(frozen=True)
class SentenceList:
    """Some sentences to read; the address is that of all of them."""

    title: str
    address: str
    sentences: Sequence[ListedSentence]


@dataclass(frozen=True)
class PartRow:
    """The parsers on a part of the corpus.

    Attributes:
        plot: without values if there are too few sentences, as `few` says.
        values: of the parsers with columns of their own; `best` are the positions of the highest.
    """

    part: str
    address: str
    plot: Markup
    few: str
    values: Sequence[str]
    best: Sequence[int]
    sentences: str


@dataclass(frozen=True)
class PartTable:
    """The parsers on each part of the corpus; absent parts do not occur in gold."""

    axis: Markup
    rows: Sequence[PartRow]
    absent: Sequence[str]


@dataclass(frozen=True)
class ScoresPage:
    """The first page: who is better, how sure that is, why, and what to read.

    Attributes:
        title, paragraphs: the verdict.
        is_several: whether there are several parsers.
        main: the score by which parsers are ranked.
        has_sides: whether the metric has precision and recall.
        differences: None for a single parser.
        costs: None for a metric without triples, and without mistakes.
        read: sentences to read first; `read_note` says what their numbers are.
        aspects: without rows if the metric has none.
        buckets: of `by`; None without, and for sizes.
        sizes: None for too few sentences.
        resamples, permutations: their numbers; "" without intervals.
        made: how the numbers were made.
        exports: what the buttons copy and save, by name.
    """

    title: str
    paragraphs: Sequence[Markup]
    card: Sequence[Fact]
    notices: Sequence[NoticeLine]
    is_several: bool
    main: str
    has_sides: bool
    ranking: Ranking
    differences: DifferenceTable | None
    distribution: Sequence[DistributionRow]
    costs: CostTable | None
    read: Sequence[SentenceList]
    read_note: str
    aspects: PartTable
    aspects_note: str
    buckets: PartTable | None
    by: str
    sizes: PartTable | None
    resamples: str
    permutations: str
    made: Provenance
    has_bibtex: bool
    exports: Markup


@dataclass(frozen=True)
class TotalRow:
    """All mistakes of a parser: per 100 gold triples, and by direction."""

    name: str
    hue: str
    rate: str
    plot: Markup


@dataclass(frozen=True)
class DirectionCount:
    """The number of mistakes in a direction, and the address of their sentences, "" for none."""

    direction: str
    sign: str
    number: str
    address: str


@dataclass(frozen=True)
class MistakeRow:
    """The mistakes of a parser in a construction.

    Attributes:
        bars, values: by measure.
        counts: by direction.
        share: of gold's items that are missing or wrong.
        plot, difference, mark: compared with the best parser.
    """

    name: str
    slug: str
    hue: str
    bars: Mapping[str, Markup]
    values: Mapping[str, str]
    counts: Sequence[DirectionCount]
    share: str
    plot: Markup
    difference: str
    mark: str


@dataclass(frozen=True)
class ConstructionGroup:
    """The rows of a construction; `count` says how many gold has."""

    id: str
    title: str
    meaning: str
    count: str
    rows: Sequence[MistakeRow]


@dataclass(frozen=True)
class MistakeTable:
    """All constructions, and the axis of the differences from the best parser."""

    axis: Markup
    groups: Sequence[ConstructionGroup]


@dataclass(frozen=True)
class ConfusionRow:
    """A confusion.

    Attributes:
        address: of its sentences.
        counts: by the parsers with columns of their own; `sum` is over all.
    """

    gold: str
    parse: str
    address: str
    counts: Sequence[int | str]
    sum: int


@dataclass(frozen=True)
class ConfusionGroup:
    """The most frequent confusions of a construction."""

    title: str
    rows: Sequence[ConfusionRow]


@dataclass(frozen=True)
class Place:
    """A place where all parsers agree, and gold differs."""

    address: str
    sentence: str
    gold: str
    parse: str


@dataclass(frozen=True)
class PlaceList:
    """Places to check the gold graphs.

    Attributes:
        total: their number.
        kinds: the number of each construction.
        chosen: those that are shown.
    """

    total: str
    kinds: Sequence[tuple[str, int]]
    chosen: Sequence[Place]


@dataclass(frozen=True)
class ErrorsPage:
    """The page of errors: what is wrong, in which direction, and for whom.

    Attributes:
        title, lead: the heading and the paragraphs below it.
        card: the mistakes of each parser.
        measures: names and labels of the lengths of bars.
        best: the parser with which others are compared; "" for a single one.
        exports: what the buttons copy, by name.
    """

    title: str
    lead: Sequence[str]
    card: Sequence[TotalRow]
    measures: Mapping[str, str]
    table: MistakeTable
    best: str | None
    confusions: Sequence[ConfusionGroup]
    places: PlaceList
    exports: Markup


@dataclass(frozen=True)
class SentencesPage:
    """The page of all sentences.

    Attributes:
        orders, kinds: names and labels of what can be chosen; also `parsers`, best first, with
            those that are not ranked, and `aspects`.
        about: an `AboutSentences` for the script.
    """

    orders: Sequence[tuple[str, str]]
    parsers: Sequence[ParserLabel]
    kinds: Sequence[tuple[str, str]]
    aspects: Sequence[str]
    about: Markup


@dataclass(frozen=True)
class AboutSentences:
    """What the script of the page of sentences needs before it loads a file.

    Attributes:
        ranked: the slugs of the parsers, best first, with those that are not ranked.
        kinds: the names of all kinds of mistakes, by number.
        count: the number of sentences; `chunk` of them are in a file of graphs, `part` in one of
            texts.
        views: how a pair can be shown.
        costs: whether sentences have costs.
    """

    metric: str
    parsers: Sequence[ParserLabel]
    ranked: Sequence[str]
    kinds: Sequence[str]
    aspects: Sequence[str]
    count: int
    chunk: int
    part: int
    views: Sequence[str]
    costs: bool


@dataclass(frozen=True)
class SentencesData:
    """All sentences, as the list needs them.

    Attributes:
        names: in addresses.
        ids: None if these are the names.
        sizes: the number of nodes of each gold graph; -1 if it is unknown.
        gold: the number of its triples; None if the metric does not count them.
        agree: in how many places all parsers agree with one another and not with gold.
        buckets: of `by`; empty without, and for sizes.
    """

    names: Sequence[str]
    ids: Sequence[str | None] | None
    sizes: Sequence[int]
    gold: Sequence[int] | None
    agree: Sequence[int]
    buckets: Sequence[str]


@dataclass(frozen=True)
class ScoresData:
    """The scores of a parser by sentence, as `bamboo.pages.explorer.shown` writes them.

    Attributes:
        sides: precision and recall; empty without.
        problems: by the position of the sentence.
    """

    scores: Sequence[int | None]
    sides: Sequence[Sequence[int | None]]
    problems: Mapping[str, str]


@dataclass(frozen=True)
class CostsData(ScoresData):
    """The same for a metric that counts triples: those of each parse, and what each one costs."""

    triples: Sequence[int]
    cost: Sequence[int]
