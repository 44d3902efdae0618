"""A run's result for people, and the files it leaves behind."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from bamboo.config import Request
from bamboo.errors import ConfigError
from bamboo.results import CacheShare, Result, Row
from bamboo.run import Scored
from bamboo.tables import Table, render

DETAILS = ("matches", "upper_bound", "optimal")


def result_table(result: Result) -> Table:
    """Measured, published and difference, a line a cell and a line a mean."""
    rows: list[tuple[Any, ...]] = []
    rules = []
    intervals = any(cell.interval for row in result.rows for cell in row.cells)
    for row in result.rows:
        for cell in row.cells:
            interval = f"{cell.interval[0]:.2f} .. {cell.interval[1]:.2f}" if cell.interval else ""
            rows.append(
                (
                    row.metric,
                    cell.dataset,
                    cell.partition,
                    cell.split,
                    cell.statistic,
                    cell.n,
                    cell.value,
                    *([interval] if intervals else []),
                    cell.published,
                    cell.difference,
                )
            )
        for name in ("amean", "hmean"):
            value, published = getattr(row, name), getattr(row, f"published_{name}")
            if value is not None:
                rows.append(
                    (
                        row.metric,
                        "all",
                        "all",
                        row.cells[0].split,
                        name,
                        None,
                        value,
                        *([""] if intervals else []),
                        published,
                        None if published is None else value - published,
                    )
                )
        rules.append(len(rows))
    table = Table(
        f"BAMBOO, protocol {result.protocol} (x 100)",
        (
            *("metric", "data", "partition", "split", "statistic", "pairs", "measured"),
            *(["95 %"] if intervals else []),
            *("published", "difference"),
        ),
        tuple(rows),
        notes=tuple(note for row in result.rows for note in notes(row)),
        rules=tuple(rules),
    )
    return with_cache_note(table, result.cache)


def with_cache_note(table: Table, share: CacheShare) -> Table:
    """The table with a note on how many cells come from the cache, if that is known of any."""
    return replace(table, notes=(*table.notes, f"{share}.")) if share.cells else table


def notes(row: Row) -> list[str]:
    """What a reader of a row's numbers must know."""
    told = []
    proven = [cell for cell in row.cells if cell.unproven is not None]
    if proven:
        unproven = sum(cell.unproven or 0 for cell in proven)
        pairs = sum(cell.n for cell in proven)
        told.append(
            f"{row.metric}: all {pairs:,} alignments are proven optimal."
            if not unproven
            else f"{row.metric}: {unproven:,} of {pairs:,} alignments are NOT proven optimal; "
            "scores.csv holds their upper bounds."
        )
    for cell in row.cells:
        place = f"{row.metric} {cell.dataset} {cell.partition}"
        if cell.missing:
            told.append(f"{place}: {cell.missing} pairs are missing; result.json lists them.")
        if cell.value is None:
            why = "fewer than two pairs" if cell.n < 2 else "scores or ratings are all the same"
            told.append(f"{place}: no {cell.statistic}: {why}.")
    return told


def run_folder(request: Request, name: str, out: Path | None, runs: Path) -> Path:
    """The folder for a run's files, made now so that a run cannot fail at its end.

    Args:
        name: what was run, for the folder's name.
        out: the folder wanted; without, one of its own below `runs`.

    Raises:
        ConfigError: if it cannot be written to.
    """
    stamp = datetime.now().strftime("%Y-%m-%dT%H-%M-%S")
    try:
        folder = out or _fresh(runs, f"{stamp}-{name}"[:120].replace("/", "_"))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text(_config_text(request), "utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot write to {error.filename}: {error.strerror}. Choose another with out=FOLDER"
        ) from None
    return folder


def _fresh(parent: Path, name: str) -> Path:
    """A folder that no other run has: of that name, or with a number behind it."""
    parent.mkdir(parents=True, exist_ok=True)
    folder, number = parent / name, 1
    while True:
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
            folder = parent / f"{name}-{number}"
        else:
            return folder


def _config_text(request: Request) -> str:
    options = request.options | {
        "metric": {job.name: job.metric for job in request.jobs},
        "data": {data["name"]: data for data in request.data},
    }
    return str(yaml.safe_dump(options, sort_keys=False, allow_unicode=True))


def write_tables(folder: Path, tables: Sequence[Table], documents: object) -> None:
    """Write ``tables.json`` and ``tables.md``."""
    (folder / "tables.json").write_text(json.dumps(documents, indent=1) + "\n", "utf-8")
    (folder / "tables.md").write_text(render(tables, "markdown") + "\n", "utf-8")


def write_run(folder: Path, result: Result, scored: Scored) -> None:
    """Write ``result.json`` and ``scores.csv``."""
    document = json.dumps(result.to_json(), indent=1)
    (folder / "result.json").write_text(f"{document}\n", "utf-8")
    details = [d for d in DETAILS if any(d in c.scores.details for c in scored.values())]
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        fixed = ("metric", "dataset", "partition", "split", "pair", "score", "rating")
        writer.writerow([*fixed, *details])
        for (name, place), cell in scored.items():
            columns = [
                cell.numbers.tolist(),
                cell.scores.values.tolist(),
                cell.ratings.tolist(),
                *[
                    cell.scores.details[d].tolist()
                    if d in cell.scores.details
                    else [""] * len(cell.numbers)
                    for d in details
                ],
            ]
            where = (name, place.dataset.name, place.partition, place.split)
            writer.writerows([*where, *values] for values in zip(*columns, strict=True))
