"""What the templates and scripts of the site receive: a dataclass for each page.

All numbers are texts with the digits that are shown. A new column needs a field here, its value in
`bamboo.site.pages`, and its cell in the template.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from bamboo.pages.rendering import PageTable
from bamboo.site.content import Entry

Choices = Sequence[tuple[str, str]]  # value and label of each option of a form


@dataclass(frozen=True)
class SiteFacts:
    """What the footer of all pages shows.

    Attributes:
        sets: the titles of the data sets.
        pairs: the number of pairs.
        unreadable: the number of pairs that are ignored for all metrics.
    """

    sets: str
    pairs: str
    unreadable: int


@dataclass(frozen=True)
class Property:
    """Something that a metric needs or offers, as a badge.

    Attributes:
        name: as in ``list metrics``.
        sign: the badge on the leaderboard.
        meaning: in a few words.
    """

    name: str
    sign: str
    meaning: str


@dataclass(frozen=True)
class SortableValue:
    """A value, with what its column is sorted by; bold if nothing is significantly better."""

    value: str
    sort: str
    is_best: bool = False


@dataclass(frozen=True)
class CellValue(SortableValue):
    """The value of a metric on a cell.

    Attributes:
        place: the address of its pairs, see `bamboo.site.titles.address`.
        interval, difference: the 95 % interval, and the difference from the published value.
        pairs: how many of all pairs it is computed from.
    """

    place: str = ""
    interval: str = ""
    difference: str = ""
    pairs: str = ""


@dataclass(frozen=True)
class MetricRow:
    """A ranked metric on a leaderboard.

    Attributes:
        seed: of its random numbers; None if it is deterministic.
        links: kind and address of the paper and the code.
        properties: its badges.
        rank: a place or a range of places.
        has_rule: whether all metrics above are significantly better than it and all below.
        strip: a small chart of the value by which metrics are ranked.
        speed, speed_sort: pairs per second, as text and to sort by.
        mean, hmean: over the cells.
        published, difference: the published mean, and the difference from it.
        cells: in the order of the columns.
    """

    name: str
    slug: str
    seed: int | None
    links: Sequence[tuple[str, str]]
    properties: Sequence[Property]
    rank: str
    has_rule: bool
    strip: Markup
    speed: str
    speed_sort: str
    mean: SortableValue
    hmean: SortableValue
    published: SortableValue
    difference: SortableValue
    cells: Sequence[CellValue]


@dataclass(frozen=True)
class UnrankedRow:
    """A metric with missing pairs, whose number is `missing`."""

    name: str
    slug: str
    missing: str
    cells: Sequence[CellValue]


@dataclass(frozen=True)
class LeaderboardTable:
    """The leaderboard under one protocol.

    Attributes:
        slug: the name of the protocol in identifiers of elements.
        file: the address of its results as JSON.
        note: what its values are.
        mean: the heading of the mean; None for a single cell.
        is_whole: whether it has all cells of the benchmark, and so hmean and published means.
        ranked_by: the title of the column by which metrics are ranked.
        columns: the headings of the cells; `groups` with the number of columns of each.
        unranked: metrics with missing pairs.
        is_random: whether a metric uses random numbers.
        cost: a chart of the values against the speed; empty without speeds.
    """

    slug: str
    file: str
    title: str
    note: str
    mean: str | None
    is_whole: bool
    ranked_by: str
    columns: Sequence[str]
    groups: Sequence[tuple[str, int]]
    rows: Sequence[MetricRow]
    unranked: Sequence[UnrankedRow]
    is_random: bool
    cost: Markup


@dataclass(frozen=True)
class LeaderboardPage:
    """The first page: the leaderboards.

    Attributes:
        level: of significance, in per cent.
        is_clustered: whether clusters of pairs are drawn, not single pairs.
        has_tables: whether the site has the published tables.
        properties: all badges, for the legend.
    """

    level: str
    boards: Sequence[LeaderboardTable]
    is_clustered: bool
    has_tables: bool
    properties: Collection[Property]


@dataclass(frozen=True)
class SignificancePage:
    """The page of all differences, whose numbers are `SignificanceData`.

    Attributes:
        level: of significance, in per cent.
        protocols: name and title of each.
        unranked: metrics that are not compared.
        is_clustered: whether clusters of pairs are drawn, not single pairs.
    """

    level: str
    protocols: Choices
    unranked: Sequence[Entry]
    is_clustered: bool
    permutations: str
    resamples: str


@dataclass(frozen=True)
class TablesPage:
    """The page of the published tables; without tables it says why."""

    tables: Sequence[PageTable]


@dataclass(frozen=True)
class PairsPage:
    """The page of all pairs.

    Attributes:
        about: an `AboutPairs` for the script.
    """

    sets: Choices
    partitions: Choices
    entries: Sequence[Entry]
    about: Markup


class ValueLine(NamedTuple):
    """A metric's result in a cell, or a mean, as a line of a table."""

    cell: str
    source: str
    value: str
    interval: str
    published: str
    difference: str
    pairs: str
    missing: str
    seconds: str


@dataclass(frozen=True)
class MetricResults:
    """The results of a metric under one protocol.

    Attributes:
        note: what the values are.
        bars: a chart of the values.
        remarks: on the metric's results.
    """

    title: str
    note: str
    bars: Markup
    lines: Sequence[ValueLine]
    remarks: Sequence[str]


@dataclass(frozen=True)
class MetricPage:
    """The page of one metric.

    Attributes:
        properties: its badges.
        is_aligned: whether it aligns nodes.
        speed: pairs per second; None if none was measured.
    """

    entry: Entry
    properties: Sequence[Property]
    is_aligned: bool
    speed: str | None
    boards: Sequence[MetricResults]
    sets: Choices
    partitions: Choices


@dataclass(frozen=True)
class AboutMetric:
    """A metric for the script of the page of pairs; it is complete without missing pairs."""

    slug: str
    name: str
    complete: bool


@dataclass(frozen=True)
class AboutPairs:
    """What the script of the page of pairs needs before it loads a cell.

    Attributes:
        places: data set and partition of each cell, by its name in addresses.
        titles: of data sets and partitions, by name.
    """

    metrics: Sequence[AboutMetric]
    places: Mapping[str, Sequence[str]]
    titles: Mapping[str, str]


@dataclass(frozen=True)
class MatrixCell:
    """The difference of two metrics.

    Attributes:
        low, high: the ends of its interval.
        p, adjusted: its p-value, and corrected for all pairs of metrics.
        check: the p-value of another test; None without one.
        real: whether it is significant.
    """

    difference: str
    low: str
    high: str
    p: str
    adjusted: str
    check: str | None
    real: bool


@dataclass(frozen=True)
class Matrix:
    """The differences of all metrics in one column of a leaderboard.

    Attributes:
        label: the title of the column.
        values: of the metrics.
        order: the positions of the metrics with a value, best first.
        cells: row minus column; None on the diagonal and without a test.
    """

    name: str
    label: str
    pairs: str
    values: Sequence[str]
    order: Sequence[int]
    cells: Sequence[Sequence[MatrixCell | None]]


@dataclass(frozen=True)
class ProtocolMatrices:
    """The matrices of one protocol, and the metrics in the order of their rows."""

    metrics: Sequence[str]
    columns: Sequence[Matrix]


@dataclass(frozen=True)
class SignificanceData:
    """What the script of the page of differences shows, by protocol."""

    protocols: Mapping[str, ProtocolMatrices]
