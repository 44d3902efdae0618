"""The rows of results: one per metric and cell, and one per mean over the cells of a metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bamboo.benchmark.columns import TWELVE, mean_name
from bamboo.statistics.ratings import amean, hmean
from bamboo.statistics.resampling import Method

if TYPE_CHECKING:
    import pandas as pd

CELL = ("dataset", "partition", "split", "statistic")  # what identifies a row of a metric
# The types of columns in data frames, and how values of each are converted for named tuples.
TYPES = {
    **dict.fromkeys(("metric", "mean", *CELL, "resample", "source"), "str"),
    **dict.fromkeys(("pairs", "cells", "missing", "empty"), "int64"),
    **dict.fromkeys(("value", "low", "high", "published", "difference", "seconds"), "float64"),
    "unproven": "Int64",
    "cached": "boolean",
}
CONVERSIONS = {"str": str, "int64": int, "float64": float, "Int64": int, "boolean": bool}


class CellResult(NamedTuple):
    """The result of a metric on a cell; see `bamboo.results.results.Results` for the values."""

    metric: str
    dataset: str
    partition: str
    split: str
    statistic: str
    pairs: int
    value: float | None
    low: float | None
    high: float | None
    published: float | None
    difference: float | None
    resample: Method | None
    missing: int
    empty: int
    unproven: int | None
    source: str
    seconds: float
    cached: bool | None


class MeanResult(NamedTuple):
    """A mean over the cells of a metric, see `compute_means`."""

    metric: str
    mean: str
    cells: int
    value: float
    low: float | None
    high: float | None
    published: float | None
    difference: float | None


def make_cells(records: Iterable[Mapping[str, Any]]) -> tuple[CellResult, ...]:
    """Return the results of cells from one mapping each; values may be left out.

    NaN and None are values that are missing.

    Raises:
        TypeError, ValueError: a value of another type.

    >>> cell = dict(metric="smatch", dataset="sts", pairs=1379, value=58.5, published=58.25)
    >>> [cell.difference for cell in make_cells([cell])]
    [0.25]
    """
    cells = []
    for record in records:
        known = {name: _convert(name, record.get(name)) for name in CellResult._fields}
        known["difference"] = _subtract(known["value"], known["published"])
        known |= {name: known[name] or 0 for name in ("missing", "empty")}
        cells.append(CellResult(**known))
    return tuple(cells)


def _convert(column: str, value: Any) -> Any:
    """Convert a value to the type of its column; NaN to None."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return CONVERSIONS[TYPES[column]](value)


def _subtract(value: float | None, published: float | None) -> float | None:
    return None if value is None or published is None else value - published


def compute_means(
    cells: Sequence[CellResult],
    published: Mapping[str, Mapping[str, float]],
    intervals: Mapping[tuple[str, str], tuple[float, float]],
) -> tuple[MeanResult, ...]:
    """Return the means over the cells of each metric.

    These are amean and hmean (arithmetic and harmonic, of positive values only) if there are the
    benchmark's twelve cells, and ``mean of N cells`` (arithmetic) if there are others or fewer. A
    mean over cells exists only if every one of them has a value.

    Args:
        cells: as `Results.cells`.
        published: the published means by metric and name.
        intervals: by metric and name.
    """
    means = []
    for metric in dict.fromkeys(cell.metric for cell in cells):
        for name, count, value in _means([cell for cell in cells if cell.metric == metric]):
            low, high = (
                _convert("low", end) for end in intervals.get((metric, name), (None, None))
            )
            reference = _convert("published", published.get(metric, {}).get(name))
            difference = _subtract(value, reference)
            means.append(MeanResult(metric, name, count, value, low, high, reference, difference))
    return tuple(means)


def _means(cells: Sequence[CellResult]) -> Iterator[tuple[str, int, float]]:
    """Yield the name, number of cells and value of each mean over the cells of one metric."""
    values = {
        (cell.dataset, cell.partition): cell.value for cell in cells if cell.value is not None
    }
    has_twelve = all(place in values for place in TWELVE)
    if has_twelve:
        twelve = [values[place] for place in TWELVE]
        yield "amean", len(TWELVE), amean(twelve)
        if not math.isnan(harmonic := hmean(twelve)):
            yield "hmean", len(TWELVE), harmonic
    defined = [cell.value for cell in cells if cell.value is not None]
    if len(defined) == len(cells) > 1 and not (has_twelve and len(cells) == len(TWELVE)):
        yield mean_name(len(cells)), len(cells), amean(defined)


def make_frame(cells: Sequence[CellResult]) -> pd.DataFrame:
    """Return cells as a data frame, with the type of each column also if there is no cell."""
    import pandas as pd  # slow to import

    frame = pd.DataFrame.from_records(list(cells), columns=list(CellResult._fields))
    return frame.astype({name: TYPES[name] for name in CellResult._fields})
