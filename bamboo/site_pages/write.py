"""Write the site: the files of each cell, then the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from amr_metrics.errors import MetricError, PairError
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.sentences import Sentences, sentences
from bamboo.config.rows import Row
from bamboo.display.table import Table
from bamboo.pages.explorer import ShownPair, build_outlines, explain_pairs
from bamboo.pages.folder import SiteFolder
from bamboo.progress import OnStep, begin, reach
from bamboo.results.score_cells import Settings
from bamboo.scoring.problems import OnError
from bamboo.site_pages.cell_files import write_cell
from bamboo.site_pages.content import PROPERTIES, Content
from bamboo.site_pages.pages import write_pages


def build(
    folder: SiteFolder,
    content: Content,
    tables: Sequence[Table],
    rows: Mapping[tuple[str, Cell], Row],
    settings: Settings,
    progress: OnStep = lambda what, total: None,
) -> None:
    """Write the whole site.

    Args:
        rows: each metric on each cell.
        settings: where alignments are computed (``engine``), and how to treat pairs that cannot be
            explained (``on_error``).
    """
    texts: dict[str, str] = {}
    aligned: set[str] = set()
    slugs = {entry.name: entry.slug for entry in content.entries} | {"": ""}
    total = len(content.cells)
    pairs = {cell: len(content.scored[content.entries[0].name, cell]) for cell in content.cells}
    begin(progress, "explaining", total, "pairs")
    explained_pairs = 0
    reach(progress, explained_pairs, sum(pairs.values()))
    names = [entry.name for entry in content.entries]
    tasks = [
        (cell, {name: rows[name, cell] for name in names}, settings.on_error)
        for cell in content.cells
    ]
    # Cell by cell, so that only one cell's graphs are in memory.
    explained_cells = settings.engine.map(explain_cell, tasks)
    for cell, explained in zip(content.cells, explained_cells, strict=True):
        write_cell(
            folder,
            cell,
            explained.sentences,
            {entry.slug: content.scored[entry.name, cell] for entry in content.entries},
            {slugs[name]: pairs for name, pairs in explained.pairs.items()},
            [slugs[name] for name in explained.aligned],
            texts,
        )
        aligned.update(explained.aligned)
        explained_pairs += pairs[cell]
        reach(progress, explained_pairs, sum(pairs.values()))
        progress(f"pairs of {cell}", total)
    entries = tuple(
        replace(entry, properties=(*entry.properties, PROPERTIES["alignment"]))
        if entry.name in aligned
        else entry
        for entry in content.entries
    )
    write_pages(folder, replace(content, entries=entries), tables)


class ExplainedCell(NamedTuple):
    """What the pages show of a cell's pairs.

    Attributes:
        sentences: of each pair.
        pairs: under each metric by its name, and as they are under "".
        aligned: the metrics that align nodes.
    """

    sentences: Sentences
    pairs: Mapping[str, Sequence[ShownPair]]
    aligned: Sequence[str]


def explain_cell(cell: Cell, rows: Mapping[str, Row], on_error: OnError) -> ExplainedCell:
    """Return the pairs of a cell, their sentences, and each metric's alignments of them.

    Raises:
        PairError: for a pair that cannot be explained, with its number (``on_error="stop"``).
    """
    pair_set = cell.load(on_error)
    outlines = [build_outlines(pair) for pair in pair_set.pairs]
    pairs: dict[str, Sequence[ShownPair]] = {"": [ShownPair(sides) for sides in outlines]}
    aligned = []
    for name, row in rows.items():
        metric = row.on(cell.dataset.name)
        try:
            pairs[name], is_aligned = explain_pairs(
                metric, pair_set.pairs, outlines, on_error, pair_set.numbers
            )
        except MetricError as error:
            raise PairError(f"{name} on {cell}: {error}") from None
        if is_aligned:
            aligned.append(name)
    return ExplainedCell(sentences(cell, pair_set.pairs, on_error), pairs, aligned)
