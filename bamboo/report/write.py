"""Write the report on parsers: pages of their scores, of their mistakes, and of every sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from amr_metrics.base import Metric
from amr_metrics.utils.text import counted
from bamboo.evaluation.parts import ASPECT, parts_with
from bamboo.evaluation.report import ParserReport
from bamboo.evaluation.systems import EMPTY
from bamboo.files import json_text
from bamboo.report.exports import aspect_exports, ranking_exports, sentences_csv
from bamboo.report.numbers import points
from bamboo.report.pairs import KINDS, PART, PairSource, kind_code, write_pairs
from bamboo.report.provenance import InputFile, made
from bamboo.report.scores import Overview, compare_sizes, scores_page
from bamboo.site.folder import SiteFolder
from bamboo.site.pairs import CHUNK, shown
from bamboo.site.rendering import Pages, embedded

SCORES, ERRORS = ("Scores", "index.html"), ("Errors", "errors.html")
SENTENCES = ("Sentences", "sentences.html")
STATIC = ("drawing.js", "explained.js", "explorer.js", "report.css", "report.js", "sentences.js")
STATIC = (*STATIC, "site.css", "site.js")
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
    files: Iterable[InputFile] = (),
) -> None:
    """Write the report on parsers.

    Args:
        report: the scores of the parsers, with intervals.
        metric: the metric that computed them.
        pairs: the pairs of each parser, which are read again.
        command: makes the report; "" if there is no such command.
        files: the files that were scored.

    Raises:
        ConfigError: a file that cannot be written.
    """
    found = write_pairs(folder, report, metric, pairs)
    view = Overview.of(report, found)
    sizes = compare_sizes(report, metric, np.array(found.sizes, np.int64))
    provenance = made(report, command, files)
    _write_data(folder, view)
    folder.write("data/report.json", json_text(report.to_json()) + "\n")
    folder.write("data/sentences.csv", sentences_csv(view))
    pages = Pages(folder, (SCORES, SENTENCES), _shared(view))
    page = scores_page(view, sizes)
    exports = ranking_exports(view, provenance["short_signature"], command)
    if page["aspects"]["rows"]:
        exports |= aspect_exports(view, page["aspects"]["rows"], provenance["short_signature"])
    exports |= {
        "made-json": json_text(provenance, indent=1),
        "made-paper": _sentence(view, provenance),
    }
    resamples = provenance["resamples"]
    pages.write(
        "index.html",
        "report_scores.html",
        "Scores",
        **page,
        verdict={
            "title": f"{view.ranked[0]}: {points(view.score(view.ranked[0]))} {view.main}",
            "paragraphs": [],
        },
        notices=[],
        card=[],
        costs=None,
        made=provenance,
        resamples=f"{resamples:,}" if resamples else "",
        permutations=f"{report.results.permutations:,}",
        aspects_note=f"{report.aspects_note}." if report.aspects_note else "",
        exports=embedded(exports),
    )
    _write_sentences(pages, view)
    pages.write_static(STATIC)


def _shared(view: Overview) -> dict[str, Any]:
    """Return the values that all pages need."""
    found = view.found
    parsers = {
        name: {"name": name, "slug": slug, "hue": view.hues[name]}
        for name, slug in found.slugs.items()
    }
    return {
        "metric": view.report.metric,
        "tgt": view.report.tgt,
        "parsers": [*parsers.values()],
        "ranked": [parsers[name] for name in view.ranked],
        "pairs": counted(len(found.ids), "sentence"),
        "has_sentences": any(found.sentences),
        "is_aligned": found.is_aligned,
        "has_costs": view.costs is not None,
        "has_size": view.totals is not None,
    }


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
    views = (["side"] if found.has_triples else []) + (["drawing"] if found.is_aligned else [])
    shared = _shared(view)
    order = [*view.ranked, *view.identical]
    ranked = [next(one for one in shared["parsers"] if one["name"] == name) for name in order]
    absent = {"gap", "agree"} if len(order) == 1 else set()
    absent |= set() if view.costs else {"cost", "short", "agree"}
    about = {
        "metric": view.report.metric,
        "parsers": shared["parsers"],
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
        kinds=[(kind_code(kind), ": ".join(kind)) for kind in KINDS] if found.has_triples else [],
        orders=[(order, text) for order, text in ORDERS.items() if order not in absent],
        ranked=ranked,
    )


def _write_data(folder: SiteFolder, view: Overview) -> None:
    """Write what the list of sentences needs: names, and each parser's scores and mistakes."""
    found, report = view.found, view.report
    names = found.names()
    gold = None if view.totals is None else np.max([g for _, _, g in view.totals.values()], axis=0)
    sentences = {
        "names": names,
        "ids": None if names == found.ids else found.ids,
        "sizes": found.sizes,
        "gold": None if gold is None else gold.astype(int).tolist(),
        "agree": [0] * len(names),
    }
    folder.write_data("sentences", sentences)
    for name, slug in found.slugs.items():
        values = report[name].values
        details = values.scores.details
        of_parser: dict[str, Any] = {
            "scores": shown(values.scores.values),
            "sides": [shown(details[side]) for side in SIDES if side in details],
            "problems": {str(k): str(problem) for k, problem in values.problems.items()},
        }
        if view.totals is not None and view.costs is not None:
            costs = np.rint(view.costs[name] / COST_UNIT).astype(int).tolist()
            of_parser |= {"triples": view.totals[name][1].astype(int).tolist(), "cost": costs}
        folder.write_data(f"scores/{slug}", of_parser)
        if found.has_triples:
            kinds = [[v for item in sorted(own.items()) for v in item] for own in found.kinds[name]]
            folder.write_data(f"mistakes/{slug}", kinds)
    files = {name: scores.values for name, scores in report.parsers.items()}
    for n, of_aspect in enumerate(parts_with(ASPECT, files).values()):
        scores = {
            found.slugs[name]: shown(np.where(part.details[EMPTY], np.nan, part.values))
            for name, part in of_aspect.items()
        }
        folder.write_data(f"aspects/{n}", scores)
