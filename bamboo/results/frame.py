"""The data frame of results, one row per metric and cell, and the means over the cells."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from bamboo.benchmark.columns import TWELVE, mean_name
from bamboo.statistics.ratings import amean, hmean

# The columns of the cells, and their types. `CELL` identifies a row of a metric.
CELL = ("dataset", "partition", "split", "statistic")
COLUMNS = {
    **dict.fromkeys(("metric", *CELL), "str"),
    "pairs": "int64",
    **dict.fromkeys(("value", "low", "high", "published", "difference"), "float64"),
    "resample": "str",
    **dict.fromkeys(("missing", "empty"), "int64"),
    "unproven": "Int64",
    "source": "str",
    "seconds": "float64",
    "cached": "boolean",
}
MEAN_COLUMNS = {
    **dict.fromkeys(("metric", "mean"), "str"),
    "cells": "int64",
    **dict.fromkeys(("value", "low", "high", "published", "difference"), "float64"),
}


def cells_frame(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the frame of cells from one mapping per row; missing values may be left out.

    >>> cell = dict(metric="smatch", dataset="sts", pairs=1379, value=58.5, published=58.25)
    >>> cells_frame([cell])["difference"].tolist()
    [0.25]
    """
    frame = pd.DataFrame.from_records(list(records), columns=list(COLUMNS))
    frame[["missing", "empty"]] = frame[["missing", "empty"]].fillna(0)
    frame = frame.astype(COLUMNS)
    frame["difference"] = frame["value"] - frame["published"]
    return frame


def rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Iterate over the rows of a frame as named tuples of Python values, None where missing."""
    row_type: Any = namedtuple("Row", frame.columns)  # type: ignore[misc]
    values = zip(*(frame[name].tolist() for name in frame), strict=True)
    for row, missing in zip(values, frame.isna().to_numpy().tolist(), strict=True):
        yield row_type._make(None if m else value for value, m in zip(row, missing, strict=True))


def means_of(
    cells: pd.DataFrame,
    published: Mapping[str, Mapping[str, float]],
    intervals: Mapping[tuple[str, str], tuple[float, float]],
) -> pd.DataFrame:
    """Return the means over the cells of each metric.

    These are amean and hmean (arithmetic and harmonic, of positive values only) if there are the
    benchmark's twelve cells, and ``mean of N cells`` (arithmetic) if there are others or fewer. A
    mean over cells exists only if every one of them has a value.

    Args:
        cells: as `Results.cells`.
        published: the published means by metric and name.
        intervals: by metric and name.
    """
    records = []
    for metric in cells["metric"].unique():
        for name, number, value in _means(cells[cells["metric"] == metric]):
            low, high = intervals.get((metric, name), (np.nan, np.nan))
            reference = published.get(metric, {}).get(name, np.nan)
            record = (metric, name, number, value, low, high, reference, value - reference)
            records.append(record)
    frame = pd.DataFrame.from_records(records, columns=list(MEAN_COLUMNS))
    return frame.astype(MEAN_COLUMNS)


def _means(cells: pd.DataFrame) -> Iterator[tuple[str, int, float]]:
    """Yield the name, number of cells and value of each mean over the cells of one metric."""
    cell_keys = zip(cells["dataset"], cells["partition"], strict=True)
    values = {
        place: value
        for place, value in zip(cell_keys, cells["value"].tolist(), strict=True)
        if not np.isnan(value)
    }
    has_twelve = all(place in values for place in TWELVE)
    if has_twelve:
        twelve = [values[place] for place in TWELVE]
        yield "amean", len(TWELVE), amean(twelve)
        if not np.isnan(harmonic := hmean(twelve)):
            yield "hmean", len(TWELVE), harmonic
    defined = cells["value"].dropna().tolist()
    if len(defined) == len(cells) > 1 and not (has_twelve and len(cells) == len(TWELVE)):
        yield mean_name(len(cells)), len(cells), amean(defined)
