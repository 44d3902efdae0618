"""The pages of the report on parsers: the values for each template, with all numbers formatted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bamboo.evaluation.parts import notes_on_tests
from bamboo.evaluation.report import ParserReport
from bamboo.evaluation.systems import LEVELS, SystemDifference, SystemResults, mark
from bamboo.explanation.errors import MEANINGS
from bamboo.results.table import shown
from bamboo.site import charts
from bamboo.site.folder import SiteFolder
from bamboo.site.parser_pairs import Collected
from bamboo.site.rendering import Pages, embedded
from bamboo.site.shards import CHUNK
from bamboo.site.titles import address
from metrics.utils.text import counted

MENU = (("Scores", "index.html"), ("Errors", "errors.html"), ("Sentences", "sentences.html"))
STATIC = ("drawing.js", "explained.js", "sentences.js", "site.css", "site.js")
BINS = 20  # of a histogram
DIGITS = 4
SIGNIFICANT = LEVELS[-1][0]


def write_pages(
    folder: SiteFolder,
    report: ParserReport,
    sizes: SystemResults,
    found: Collected,
    command: str,
) -> None:
    """Write the pages, their styles and scripts.

    Args:
        sizes: the parsers on graphs of about the same size.
        found: what is known of the pairs.
        command: makes the report; "" if there is no such command.
    """
    aspects = list(dict.fromkeys(row.part for row in report.aspects.scores))
    shared: dict[str, Any] = {
        "metric": report.metric,
        "tgt": report.tgt,
        "pairs": counted(len(found.ids), "pair"),
        "parsers": [
            {"name": name, "slug": slug, "hue": k}
            for k, (name, slug) in enumerate(found.slugs.items())
        ],
        "aligned": found.aligned,
        "has_sentences": any(found.sentences),
        "explained": any(found.errors.values()),
    }
    pages = Pages(folder, MENU, shared)
    pages.write(
        "index.html",
        "report_scores.html",
        "Scores",
        rows=_rows(report, found),
        main=report.results.main,
        names=_score_names(report),
        differences=_differences(report, found),
        aspects=_parts(report.aspects, found, "aspects by parser", "aspect"),
        aspects_note=report.aspects_note,
        sizes=_parts(sizes, found, "scores by number of nodes of the gold graph", "size"),
        histograms=_histograms(report),
        signature=report[next(iter(report.parsers))].signature,
        command=command,
        resamples=f"{report.resampling.resamples:,}",
        notes=[f"{name}: {t}" for name, s in report.parsers.items() for t in s.values.warnings()],
    )
    pages.write("errors.html", "report_errors.html", "Errors", **_errors(found))
    about = {
        "metric": report.metric,
        "parsers": [{"slug": slug, "name": name} for name, slug in found.slugs.items()],
        "kinds": list(MEANINGS),
        "aspects": aspects,
        "chunk": CHUNK,
    }
    pages.write(
        "sentences.html",
        "report_sentences.html",
        "Sentences",
        about=embedded(about),
        aspects=aspects,
        kinds=list(MEANINGS) if any(found.errors.values()) else [],
    )
    pages.write_static(STATIC)


def _number(value: float | None) -> str:
    return shown(None if value is None or math.isnan(value) else float(value), DIGITS)


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{_number(value)}"


def _score_names(report: ParserReport) -> list[str]:
    """Return the names of the corpus scores beside the main one."""
    names = dict.fromkeys(name for row in report.results.scores for name in row.scores)
    return [name for name in names if name != report.results.main]


def _rows(report: ParserReport, found: Collected) -> list[dict[str, Any]]:
    """Return a row per parser."""
    results = report.results
    main = results.main
    intervals = [row.intervals[main] for row in results.scores if row.intervals]
    low = min((ends[0] for ends in intervals), default=0.0)
    high = max((ends[1] for ends in intervals), default=1.0)
    rows = []
    for row in results.scores:
        best, difference = results.versus_best(row)
        ends = row.intervals.get(main)
        rows.append(
            {
                "name": row.system,
                "slug": found.slugs[row.system],
                "pairs": f"{row.pairs:,}",
                "value": _number(row.scores[main]),
                "sort": repr(row.scores[main]),
                "interval": "–" if ends is None else shown(ends, DIGITS),
                "strip": "" if ends is None else charts.strip(row.scores[main], *ends, low, high),
                "others": [_number(row.scores.get(name)) for name in _score_names(report)],
                "is_best": row.system == best,
                "difference": None if difference is None else _signed(difference.value),
                "p": None if difference is None else _number(difference.p_holm),
                "mark": "" if difference is None else mark(difference.p_holm),
            }
        )
    return rows


def _differences(report: ParserReport, found: Collected) -> list[dict[str, Any]]:
    """Return a row per pair of parsers: the difference, and on how many pairs each is better."""
    rows = []
    for one in report.results.differences:
        if one.score != report.results.main:
            continue
        scores = [report[name].scores for name in (one.first, one.second)]
        better = scores[0] - scores[1]
        rows.append(
            {
                "first": one.first,
                "second": one.second,
                "value": _signed(one.value),
                "interval": "–" if math.isnan(one.low) else shown((one.low, one.high), DIGITS),
                "p": _number(one.p),
                "holm": _number(one.p_holm),
                "mark": mark(one.p_holm),
                "wins": [f"{int(np.sum(sign * better > 0)):,}" for sign in (1, -1)],
                "ties": f"{int(np.sum(better == 0)):,}",
                "address": address("", found.slugs[one.first], found.slugs[one.second]),
            }
        )
    return rows


def _parts(results: SystemResults, found: Collected, title: str, what: str) -> dict[str, Any]:
    """Return a chart of the parsers on each part, and its numbers as a table."""
    names = list(found.slugs)
    chosen = [*found.slugs.values(), ""][:2]
    rows: list[charts.DotRow] = []
    lines: list[dict[str, Any]] = []
    for part in dict.fromkeys(row.part for row in results.scores):
        of_part = {row.system: row for row in results.scores if row.part == part}
        dots: list[charts.Dot | None] = []
        tested: list[SystemDifference] = []
        for name in names:
            row = of_part[name]
            best, difference = results.versus_best(row)
            tested += [] if difference is None else [difference]
            value = row.scores.get(results.main)
            low, high = row.intervals.get(results.main, (None, None))
            is_worse = difference is not None and difference.p_holm < SIGNIFICANT
            dots.append(None if value is None else charts.Dot(value, low, high, is_worse))
            lines.append(
                {
                    "part": part,
                    "parser": name,
                    "pairs": f"{row.pairs:,}",
                    "value": _number(value),
                    "interval": "–" if low is None else shown((low, high), DIGITS),
                    "is_best": name == best,
                    "difference": "" if difference is None else _signed(difference.value),
                    "p": "" if difference is None else _number(difference.p_holm),
                    "mark": "" if difference is None else mark(difference.p_holm),
                }
            )
        pairs = max(row.pairs for row in of_part.values())
        note = counted(pairs, "sentence")
        if len(names) == 2 and tested and not math.isnan(tested[0].value):
            sign = 1 if tested[0].first == names[0] else -1
            note = f"{_signed(sign * tested[0].value)} {mark(tested[0].p_holm)}".strip()
        link = f"sentences.html#{address('', *chosen, '', part)}" if what == "aspect" else ""
        if any(dot is not None for dot in dots):
            rows.append(charts.DotRow(part, link, dots, note))
    drawn = [charts.dots(rows, names, title, narrow) for narrow in (False, True)]
    return {"charts": drawn, "lines": lines, "notes": notes_on_tests(results, what)[1:]}


def _histograms(report: ParserReport) -> list[dict[str, Any]]:
    """Return the distribution of each parser's scores."""
    finite = {name: s.scores[np.isfinite(s.scores)] for name, s in report.parsers.items()}
    low = min(0.0, *(values.min() for values in finite.values()))
    high = max(1.0, *(values.max() for values in finite.values()))
    counts = {name: np.histogram(v, BINS, (low, high))[0] for name, v in finite.items()}
    highest = max(int(column.max()) for column in counts.values())
    return [
        {
            "name": name,
            "chart": charts.histogram(
                counts[name].tolist(), low, high, highest, f"{name}: distribution of scores"
            ),
            "mean": _number(float(values.mean())),
            "median": _number(float(np.median(values))),
            "perfect": f"{int(np.sum(values == 1)):,}",
            "zero": f"{int(np.sum(values == 0)):,}",
        }
        for name, values in finite.items()
    ]


def _errors(found: Collected) -> dict[str, Any]:
    """Return the number of triples with each kind of error, most frequent first."""
    totals = {name: found.totals(name) for name in found.slugs}
    rows: list[dict[str, Any]] = []
    for kind, meaning in MEANINGS.items():
        counts = {name: total[kind, 0] + total[kind, 1] for name, total in totals.items()}
        if not any(counts.values()):
            continue
        cells = [
            {
                "count": f"{count:,}",
                "sort": count,
                "share": f"{100 * count / max(sum(totals[name].values()), 1):.1f} %",
                "sides": f"only in the parse: {totals[name][kind, 0]:,}; "
                f"only in the gold graph: {totals[name][kind, 1]:,}",
                "address": address("", found.slugs[name], "", kind),
            }
            for name, count in counts.items()
        ]
        examples = [
            {
                "address": address(one.pair, one.parser, "", kind),
                "parser": next(n for n, slug in found.slugs.items() if slug == one.parser),
                "sentence": found.sentences[one.pair],
                "id": found.ids[one.pair] or f"pair {one.pair}",
                "parse": one.parse,
                "gold": one.gold,
            }
            for one in found.examples[kind]
        ]
        rows.append(
            {
                "kind": kind,
                "meaning": meaning,
                "cells": cells,
                "sum": sum(counts.values()),
                "examples": examples,
            }
        )
    rows.sort(key=lambda row: -row["sum"])
    sums = [f"{sum(total.values()):,}" for total in totals.values()]
    return {"rows": rows, "sums": sums}
