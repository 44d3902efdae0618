"""Write the report on parsers: pages of their scores, of their mistakes, and of every sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.base import Metric
from amr_metrics.utils.text import counted
from bamboo.files import json_text
from bamboo.pages.explorer import CHUNK, shown
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages, embedded
from bamboo.parsers.costs import construction_costs
from bamboo.parsers.parts import ASPECT, parts_with
from bamboo.parsers.report.exports import (
    aspect_exports,
    cost_exports,
    error_exports,
    ranking_exports,
    sentences_csv,
)
from bamboo.parsers.report.mistake_tables import agreement_counts, confused_pairs, errors_page
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.parts import compare_sizes
from bamboo.parsers.report.provenance import made
from bamboo.parsers.report.scores import card, scores_page
from bamboo.parsers.report.sentences import (
    KINDS,
    PART,
    Collected,
    PairSource,
    kind_code,
    write_pairs,
)
from bamboo.parsers.result import ParserReport
from bamboo.parsers.systems import EMPTY, SystemResults

SCORES, ERRORS = ("Scores", "index.html"), ("Errors", "errors.html")
SENTENCES = ("Sentences", "sentences.html")
STATIC = (
    "drawing.js",
    "explained.js",
    "explorer.js",
    "report.css",
    "report.js",
    "sentences.js",
    "site.css",
    "site.js",
)
SIDES = ("precision", "recall")
COST_UNIT = 1e-8  # of the costs of sentences in data files
ORDERS = {
    "cost": "costs most points",
    "gap": "A better than B",
    "number": "number",
    "low": "lowest score",
    "short": "smallest against gold",
    "size": "largest graph",
    "agree": "parsers agree, gold differs",
}


def write_report(
    folder: SiteFolder,
    report: ParserReport,
    metric: Metric,
    pairs: Mapping[str, PairSource],
    command: str,
) -> ParserReport:
    """Write the report on parsers, and return it with what mistakes cost.

    Args:
        report: the scores of the parsers, with intervals.
        metric: the metric that computed them.
        pairs: the pairs of each parser, which are read again.
        command: makes the report; "" if there is no such command.

    Raises:
        ConfigError: a file that cannot be written.
    """
    found = write_pairs(folder, report, metric, pairs)
    report = _with_mistakes(report, found)
    view = Overview.of(report, found)
    sizes = compare_sizes(report, metric, np.array(found.sizes, np.int64))
    provenance = made(report, command)
    _write_data(folder, view)
    document = report.to_json()
    for of_parser in document.get("parsers", [document]):
        del of_parser["pairs"]  # sentences.csv has the scores of each pair
    folder.write("data/report.json", json_text(document) + "\n")
    folder.write("data/sentences.csv", sentences_csv(view))
    has_errors = report.costs is not None
    menu = (SCORES, ERRORS, SENTENCES) if has_errors else (SCORES, SENTENCES)
    pages = Pages(folder, Path(__file__).parent, menu, _shared(view))
    _write_scores(pages, view, sizes, provenance)
    if report.costs is not None:
        exports = embedded(error_exports(view, report.costs, provenance["short_signature"]))
        errors = errors_page(view, report.costs)
        pages.write("errors.html", "report_errors.html", "Errors", **errors, exports=exports)
    _write_sentences(pages, view)
    pages.write_static(STATIC)
    return report


def _with_mistakes(report: ParserReport, found: Collected) -> ParserReport:
    """Return a report with the mistakes of its parsers, and what they cost."""
    if not found.mistakes:
        return report
    parsers = {}
    for name, scores in report.parsers.items():
        values = replace(scores.values, mistakes=found.mistakes[name])
        parsers[name] = replace(scores, values=values)
    costs = construction_costs(found.mistakes, report.resampling)
    return replace(report, parsers=parsers, costs=costs)


def _shared(view: Overview) -> dict[str, Any]:
    """Return the values that all pages need."""
    found = view.found
    parsers = _parsers(view)
    return {
        "metric": view.report.metric,
        "gold": view.gold,
        "parsers": [*parsers.values()],
        "ranked": [parsers[name] for name in view.ranked],
        "numbered": [parsers[name] for name in view.numbered],
        "is_wide": view.is_wide,
        "pairs": counted(len(found.ids), "sentence"),
        "has_sentences": any(found.sentences),
        "is_aligned": found.is_aligned,
        "has_costs": view.costs is not None,
    }


def _parsers(view: Overview) -> dict[str, dict[str, str]]:
    return {
        name: {"name": name, "slug": slug, "hue": view.hues[name]}
        for name, slug in view.found.slugs.items()
    }


def _write_scores(
    pages: Pages, view: Overview, sizes: SystemResults | None, provenance: Mapping[str, Any]
) -> None:
    page = scores_page(view, sizes)
    signature = provenance["short_signature"]
    exports = ranking_exports(view, signature, provenance["command"])
    if page["aspects"]["rows"]:
        exports |= aspect_exports(view, [row["part"] for row in page["aspects"]["rows"]], signature)
    if view.report.costs is not None:
        exports |= cost_exports(view, view.report.costs, signature)
    exports |= {"made-json": json_text(provenance, indent=1)}
    exports |= {"made-paper": _sentence(view, provenance), "made-bibtex": view.report.bibtex()}
    resamples, note = provenance["resamples"], view.report.aspects_note
    pages.write(
        "index.html",
        "report_scores.html",
        "Scores",
        **page,
        card=card(view, provenance),
        made=provenance,
        has_bibtex=bool(view.report.bibtex()),
        resamples=f"{resamples:,}" if resamples else "",
        permutations=f"{view.report.results.permutations:,}",
        aspects_note=f"{note[:1].upper()}{note[1:]}." if note else "",
        exports=embedded(exports),
    )


def _sentence(view: Overview, provenance: Mapping[str, Any]) -> str:
    """Return a sentence for a paper."""
    tests = (
        "; differences were tested by paired permutation tests with "
        f"{provenance['permutations']:,} permutations, corrected by Westfall and Young's min-p"
        if provenance["permutations"]
        else ""
    )
    intervals = (
        f", with 95 % intervals from {provenance['resamples']:,} bootstrap resamples of sentences"
        if provenance["resamples"]
        else ""
    )
    return (
        f"We report {view.report.metric} ({provenance['short_signature']}) in points of 100 on "
        f"{len(view.found.ids):,} sentences{intervals}{tests}.\n"
    )


def _write_sentences(pages: Pages, view: Overview) -> None:
    found = view.found
    aspects = list(dict.fromkeys(row.part for row in view.report.aspects.scores))
    views = (["side"] if view.mistakes else []) + (["drawing"] if found.is_aligned else [])
    parsers = _parsers(view)
    ranked = [parsers[row.parser] for row in view.ranking]
    absent = {"gap"} if len(ranked) == 1 else set()
    absent |= set() if len(ranked) > 1 and view.mistakes else {"agree"}
    absent |= set() if view.costs else {"cost", "short"}
    about = {
        "metric": view.report.metric,
        "parsers": [*parsers.values()],
        "ranked": [one["slug"] for one in ranked],
        "kinds": [*map(kind_code, KINDS)],
        "aspects": aspects,
        "count": len(found.ids),
        "chunk": CHUNK,
        "part": PART,
        "views": [*views, "penman"],
        "costs": view.costs is not None,
    }
    pages.write(
        "sentences.html",
        "report_sentences.html",
        "Sentences",
        about=embedded(about),
        aspects=aspects,
        kinds=[(kind_code(kind), ": ".join(kind)) for kind in KINDS] if view.mistakes else [],
        orders=[(order, text) for order, text in ORDERS.items() if order not in absent],
        ranked=ranked,
    )


def _write_data(folder: SiteFolder, view: Overview) -> None:
    """Write what the list of sentences needs: names, and each parser's scores and mistakes."""
    found, report = view.found, view.report
    gold = view.gold_triples
    sentences = {
        "names": found.names,
        "ids": None if found.names == found.ids else found.ids,
        "sizes": found.sizes,
        "gold": None if gold is None else gold.astype(int).tolist(),
        "agree": agreement_counts(view),
    }
    folder.write_data("sentences", sentences)
    folder.write_data("confusions", confused_pairs(view) if view.mistakes else {})
    for name, slug in found.slugs.items():
        values = report[name].values
        details = values.scores.details
        of_parser: dict[str, Any] = {
            "scores": shown(values.scores.values),
            "sides": [shown(details[side]) for side in SIDES if side in details],
            "problems": {str(k): str(problem) for k, problem in values.problems.items()},
        }
        if view.costs is not None:
            triples = np.nan_to_num(np.asarray(details["src_total"], np.float64))
            costs = np.rint(np.nan_to_num(view.costs[name]) / COST_UNIT)
            of_parser["triples"] = triples.astype(int).tolist()
            of_parser["cost"] = costs.astype(int).tolist()
        folder.write_data(f"scores/{slug}", of_parser)
        if view.mistakes:
            counts = np.nan_to_num(view.mistakes[name].counts).reshape(len(found.ids), -1)
            kinds = [
                [v for k in np.flatnonzero(row) for v in (int(k), int(row[k]))] for row in counts
            ]
            folder.write_data(f"mistakes/{slug}", kinds)
    files = {name: scores.values for name, scores in report.parsers.items()}
    for n, of_aspect in enumerate(parts_with(ASPECT, files).values()):
        scores = {
            found.slugs[name]: shown(np.where(part.details[EMPTY], np.nan, part.values))
            for name, part in of_aspect.items()
        }
        folder.write_data(f"aspects/{n}", scores)
