"""A metric whose scores are in a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from amr_metrics.base import Pair, Scores, written_as
from amr_metrics.errors import MetricError, OptionError
from amr_metrics.external import ExternalMetric
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.text import decimal, format_count
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.pair_tables import read_records
from bamboo.errors import DataError

COLUMNS = ("dataset", "partition", "split", "pair", "score")


def _hash_file(file: str) -> str:
    return file_digest(Path(file))[:12]


@dataclass(frozen=True, kw_only=True)
class ScoreFile(ExternalMetric):
    """Scores that were computed elsewhere.

    Attributes:
        file: a CSV file with a header row and the columns dataset, partition, split, pair (its
            number in the benchmark) and score; others are ignored. ``scores.csv`` in the folder of
            a run of one metric is such a file.

    Raises:
        OptionError: a file that does not exist.
    """

    file: str = field(metadata=written_as(_hash_file))

    def __post_init__(self) -> None:
        if not Path(self.file).is_file():
            raise OptionError(f"file {self.file} does not exist")

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Refuse to score graphs.

        Raises:
            MetricError: always.
        """
        raise MetricError(
            f"the scores in {self.file} belong to the pairs of data sets: "
            "they are not available for other graphs"
        )

    def read_scores(self, cell: Cell, numbers: Ints) -> Floats:
        """Return the scores of a cell, in the order of its pairs.

        Args:
            numbers: of its pairs, as in `bamboo.benchmark.cells.PairSet`.

        Raises:
            DataError: a file that cannot be read, a score that is not a finite number, or not
                exactly one score for each pair; the message names file and line.
        """
        place = (cell.dataset.name, cell.partition, cell.split)
        positions = {str(number): k for k, number in enumerate(numbers.tolist())}
        values = np.full(len(numbers), np.nan)
        for line, row in read_records(Path(self.file), COLUMNS):
            *names, pair, text = (row[name] for name in COLUMNS)
            if tuple(names) != place:
                continue
            where = f"{self.file}, line {line}"
            if pair not in positions:
                if cell.limit is None:
                    raise DataError(f"{where}: {cell} has no pair {pair!r}")
                continue
            if not math.isnan(values[positions[pair]]):
                raise DataError(f"{where}: a second score of {cell}, pair {pair}")
            values[positions[pair]] = _score(where, text)
        missing = numbers[np.isnan(values)]
        if len(missing):
            raise DataError(
                f"{self.file} has {format_count(len(numbers) - len(missing), 'score')} for the "
                f"{format_count(len(numbers), 'pair')} of {cell}: pair {missing[0]} is missing"
            )
        return values


def _score(where: str, text: str) -> float:
    try:
        value = decimal(text)
    except ValueError as error:
        raise DataError(f"{where}: {error}") from None
    if not math.isfinite(value):
        raise DataError(f"{where}: the score {text} is not a finite number")
    return value
