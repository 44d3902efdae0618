"""The pages of the report on parsers: the values for each template, with all numbers formatted."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np
from markupsafe import Markup

from amr_metrics.utils.text import counted
from bamboo.evaluation.report import ParserReport
from bamboo.evaluation.shown import Shown
from bamboo.evaluation.systems import SystemResults
from bamboo.evaluation.tables import (
    LEVELS,
    mark,
    notes_on_tests,
    results_table,
    with_intervals,
)
from bamboo.explanation.errors import MEANINGS
from bamboo.results.table import Table, shown
from bamboo.site import charts
from bamboo.site.folder import SiteFolder
from bamboo.site.parser_pairs import Collected
from bamboo.site.rendering import Pages, cells_of, embedded
from bamboo.site.shards import CHUNK
from bamboo.site.titles import address

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
        main=report.results.main,
        tables=[*map(cells_of, report.tables())],
        whole=_charts(report.results, found, "scores by parser"),
        differences=_differences(report, found),
        aspects=_charts(report.aspects, found, "aspects by parser", is_aspect=True),
        too_few=notes_on_tests(report.aspects, "aspect")[1:],  # permutations
        sizes=_charts(sizes, found, "scores by number of nodes of the gold graph"),
        size_table=cells_of(_size_table(sizes)),
        histograms=_histograms(report),
        signature=report[next(iter(report.parsers))].signature,
        command=command,
        resamples=f"{report.resampling.resamples:,}",
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
                "adjusted": _number(one.p_adjusted),
                "mark": mark(one.p_adjusted),
                "wins": [f"{int(np.sum(sign * better > 0)):,}" for sign in (1, -1)],
                "ties": f"{int(np.sum(better == 0)):,}",
                "address": address("", found.slugs[one.first], found.slugs[one.second]),
            }
        )
    return rows


def _charts(
    results: SystemResults, found: Collected, title: str, is_aspect: bool = False
) -> list[Markup]:
    """Draw the parsers on each part, for wide and for narrow screens."""
    names = list(found.slugs)
    chosen = [*found.slugs.values(), ""][:2]
    rows: list[charts.DotRow] = []
    for part in dict.fromkeys(row.part for row in results.scores):
        of_part = {row.system: row for row in results.scores if row.part == part}
        note = counted(max(row.pairs for row in of_part.values()), "sentence")
        dots: list[charts.Dot | None] = []
        for row in of_part.values():
            _, one = results.versus_best(row)
            value = row.scores.get(results.main)
            low, high = row.intervals.get(results.main, (None, None))
            is_worse = one is not None and one.p_adjusted < SIGNIFICANT
            dots.append(None if value is None else charts.Dot(value, low, high, is_worse))
            if one is not None and len(names) == 2 and not math.isnan(one.value):
                difference = one.value if one.first == names[0] else -one.value
                note = f"{_signed(difference)} {mark(one.p_adjusted)}".strip()
        link = f"sentences.html#{address('', *chosen, '', part)}" if is_aspect else ""
        if any(dot is not None for dot in dots):
            rows.append(charts.DotRow(part or results.main, link, dots, note))
    return [charts.dots(rows, names, title, narrow) for narrow in (False, True)]


def _size_table(sizes: SystemResults) -> Table:
    """Return one row per class of size and parser."""
    columns = {
        "size": attrgetter("part"),
        "parser": attrgetter("system"),
        "sentences": attrgetter("pairs"),
    }
    names = with_intervals([sizes.main], [sizes.main])
    return results_table("Sizes", sizes, columns, names, Shown(), notes_on_tests(sizes, "size"))


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
    counts = {name: found.by_kind(name) for name in found.slugs}
    sums = {name: sum(sum(c.values()) for c in kinds.values()) for name, kinds in counts.items()}
    names = {slug: name for name, slug in found.slugs.items()}
    totals = {kind: sum(sum(c[kind].values()) for c in counts.values()) for kind in MEANINGS}
    rows: list[dict[str, Any]] = []
    for kind in sorted(filter(totals.get, totals), key=lambda kind: -totals[kind]):
        cells = [
            {
                "count": sum(counts[name][kind].values()),
                "share": f"{100 * sum(counts[name][kind].values()) / max(sums[name], 1):.1f} %",
                **counts[name][kind],
                "address": address("", slug, "", kind),
            }
            for name, slug in found.slugs.items()
        ]
        examples = [
            {
                **one._asdict(),
                "address": address(one.pair, one.parser, "", kind),
                "parser": names[one.parser],
                "sentence": found.sentences[one.pair] or found.ids[one.pair] or f"pair {one.pair}",
            }
            for one in found.examples[kind]
        ]
        row = {"kind": kind, "meaning": MEANINGS[kind], "cells": cells, "examples": examples}
        rows.append(row)
    return {"rows": rows, "sums": list(sums.values())}
