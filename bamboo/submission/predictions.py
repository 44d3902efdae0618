"""Folders of predictions in the format of the upstream evaluation script.

There is one file per cell, ``<data>-<metric>-<task>.txt``, with one score per graph in the released
files, including graphs that are not pairs: those made from a header row and after the last pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.errors import SubmissionError
from bamboo.files import write_text
from bamboo.scoring.cache import CellScores
from metrics.base import Metric, Pair, Scores
from metrics.reading import read_graphs
from metrics.types import Floats
from metrics.utils.text import counted, decimal, split_lines


def file_name(cell: Cell, metric: str) -> str:
    """Return the name of a cell's file; the task is the partition's folder in the release."""
    folder = cell.dataset.partitions[cell.partition].folder
    return f"{cell.dataset.name}-{metric.replace('/', '_')}-{folder}.txt"


def extra_rows(cell: Cell) -> tuple[int, int]:
    """Return the number of lines before the first pair and after the last."""
    if cell.unit == 2:
        return 0, 0
    return int(cell.dataset.header is not None), int(cell.dataset.trailer is not None)


def extra_pairs(cell: Cell) -> list[Pair]:
    """Return the released graphs that are no pairs: the header row's and the empty line's."""
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
    """Write one file per cell.

    Args:
        metrics: used to score the graphs that are not pairs; for cells without a metric, their
            lines are ``nan``.

    Raises:
        SubmissionError: a folder that cannot be written to, or a pair without a score, which the
            upstream script does not support.
    """
    written = []
    try:
        for cell, cell_scores in scores.items():
            values = cell_scores.scores.values
            if not np.isfinite(values).all():
                number = int(cell_scores.numbers[np.flatnonzero(~np.isfinite(values))[0]])
                raise SubmissionError(
                    f"{cell}, pair {number} has no score: "
                    "the upstream script needs a number for every pair"
                )
            before, after = extra_rows(cell)
            ends: Floats = np.full(before + after, np.nan)
            if cell in metrics and before + after:
                ends = metrics[cell].score(extra_pairs(cell))
            lines = [*ends[:before].tolist(), *values.tolist(), *ends[before:].tolist()]
            path = folder / file_name(cell, name)
            write_text(path, "".join(f"{value!r}\n" for value in lines))
            written.append(path)
    except OSError as error:
        raise SubmissionError(f"cannot write to {folder}: {error.strerror}") from None
    return written


def import_predictions(folder: Path, name: str, cells: Sequence[Cell]) -> dict[Cell, CellScores]:
    """Read the file of each cell.

    The last word of a line is the score, as in the upstream script. The line for the graph after
    the last pair may be missing.

    Raises:
        SubmissionError: a file that is missing or has another number of lines, or a line that is
            not a finite number; it names file and line.
    """
    scores = {}
    for cell in cells:
        pair_set = cell.load()
        path = folder / file_name(cell, name)
        try:
            lines = split_lines(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise SubmissionError(
                f"{path} cannot be read: {error}. Expected the files "
                f"{', '.join(file_name(other, name) for other in cells)}"
            ) from None
        before, after = extra_rows(cell)
        pairs = len(pair_set.ratings)
        if len(lines) not in (before + pairs, before + pairs + after):
            raise SubmissionError(
                f"{path} has {counted(len(lines), 'line')}: {cell} has "
                f"{counted(pairs, 'pair')}, {counted(before, 'graph')} before them and {after} "
                "after them"
            )
        values = np.array([_score(path, row, lines[row]) for row in range(before, before + pairs)])
        scores[cell] = CellScores(Scores(values), pair_set.ratings, pair_set.numbers, {}, 0.0)
    return scores


def _score(path: Path, row: int, line: str) -> float:
    words = line.split()
    try:
        value = decimal(words[-1])
    except (IndexError, ValueError):
        raise SubmissionError(
            f"{path}, line {row + 1}: {line!r} does not end with a number"
        ) from None
    if not np.isfinite(value):
        raise SubmissionError(f"{path}, line {row + 1}: {line!r} is not a finite score")
    return value
