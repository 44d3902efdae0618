"""The score of every pair: ``scores.csv``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from amr_metrics.utils.files import replacing
from bamboo.errors import ConfigError
from bamboo.results.cache import ScoredCells
from bamboo.results.pair_texts import TEXTS, Texts

CELL = ("metric", "dataset", "partition", "split")
DETAILS = ("matches", "upper_bound", "optimal")


def write_scores(scored: ScoredCells, path: Path, texts: Texts | None = None) -> None:
    """Write ``scores.csv``: one row per metric and pair, floats at full precision.

    The columns are metric, dataset, partition, split, pair (the benchmark's number), with `texts`
    also id, src_sentence and tgt_sentence, score (``nan`` for a missing pair), rating in 0..1
    (``nan`` without one), and for metrics with an alignment also matches, upper_bound and optimal.
    Columns that a metric or cell does not have are empty.

    Args:
        texts: the ids and sentences of the pairs (`PairTexts.of`); None to leave them out.
    """
    header = _header(scored, texts or {})
    with replacing(path) as file:
        pd.DataFrame(columns=header).to_csv(file, index=False)
        for frame in _frames(scored, texts or {}):
            absent = {name: "" for name in header if name not in frame}
            frame.assign(**absent)[header].to_csv(file, header=False, index=False, na_rep="nan")


def read_scores(path: Path) -> pd.DataFrame:
    """Read ``scores.csv``.

    Raises:
        ConfigError: a file that does not exist or is damaged.
    """
    try:
        # As texts: pandas would guess that ids such as "NA" are missing, and round numbers.
        frame = pd.read_csv(path, dtype="str", keep_default_na=False)
        frame["pair"] = frame["pair"].astype("int64")
        for name in ("score", "rating", "matches", "upper_bound"):
            if name in frame:
                frame[name] = frame[name].replace("", "nan").astype("float64")
        if "optimal" in frame:
            flags = {"True": True, "False": False, "": None, "nan": None}
            frame["optimal"] = frame["optimal"].map(flags).astype("boolean")
        return frame
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file: run again to write it") from None
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{path} is damaged: {error}") from None


def _header(scored: ScoredCells, texts: Texts) -> list[str]:
    details = [d for d in DETAILS if any(d in cell.scores.details for cell in scored.values())]
    text_columns = [name for name in TEXTS if any(name in columns for columns in texts.values())]
    return [*CELL, "pair", *text_columns, "score", "rating", *details]


def _frames(scored: ScoredCells, texts: Texts) -> Iterator[pd.DataFrame]:
    for (metric, cell), cell_scores in scored.items():
        scores = cell_scores.scores
        columns = {
            "pair": cell_scores.pairs["number"],
            **{
                name: ["" if text is None else text for text in column]
                for name, column in texts.get(cell, {}).items()
            },
            "score": scores.values,
            "rating": cell_scores.pairs["rating"],
            # As float64: a float32 would be written with fewer digits.
            **{d: _wide(scores.details[d]) for d in DETAILS if d in scores.details},
        }
        where = metric, cell.dataset.name, cell.partition, cell.split
        names = dict(zip(CELL, where, strict=True))
        yield pd.DataFrame(names | columns, index=range(len(scores.values)))


def _wide(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return column.astype(np.float64) if column.dtype.kind == "f" else column
