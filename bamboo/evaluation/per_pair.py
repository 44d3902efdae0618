"""Write the score of every pair to a CSV file, while the pairs are scored."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.errors import ConfigError
from bamboo.evaluation.scored_chunks import ScoredChunk
from metrics.utils.files import replacing

Write = Callable[[str, Mapping[str, ScoredChunk]], None]


class PerPairRows:
    """Writes one row per pair and parser.

    With one metric, a row has all columns of its score; with several, the score of each metric.

    Args:
        file: a text file, opened with ``newline=""``.
    """

    def __init__(self, file: io.TextIOBase) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        self._columns: list[str] | None = None  # known with the first chunk that has a score
        self._waiting: list[tuple[str, Mapping[str, ScoredChunk]]] = []

    def add(self, parser: str, chunks: Mapping[str, ScoredChunk]) -> None:
        """Write the rows of some pairs.

        Args:
            chunks: their scores by metric.
        """
        self._waiting.append((parser, chunks))
        if self._columns is not None or self._has_score(chunks):
            self.flush()

    def _has_score(self, chunks: Mapping[str, ScoredChunk]) -> bool:
        return not all(np.isnan(chunk.scores.values).all() for chunk in chunks.values())

    def flush(self) -> None:
        """Write the rows that waited until the columns of the scores are known."""
        if self._waiting:
            self._begin(self._waiting[-1][1])
        for parser, chunks in self._waiting:
            self._writer.writerows(self._rows(parser, chunks))
        self._waiting.clear()

    def _begin(self, chunks: Mapping[str, ScoredChunk]) -> None:
        """Write the headings, once."""
        if self._columns is None:
            first = next(iter(chunks.values()))
            several = len(chunks) > 1
            self._columns = [*chunks] if several else ["score", *first.scores.details]
            names = ["id"] if first.index is None else ["src", "tgt", "src_id", "tgt_id"]
            self._writer.writerow(["parser", "pair", *names, *self._columns, "problem"])

    def _rows(self, parser: str, chunks: Mapping[str, ScoredChunk]) -> Iterator[tuple[Any, ...]]:
        first = next(iter(chunks.values()))
        count = len(first.scores.values)
        names: list[Sequence[Any]]
        if first.index is None:
            names = [first.ids]
        else:
            numbers = [(index + 1).tolist() for index in first.index]
            names = [*numbers, first.src_ids, first.tgt_ids]
        problems: list[Any] = [None] * count
        if len(chunks) > 1:
            columns = [_cells(chunk.scores.values) for chunk in chunks.values()]
            for metric, chunk in chunks.items():
                for k, why in chunk.problems.items():
                    text = f"{metric}: {why}"
                    problems[k] = text if problems[k] is None else f"{problems[k]}; {text}"
        else:
            known = {"score": first.scores.values, **first.scores.details}
            columns = [
                _cells(known[name]) if name in known else [None] * count
                for name in self._columns or ()
            ]
            for k, why in first.problems.items():
                problems[k] = str(why)
        positions = range(first.first, first.first + count)
        return zip([parser] * count, positions, *names, *columns, problems, strict=True)


def _cells(column: np.ndarray[Any, Any]) -> list[Any]:
    """The values of a column; None, which is written as an empty cell, for NaN."""
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f" and np.isnan(column).any():
        return [None if value != value else value for value in values]
    return values


@contextmanager
def per_pair_file(path: Path | None) -> Iterator[Write]:
    """A function that writes the rows of some pairs of a parser; to no file without a path.

    The file appears when all rows are written.

    Raises:
        ConfigError: it cannot be written, or its folder does not exist.
    """
    if path is None:
        yield lambda parser, chunks: None
        return
    if not path.parent.is_dir():  # probably a mistake in the path
        raise ConfigError(f"cannot write {path}: there is no folder {path.parent}")
    try:
        with replacing(path) as file:
            text = io.TextIOWrapper(file, "utf-8", newline="")
            rows = PerPairRows(text)
            yield rows.add
            rows.flush()
            text.detach()
    except OSError as error:
        if error.filename != str(path):  # of another file
            raise
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
