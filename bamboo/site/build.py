"""Write the site, cell by cell, so that only one cell's graphs are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from amr_metrics.errors import MetricError, PairError
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.benchmark.sentences import Sentences, sentences
from bamboo.config.rows import Row
from bamboo.pairs.problems import OnError
from bamboo.progress import OnStep
from bamboo.results.table import Table
from bamboo.scoring.cells import Settings
from bamboo.site.alignments import (
    AlignedPair,
    Outlines,
    align,
    explained_outlines,
    outlines_of,
)
from bamboo.site.content import Content
from bamboo.site.folder import SiteFolder
from bamboo.site.pages import write_pages
from bamboo.site.shards import write_cell


def build(
    folder: SiteFolder,
    content: Content,
    tables: Sequence[Table],
    rows: Mapping[tuple[str, Cell], Row],
    settings: Settings | None = None,
    progress: OnStep = lambda what, total: None,
) -> None:
    """Write the whole site.

    Args:
        rows: each metric on each cell.
        settings: where alignments are computed (``engine``), and how to treat pairs that cannot be
            explained (``on_error``).
    """
    texts: dict[str, str] = {}
    aligned: dict[str, bool] = {}
    total = len(content.cells)
    for cell, pair_set, explained in _explained(content, rows, settings or Settings()):
        write_cell(
            folder,
            cell,
            pair_set.pairs,
            explained.sentences,
            {entry.slug: content.scored[entry.name, cell] for entry in content.entries},
            {
                content.entry(name).slug: (alignments, explained.forms[name])
                for name, alignments in explained.links.items()
            },
            texts,
        )
        for entry in content.entries:
            aligned[entry.name] = aligned.get(entry.name, False) or entry.name in explained.links
        progress(f"pairs of {cell}", total)
    write_pages(folder, content, tables, aligned)


class Explained(NamedTuple):
    """What the pages show of a cell's pairs.

    Attributes:
        sentences: of each pair.
        links: the alignments of the metrics that have one, by name.
        forms: of these metrics, the outlines of the pairs that they explain in another form, by
            position.
    """

    sentences: Sentences
    links: Mapping[str, list[AlignedPair]]
    forms: Mapping[str, Mapping[int, Outlines]]


def _explained(
    content: Content,
    rows: Mapping[tuple[str, Cell], Row],
    settings: Settings,
) -> Iterator[tuple[Cell, PairSet, Explained]]:
    """Yield each cell with its pairs, their sentences and their alignments."""
    names = [entry.name for entry in content.entries]
    tasks = [
        (cell, {name: rows[name, cell] for name in names}, settings.on_error)
        for cell in content.cells
    ]
    results = settings.engine.map(explain_cell, tasks)
    for cell, (pair_set, explained) in zip(content.cells, results, strict=True):
        yield cell, pair_set, explained


def explain_cell(
    cell: Cell, rows: Mapping[str, Row], on_error: OnError
) -> tuple[PairSet, Explained]:
    """Return the pairs of a cell, their sentences, and each metric's alignments of them.

    Raises:
        PairError: for a pair that cannot be explained, with its number (``on_error="stop"``).
    """
    pair_set = cell.load(on_error)
    pairs = pair_set.pairs
    unchanged = outlines_of(pairs)
    links: dict[str, list[AlignedPair]] = {}
    forms: dict[str, dict[int, Outlines]] = {}
    for name, row in rows.items():
        metric = row.on(cell.dataset.name)
        outlines = explained_outlines(metric, pairs, unchanged)
        try:
            aligned = align(metric, pairs, outlines, on_error, pair_set.numbers)
        except MetricError as error:
            raise PairError(f"{name} on {cell}: {error}") from None
        if aligned is not None:
            links[name] = aligned
            forms[name] = {
                k: form
                for k, form in enumerate(outlines)
                if form is not None and form is not unchanged[k]
            }
    return pair_set, Explained(sentences(cell, pairs, on_error), links, forms)
