"""Reports on parsers as data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from bamboo.board import MISTAKE, NAN, Board, Difference, Score
from bamboo.parsers.costs import COLUMNS, list_costs

if TYPE_CHECKING:
    from bamboo.parsers.result import Report


def frame_scores(report: Report) -> pd.DataFrame:
    """Return one row per score."""
    frame = pd.DataFrame(report.board.scores, columns=Score._fields)
    return frame.rename(columns={"system": "parser"})


def frame_differences(report: Report) -> pd.DataFrame:
    """Return one row per difference."""
    frame = pd.DataFrame(report.board.differences, columns=Difference._fields)
    frame = frame if frame["check"].notna().any() else frame.drop(columns="check")
    return frame.rename(columns={"value": "difference", "p": "p_permutation", "check": "p_z"})


def frame_pairs(report: Report) -> pd.DataFrame:
    """Return one row per metric, parser and pair."""
    frames = []
    for metric, by_parser in report.pairs.items():
        for parser, scored in by_parser.items():
            columns = {**scored.pairs.to_columns(), **scored.scores.columns()}
            frames.append(pd.DataFrame({"metric": metric, "parser": parser, **columns}))
    return pd.concat(frames, ignore_index=True)


def frame_errors(report: Report) -> pd.DataFrame:
    """Return one row per construction and parser."""
    return pd.DataFrame(list_costs(report.board.select(kind=MISTAKE)), columns=COLUMNS)


def frame_parts(board: Board, heading: str) -> pd.DataFrame:
    """Return one row per part and parser.

    Args:
        heading: of the column of parts.
    """
    names = ("precision", "recall", "f1") if board.main == "f1" else (board.main,)
    rows = []
    for key, scores in board.rows.items():
        best, difference = board.compare_with_best(*key)
        main = scores[board.main]
        values = [scores[name].value if name in scores else NAN for name in names]
        tested = (NAN,) * 3
        if difference is not None:
            tested = (difference.value, difference.p, difference.p_adjusted)
        rows.append((*key[2:], main.pairs, *values, main.low, main.high, best, *tested))
    columns = (heading, "parser", "pairs", *names, "low", "high", "best", "difference")
    return pd.DataFrame(rows, columns=[*columns, "p", "p_adjusted"])
