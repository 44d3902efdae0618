"""The table of parsers as papers show it: names that readers know, and one sentence of notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS
from bamboo.display.table import LEVEL, Table, capitalize_f1
from bamboo.parsers.layout import SPREAD, describe_bold
from bamboo.parsers.left_out import describe_left_out, have_same_pairs
from bamboo.parsers.report_data import ReportData
from bamboo.parsers.signatures import format_signature

SIDES = ("precision", "recall")
ENDS = (f" {LEVEL}", SPREAD)  # of the headings of columns that belong to a score


def add_paper_form(table: Table, report: ReportData, times_100: bool) -> Table:
    """Return the table of the whole corpus with its form for Markdown and LaTeX.

    It has no column of the number of pairs if all rows are about the same pairs. Its notes are a
    caption and the signatures; what explains them is left out.

    Args:
        times_100: whether scores are shown times 100.
    """
    headings = choose_headings(report)
    names: Mapping[str, str] = headings
    if len(headings) == 1 and not any(side in table.columns for side in SIDES):
        names = {report.board.main.replace("_", " "): headings[report.metric]}
    board = report.board.select(kind=CORPUS)
    title = table.title
    for metric, heading in headings.items():
        title = title.replace(f"{metric} against", f"{heading} against")
    notes = write_caption(report, headings, times_100), *describe_signatures(report)
    paper = replace(table, title=title, notes=notes, paper=None)
    if "metric" in table.columns:
        position = table.columns.index("metric")
        rows = (list(row) for row in table.rows)
        named = [(*row[:position], headings[row[position]], *row[position + 1 :]) for row in rows]
        paper = replace(paper, rows=tuple(named))
    if have_same_pairs(board):
        kept = [k for k, name in enumerate(table.columns) if name != "pairs"]
        paper = paper.select_columns(kept)
    paper = _merge_mains(paper, [*board.main_scores.values()])
    return replace(table, paper=replace(paper, columns=_shorten_headings(paper.columns, names)))


def _shorten_headings(columns: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return headings for papers: where a score precedes its interval or deviation, without it.

    Args:
        names: the headings of scores that have another one in papers.

    >>> _shorten_headings(["f1", "f1 95 %", "f1 sd", "recall sd"], {"f1": "Smatch"})
    ('Smatch', '95 %', 'sd', 'recall sd')
    """
    headings, last = [], ""
    for column in columns:
        end = next((end for end in ENDS if column.endswith(end)), "")
        score = column.removesuffix(end)
        if end and score == last:
            headings.append(end.strip())
        else:
            headings.append(f"{names.get(score, score)}{end}")
            last = column
    return tuple(headings)


def _merge_mains(table: Table, mains: Sequence[str]) -> Table:
    """Return a table of metrics with the scores by which they rank parsers in one column.

    A metric has one of these scores, such as ``f1`` or ``mean``, and no value in the columns of
    the others. Their intervals and deviations are merged in the same way.
    """
    first, *others = [name for name in table.columns if name in mains] or [""]
    if not others:
        return table
    positions = {name: k for k, name in enumerate(table.columns)}
    of_first = [(end, positions[first + end]) for end in ("", *ENDS) if first + end in positions]
    moved = {
        positions[name + end]: column
        for name in others
        for end, column in of_first
        if name + end in positions
    }
    rows = [[*row] for row in table.rows]
    for row in rows:
        for k, column in moved.items():
            row[column] = row[k] if row[column] is None else row[column]
    columns = [*table.columns]
    for end, column in of_first:
        columns[column] = f"score{end}"
    merged = replace(
        table,
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        best=frozenset((r, moved.get(c, c)) for r, c in table.best),
        marks={(r, moved.get(c, c)): text for (r, c), text in table.marks.items()},
    )
    return merged.select_columns([k for k in range(len(columns)) if k not in moved])


def choose_headings(report: ReportData) -> dict[str, str]:
    """Return the names of metrics in papers; their own if two metrics have one name there."""
    headings = {name: facts.heading or name for name, facts in report.metrics.items()}
    shared = [*headings.values()]
    return {name: text if shared.count(text) == 1 else name for name, text in headings.items()}


def describe_signatures(report: ReportData) -> list[str]:
    """Return the signatures of the metrics as notes; those with the same options are one."""
    names: dict[str, list[str]] = {}
    for metric in report.metrics:
        options = format_signature(report.settings(metric)).removeprefix(metric)
        names.setdefault(options, []).append(metric)
    return [f"signature: {', '.join(metrics)}{rest}" for rest, metrics in names.items()]


def write_caption(report: ReportData, headings: Mapping[str, str], times_100: bool) -> str:
    """Return what a caption has to say: data, intervals, tests, and pairs without a score."""
    board = report.board.select(kind=CORPUS)
    single = len(headings) == 1
    what = f"{headings[report.metric]} {capitalize_f1(board.main)}" if single else "Scores"
    pairs = ""
    if have_same_pairs(board):
        pairs = f" ({format_count(board.scores[0].pairs, 'sentence')})"
    text = f"{what}{' x 100' if times_100 else ''} against {report.gold_name}{pairs}"
    if report.tests.runs_by_system:
        text += ", mean over runs"
    if board.has_intervals:
        text += f", with {LEVEL} intervals"
    sentences = [text]
    if board.differences:
        sentences.append(describe_bold(board))
    for remark, metrics in describe_left_out(report).items():
        of_some = f"{', '.join(headings[metric] for metric in metrics)}: "
        sentences.append(remark if len(metrics) == len(headings) else f"{of_some}{remark}")
    return f"{'. '.join(sentences)}."
