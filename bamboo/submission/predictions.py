"""Folders of predictions in the format of the upstream evaluation script.

There is one file per cell, ``<data>-<metric>-<task>.txt``, with one score per graph in the released
files, including graphs that are not pairs: those made from a header row and after the last pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bamboo.benchmark.datasets import fetch, load
from bamboo.errors import SubmissionError
from bamboo.files import write_text
from bamboo.running.cache import CellScores
from bamboo.running.runner import Place
from metrics.base import Metric, Pair, Scores
from metrics.lines import split_lines
from metrics.reading import read_graphs
from metrics.types import Floats


def file_name(place: Place, metric: str) -> str:
    """The name of a cell's file; the task is the partition's folder in the release."""
    folder = place.dataset.partitions[place.partition].folder
    return f"{place.dataset.name}-{metric.replace('/', '_')}-{folder}.txt"


def extra_rows(place: Place) -> tuple[int, int]:
    """The number of lines before the first pair and after the last."""
    if place.unit == 2:
        return 0, 0
    return int(place.dataset.header is not None), int(place.dataset.trailer is not None)


def extra_pairs(place: Place) -> list[Pair]:
    """The released graphs that are not pairs: those of the header row and of the empty line."""
    dataset = place.dataset
    before, after = extra_rows(place)
    paths = fetch(dataset, dataset.files(place.partition, place.split))[:2]
    sides = [read_graphs(path) for path in paths]
    rows = [*range(before), *range(len(sides[0]) - after, len(sides[0]))]
    return [Pair(sides[0][row], sides[1][row]) for row in rows]


def export_predictions(
    folder: Path,
    name: str,
    cells: Mapping[Place, CellScores],
    metrics: Mapping[Place, Metric],
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
        for place, cell in cells.items():
            values = cell.scores.values
            if not np.isfinite(values).all():
                number = int(cell.numbers[np.flatnonzero(~np.isfinite(values))[0]])
                raise SubmissionError(
                    f"{place.dataset.name} {place.partition}, pair {number} has no score: "
                    "the upstream script needs a number for every pair"
                )
            before, after = extra_rows(place)
            ends: Floats = np.full(before + after, np.nan)
            if place in metrics and before + after:
                ends = metrics[place].score(extra_pairs(place))
            lines = [*ends[:before].tolist(), *values.tolist(), *ends[before:].tolist()]
            path = folder / file_name(place, name)
            write_text(path, "".join(f"{value!r}\n" for value in lines))
            written.append(path)
    except OSError as error:
        raise SubmissionError(f"cannot write to {folder}: {error.strerror}") from None
    return written


def import_predictions(folder: Path, name: str, places: Sequence[Place]) -> dict[Place, CellScores]:
    """Read the file of each cell.

    The last word of a line is the score, as in the upstream script. The line for the graph after
    the last pair may be missing.

    Raises:
        SubmissionError: a file that is missing or has another number of lines, or a line that is
            not a finite number; it names file and line.
    """
    cells = {}
    for place in places:
        pair_set = load(place.dataset, place.partition, place.split)
        path = folder / file_name(place, name)
        try:
            lines = split_lines(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise SubmissionError(
                f"{path} cannot be read: {error}. Expected the files "
                f"{', '.join(file_name(other, name) for other in places)}"
            ) from None
        before, after = extra_rows(place)
        pairs = len(pair_set.ratings)
        if len(lines) not in (before + pairs, before + pairs + after):
            raise SubmissionError(
                f"{path} has {len(lines)} lines: {place.dataset.name} {place.partition} has "
                f"{pairs} pairs, {before} graphs before them and {after} after them"
            )
        values = np.array([_score(path, row, lines[row]) for row in range(before, before + pairs)])
        cells[place] = CellScores(Scores(values), pair_set.ratings, pair_set.numbers, {}, 0.0)
    return cells


def _score(path: Path, row: int, line: str) -> float:
    words = line.split()
    try:
        value = float(words[-1])
    except (IndexError, ValueError):
        raise SubmissionError(
            f"{path}, line {row + 1}: {line!r} does not end with a number"
        ) from None
    if not np.isfinite(value):
        raise SubmissionError(f"{path}, line {row + 1}: {line!r} is not a finite score")
    return value
