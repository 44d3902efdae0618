"""Write the report on parsers: pages of their scores, of their mistakes, and of every sentence."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from amr_metrics.base import Metric
from amr_metrics.version import VERSION
from bamboo.board import CORPUS, Board
from bamboo.files import json_text
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages
from bamboo.parsers.analyses.errors import compute_costs
from bamboo.parsers.report.exports import export_sentences
from bamboo.parsers.report.mistake_tables import build_errors_page
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.parts import compare_sizes
from bamboo.parsers.report.scores import build_scores_page
from bamboo.parsers.report.sentence_list import build_sentences_page, write_lists
from bamboo.parsers.report.sentences import Collected
from bamboo.parsers.result import Report
from bamboo.parsers.signatures import COMPARABLE

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


def write_report(
    folder: SiteFolder,
    report: Report,
    metric: Metric,
    collected: Collected,
    command: str,
) -> Report:
    """Write the report on parsers, and return it with what mistakes cost.

    Args:
        report: the scores of the parsers, with intervals.
        metric: the metric that computed them.
        collected: what was collected of the pairs while they were scored.
        command: makes the report; "" if there is no such command.

    Raises:
        ConfigError: a file that cannot be written.
    """
    report = add_mistakes(report, collected)
    view = Overview(report, collected)
    sizes = compare_sizes(report, metric, np.array(collected.sizes, np.int64))
    provenance = _record_provenance(report, command)
    write_lists(folder, view)
    document = report.to_json()
    for of_parser in document.get("parsers", [document]):
        del of_parser["pairs"]  # sentences.csv has the scores of each pair
    folder.write("data/report.json", json_text(document) + "\n")
    folder.write("data/sentences.csv", export_sentences(view))
    menu = (SCORES, ERRORS, SENTENCES) if report.has_mistakes else (SCORES, SENTENCES)
    pages = Pages(folder, Path(__file__).parent, menu, view)
    scores = build_scores_page(view, sizes, provenance)
    pages.write("index.html", "report_scores.html", "Scores", scores)
    if report.has_mistakes:
        errors = build_errors_page(view)
        pages.write("errors.html", "report_errors.html", "Errors", errors)
    sentences = build_sentences_page(view)
    pages.write("sentences.html", "report_sentences.html", "Sentences", sentences)
    pages.write_static(STATIC)
    return report


def _record_provenance(report: Report, command: str) -> dict[str, Any]:
    """Return how a report was made, by name, as the page of scores shows and exports it.

    Args:
        command: makes the report; "" if there is no such command.
    """
    corpus = report.board.select(kind=CORPUS)
    return {
        "short_signature": report.signature,
        "signature": report.facts.signature,
        "command": command,
        # The day without the time: on one day, the same command writes the same bytes.
        "date": report.date,
        "version": VERSION,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "seed": report.tests.seed,
        "resamples": report.tests.resamples if corpus.has_intervals else None,
        "permutations": report.tests.number if corpus.differences else None,
        "comparable": COMPARABLE.get(report.metric, ""),
        "files": [
            {
                "name": PurePath(file.path).name,
                # Of each of several files, the number of graphs is unknown.
                "graphs": len(report) if len(files) == 1 else None,
                "bytes": file.bytes,
                "sha256": file.sha256,
            }
            for files in report.inputs.values()
            for file in files
        ],
    }


def add_mistakes(report: Report, collected: Collected) -> Report:
    """Return a report with the mistakes of its parsers, and what they cost."""
    if not collected.mistakes:
        return report
    parsers = {
        name: replace(scored, mistakes=collected.mistakes[name])
        for name, scored in report.by_parser.items()
    }
    costs = compute_costs(report.metric, collected.mistakes, report.tests)
    board = Board.join([report.board, costs])
    return replace(report, pairs={report.metric: parsers}, board=board)
