"""Compare the scores of several metrics on the same pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bamboo.evaluation.file_scores import FileScores, optimality_note
from bamboo.evaluation.parsers import ParserResults
from bamboo.results.coverage import coverage_notes
from bamboo.results.table import Table


def metric_table(
    results: Mapping[str, ParserResults], scores: Mapping[str, FileScores], title: str
) -> Table:
    """One row per metric, with one column for each corpus score that some metric has.

    Args:
        results: the corpus scores of a single parser, by metric.
        scores: the scores of its pairs, by metric.
    """
    corpus = {}
    intervals = {}
    for metric, result in results.items():
        (corpus[metric],) = result.scores.values()
        (intervals[metric],) = result.intervals.values() or [{}]
    names = [*dict.fromkeys(name for values in corpus.values() for name in values)]
    # The interval of the main score of each metric, beside that score.
    with_interval = {result.main for result in results.values() if result.intervals}
    columns = ["metric", "pairs"]
    for name in names:
        columns.append(name.replace("_", " "))
        if name in with_interval:
            columns.append(f"{columns[-1]} 95 %")
    rows = []
    for metric, values in corpus.items():
        row: list[Any] = [metric, int(np.sum(~np.isnan(scores[metric].scores.values)))]
        for name in names:
            row.append(values.get(name))
            if name in with_interval:
                row.append(intervals[metric].get(name))
        rows.append(tuple(row))
    notes = []
    for metric, files in scores.items():
        proven = optimality_note(files)
        notes += [
            f"{metric}: {text}" for text in (*([proven] if proven else []), *files.warnings())
        ]
    notes += coverage_notes({metric: files.coverage for metric, files in scores.items()})
    return Table(title, tuple(columns), tuple(rows), 4, tuple(notes))
