"""Folders of predictions as the upstream evaluation script reads them.

One file a cell, ``<data>-<metric>-<task>.txt``, one score a graph of the released files: the
graphs that are no pairs, made from header rows and behind the last pair, have a line too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.errors import SubmissionError
from bamboo.running.cache import CellScores
from metrics.base import Metric, Pair, Scores
from metrics.lines import split_lines
from metrics.reading import read_graphs
from metrics.types import Floats


def file_name(cell: Cell, metric: str) -> str:
    """The name of a cell's file: the task is the partition's folder in the release."""
    folder = cell.dataset.partitions[cell.partition].folder
    return f"{cell.dataset.name}-{metric.replace('/', '_')}-{folder}.txt"


def extra_rows(cell: Cell) -> tuple[int, int]:
    """How many lines come before the first pair, and how many behind the last."""
    if cell.unit == 2:
        return 0, 0
    return int(cell.dataset.header is not None), int(cell.dataset.trailer is not None)


def extra_pairs(cell: Cell) -> list[Pair]:
    """The released graphs that are no pairs: those of the header row, and of the empty line."""
    before, after = extra_rows(cell)
    paths = cell.fetch()[:2]
    sides = [read_graphs(path) for path in paths]
    rows = [*range(before), *range(len(sides[0]) - after, len(sides[0]))]
    return [Pair(sides[0][row], sides[1][row]) for row in rows]


def export_predictions(
    folder: Path,
    name: str,
    scores: Mapping[Cell, CellScores],
    metrics: Mapping[Cell, Metric],
) -> list[Path]:
    """Write a file a cell; the metric itself scores the graphs that are no pairs.

    Args:
        metrics: of the cells whose extra graphs can be scored; their lines are ``nan`` on others.

    Raises:
        SubmissionError: a folder that cannot be written to, or a pair without a score, which the
            upstream script has no way to pass over.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for cell, cell_scores in scores.items():
            values = cell_scores.scores.values
            if not np.isfinite(values).all():
                number = int(cell_scores.numbers[np.flatnonzero(~np.isfinite(values))[0]])
                raise SubmissionError(
                    f"{cell}, pair {number} has no score: "
                    "upstream's script wants a number for every pair"
                )
            before, after = extra_rows(cell)
            ends: Floats = np.full(before + after, np.nan)
            if cell in metrics and before + after:
                ends = metrics[cell].score(extra_pairs(cell))
            lines = [*ends[:before].tolist(), *values.tolist(), *ends[before:].tolist()]
            path = folder / file_name(cell, name)
            path.write_text("".join(f"{value!r}\n" for value in lines), "utf-8")
            written.append(path)
    except OSError as error:
        raise SubmissionError(f"cannot write to {folder}: {error.strerror}") from None
    return written


def import_predictions(folder: Path, name: str, cells: Sequence[Cell]) -> dict[Cell, CellScores]:
    """Read the file of each cell.

    A line's last word is its score, as upstream takes it. A missing line for the graph behind the
    last pair is no error.

    Raises:
        SubmissionError: a file that is missing, has another number of lines, or a line that is no
            finite number; it names file and line.
    """
    found = {}
    for cell in cells:
        pair_set = cell.load()
        path = folder / file_name(cell, name)
        try:
            lines = split_lines(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise SubmissionError(
                f"{path} cannot be read: {error}. A folder of predictions has a file for each of "
                f"{', '.join(file_name(other, name) for other in cells)}"
            ) from None
        before, after = extra_rows(cell)
        pairs = len(pair_set.ratings)
        if len(lines) not in (before + pairs, before + pairs + after):
            raise SubmissionError(
                f"{path} has {len(lines)} lines: {cell} has "
                f"{pairs} pairs, and {before} graphs before and {after} behind them"
            )
        values = np.array([_score(path, row, lines[row]) for row in range(before, before + pairs)])
        found[cell] = CellScores(Scores(values), pair_set.ratings, pair_set.numbers, {}, 0.0)
    return found


def _score(path: Path, row: int, line: str) -> float:
    words = line.split()
    try:
        value = float(words[-1])
    except (IndexError, ValueError):
        raise SubmissionError(f"{path}, line {row + 1}: {line!r} ends in no number") from None
    if not np.isfinite(value):
        raise SubmissionError(f"{path}, line {row + 1}: {line!r} is not a finite score")
    return value
