"""The parsers on parts of the corpus: aspects of meaning, and sizes of graphs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.types import Ints
from amr_metrics.utils.text import counted
from bamboo.display.points import points
from bamboo.parsers.buckets import size_classes
from bamboo.parsers.parts import ASPECT, parts_with
from bamboo.parsers.report.overview import Overview, difference_on, is_significant
from bamboo.parsers.report.plots import Axis, Dot, with_interval
from bamboo.parsers.result import ParserReport
from bamboo.parsers.systems import (
    EMPTY,
    SystemResults,
    compare_systems,
    corpus_statistics,
    find_highest,
)

FEWEST = 20  # sentences of a part that is drawn
FEWEST_SIZES = 60  # sentences that are divided by size


def parts_table(view: Overview, results: SystemResults, is_aspect: bool) -> dict[str, Any]:
    """Return the parsers on each part of the corpus: an aspect, or a size."""
    parts = [*dict.fromkeys(row.part for row in results.scores)]
    absent = _absent(view) if is_aspect else set()
    score = "f1" if is_aspect else results.main
    rows: list[dict[str, Any]] = []
    drawn = []
    for part in parts:
        of_part = {row.system: row for row in results.scores if row.part == part and row.scores}
        if part in absent or not any(name in of_part for name in view.ranked):
            continue
        values = {name: row.scores[score] for name, row in of_part.items() if score in row.scores}
        best = find_highest({name: values[name] for name in view.ranked if name in values})
        sentences = max(row.pairs for row in of_part.values())
        dots: list[Dot | None] = []
        for name in view.ranked:
            if name not in values:
                dots.append(None)
                continue
            low, high = of_part[name].intervals.get(score, (math.nan, math.nan))
            of_best = None if name in best else difference_on(results, name, best[0], part)
            is_worse = is_significant(of_best)
            text = f"{name}: {with_interval(values[name], low, high)}"
            ends = (math.nan, math.nan) if view.is_wide else (low, high)
            dots.append(Dot(values[name], view.hues[name], text, *ends, is_worse))
        is_few = sentences < FEWEST
        if not is_few:
            drawn += [v for d in dots if d is not None for v in (d.value, d.low, d.high)]
        address = view.address(aspect=part) if is_aspect else view.address(size=part.split(" ")[0])
        rows.append(
            {
                "part": part,
                "address": address,
                "dots": dots,
                "few": f"only {counted(sentences, 'sentence')}" if is_few else "",
                "values": [points(values.get(name, math.nan)) for name in view.numbered],
                "best": [view.ranked.index(name) for name in best if len(view.ranked) > 1],
                "sentences": f"{sentences:,}",
                "order": -float(np.mean([*values.values()])) if values else 0.0,
            }
        )
    axis = Axis.over(drawn)
    for row in rows:
        row["plot"] = axis.cell([] if row["few"] else row.pop("dots"), is_one_line=view.is_wide)
    if is_aspect:
        rows.sort(key=lambda row: (bool(row["few"]), row["order"]))
    return {"axis": axis.head(), "rows": rows, "absent": [part for part in parts if part in absent]}


def _absent(view: Overview) -> set[str]:
    """Return the aspects that do not occur in the gold graphs."""
    files = {name: scores.values for name, scores in view.report.parsers.items()}
    absent = set()
    for aspect, parts in parts_with(ASPECT, files).items():
        totals = [part.details.get("tgt_total") for part in parts.values()]
        if all(total is not None and not np.nansum(total) for total in totals):
            absent.add(aspect)
    return absent


def compare_sizes(report: ParserReport, metric: Metric, sizes: Ints) -> SystemResults | None:
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
        for name, scores in report.parsers.items():
            columns = {**scores.values.scores.details, EMPTY: outside}
            parts.setdefault(nodes, {})[name] = Scores(scores.scores, columns)
    return compare_systems(corpus_statistics(metric), parts, report.resampling, ci=True)
