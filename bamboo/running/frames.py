"""Scores as data frames of pandas, and ``scores.csv``.

pandas takes about 0.3 seconds to import, so this module is imported only where it is needed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from bamboo.running.runner import Scored
from metrics.files import replacing

DETAILS = ("matches", "upper_bound", "optimal")
CELL = ("metric", "dataset", "partition", "split")


def scores_frame(scored: Scored) -> pd.DataFrame:
    """Every pair's score by every metric, one row per metric and pair.

    The columns are those of ``scores.csv``: metric, dataset, partition, split, pair (the
    benchmark's number), score (NaN for a missing pair), rating in 0..1 (NaN without one), and for
    metrics with an alignment also matches, upper_bound and optimal (NaN for other metrics).
    """
    frames = list(_frames(scored))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=_header(scored))


def write_scores(scored: Scored, path: Path) -> None:
    """Write ``scores.csv``: floats at full precision, ``nan`` for a missing score.

    Columns that a metric does not have are empty.
    """
    header = _header(scored)
    with replacing(path) as raw, io.TextIOWrapper(raw, "utf-8", newline="") as file:
        pd.DataFrame(columns=header).to_csv(file, index=False, lineterminator="\n")
        for frame in _frames(scored):
            complete = frame.reindex(columns=header, fill_value="")
            complete.to_csv(file, index=False, header=False, na_rep="nan", lineterminator="\n")


def _header(scored: Scored) -> list[str]:
    """The columns that at least one metric has."""
    details = [d for d in DETAILS if any(d in cell.scores.details for cell in scored.values())]
    return [*CELL, "pair", "score", "rating", *details]


def _frames(scored: Scored) -> Iterator[pd.DataFrame]:
    """The scores of each metric on each cell."""
    for (name, cell), cell_scores in scored.items():
        details = {
            d: cell_scores.scores.details[d] for d in DETAILS if d in cell_scores.scores.details
        }
        numbers = {
            "pair": cell_scores.numbers,
            "score": cell_scores.scores.values,
            "rating": cell_scores.ratings,
        }
        where = (name, cell.dataset.name, cell.partition, cell.split)
        yield pd.DataFrame(
            dict(zip(CELL, where, strict=True))
            # Convert to Python numbers: a float32 would be written with fewer digits.
            | {name: np.array(values.tolist()) for name, values in (numbers | details).items()},
            index=range(len(cell_scores.numbers)),
        )
