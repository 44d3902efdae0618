"""Tables in CSV and TSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bamboo.documents import load_text
from bamboo.errors import DataError
from metrics.utils.text import split_lines


def csv_rows(
    path: Path, lines: Iterable[str] | None = None, **dialect: Any
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, each with the number of its last line.

    Args:
        path: the file.
        lines: its lines, if they have been read; they are read otherwise.
        dialect: as for `csv.reader`, such as ``delimiter``.

    Raises:
        DataError: a file that cannot be read, or is not such a table; it names file and line.
    """
    if lines is None:
        try:
            lines = split_lines(load_text(path))
        except (OSError, ValueError) as error:
            raise DataError(f"{path} cannot be read: {error}") from None
    reader = csv.reader(lines, **dialect)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.line_num}: {error}") from None
        yield reader.line_num, cells
