"""Scores as data frames of pandas, and ``scores.csv``.

pandas takes about 0.3 seconds to import, so it is imported only for data frames.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bamboo.running.cache import Scored
from bamboo.running.texts import TEXTS, Texts
from metrics.files import replacing

if TYPE_CHECKING:
    import pandas as pd

DETAILS = ("matches", "upper_bound", "optimal")
CELL = ("metric", "dataset", "partition", "split")


def scores_frame(scored: Scored, texts: Texts | None = None) -> pd.DataFrame:
    """Every pair's score by every metric, one row per metric and pair.

    The columns are those of ``scores.csv``: metric, dataset, partition, split, pair (the
    benchmark's number), with `texts` also id, src_sentence and tgt_sentence, score (NaN for a
    missing pair), rating in 0..1 (NaN without one), and for metrics with an alignment also
    matches, upper_bound and optimal (NaN for other metrics).

    Args:
        texts: the ids and sentences of the pairs (`PairTexts.of`); None to leave them out.
    """
    import pandas as pd

    header = _header(scored, texts or {})
    # Of arrays of Python numbers: a float32 would be written with fewer digits.
    frames = [
        pd.DataFrame(
            dict(zip(CELL, where, strict=True))
            | {n: v if n in TEXTS else np.array(v) for n, v in columns.items()},
            index=range(len(columns["pair"])),
        )
        for where, columns in _columns(scored, texts or {})
    ]
    if not frames:
        return pd.DataFrame(columns=header)
    return pd.concat(frames, ignore_index=True)[header]


def write_scores(scored: Scored, path: Path, texts: Texts | None = None) -> None:
    """Write ``scores.csv``: floats at full precision, ``nan`` for a missing score.

    Columns that a metric or cell does not have are empty.

    Args:
        texts: as for `scores_frame`.
    """
    header = _header(scored, texts or {})
    with replacing(path) as raw, io.TextIOWrapper(raw, "utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for where, columns in _columns(scored, texts or {}):
            count = len(columns["pair"])
            fields = dict(zip(CELL, ([part] * count for part in where), strict=True)) | columns
            empty = [""] * count
            writer.writerows(zip(*[fields.get(name, empty) for name in header], strict=True))


def _header(scored: Scored, texts: Texts) -> list[str]:
    """The columns that at least one metric or cell has."""
    details = [d for d in DETAILS if any(d in cell.scores.details for cell in scored.values())]
    known = [name for name in TEXTS if any(name in columns for columns in texts.values())]
    return [*CELL, "pair", *known, "score", "rating", *details]


def _columns(
    scored: Scored, texts: Texts
) -> Iterator[tuple[tuple[str, ...], dict[str, list[Any]]]]:
    """The scores of each metric on each cell: the values of `CELL`, and columns by name."""
    for (name, cell), cell_scores in scored.items():
        details = {
            d: cell_scores.scores.details[d] for d in DETAILS if d in cell_scores.scores.details
        }
        columns = {
            "pair": cell_scores.numbers,
            "score": cell_scores.scores.values,
            "rating": cell_scores.ratings,
        }
        own = texts.get(cell, {})
        yield (
            (name, cell.dataset.name, cell.partition, cell.split),
            {key: ["" if text is None else text for text in own[key]] for key in own}
            | {key: values.tolist() for key, values in (columns | details).items()},
        )
