"""The parsers on parts of the corpus: aspects of meaning, and sizes of graphs."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.types import Ints
from bamboo.board import NAN, Board, Difference, Score, find_highest
from bamboo.display.points import include_equal
from bamboo.parsers.analyses.aspects import ASPECT, parts_with
from bamboo.parsers.ranking import find_difference
from bamboo.parsers.report.overview import Overview, is_significant
from bamboo.parsers.report.plots import (
    Dot,
    PlottedRows,
    Row,
    format_points,
    format_with_interval,
)
from bamboo.parsers.result import Report
from bamboo.parsers.systems import EMPTY, compare_systems, corpus_statistics
from bamboo.scoring.buckets import divide_sizes

FEWEST = 20  # sentences of a part that is drawn
FEWEST_SIZES = 60  # sentences that are divided by size


def build_part_table(
    view: Overview, board: Board, key: str, absent: Container[str] = ()
) -> PlottedRows:
    """Return the parsers on each part of the corpus in which a compared parser has a score.

    Args:
        key: names the part in addresses: ``aspect``, which are sorted by their mean, ``size`` or
            ``bucket``.
        absent: parts that are not shown.
    """
    parts = [part for part in board.list_names("part") if part not in absent]
    built = (_build_row(view, board.select(part=part), part, key) for part in parts)
    rows = [row for row in built if any(name in row.values for name in view.compared)]
    if key == "aspect":
        rows.sort(key=lambda row: (not row.dots, -float(np.mean([*row.values.values()]))))
    return PlottedRows.over(rows)


def _build_row(view: Overview, board: Board, part: str, key: str) -> Row:
    of_part = {row.system: row for row in board.scores if row.score == board.main and row.pairs}
    values = {name: row.value for name, row in of_part.items()}
    best = find_highest({name: values[name] for name in view.compared if name in values})
    dots: list[Dot | None] = []
    for name in view.compared:
        row = of_part.get(name)
        of_best = None if row is None or name in best else find_difference(board, name, best[0])
        dots.append(
            None if row is None else draw_score(view, row, of_best, not view.has_many_parsers)
        )
    pairs = max((row.pairs for row in of_part.values()), default=0)
    return Row(
        part,
        values,
        dots if pairs >= FEWEST else [],
        include_equal(best, values) if len(view.compared) > 1 else [],
        view.address(**{key: part.partition(" ")[0] if key == "size" else part}),
        pairs,
    )


def draw_score(
    view: Overview, row: Score, of_best: Difference | None, has_interval: bool = True
) -> Dot:
    """Return the dot of a parser, hollow if it is significantly worse than the best."""
    value = format_with_interval(format_points, row.value, row.low, row.high)
    ends = (row.low, row.high) if has_interval else (NAN, NAN)
    text = f"{row.system}: {value}"
    return Dot(row.value, view.hues[row.system], text, *ends, is_significant(of_best))


def list_absent(view: Overview) -> list[str]:
    """Return the aspects that do not occur in the gold graphs."""
    absent = []
    for aspect, parts in parts_with(ASPECT, view.report.by_parser).items():
        totals = [part.details.get("tgt_total") for part in parts.values()]
        if all(total is not None and not np.nansum(total) for total in totals):
            absent.append(aspect)
    return absent


def compare_sizes(report: Report, metric: Metric, sizes: Ints) -> Board | None:
    """Compare the parsers on graphs of about the same size; None for too few sentences.

    Each class has at least `FEWEST` graphs.

    Args:
        sizes: the number of nodes of each gold graph.
    """
    if np.sum(sizes >= 0) < FEWEST_SIZES:
        return None
    classes = divide_sizes(sizes, FEWEST)
    if len(classes) < 2:
        return None
    parts: dict[str, dict[str, Scores]] = {}
    for label, (low, end) in classes.items():
        outside = (sizes < low) | (sizes >= end)
        nodes = f"{label} node{'s' if label != '1' else ''}"
        for name, scored in report.by_parser.items():
            columns = {**scored.scores.details, EMPTY: outside}
            parts.setdefault(nodes, {})[name] = Scores(scored.scores.values, columns)
    statistics = corpus_statistics(metric)
    return compare_systems(report.metric, "bucket", statistics, parts, report.tests, ci=True)
