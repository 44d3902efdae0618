"""The parsers on parts of the corpus: aspects of meaning, and sizes of graphs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from amr_metrics.base import Metric, Scores
from amr_metrics.types import Ints
from amr_metrics.utils.text import counted
from bamboo.board import Board, find_highest
from bamboo.display.points import points
from bamboo.parsers.buckets import size_classes
from bamboo.parsers.parts import ASPECT, parts_with
from bamboo.parsers.ranking import find_difference
from bamboo.parsers.report.overview import Overview, is_significant
from bamboo.parsers.report.page_types import PartRow, PartTable
from bamboo.parsers.report.plots import Axis, Dot, with_interval
from bamboo.parsers.result import Report
from bamboo.parsers.systems import EMPTY, compare_systems, corpus_statistics

FEWEST = 20  # sentences of a part that is drawn
FEWEST_SIZES = 60  # sentences that are divided by size


class _Drawn(NamedTuple):
    """A row without its plot, what is drawn in it, and its place."""

    row: PartRow
    dots: Sequence[Dot | None]
    order: tuple[bool, float]


def build_part_table(
    view: Overview, board: Board, is_aspect: bool, is_size: bool = True
) -> PartTable:
    """Return the parsers on each part of the corpus: an aspect, a size, or another bucket."""
    parts = board.list_names("part")
    absent = _absent(view) if is_aspect else set()
    rows = [
        row
        for part in parts
        if part not in absent
        and (row := _build_row(view, board.select(part=part), part, is_aspect, is_size)) is not None
    ]
    axis = Axis.over(
        [v for row in rows for d in row.dots if d is not None for v in (d.value, d.low, d.high)]
    )
    if is_aspect:
        rows.sort(key=lambda row: row.order)
    return PartTable(
        axis.head(),
        [replace(row.row, plot=axis.cell(row.dots, is_one_line=view.is_wide)) for row in rows],
        [part for part in parts if part in absent],
    )


def _build_row(
    view: Overview, board: Board, part: str, is_aspect: bool, is_size: bool
) -> _Drawn | None:
    """Return the parsers on a part; None if no ranked parser has it."""
    of_part = {row.system: row for row in board.scores if row.score == board.main and row.pairs}
    if not any(name in of_part for name in view.ranked):
        return None
    values = {name: row.value for name, row in of_part.items()}
    best = find_highest({name: values[name] for name in view.ranked if name in values})
    dots: list[Dot | None] = []
    for name in view.ranked:
        if name not in values:
            dots.append(None)
            continue
        low, high = of_part[name].low, of_part[name].high
        of_best = None if name in best else find_difference(board, name, best[0])
        text = f"{name}: {with_interval(values[name], low, high)}"
        ends = (math.nan, math.nan) if view.is_wide else (low, high)
        dots.append(Dot(values[name], view.hues[name], text, *ends, is_significant(of_best)))
    sentences = max(row.pairs for row in of_part.values())
    is_few = sentences < FEWEST
    size = view.address(size=part.split(" ")[0]) if is_size else view.address(bucket=part)
    row = PartRow(
        part=part,
        address=view.address(aspect=part) if is_aspect else size,
        plot=Markup(),
        few=f"only {counted(sentences, 'sentence')}" if is_few else "",
        values=[points(values.get(name, math.nan)) for name in view.numbered],
        best=[view.ranked.index(name) for name in best if len(view.ranked) > 1],
        sentences=f"{sentences:,}",
    )
    mean = float(np.mean([*values.values()])) if values else 0.0
    return _Drawn(row, [] if is_few else dots, (is_few, -mean))


def _absent(view: Overview) -> set[str]:
    """Return the aspects that do not occur in the gold graphs."""
    absent = set()
    for aspect, parts in parts_with(ASPECT, view.report.of_metric).items():
        totals = [part.details.get("tgt_total") for part in parts.values()]
        if all(total is not None and not np.nansum(total) for total in totals):
            absent.add(aspect)
    return absent


def compare_sizes(report: Report, metric: Metric, sizes: Ints) -> Board | None:
    """Compare the parsers on graphs of about the same size; None for too few sentences.

    Args:
        sizes: the number of nodes of each gold graph.
    """
    if np.sum(sizes >= 0) < FEWEST_SIZES:
        return None
    parts: dict[str, dict[str, Scores]] = {}
    for label, (low, end) in size_classes(sizes).items():
        outside = (sizes < low) | (sizes >= end)
        nodes = f"{label} node{'s' if label != '1' else ''}"
        for name, scored in report.of_metric.items():
            columns = {**scored.scores.details, EMPTY: outside}
            parts.setdefault(nodes, {})[name] = Scores(scored.scores.values, columns)
    statistics = corpus_statistics(metric)
    return compare_systems(report.metric, "bucket", statistics, parts, report.tests, ci=True)
