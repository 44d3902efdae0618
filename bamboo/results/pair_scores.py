"""The score of every pair: ``scores.csv``."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from amr_metrics.utils.files import replace_file
from bamboo.display.csv_rows import Column, format_rows
from bamboo.errors import ConfigError
from bamboo.results.cache import ScoredCells
from bamboo.results.pair_texts import TEXTS, Texts

if TYPE_CHECKING:
    import pandas as pd

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
    header = _build_header(scored, texts or {})
    with replace_file(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        text.write(format_rows(1, header, os.linesep))
        for count, columns in _build_columns(scored, texts or {}):
            cells = [columns.get(name, "") for name in header]
            text.write(format_rows(count, cells, os.linesep, nan="nan"))
        text.detach()  # which writes what is left, and leaves the file open


def read_scores(path: Path) -> pd.DataFrame:
    """Read ``scores.csv``.

    Raises:
        ConfigError: a file that does not exist or is damaged.
    """
    import pandas as pd  # slow to import

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


def _build_header(scored: ScoredCells, texts: Texts) -> list[str]:
    details = [d for d in DETAILS if any(d in cell.scores.details for cell in scored.values())]
    text_columns = [name for name in TEXTS if any(name in columns for columns in texts.values())]
    return [*CELL, "pair", *text_columns, "score", "rating", *details]


def _build_columns(scored: ScoredCells, texts: Texts) -> Iterator[tuple[int, dict[str, Column]]]:
    """Yield the number of pairs and the columns of each cell of a metric."""
    for (metric, cell), cell_scores in scored.items():
        scores = cell_scores.scores
        count = len(scores.values)
        where = metric, cell.dataset.name, cell.partition, cell.split
        names = zip(CELL, where, strict=True)
        numbers = {
            "pair": cell_scores.pairs.numbers,
            "score": scores.values,
            "rating": cell_scores.pairs.ratings,
            **{name: scores.details[name] for name in DETAILS if name in scores.details},
        }
        yield count, {**dict(names), **texts.get(cell, {}), **numbers}
