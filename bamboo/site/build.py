"""Write the site, cell by cell, so that only one cell's graphs are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.errors import MetricError, PairError
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.benchmark.sentences import Sentences, sentences
from bamboo.config.implementation import cache_key
from bamboo.config.rows import Row
from bamboo.files import json_text
from bamboo.progress import OnStep
from bamboo.results.table import Table
from bamboo.scoring.cache import Cache, CellScores
from bamboo.scoring.cells import Settings
from bamboo.site.alignments import (
    AlignedPair,
    Outlines,
    cached_alignments,
    explained_outlines,
    outlines_of,
)
from bamboo.site.content import Content, Entry, gaps
from bamboo.site.downloads import board_file
from bamboo.site.folder import SiteFolder
from bamboo.site.pages import Pick, write_pages
from bamboo.site.shards import write_cell
from bamboo.site.titles import address

PICKS = 4  # pairs in each list on a metric's page


def build(
    folder: SiteFolder,
    content: Content,
    tables: Sequence[Table],
    cache: Cache,
    rows: Mapping[tuple[str, Cell], Row],
    settings: Settings | None = None,
    progress: OnStep = lambda what, total: None,
) -> None:
    """Write the whole site.

    Args:
        cache: the cache of alignments.
        rows: each metric on each cell
            (`bamboo.scoring.cells.configurations`).
        settings: where alignments are computed (``engine``), how to treat pairs that cannot be
            explained (``on_error``), and whether to use cached alignments (``cache``).
    """
    texts: dict[str, str] = {}
    aligned: dict[str, bool] = {}
    picks: dict[str, dict[str, Any]] = {entry.name: {} for entry in content.entries}
    total = len(content.cells)
    for cell, pair_set, explained in _explained(content, cache, rows, settings or Settings()):
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
            if cell.partition == "main":
                scores = content.scored[entry.name, cell]
                picks[entry.name][cell.dataset.name] = _picked(entry, cell, pair_set, scores)
        progress(f"pairs of {cell}", total)
    write_pages(folder, content, tables, picks, aligned)
    for board in content.boards:
        text = json_text(board.results.to_json(), indent=1)
        folder.write(f"data/{board_file(board)}.json", f"{text}\n")
    folder.finish()


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
    cache: Cache,
    rows: Mapping[tuple[str, Cell], Row],
    settings: Settings,
) -> Iterator[tuple[Cell, PairSet, Explained]]:
    """Yield each cell with its pairs, their sentences and their alignments."""
    names = [entry.name for entry in content.entries]
    tasks = [
        (cell, {name: rows[name, cell] for name in names}, cache, settings)
        for cell in content.cells
    ]
    results = settings.engine.map(explain_cell, tasks)
    for cell, (pair_set, explained) in zip(content.cells, results, strict=True):
        yield cell, pair_set, explained


def explain_cell(
    cell: Cell, rows: Mapping[str, Row], cache: Cache, settings: Settings
) -> tuple[PairSet, Explained]:
    """Return the pairs of a cell, their sentences, and each metric's alignments of them.

    Raises:
        PairError: for a pair that cannot be explained, with its number (``on_error="stop"``).
    """
    pair_set = cell.load(settings.on_error)
    pairs, digest = pair_set.pairs, cell.digest()
    unchanged = outlines_of(pairs)
    links: dict[str, list[AlignedPair]] = {}
    forms: dict[str, dict[int, Outlines]] = {}
    for name, row in rows.items():
        metric = row.on(cell.dataset.name)
        key = cache_key(row, metric, settings.on_error)
        outlines = explained_outlines(metric, pairs, unchanged)
        try:
            aligned = cached_alignments(
                cache, digest, metric, key, pairs, outlines, settings, pair_set.numbers
            )
        except MetricError as error:
            raise PairError(f"{name} on {cell}: {error}") from None
        if aligned is not None:
            links[name] = aligned
            forms[name] = {
                k: form
                for k, form in enumerate(outlines)
                if form is not None and form is not unchanged[k]
            }
    return pair_set, Explained(sentences(cell, pairs, settings.on_error), links, forms)


def _picked(
    entry: Entry, cell: Cell, pair_set: PairSet, scores: CellScores
) -> list[tuple[str, list[Pick]]]:
    """Return pairs that the metric ranks much higher than, much lower than, and as people do."""
    gap = gaps(scores)
    order = [int(k) for k in np.argsort(gap, kind="stable") if np.isfinite(gap[k])]
    # Among pairs ranked alike, those with the longest sentences are the most informative.
    agreed = sorted(
        order,
        key=lambda k: (round(abs(float(gap[k])), 2), -_length(pair_set, k), k),
    )
    return [
        (heading, [_pick(entry, cell, pair_set, scores, k, float(gap[k])) for k in chosen[:PICKS]])
        for heading, chosen in (
            ("Ranked too high", [k for k in order[::-1] if gap[k] > 0]),
            ("Ranked too low", [k for k in order if gap[k] < 0]),
            ("Ranked as by people", agreed),
        )
    ]


def _length(pair_set: PairSet, k: int) -> int:
    pair = pair_set.pairs[k]
    return 0 if pair is None else len(pair.src.sentence) + len(pair.tgt.sentence)


def _pick(
    entry: Entry, cell: Cell, pair_set: PairSet, scores: CellScores, k: int, gap: float
) -> Pick:
    pair = pair_set.pairs[k]
    sentences = ("", "") if pair is None else (pair.src.sentence, pair.tgt.sentence)
    where = address(cell.dataset.name, cell.partition, int(scores.numbers[k]), entry.slug)
    percent = round(100 * gap)
    return Pick(where, f"{percent:+d} %" if percent else "0 %", *sentences)
