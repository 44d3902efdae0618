"""What the buttons of the report copy and save: tables as LaTeX, Markdown and TSV, and a figure."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from html import escape
from typing import Any

from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS
from bamboo.display.table import Table, escape_latex
from bamboo.files import json_text
from bamboo.pages.charts import ticks
from bamboo.parsers.confusions import count_confusions
from bamboo.parsers.layout import count_tests
from bamboo.parsers.left_out import describe_left_out, describe_sentences
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.plots import Axis

LINE = 22  # pixels of a parser in the figure
# Pixels: the plot, at least so many on its left, on its right, and a letter of a name. With names
# of up to 15 letters, the figure has the width of a column of a paper.
PLOT, LABEL, RIGHT, LETTER = 240, 110, 10, 6.6
ALL = 1_000_000  # more confusions than any parser makes
COLOURS = ("#0072b2", "#c04f00", "#00805c", "#b0558a", "#2f8fc4", "#a36f00")
# Captions of tables, by the first column.
CAPTIONS = {
    "parser": "{metric} of {parsers} on {sentences}, in points of 100{intervals}.",
    "aspect": "F1 on aspects of meaning, in points of 100.",
    "construction": "Mistakes by construction; each is counted once. F1 gain: how much higher F1 "
    "would be without these mistakes, in points of 100; per 100: mistakes per 100 gold triples.",
}
STARS = (
    " Asterisks: a significant difference from the best parser in a paired permutation test, "
    "corrected by Westfall and Young's min-p (p < .05, .01, .001)."
)


def export_scores(view: Overview, provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return what the buttons of the page of scores copy and save, by name."""
    keys = {"parser": "ranking", "aspect": "aspects", "construction": "costs"}
    exports = _export_tables(view, keys, provenance["command"])
    exports |= {"ranking-svg": _draw_figure(view), "made-json": json_text(provenance, indent=1)}
    sentence, bibtex = _write_sentence(view, provenance), view.report.bibtex()
    return exports | {"made-paper": sentence, "made-bibtex": bibtex}


def export_errors(view: Overview) -> dict[str, str]:
    """Return what the buttons of the page of errors copy, by name."""
    confusions = tuple(
        (*key, *(counts[name] for name in view.compared))
        for key, counts in count_confusions(view.confusions, most=ALL).items()
    )
    places = tuple(
        (view.collected.names[place.pair], place.construction, place.gold_text, place.parse_text)
        for place in view.shared_mistakes
    )
    tables = {
        "confusions": Table("", ("construction", "gold", "parse", *view.compared), confusions),
        "places": Table("", ("sentence", "construction", "gold", "parse"), places),
    }
    exports = {f"{key}-tsv": table.to_csv("\t") for key, table in tables.items()}
    return _export_tables(view, {"construction": "errors"}) | exports


def _export_tables(view: Overview, keys: Mapping[str, str], command: str = "") -> dict[str, str]:
    """Return tables of the command as LaTeX, Markdown and TSV; TSV has all columns and digits.

    Args:
        keys: begin the names of the exports, by the first column of the table.
        command: a further note.
    """
    report = view.report
    board = report.board.select(kind=CORPUS)
    signature = f"signature: {report.signature}"
    names = {
        "metric": report.metric,
        "parsers": format_count(len(report.parsers), "parser"),
        "sentences": describe_sentences(report.by_parser),
        "intervals": ", with 95 % bootstrap intervals" if board.has_intervals else "",
    }
    left_out = [*describe_left_out(report)]
    stars = STARS if count_tests(board) else ""
    exports: dict[str, str] = {}
    for table, whole in view.tables:
        first = whole.columns[0]  # a row per aspect, also of several parsers
        if first not in keys or f"{keys[first]}-tsv" in exports:  # the first table has the parsers
            continue
        further = [*left_out, signature, *([command] if command else [])]
        for note in further:
            table = table if note in table.notes else table.add_note(note)
        caption = CAPTIONS[first].format(**names)
        caption += stars if "minus best" in whole.columns else ""
        caption = " ".join([caption, *(f"{text}." for text in left_out)])
        exports |= {
            f"{keys[first]}-latex": _write_latex(table, caption),
            f"{keys[first]}-markdown": f"{table.to_markdown()}\n",
            f"{keys[first]}-tsv": whole.to_csv("\t"),
        }
    return exports


def _write_latex(table: Table, caption: str) -> str:
    # Eight columns and names of 20 characters fit the text block of the default class.
    layout = [r"\centering", r"\footnotesize", r"\setlength{\tabcolsep}{2pt}"]
    begin = [r"\begin{table}", *layout, table.to_latex()]
    return "\n".join([*begin, rf"\caption{{{escape_latex(caption)}}}", r"\end{table}", ""])


def _write_sentence(view: Overview, provenance: Mapping[str, Any]) -> str:
    """Return a sentence for a paper."""
    report, resamples = view.report, provenance["resamples"]
    tests = (
        f"; differences were tested by paired permutation tests with {report.tests.number:,} "
        "permutations, corrected by Westfall and Young's min-p"
        if count_tests(report.board.select(kind=CORPUS))
        else ""
    )
    intervals = (
        f", with 95 % intervals from {resamples:,} bootstrap resamples of sentences"
        if resamples
        else ""
    )
    sentences = [
        f"We report {report.metric} ({provenance['short_signature']}) in points of 100 on "
        f"{describe_sentences(report.by_parser)}{intervals}{tests}",
        *describe_left_out(report),
    ]
    return f"{'. '.join(sentences)}.\n"


def _draw_figure(view: Overview) -> str:
    """Return the ranking as an SVG document for a paper, in fixed colours."""
    board = view.report.board.select(kind=CORPUS, score=view.report.board.main)
    by_name = {row.system: row for row in board.scores}
    rows = [by_name[name] for name in view.compared]
    axis = Axis.over([v for row in rows for v in (row.value, row.low, row.high)])
    left = max(LABEL, math.ceil(LETTER * max(len(row.system) for row in rows)) + RIGHT)
    width, height = left + PLOT + RIGHT, LINE * len(rows) + 30

    def x(value: float) -> float:
        return left + PLOT * axis.at(value) / 100

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">'
    ]
    for tick in ticks(axis.low, axis.high, 4):
        at = x(tick / 100)
        parts.append(f'<path d="M{at:.1f} 4V{height - 22}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{height - 8}" text-anchor="middle">{tick:g}</text>')
    for k, row in enumerate(rows):
        y = 4 + LINE * (k + 0.5)
        colour = COLOURS[[*view.hues].index(row.system) % len(COLOURS)]
        parts.append(f'<text x="0" y="{y + 4:.1f}">{escape(row.system)}</text>')
        if row.interval is not None:
            line = f"M{x(row.low):.1f} {y:.1f}H{x(row.high):.1f}"
            parts.append(f'<path d="{line}" stroke="{colour}" stroke-width="2"/>')
        at = x(row.value)
        parts.append(f'<circle cx="{at:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
    return "".join([*parts, "</svg>\n"])


def export_sentences(view: Overview) -> str:
    """Return the scores of every sentence by each parser as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    details = {name: scored.scores for name, scored in view.report.by_parser.items()}
    columns = [*dict.fromkeys(c for scores in details.values() for c in scores.details)]
    counted = [
        c for c in ("precision", "recall", "matches", "src_total", "tgt_total") if c in columns
    ]
    writer.writerow(["pair", "id", "parser", "score", *counted])
    for name, scores in details.items():
        lists = [scores.values.tolist(), *(scores.details[c].tolist() for c in counted)]
        for k, values in enumerate(zip(*lists, strict=True)):
            cells = ["" if v != v else v for v in values]  # NaN is empty
            writer.writerow([k, view.collected.ids[k] or "", name, *cells])
    return text.getvalue()
