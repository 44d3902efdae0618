"""The tables of reports on parsers, as text, Markdown, LaTeX and CSV have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from amr_metrics.utils.text import format_count
from bamboo.board import (
    CORPUS,
    DEVIATION,
    FLAG,
    FLAGGED,
    RUN,
    WHOLE,
    Board,
    Difference,
    find_detectable,
)
from bamboo.display.points import join_names
from bamboo.display.shown import Shown, ShownColumns
from bamboo.display.table import LEVEL, Table, capitalize_f1
from bamboo.parsers.layout import (
    SPREAD,
    Key,
    choose_scores,
    choose_versus,
    describe_marks,
    describe_needed,
    describe_runs,
    lay_out,
    tabulate_parts,
)
from bamboo.parsers.left_out import describe_left_out
from bamboo.parsers.pair_tables import (
    arrange_every_pair,
    describe_pairs,
    describe_proofs,
    tabulate_nearest,
    tabulate_pairs,
)
from bamboo.parsers.paper import add_paper_form, describe_signatures
from bamboo.parsers.report_data import ReportData
from bamboo.parsers.signatures import describe_comparable, list_citations
from bamboo.scoring.scored import Scored

LISTED = 20  # pairs that are shown
ABOUT_RUNS = "Scores are means over runs; tests are about these runs only"


def list_tables(
    report: ReportData,
    columns: ShownColumns = "main",
    digits: int | None = None,
    listed: int | None = LISTED,
) -> list[Table]:
    """Return the tables of a report; see `Report.tables`."""
    times_100 = all(facts.times_100 for facts in report.metrics.values())
    style = Shown(times_100, digits, columns)
    is_single = len(report.metrics) == 1
    *before, table = (
        _list_first(report, style, listed) if is_single else [_tabulate_metrics(report, style)]
    )
    table = add_flag_columns(table, report.board)
    if not (is_single and next(iter(report.by_parser.values())).pairs.tgt_count):
        table = add_paper_form(table, report, times_100)
    tables = [*before, table]
    for analysis in report.analyses:
        tables += [] if analysis.per_metric else analysis.tabulate(report, style)
    for name, facts in report.metrics.items():
        of_metric = report if is_single else report[name]
        style, suffix = style._replace(times_100=facts.times_100), "" if is_single else f", {name}"
        tables += list_part_tables(of_metric, style, suffix)
    return tables


def _list_first(report: ReportData, style: Shown, listed: int | None) -> list[Table]:
    """Return the pairs, if there are few, and the corpus scores by the only metric."""
    facts = report.facts
    notes = [
        *_describe_texts(report),
        f"signature: {report.signature}",
        *describe_comparable(facts.settings),
        *list_citations(facts.reference),
    ]
    tables = [tabulate_parsers(report, style)]
    if len(report.parsers) == 1 and listed is not None:
        if len(report) <= listed:
            tables.insert(0, tabulate_pairs(_title(report), report.values, report.corpus, style))
        else:
            notes = [*describe_pairs(report.values), *notes]
    tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *notes))
    return tables


def _title(report: ReportData) -> str:
    return f"{report.metric}: {next(iter(report.parsers.values()))} against {report.tgt}"


def tabulate_nearest_graphs(report: ReportData, style: Shown) -> Table | None:
    """Return the nearest tgt graphs of each src graph; None unless all pairs are scored."""
    scored = next(iter(report.by_parser.values()))
    scores, src = arrange_every_pair(scored), next(iter(report.parsers.values()))
    if scores is None:
        return None
    return tabulate_nearest(_title(report), scored, scores, src == report.tgt, style)


def tabulate_parsers(report: ReportData, style: Shown) -> Table:
    """Return one row per parser; with several parsers, also the difference from the best one."""
    if (nearest := tabulate_nearest_graphs(report, style)) is not None:
        return nearest
    board, notes, main = report.board.select(kind=CORPUS), [], report.board.main
    compared = board.select(score=main).differences
    if compared:
        (best,) = board.best_systems.values()
        marks = describe_marks(report.tests.number, board=board)
        notes = [f"Best by {capitalize_f1(main)}: {join_names(best, None)}. {marks})"]
        notes += describe_runs(board)
        notes += _describe_detectable(compared, main, style)
        notes += describe_needed(board, report.tests.target_difference)
    notes += describe_left_out(report)
    for name, scored in report.by_parser.items():
        notes += [f"{name}: {text}" for text in _remark(report, scored)]
    title, keys = f"{report.metric} against {report.tgt}", {"parser": "system"}
    return _tabulate_corpus(board, title, keys, (main, "macro_f1"), notes, style)


def _remark(report: ReportData, scored: Scored) -> list[str]:
    return [text for analysis in report.analyses for text in analysis.remark(scored)]


def add_flag_columns(table: Table, board: Board) -> Table:
    """Add the numbers of unreadable and of flagged graphs to a table of parsers or of metrics."""
    flags = board.select(kind=FLAG, part=WHOLE)
    if not flags.scores:
        return table
    _, single, *_ = flags.list_names("system")  # the first stands for the gold graphs
    names = [single] * len(table.rows)  # a table of metrics has a single parser
    if "parser" in table.columns:
        names = [row[table.columns.index("parser")] for row in table.rows]
    before = [k for k, name in enumerate(table.columns) if name in ("metric", "parser", "pairs")]
    for k, number in enumerate(FLAGGED, 1 + max(before)):
        table = table.with_column(k, number, [flags.value(name, number) for name in names])
    return table


def _tabulate_metrics(report: ReportData, style: Shown) -> Table:
    board = report.board.select(kind=CORPUS)
    notes = [*_describe_metrics(report), *list_citations(report.reference)]
    (*others, src) = report.parsers.values()
    title = f"Against {report.tgt}" if others else f"{src} against {report.tgt}"
    if board.differences:
        marks = describe_marks(report.tests.number, board=board)
        needed = [
            f"{metric}: {text}"
            for metric in report.metrics
            for text in describe_needed(board.select(metric=metric), report.tests.target_difference)
        ]
        notes[:0] = [f"{marks} for each metric)", *describe_runs(board), *needed]
    return tabulate_metrics(board, title, notes, style)


def _describe_metrics(report: ReportData) -> list[str]:
    """Return what is to be said of several metrics, equal lines once, and their signatures."""
    names = describe_left_out(report)
    is_single = len(report.parsers) == 1
    for metric, by_parser in report.pairs.items():
        for parser, scored in by_parser.items():
            texts = _remark(report, scored)
            if is_single and (proofs := describe_proofs(scored)) is not None:
                texts = [proofs, *texts]
            for text in texts:
                names.setdefault(text if is_single else f"{parser}: {text}", []).append(metric)
    return [
        *(f"{', '.join(metrics)}: {text}" for text, metrics in names.items()),
        *_describe_texts(report),
        *describe_signatures(report),
    ]


def _describe_texts(report: ReportData) -> list[str]:
    """Say what stood around graphs, and what was repaired."""
    return [
        f"extract={report.extract}: {parser}: {extracted.describe(report.extract)}"
        for parser, extracted in report.extracted.items()
        if parser in report.parsers
    ] + [
        f"repair={','.join(report.repair)}: {parser}: {report.describe_repaired(parser)}"
        for parser in report.repaired
        if parser in report.parsers
    ]


def list_part_tables(report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
    """Return the tables of one metric besides that of the whole corpus.

    Args:
        suffix: the end of their titles.
    """
    of_metric = [analysis for analysis in report.analyses if analysis.per_metric]
    tables = [table for a in of_metric for table in a.tabulate(report, style, suffix)]
    if not report.tests.runs_by_system:
        return tables
    tables = [table.add_note(ABOUT_RUNS) for table in tables]
    runs, number = report.board.select(kind=RUN), report.tests.number
    if runs.scores and style.columns == "all":
        tables.insert(0, tabulate_parts(runs, "run", f"Runs{suffix}", (), number, style))
    return tables


def tabulate_metrics(board: Board, title: str, notes: Sequence[str], style: Shown) -> Table:
    """Return several metrics: one row per metric, or one column if there are several parsers.

    With all columns, several parsers have a row each with each metric. A parser of which no pair
    could be scored by a metric has no score.
    """
    mains = [*dict.fromkeys(board.main_scores.values())]
    if not board.differences:
        return _tabulate_corpus(board, title, {"metric": "metric"}, mains, notes, style)
    if style.columns == "all":
        keys = {"metric": "metric", "parser": "system"}
        return _tabulate_corpus(board, title, keys, (*mains, "macro_f1"), notes, style)
    rows = [row for row in board.scores if row.score == board.main_scores[row[:2]]]
    # A deviation is like the score of another metric, by which nothing is compared.
    deviations = [
        row._replace(metric=f"{row.metric}{SPREAD}")
        for row in board.scores
        if row.score == board.main_scores[row[:2]] + DEVIATION
    ]
    columns: dict[str, str] = {}
    for metric in board.list_names("metric"):
        columns[metric] = metric
        if board.has_intervals:
            columns[f"{metric} {LEVEL}"] = metric
        if deviations:
            columns[f"{metric}{SPREAD}"] = f"{metric}{SPREAD}"
    main_scores = Board((*rows, *deviations), board.differences)
    keys = {"parser": "system"}
    return lay_out(title, main_scores, keys, columns, style, across="metric", notes=notes)


def _tabulate_corpus(
    board: Board,
    title: str,
    keys: Mapping[str, Key],
    with_interval: Sequence[str],
    notes: Sequence[str],
    style: Shown,
) -> Table:
    versus = choose_versus(board, style)
    intervals = with_interval if board.has_intervals else ()
    scores = choose_scores(board.list_names("score"), intervals, versus, style)
    keys = {**keys, "pairs": "pairs"}
    rule = "metric" if len(keys) > 2 else ""
    return lay_out(title, board, keys, scores, style, versus=versus, rule=rule, notes=notes)


def _describe_detectable(
    differences: Sequence[Difference], main: str, style: Shown
) -> Iterator[str]:
    """Say which differences are so small that they are seldom found on so few pairs."""
    if sizes := find_detectable(differences):
        ends = dict.fromkeys(map(style.number, sizes))
        pairs = format_count(max(row.pairs for row in differences), "pair")
        yield (
            f"With {pairs}, differences in {capitalize_f1(main)} below "
            f"{' to '.join(ends)} are detected in fewer than four of five tests (80 % power, 2.8 "
            "times the standard error)"
        )
