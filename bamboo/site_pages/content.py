"""The content of the site: metrics, their definitions, and their results under each protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.base import Metric
from amr_metrics.types import Floats, Ints
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.config.reference import Reference
from bamboo.config.rows import Row, list_properties
from bamboo.pages.folder import unique_slug
from bamboo.results.cache import ScoredCells
from bamboo.results.ceiling import find_ceilings
from bamboo.results.cell_facts import CELL
from bamboo.results.clusters import Clusters
from bamboo.results.comparison import compare
from bamboo.results.evaluate import evaluate, find_published_values
from bamboo.results.missing import count_missing_pairs, unreadable_pairs
from bamboo.results.results import Results
from bamboo.scoring.problems import OnError
from bamboo.site_pages.titles import BOARD_NOTES, BOARD_TITLES, title
from bamboo.statistics.resampling import Resampling, Significance
from bamboo.ties import number_ranks

Choices = Sequence[tuple[str, str]]  # value and label of each option of a form


class Property(NamedTuple):
    """Something that a metric needs or offers: its badge on the leaderboard, and what it means."""

    name: str
    sign: str
    meaning: str


PROPERTIES = {
    entry.name: entry
    for entry in (
        Property("trained", "T", "trained on human ratings"),
        Property("vectors", "V", "uses word vectors"),
        Property("symmetric", "S", "symmetric: src and tgt can be exchanged"),
        Property("alignment", "A", "aligns nodes; the pairs page draws the alignments"),
    )
}


@dataclass(frozen=True)
class Entry:
    """A metric on the site.

    Attributes:
        name: the name in commands, with the options that differ from the usual ones.
        title: the name by which readers of papers know it, with these options.
        slug: the name in addresses.
        signature: the metric's signature.
        paragraphs: what it computes.
        source: where it is defined, and where its code is.
        missing: number of pairs without a score. Metrics with missing pairs are listed separately
            and not ranked.
        seed: of its random numbers or its training; None if it is deterministic.
        properties: what it needs and is, as in `PROPERTIES`.
    """

    name: str
    title: str
    slug: str
    signature: str
    paragraphs: tuple[str, ...]
    source: Reference
    missing: int = 0
    seed: int | None = None
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The metrics of one protocol.

    Attributes:
        results: those of the metrics, and the human ceiling.
        comparison: the metrics compared with one another.
        ceiling_notes: how the human ceiling is computed, and why cells have none.
    """

    protocol: Protocol
    results: Results
    comparison: Results
    ceiling_notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the protocol."""
        return self.results.protocol

    @property
    def title(self) -> str:
        """The title of the protocol."""
        return BOARD_TITLES.get(self.name, self.name)

    @property
    def note(self) -> str:
        """What its values are; of a protocol of the user's, its statistics."""
        if (note := BOARD_NOTES.get(self.name)) is not None:
            return note
        partitions: dict[str, dict[str, None]] = {}
        for row, facts in self.results.list_scores(kind=CELL):
            partitions.setdefault(row.score, {})[title(facts.partition)] = None
        texts = [f"{score} on {', '.join(names)}" for score, names in partitions.items()]
        return f"{'; '.join(texts)} (x 100)."

    @property
    def slug(self) -> str:
        """Its name in identifiers of elements."""
        return self.protocol.slug.replace(".", "-")

    @property
    def file(self) -> str:
        """The address of its results as JSON."""
        return f"data/result-{self.protocol.slug}.json"

    def speed(self, metric: str) -> float | None:
        """Return pairs per second of CPU time, without reading; None if none was measured."""
        cells = self.results.list_scores(metric, CELL)
        seconds = sum(facts.seconds for _, facts in cells)
        pairs = sum(row.pairs + facts.missing for row, facts in cells)
        return pairs / seconds if seconds else None


@dataclass(frozen=True, eq=False)
class Content:
    """All data for the pages: templates have it as ``shared``.

    Attributes:
        unreadable: number of pairs that cannot be read and are ignored for all metrics.
    """

    entries: tuple[Entry, ...]
    boards: tuple[Leaderboard, ...]
    cells: tuple[Cell, ...]
    scored: ScoredCells
    unreadable: int = 0

    @property
    def sets(self) -> Choices:
        """The data sets, with their titles."""
        names = dict.fromkeys(cell.dataset.name for cell in self.cells)
        return [(name, title(name)) for name in names]

    @property
    def partitions(self) -> Choices:
        """The partitions, with their titles."""
        return [
            (name, title(name)) for name in dict.fromkeys(cell.partition for cell in self.cells)
        ]

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        results = self.boards[0].results
        cells = results.list_scores(next(iter(results.signatures)), CELL)
        return sum(row.pairs + facts.missing for row, facts in cells)

    @property
    def level(self) -> str:
        """The level of significance."""
        return f"{100 * self.tests.level:g} %"

    @property
    def tests(self) -> Significance:
        """How differences are tested."""
        return self.boards[0].comparison.tests or Significance()

    @property
    def is_clustered(self) -> bool:
        """Whether clusters of pairs are drawn, not single pairs."""
        return self.boards[0].comparison.is_clustered

    def entry(self, name: str) -> Entry:
        """Return a metric by its name."""
        return next(entry for entry in self.entries if entry.name == name)


def gather(
    metrics: Sequence[Row],
    signatures: Mapping[str, str],
    cells: Sequence[Cell],
    scored: ScoredCells,
    protocols: Sequence[Protocol],
    intervals: Resampling,
    significance: Significance,
    clusters: Clusters,
    on_error: OnError,
) -> Content:
    """Compute all results on the site.

    Args:
        signatures: of the metrics, by name.
        intervals: settings of the confidence intervals.
        significance: settings of the comparison of metrics.
        clusters: of the pairs that are drawn together, see `find_clusters`.
        on_error: how to treat pairs that cannot be read.
    """
    unreadable = unreadable_pairs(list(signatures), cells, scored)
    missing = count_missing_pairs(list(signatures), cells, scored, unreadable)
    slugs: set[str] = set()
    entries = []
    titles = list_titles(metrics)
    for row in metrics:
        metric = row.on(cells[0].dataset.name)
        entries.append(
            Entry(
                row.name,
                titles[row.name],
                unique_slug(row.name, slugs),
                signatures[row.name],
                describe(metric),
                row.source,
                sum(missing.get(row.name, {}).values()),
                first_seed(row.document),
                tuple(PROPERTIES[name] for name in list_properties(row, metric)),
            )
        )
    boards = []
    for protocol in protocols:
        elsewhere = {
            row.name for row in metrics if protocol.name not in (row.protocols or (protocol.name,))
        }
        on_board = {name: text for name, text in signatures.items() if name not in elsewhere}
        published = {row.name: find_published_values(row, cells, protocol) for row in metrics}
        of_board = {key: scores for key, scores in scored.items() if key[0] in on_board}
        results = evaluate(on_board, cells, protocol, intervals, of_board, published, clusters)
        compared = compare(
            results, cells, scored, protocol, significance, unreadable, clusters=clusters
        )
        ceiling, notes = find_ceilings(cells, protocol, intervals, clusters, on_error)
        results = replace(results, ceiling=ceiling, notes=(*results.notes, *notes))
        boards.append(Leaderboard(protocol, results, compared, notes))
    count = sum(len(numbers) for numbers in unreadable.values())
    return Content(tuple(entries), tuple(boards), tuple(cells), scored, count)


def list_titles(metrics: Sequence[Row]) -> dict[str, str]:
    """Return the title of each metric by its name, which follows it where two have the same."""
    headings = [row.heading for row in metrics]
    return {
        row.name: row.heading if headings.count(row.heading) == 1 else f"{row.heading} ({row.name})"
        for row in metrics
    }


def first_seed(options: Mapping[str, Any]) -> int | None:
    """Return the seed among the options of a metric or of its parts; None if there is none.

    >>> first_seed({"K": 2, "solver": {"seed": 3}})
    3
    """
    seed = options.get("seed")
    if isinstance(seed, int):
        return seed
    seeds = (first_seed(part) for part in options.values() if isinstance(part, Mapping))
    return next((seed for seed in seeds if seed is not None), None)


def describe(metric: Metric) -> tuple[str, ...]:
    """Return what a metric computes, in paragraphs, as its docstring says."""
    sections = r"\n\s*(?:Attributes|Args|Raises|Returns|Yields):|\n\s*>>>"
    text = re.split(sections, metric.description)[0]
    paragraphs = (" ".join(p.split()).replace("`", "") for p in text.split("\n\n"))
    return tuple(p for p in paragraphs if p)


def competition_ranks(values: Floats) -> Ints:
    """Ranks from 1 for the highest value; ties (`bamboo.ties`) share the best rank; 0 for NaN.

    >>> competition_ranks(np.array([0.2, 0.9, np.nan, 0.9])).tolist()
    [3, 1, 0, 1]
    """
    ranked = np.zeros(len(values), dtype=np.int64)
    finite = np.isfinite(values)
    numbers = number_ranks(values[finite])
    ranked[finite] = np.searchsorted(np.sort(-numbers), -numbers) + 1
    return ranked
