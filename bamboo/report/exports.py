"""What the buttons of the report copy and save: tables as LaTeX, Markdown and TSV, and a figure."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from bamboo.evaluation.tables import mark
from bamboo.report.numbers import points
from bamboo.report.plots import Axis
from bamboo.report.scores import Overview
from bamboo.results.table import LATEX, Table, render
from bamboo.site.charts import ticks

WIDTH = 360  # pixels: a column of a paper
LINE = 22  # pixels of a parser in the figure
LABEL, RIGHT = 110, 10  # pixels beside the plot
COLOURS = ("#0072b2", "#c04f00", "#00805c", "#b0558a", "#2f8fc4", "#a36f00")


def table_exports(key: str, table: Table, values: Table, caption: str) -> dict[str, str]:
    """Return a table as LaTeX, Markdown and TSV.

    Args:
        key: begins the names of the exports.
        table: in points of 100; its notes are comments.
        values: with all digits.
    """
    return {
        f"{key}-latex": _latex(table, caption),
        f"{key}-markdown": f"{render([table], 'markdown')}\n",
        f"{key}-tsv": _tsv(values),
    }


def _latex(table: Table, caption: str) -> str:
    safe = "".join(LATEX.get(c, c) for c in caption)
    body = render([replace(table, notes=())], "latex")
    notes = [f"% {note}" for note in table.notes]
    begin, end = (r"\begin{table}", r"\centering"), (rf"\caption{{{safe}}}", r"\end{table}")
    return "\n".join([*notes, *begin, body, *end, ""])


def _tsv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, "excel-tab", lineterminator="\n")
    writer.writerows([table.columns, *(["" if v is None else v for v in r] for r in table.rows)])
    return text.getvalue()


def ranking_exports(view: Overview, signature: str, command: str) -> dict[str, str]:
    """Return the ranking as a table and as a figure."""
    report = view.report
    best = view.ranked[0]
    sides = [name for name in ("precision", "recall") if name in view.scores(best)]
    rows, values = [], []
    for name in [*view.ranked, *view.identical]:
        scores, (low, high) = view.scores(name), view.interval(name)
        one = view.difference(name, best) if name != best else None
        shown = [points(scores.get(side)) for side in sides]
        interval = f"{points(low)}–{points(high)}" if math.isfinite(low) else "–"
        stars = "" if one is None else mark(one.p_adjusted)
        rows.append(
            (name, *map(_number, shown), _number(points(view.score(name))), interval, stars)
        )
        p = None if one is None else one.p_adjusted
        gap = None if one is None else one.value
        values.append((name, *map(scores.get, sides), view.score(name), low, high, gap, p))
    headings = ("parser", *(side[0].upper() for side in sides), view.main, "95 % interval", "")
    columns = ("parser", *sides, report.results.main, "low", "high", "difference", "p_adjusted")
    notes = (signature, *([command] if command else []))
    table = Table(f"{report.metric}, {report.tgt}", headings, tuple(rows), 1, notes)
    several = len(view.ranked) > 1
    caption = (
        f"{report.metric} of {len(rows)} parser{'s' if several else ''} on "
        f"{len(view.found.ids):,} sentences ({signature}), in points of 100, with 95 % bootstrap "
        "intervals."
    )
    caption += (
        " Asterisks: below the best parser in a paired permutation test, corrected by Westfall and "
        "Young's min-p (p < .05, .01, .001)."
        if several
        else ""
    )
    exports = table_exports("ranking", table, Table("", columns, tuple(values)), caption)
    return {**exports, "ranking-svg": _figure(view)}


def _number(text: str) -> Any:
    return None if text == "–" else float(text.replace("−", "-"))


def _figure(view: Overview) -> str:
    """Return the ranking as an SVG document for a paper, in fixed colours."""
    names = view.ranked
    axis = Axis.over([v for n in names for v in (view.score(n), *view.interval(n))])
    height = LINE * len(names) + 30

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
    for k, name in enumerate(names):
        y, colour = 4 + LINE * (k + 0.5), COLOURS[[*view.hues].index(name) % len(COLOURS)]
        low, high = view.interval(name)
        parts.append(f'<text x="0" y="{y + 4:.1f}">{escape(name)}</text>')
        if math.isfinite(low + high):
            line = f"M{x(low):.1f} {y:.1f}H{x(high):.1f}"
            parts.append(f'<path d="{line}" stroke="{colour}" stroke-width="2"/>')
        dot = f'<circle cx="{x(view.score(name)):.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
        parts.append(dot)
    return "".join([*parts, "</svg>\n"])


def aspect_exports(
    view: Overview, rows: Sequence[dict[str, Any]], signature: str
) -> dict[str, str]:
    """Return the aspects as a table.

    Args:
        rows: the rows of the page.
    """
    columns = ("aspect", *view.ranked, "sentences")
    shown = tuple(
        (row["part"], *map(_number, row["values"]), int(row["sentences"].replace(",", "")))
        for row in rows
    )
    values = tuple(
        (
            row.part,
            row.system,
            row.pairs,
            *(row.scores.get(n) for n in SIDES),
            *_ends(row.intervals),
        )
        for row in view.report.aspects.scores
    )
    raw = Table("", ("aspect", "parser", "sentences", *SIDES, "low", "high"), values)
    caption = f"F1 on aspects of meaning, in points of 100 ({signature})."
    return table_exports("aspects", Table("Aspects", columns, shown, 1, (signature,)), raw, caption)


SIDES = ("precision", "recall", "f1")


def _ends(intervals: Any) -> tuple[Any, Any]:
    low, high = intervals.get("f1", (None, None))
    return low, high


def sentences_csv(view: Overview) -> str:
    """Return the scores of every sentence by each parser as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    details = {name: view.report[name].values.scores for name in view.report.parsers}
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
