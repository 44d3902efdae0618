"""Data frames of reports on parsers."""

from __future__ import annotations

import pandas as pd

from bamboo.board import MISTAKE, NAN, Board, Difference
from bamboo.errors import ConfigError
from bamboo.parsers.analyses.errors import COLUMNS, list_costs
from bamboo.parsers.layout import have_checks
from bamboo.parsers.report_data import ReportData
from bamboo.scoring.scored import collect_mistakes


def frame_differences(board: Board) -> pd.DataFrame:
    """Return one row per score and pair of parsers; see `Report.differences`."""
    frame = pd.DataFrame(board.differences, columns=Difference._fields)
    frame = frame if have_checks(board) else frame.drop(columns="check")
    return frame.rename(columns={"value": "difference", "p": "p_permutation", "check": "p_z"})


def frame_pairs(report: ReportData) -> pd.DataFrame:
    """Return one row per metric, parser and pair; see `Report.pair_scores`."""
    frames = []
    for metric, by_parser in report.pairs.items():
        for parser, scored in by_parser.items():
            columns = {**scored.pairs.to_columns(), **scored.scores.columns()}
            frames.append(pd.DataFrame({"metric": metric, "parser": parser, **columns}))
    return pd.concat(frames, ignore_index=True)


def frame_costs(report: ReportData) -> pd.DataFrame:
    """Return one row per construction and parser; see `Report.errors`.

    Raises:
        ConfigError: mistakes were not requested.
    """
    if not collect_mistakes(report.by_parser):
        raise ConfigError("there are no errors: score with errors=True")
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
        tested = [getattr(difference, name, NAN) for name in ("value", "p", "p_adjusted")]
        rows.append((*key[2:], main.pairs, *values, main.low, main.high, best, *tested))
    columns = (heading, "parser", "pairs", *names, "low", "high", "best", "difference")
    return pd.DataFrame(rows, columns=[*columns, "p", "p_adjusted"])
