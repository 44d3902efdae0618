"""Write the report on parsers: pages of their scores, of their mistakes, and of every sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from amr_metrics.base import Metric
from bamboo.board import Board
from bamboo.files import json_text
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import Pages
from bamboo.parsers.costs import compute_costs
from bamboo.parsers.report.exports import export_sentences
from bamboo.parsers.report.mistake_tables import build_errors_page
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.parts import compare_sizes
from bamboo.parsers.report.provenance import record_provenance
from bamboo.parsers.report.scores import build_scores_page
from bamboo.parsers.report.sentence_list import build_sentences_page, write_lists
from bamboo.parsers.report.sentences import Collected
from bamboo.parsers.result import Report

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
    view = Overview.of(report, collected)
    sizes = compare_sizes(report, metric, np.array(collected.sizes, np.int64))
    provenance = record_provenance(report, command)
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


def add_mistakes(report: Report, collected: Collected) -> Report:
    """Return a report with the mistakes of its parsers, and what they cost."""
    if not collected.mistakes:
        return report
    parsers = {
        name: replace(scored, mistakes=collected.mistakes[name])
        for name, scored in report.of_metric.items()
    }
    costs = compute_costs(report.metric, collected.mistakes, report.tests)
    board = Board.join([report.board, costs])
    return replace(report, pairs={report.metric: parsers}, board=board)
