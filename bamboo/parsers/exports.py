"""Reports on parsers as JSON values and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from amr_metrics.utils.citations import citations
from amr_metrics.version import VERSION
from bamboo.board import BUCKET, CORPUS, MISTAKE, RUN, Board, Difference, Score, count_needed
from bamboo.display.table import Table, render
from bamboo.files import plain
from bamboo.parsers.analyses.aspects import Aspects, aspect_texts
from bamboo.parsers.analyses.buckets import name_buckets
from bamboo.parsers.analyses.errors import group_costs
from bamboo.parsers.analyses.macro import list_bucketed, select_buckets
from bamboo.parsers.analyses.worst import list_worst
from bamboo.parsers.analysis import find_analysis
from bamboo.parsers.layout import have_checks
from bamboo.parsers.report_data import ReportData
from bamboo.parsers.signatures import format_signature
from bamboo.parsers.systems import find_score
from bamboo.parsers.tables import list_tables
from bamboo.scoring.scored import Scored, collect_mistakes

SCHEMA = 1


def build_document(report: ReportData) -> dict[str, Any]:
    """Return a report as JSON values, in the schema of ``score report=json``."""
    if len(report.metrics) == 1:
        return _describe_metric(report)
    src = [*report.parsers.values()]
    return {
        "schema": SCHEMA,
        "src": src[0] if len(src) == 1 else src,
        "tgt": report.tgt,
        "metrics": [{"metric": name, **_describe_metric(report[name])} for name in report.metrics],
    }


def _describe_metric(report: ReportData) -> dict[str, Any]:
    documents = [_describe_parser(report, parser) for parser in report.systems]
    of_report: dict[str, Any] = {
        "short_signature": report.signature,
        "version": VERSION,
        "date": report.date,
        "citations": [*citations(report.reference)],
        "inputs": {
            side: [file._asdict() for file in files] for side, files in report.inputs.items()
        },
    }
    if (size := report.tests.target_difference) is not None:
        board = report.board.select(kind=CORPUS)
        needed = count_needed(board.select(score=board.main).differences, size)
        of_report["detect"] = {"difference": size, "sentences": needed}
    for analysis in report.analyses:
        of_report |= plain(analysis.to_json(report))
    if len(documents) == 1:
        return documents[0] | of_report
    return {
        "schema": SCHEMA,
        "signature": report.facts.signature,
        **of_report,
        "tgt": report.tgt,
        "parsers": documents,
        "comparisons": _describe_differences(report.board.select(kind=CORPUS)),
    }


def _describe_parser(report: ReportData, parser: str) -> dict[str, Any]:
    board, analysis = report.board, find_analysis(report.analyses, Aspects)
    plan = None if analysis is None else analysis.plans.get(report.metric)
    definition = None if plan is None else plan.definition
    corpus, aspects, subscores = (board.select(kind=k) for k in (CORPUS, "aspect", "subscore"))
    rows = [row for row in corpus.scores if row.system == parser and row.pairs]
    macro = {row.score: row.value for row in rows if find_score(row.score).mean_of}
    number = report.tests.number
    draws = {
        "resamples": report.tests.resamples,
        "permutations": number if corpus.differences else None,
        "aspect_permutations": number if aspects.differences else None,
        "seed": report.tests.seed,
    }
    costs = group_costs(board.select(kind=MISTAKE)).values()
    runs = [_describe_run(report, parser, run) for run in report.systems[parser]]
    single = {} if report.tests.runs_by_system else runs[0]  # a parser without several runs
    return {
        "schema": SCHEMA,
        "signature": report.facts.signature,
        **(_describe_pairs(report.by_parser[parser]) if single else {"runs": runs}),
        "corpus": plain({row.score: row.value for row in rows if row.score not in macro}),
        "on_error": report.on_error,
        **({"problems": single["problems"]} if single else {}),
        **({"extracted": report.extracted[parser]._asdict()} if parser in report.extracted else {}),
        **(
            {"repaired": report.repaired[parser].to_json(report.metric)}
            if parser in report.repaired
            else {}
        ),
        **({"paired_by": report.paired_by[parser]} if parser in report.paired_by else {}),
        "short_signature": format_signature(report.facts.settings),
        "parser": parser,
        **({"src": single["src"]} if single else {}),
        "macro": plain({name.removeprefix("macro_"): value for name, value in macro.items()}),
        "intervals": plain({row.score: row.interval for row in rows if row.interval is not None}),
        "sampling": {**draws, "level": 0.95},
        "aspects_definition": definition,
        "aspects": _describe_parts(aspects, "aspect", parser, aspect_texts(definition)),
        "by": name_buckets(report.analyses),
        "buckets": _describe_parts(select_buckets(board), BUCKET, parser),
        "aspect_buckets": {
            aspect: _describe_parts(select_buckets(board, aspect), BUCKET, parser)
            for aspect in list_bucketed(board)
            if aspect
        },
        "subscores": {
            place[2]: {**_list_values(scores), **_describe_best(subscores, *place)}
            for place, scores in subscores.rows.items()
            if place[3] == parser
        },
        **(
            {"errors": [plain(by_parser[parser]._asdict()) for by_parser in costs]}
            if collect_mistakes(report.by_parser)
            else {}
        ),
        "worst": [plain(asdict(pair)) for pair in list_worst(report) if pair.parser == parser],
    }


def _describe_run(report: ReportData, parser: str, run: str) -> dict[str, Any]:
    """Return the output of a parser, or of one of its runs."""
    rows = report.board.select(kind=RUN, system=parser, part=run).scores
    scored = report.by_parser[run]
    return {
        "run": run,
        "src": report.parsers[run],
        "corpus": plain({row.score: row.value for row in rows}),
        "problems": [{"pair": k, **why.to_json()} for k, why in scored.problems.items()],
        **({} if not report.tests.runs_by_system else _describe_pairs(scored)),
    }


def _describe_pairs(scored: Scored) -> dict[str, Any]:
    columns = scored.columns()
    rows = zip(*columns.values(), strict=True)
    pairs = [dict(zip(columns, row, strict=True)) for row in rows]
    for k, why in scored.problems.items():
        pairs[k]["problem"] = str(why)
    return {"scores": columns["score"], "pairs": pairs}


def _list_values(scores: Mapping[str, Score]) -> Any:
    """Return scores by name, none if the part occurs in no pair."""
    return plain({name: row.value for name, row in scores.items() if row.pairs})


def _describe_parts(
    board: Board, what: str, parser: str, texts: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return a parser's scores of aspects or buckets as JSON values.

    Args:
        what: ``aspect`` or ``bucket``.
        texts: see `aspect_texts`.
    """
    return [
        {
            what: place[2],
            **({} if texts is None else {"compared": texts.get(place[2])}),
            "pairs": (main := scores[board.main]).pairs,
            "left_out": main.left_out,
            "corpus": _list_values(scores),
            "interval": plain(main.interval),
            **_describe_best(board, *place),
        }
        for place, scores in board.rows.items()
        if place[3] == parser
    ]


def _describe_best(board: Board, metric: str, kind: str, part: str, parser: str) -> dict[str, Any]:
    """Return the best parser on a part, and the difference from it."""
    best, row = board.compare_with_best(metric, kind, part, parser)
    if best is None:
        return {}
    if row is None:
        return {"best": best, "versus_best": None}
    values: dict[str, Any] = {"pairs": row.pairs, board.main: row.value}
    values |= {} if row.interval is None else {"interval": row.interval}
    values |= {"p": row.p, "p_adjusted": row.p_adjusted}
    return {"best": best, "versus_best": plain(values)}


def _describe_differences(board: Board) -> list[dict[str, Any]]:
    """Return the differences of parsers, one entry per pair of parsers."""
    entries = []
    for main in board.select(score=board.main).differences:
        tested = {
            row.score: {
                "value": row.value,
                "low": row.low,
                "high": row.high,
                "p_bootstrap": row.p_bootstrap,
                "p_permutation": row.p,
                "detectable": row.detectable,
                **({"p_z": row.check} if have_checks(board) else {}),
            }
            for row in board.differences
            if (row.first, row.second) == (main.first, main.second)
        }
        named = {"first": main.first, "second": main.second, "pairs": main.pairs}
        entries.append(plain({**named, "p_adjusted": main.p_adjusted, "differences": tested}))
    return entries


def write_csv(report: ReportData, has_pairs: bool = True) -> str:
    """Return the scores as CSV; for several metrics also the differences of parsers.

    Args:
        has_pairs: begin with the scores of the pairs, if there is one parser and metric.
    """
    if len(report.metrics) == 1:
        tables = list_tables(report, "all", listed=len(report) if has_pairs else None)
        if has_pairs and len(report.parsers) == 1 and not report.board.has_intervals:
            del tables[1]  # the corpus scores follow from those of the pairs
        return render([table.add_signature(report.signature) for table in tables], "csv")
    signatures = {name: format_signature(report.settings(name)) for name in report.metrics}
    signatures |= {"": ""}  # of what no metric computes
    text = _write_rows(report.board.scores, Score._fields, signatures)
    differences = report.board.differences
    has_checks = have_checks(report.board)
    fields = [name for name in Difference._fields if name != "check" or has_checks]
    return text + ("\n" + _write_rows(differences, fields, signatures) if differences else "")


def _write_rows(
    rows: Iterable[Score | Difference], fields: Iterable[str], signatures: Mapping[str, str]
) -> str:
    names = {"system": "parser", "p": "p_permutation", "check": "p_z"}
    columns = *(names.get(name, name) for name in fields), "signature"
    cells = ((*(getattr(row, f) for f in fields), signatures[row.metric]) for row in rows)
    return Table("", columns, tuple(cells)).to_csv()
