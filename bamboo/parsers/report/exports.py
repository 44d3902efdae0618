"""What the buttons of the report copy and save: tables as LaTeX, Markdown and TSV, and a figure."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from html import escape

from amr_metrics.utils.text import counted
from bamboo.display.points import points
from bamboo.display.table import Table, escape_latex, render
from bamboo.explanation.mistakes import DIRECTIONS, TITLES
from bamboo.files import json_text
from bamboo.pages.charts import ticks
from bamboo.parsers.confusions import agreements, frequent_confusions
from bamboo.parsers.costs import COLUMNS, Costs, list_constructions, select_costs
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.plots import Axis
from bamboo.parsers.report.provenance import Provenance
from bamboo.parsers.tables import mark

WIDTH = 360  # pixels: a column of a paper
LINE = 22  # pixels of a parser in the figure
LABEL, RIGHT = 110, 10  # pixels beside the plot
ALL = 1_000_000  # more confusions than any parser makes
SIDES = ("precision", "recall", "f1")
COLOURS = ("#0072b2", "#c04f00", "#00805c", "#b0558a", "#2f8fc4", "#a36f00")


def _export_table(key: str, table: Table, values: Table, caption: str) -> dict[str, str]:
    """Return a table as LaTeX, Markdown and TSV.

    Args:
        key: begins the names of the exports.
        table: in points of 100; its notes, such as the signature, are comments in LaTeX.
        values: with all digits.
    """
    return {
        f"{key}-latex": _latex(table, caption),
        f"{key}-markdown": f"{render([table], 'markdown')}\n",
        f"{key}-tsv": _tsv(values),
    }


def _latex(table: Table, caption: str) -> str:
    # Six columns and names of 20 characters fit the text block of the default class.
    layout = [r"\centering", r"\small", r"\setlength{\tabcolsep}{4pt}"]
    begin = [r"\begin{table}", *layout, render([table], "latex")]
    return "\n".join([*begin, rf"\caption{{{escape_latex(caption)}}}", r"\end{table}", ""])


def _tsv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, "excel-tab", lineterminator="\n")
    writer.writerows([table.columns, *(["" if v is None else v for v in r] for r in table.rows)])
    return text.getvalue()


def export_scores(view: Overview, aspects: Sequence[str], provenance: Provenance) -> dict[str, str]:
    """Return what the buttons of the page of scores copy and save, by name.

    Args:
        aspects: those that are shown, in their order.
    """
    signature, costs = provenance.short_signature, view.report_costs
    exports = _export_ranking(view, signature, provenance.command)
    if aspects:
        exports |= _export_aspects(view, aspects, signature)
    if view.report.has_mistakes:
        exports |= _export_costs(view, costs, signature)
    exports |= {"made-json": json_text(provenance, indent=1)}
    exports |= {"made-paper": _describe(view, provenance), "made-bibtex": view.report.bibtex()}
    return exports


def _describe(view: Overview, provenance: Provenance) -> str:
    """Return a sentence for a paper."""
    tests = (
        "; differences were tested by paired permutation tests with "
        f"{provenance.permutations:,} permutations, corrected by Westfall and Young's min-p"
        if provenance.permutations
        else ""
    )
    intervals = (
        f", with 95 % intervals from {provenance.resamples:,} bootstrap resamples of sentences"
        if provenance.resamples
        else ""
    )
    return (
        f"We report {view.report.metric} ({provenance.short_signature}) in points of 100 on "
        f"{len(view.found.ids):,} sentences{intervals}{tests}.\n"
    )


def _export_ranking(view: Overview, signature: str, command: str) -> dict[str, str]:
    """Return the ranking as a table and as a figure."""
    main = view.report.board.main
    sides = [name for name in ("precision", "recall") if name in view.ranking[0].scores]
    rows, values = [], []
    for row in view.ranking:
        low, high = row.intervals.get(main, (None, None))
        interval = "–" if low is None or high is None else f"{points(low)}–{points(high)}"
        one = row.difference
        shown = [100 * row.scores[name] for name in (*sides, main)]
        rows.append((row.parser, *shown, interval, "" if one is None else mark(one.p_adjusted)))
        tested = (None, None) if one is None else (one.value, one.p_adjusted)
        scores = [row.scores[name] for name in (*sides, main)]
        values.append((row.parser, *scores, low, high, *tested))
    headings = ("parser", *(side[0].upper() for side in sides), view.main, "95 % interval", "")
    columns = ("parser", *sides, main, "low", "high", "difference", "p_adjusted")
    notes = (signature, *([command] if command else []))
    table = Table(f"{view.report.metric}, {view.gold}", headings, tuple(rows), 1, notes)
    caption = (
        f"{view.report.metric} of {counted(len(rows), 'parser')} on "
        f"{counted(len(view.found.ids), 'sentence')}, in points of 100, with 95 % bootstrap "
        "intervals."
    )
    if len(rows) > 1:
        caption += (
            " Asterisks: below the best parser in a paired permutation test, corrected by Westfall "
            "and Young's min-p (p < .05, .01, .001)."
        )
    exports = _export_table("ranking", table, Table("", columns, tuple(values)), caption)
    return {**exports, "ranking-svg": _figure(view)}


def _export_costs(view: Overview, costs: Costs, signature: str) -> dict[str, str]:
    """Return what each construction costs each parser, as a table."""
    rows = []
    for construction in list_constructions(costs):
        own = {row["parser"]: row for row in select_costs(costs, construction=construction)}
        gains = [100 * own[name]["gain"] for name in view.ranked]
        rows.append((TITLES[construction], *gains))
    table = Table("Costs", ("construction", *view.ranked), tuple(rows), 1, (signature,))
    columns = ("construction", "parser", "gain", "gain_missing", "gain_wrong", "gain_extra")
    raw = Table("", columns, tuple(tuple(row[name] for name in columns) for row in costs))
    caption = (
        "Points of F1 that a parser would gain if it made no mistake of a construction, and all "
        "else stayed the same."
    )
    return _export_table("costs", table, raw, caption)


def export_errors(view: Overview, costs: Costs, signature: str) -> dict[str, str]:
    """Return the tables of the page of errors."""
    columns = ("parser", "gain", *DIRECTIONS, "rate")
    scaled = ({**row, "gain": 100 * row["gain"]} for row in costs)
    rows = tuple((TITLES[row["construction"]], *(row[c] for c in columns)) for row in scaled)
    headings = ("construction", "parser", "F1 gain", *DIRECTIONS, "per 100")
    table = Table("Mistakes", headings, rows, 1, (signature,))
    raw = Table("", COLUMNS, tuple(tuple(row[name] for name in COLUMNS) for row in costs))
    caption = (
        "Mistakes by construction; each is counted once. F1 gain: how much higher F1 would be "
        "without these mistakes, in points of 100; per 100: mistakes per 100 gold triples."
    )
    names = view.ranked
    mistakes = {name: view.mistakes[name] for name in names}
    confusions = Table(
        "",
        ("construction", "gold", "parse", *names),
        tuple(
            (one.construction, one.gold, one.parse, *(one.counts[name] for name in names))
            for one in frequent_confusions(mistakes, most=ALL)
        ),
    )
    places = Table(
        "",
        ("sentence", "construction", "gold", "parse"),
        tuple(
            (view.found.name(one.pair), one.construction, one.gold, one.parse)
            for one in agreements([*mistakes.values()])
        ),
    )
    tables = _export_table("errors", table, raw, caption)
    return {**tables, "confusions-tsv": _tsv(confusions), "places-tsv": _tsv(places)}


def _figure(view: Overview) -> str:
    """Return the ranking as an SVG document for a paper, in fixed colours."""
    main = view.report.board.main
    rows = [row for row in view.ranking if row.is_ranked] or view.ranking
    ends = {row.parser: row.intervals.get(main, (math.nan, math.nan)) for row in rows}
    axis = Axis.over([v for row in rows for v in (row.scores[main], *ends[row.parser])])
    height = LINE * len(rows) + 30

    def x(value: float) -> float:
        return LABEL + (WIDTH - LABEL - RIGHT) * axis.at(value) / 100

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">'
    ]
    for tick in ticks(axis.low, axis.high, 4):
        at = x(tick / 100)
        parts.append(f'<path d="M{at:.1f} 4V{height - 22}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{height - 8}" text-anchor="middle">{tick:g}</text>')
    for k, row in enumerate(rows):
        y = 4 + LINE * (k + 0.5)
        colour = COLOURS[[*view.hues].index(row.parser) % len(COLOURS)]
        low, high = ends[row.parser]
        parts.append(f'<text x="0" y="{y + 4:.1f}">{escape(row.parser)}</text>')
        if math.isfinite(low + high):
            line = f"M{x(low):.1f} {y:.1f}H{x(high):.1f}"
            parts.append(f'<path d="{line}" stroke="{colour}" stroke-width="2"/>')
        at = x(row.scores[main])
        parts.append(f'<circle cx="{at:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
    return "".join([*parts, "</svg>\n"])


def _export_aspects(view: Overview, parts: Sequence[str], signature: str) -> dict[str, str]:
    """Return the aspects that are shown as a table."""
    board = view.report.board.select(kind="aspect")
    by_part = {key[2:]: scores for key, scores in board.rows.items()}
    rows = []
    for part in parts:
        own = [by_part.get((part, name)) for name in view.ranked]
        f1 = [None if scores is None else 100 * scores["f1"].value for scores in own]
        pairs = max(scores["f1"].pairs for scores in own if scores is not None)
        rows.append((part, *f1, pairs))
    columns = ("aspect", *view.ranked, "sentences")
    values = tuple(
        (*key, scores["f1"].pairs, *(scores[n].value if n in scores else None for n in SIDES))
        + (scores["f1"].interval or (None, None))
        for key, scores in by_part.items()
    )
    raw = Table("", ("aspect", "parser", "sentences", *SIDES, "low", "high"), values)
    caption = "F1 on aspects of meaning, in points of 100."
    return _export_table(
        "aspects", Table("Aspects", columns, tuple(rows), 1, (signature,)), raw, caption
    )


def export_sentences(view: Overview) -> str:
    """Return the scores of every sentence by each parser as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    details = {name: scored.scores for name, scored in view.report.of_metric.items()}
    columns = [*dict.fromkeys(c for scores in details.values() for c in scores.details)]
    counted = [
        c for c in ("precision", "recall", "matches", "src_total", "tgt_total") if c in columns
    ]
    writer.writerow(["pair", "id", "parser", "score", *counted])
    for name, scores in details.items():
        lists = [scores.values.tolist(), *(scores.details[c].tolist() for c in counted)]
        for k, values in enumerate(zip(*lists, strict=True)):
            shown = ["" if v != v else v for v in values]
            writer.writerow([k, view.found.ids[k] or "", name, *shown])
    return text.getvalue()
