"""Rows of CSV files from columns: several times as fast as `csv.writer`, with the same result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from amr_metrics.types import Floats, Ints
from amr_metrics.utils.arrays import sort_distinct

Column = str | Sequence[Any] | np.ndarray[Any, Any]

# Fields with these are written in quotation marks. `csv.writer` does so for carriage returns only
# since Python 3.13, or if lines end with them.
SPECIAL = re.compile(r'[",\r\n]')


def format_rows(count: int, columns: Sequence[Column], line_end: str = "\n", nan: str = "") -> str:
    r"""Return the rows of a CSV file.

    Args:
        count: the number of rows.
        columns: at least two; a string is that of all rows. None is an empty field.
        line_end: what each row ends with.
        nan: what stands for NaN in an array.

    >>> format_rows(2, ["x", np.array([0.5, np.nan]), ["a", "b,c"], [True, None]])
    'x,0.5,a,True\nx,,"b,c",\n'
    """
    rows = zip(*[_format_column(count, column, nan) for column in columns], strict=True)
    text = line_end.join(map(",".join, rows))
    return text + line_end if count else ""


def _format_column(count: int, column: Column, nan: str) -> list[str]:
    if isinstance(column, str):
        return _quote_special([column]) * count
    if isinstance(column, range):
        return [*map(str, column)]
    if isinstance(column, np.ndarray):
        if column.ndim == 1 and column.dtype.kind == "f":
            return _format_floats(column.astype(np.float64), nan)
        if column.ndim == 1 and column.dtype.kind == "b":
            return _take(["False", "True"], column.astype(np.int64))
        column = column.tolist()
    return _quote_special([v if type(v) is str else "" if v is None else str(v) for v in column])


def _format_floats(values: Floats, nan: str) -> list[str]:
    """Format each distinct number once: scores are ratios of small integers, and counts."""
    bits = values.view(np.int64)  # unlike the numbers, they distinguish 0.0 and -0.0
    distinct = sort_distinct(bits)
    numbers = distinct.view(np.float64).tolist()
    texts = [repr(number) if number == number else nan for number in numbers]
    return _take(texts, np.searchsorted(distinct, bits))


def _take(texts: Sequence[str], rows: Ints) -> list[str]:
    taken: list[str] = np.array(texts, object)[rows].tolist()
    return taken


def _quote_special(texts: list[str]) -> list[str]:
    if SPECIAL.search("".join(texts)) is None:
        return texts
    quoted = [text.replace('"', '""') for text in texts]
    return [f'"{text}"' if SPECIAL.search(text) else text for text in quoted]
