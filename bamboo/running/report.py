"""The tables, notes and files that report a run's result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bamboo.config.request import Request
from bamboo.documents import json_text
from bamboo.running.cache import Scored
from bamboo.running.compact import compact_table, interval_text
from bamboo.running.coverage import Coverage, coverage_notes, coverage_warnings
from bamboo.running.frames import write_scores
from bamboo.running.provenance import provenance
from bamboo.running.results import CacheShare, CellResult, Result, Row
from bamboo.running.run_folder import RunFolder
from bamboo.running.texts import PairTexts
from bamboo.tables.model import Table, render
from metrics.wording import counted, proven


def result_table(result: Result) -> Table:
    """A table of measured and published values: one row per cell and one per mean."""
    rows: list[tuple[Any, ...]] = []
    rules = []
    intervals = any(cell.interval for row in result.rows for cell in row.cells)
    for row in result.rows:
        rows += [
            (
                row.metric,
                cell.dataset,
                cell.partition if cell.source != "built" else f"{cell.partition} (built)",
                cell.split,
                cell.statistic,
                cell.n,
                cell.value,
                *([interval_text(cell.interval)] if intervals else []),
                cell.published,
                cell.difference,
            )
            for cell in row.cells
        ]
        rows += [
            (
                *(row.metric, "all", "all", row.cells[0].split, mean.name, None, mean.value),
                *([interval_text(mean.interval)] if intervals else []),
                *(mean.published, mean.difference),
            )
            for mean in row.means
        ]
        rules.append(len(rows))
    table = Table(
        f"BAMBOO, protocol {result.protocol} (x 100)",
        (
            *("metric", "data", "partition", "split", "statistic", "pairs", "measured"),
            *(["95 %"] if intervals else []),
            *("published", "difference"),
        ),
        tuple(rows),
        notes=(*result.notes, *(note for row in result.rows for note in notes(row))),
        rules=tuple(rules),
        on_terminal=compact_table(result),
    )
    return with_cache_note(table, result.cache)


def with_cache_note(table: Table, share: CacheShare) -> Table:
    """The table with a note on how many cells come from the cache, if known."""
    return replace(table, notes=(*table.notes, f"{share}.")) if share.cells else table


def notes(row: Row) -> list[str]:
    """Notes on the values of a row: their signature, and missing pairs."""
    lines = [f"{row.metric}: signature {row.signature}"]
    aligned = [cell for cell in row.cells if cell.unproven is not None]
    if aligned:
        unproven = sum(cell.unproven or 0 for cell in aligned)
        pairs = sum(cell.n for cell in aligned)
        where = "; scores.csv contains their upper bounds" if unproven else ""
        lines.append(f"{row.metric}: {proven(unproven, pairs)}{where}.")
    lines += [f"{row.metric}: {note}." for note in row.notes]
    for cell in row.cells:
        where = f"{row.metric} {cell.dataset} {cell.partition}"
        lines += [f"{where}: {text}" for text in problem_notes(cell)]
        if cell.value is None:
            why = "fewer than two pairs" if cell.n < 2 else "scores or ratings are all the same"
            lines.append(f"{where}: no {cell.statistic}: {why}.")
    lines += coverage_notes({row.metric: Coverage.total(cell.coverage for cell in row.cells)})
    return lines


def write_tables(
    folder: RunFolder,
    request: Request,
    tables: Sequence[Table],
    documents: Sequence[Mapping[str, Any]],
) -> None:
    """Write ``tables.json``, with the provenance of each table, and ``tables.md``."""
    data = {cell: sha256 for doc in documents for cell, sha256 in doc.get("data", {}).items()}
    document = {"tables": list(documents), "provenance": provenance(request, data)}
    folder.write("tables.json", json_text(document, indent=1) + "\n")
    folder.write("tables.md", render(tables, "markdown") + "\n")


def problem_notes(cell: CellResult) -> list[str]:
    """Notes on how unreadable and unscorable pairs of a cell are counted."""
    texts = []
    if cell.missing:
        texts.append(
            f"{counted(cell.missing, 'pair is', 'pairs are')} missing, and {cell.statistic} is "
            f"computed from the other {cell.n}; "
            "result.json lists them."
        )
    if cell.empty:
        texts.append(
            f"{counted(cell.empty, 'pair is', 'pairs are')} counted as 0 because of graphs that "
            "could not be read or pairs that could not be scored; result.json lists them."
        )
    return texts


def warnings(result: Result, files: Mapping[str, str | None]) -> list[str]:
    """Warnings about a result: unscored pairs, and word vectors with low coverage.

    Args:
        files: the file of word vectors of each row's metric, if it has one.
    """
    texts = [
        f"{row.metric} {cell.dataset} {cell.partition}: {text}"
        for row in result.rows
        for cell in row.cells
        for text in problem_notes(cell)
    ]
    covered = {
        row.metric: Coverage.total(cell.coverage for cell in row.cells) for row in result.rows
    }
    return texts + coverage_warnings(covered, files)


def write_run(
    folder: RunFolder, request: Request, result: Result, scored: Scored, texts: PairTexts
) -> None:
    """Write ``result.json``, with its provenance, and ``scores.csv``."""
    document = {**result.to_json(), "provenance": provenance(request, result.data)}
    folder.write("result.json", json_text(document, indent=1) + "\n")

    write_scores(scored, folder.path / "scores.csv", texts.of(cell for _, cell in scored))
