"""Write the score of every pair to a CSV file, while the pairs are scored."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from amr_metrics.utils.files import replace_file
from bamboo.display.csv_rows import Column, format_rows
from bamboo.errors import ConfigError
from bamboo.files import check_folder
from bamboo.scoring.scored import Scored

# Receives a parser and the scores of a chunk of its pairs by metric.
WriteRows = Callable[[str, Mapping[str, Scored]], None]


class PerPairRows:
    """Writes one row per pair and parser.

    With one metric, a row has all columns of its score; with several, the score of each metric.

    Args:
        file: a text file, opened with ``newline=""``.
    """

    def __init__(self, file: io.TextIOBase) -> None:
        self._file = file
        self._headings: list[str] = []  # known with the first chunk that has a score
        self._waiting: list[dict[str, Column]] = []

    def add(self, parser: str, chunks: Mapping[str, Scored]) -> None:
        """Write the rows of some pairs, from their scores by metric."""
        first = next(iter(chunks.values()))
        columns: dict[str, Column] = first.pairs.to_columns()
        if len(chunks) > 1:
            columns |= {metric: chunk.scores.values for metric, chunk in chunks.items()}
        else:
            columns |= first.scores.columns()
        columns["problem"] = _join_problems(chunks)
        self._waiting.append({"parser": parser, **columns})
        if self._headings or any(chunk.present.any() for chunk in chunks.values()):
            self.flush()

    def flush(self) -> None:
        """Write the rows that waited until the columns of the scores are known."""
        if self._waiting and not self._headings:
            self._headings = [*self._waiting[-1]]
            self._file.write(format_rows(1, self._headings))
        for columns in self._waiting:
            listed = [columns.get(name, "") for name in self._headings]
            self._file.write(format_rows(len(columns["pair"]), listed))
        self._waiting.clear()


def _join_problems(chunks: Mapping[str, Scored]) -> Column:
    """Return the problems of each pair with each metric."""
    if not any(chunk.problems for chunk in chunks.values()):
        return ""
    if len(chunks) == 1:
        (chunk,) = chunks.values()
        return chunk.problem_texts()
    by_metric = [
        [text and f"{metric}: {text}" for text in chunk.problem_texts()]
        for metric, chunk in chunks.items()
    ]
    return ["; ".join(filter(None, texts)) or None for texts in zip(*by_metric, strict=True)]


@contextmanager
def per_pair_file(path: Path) -> Iterator[WriteRows]:
    """Open a file and yield a function that writes a parser's rows.

    The file appears when all rows are written.

    Raises:
        ConfigError: it cannot be written, or its folder does not exist.
    """
    check_folder(path)
    try:
        with replace_file(path) as file:
            # A name of a file in a message may have bytes that are not UTF-8.
            text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
            rows = PerPairRows(text)
            yield rows.add
            rows.flush()
            text.detach()
    except OSError as error:
        if error.filename != str(path):  # of another file
            raise
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
