"""The pages of the agreement of annotators: the matrix, and every sentence with its graphs.

On the page of sentences the graph of the central annotator stands where the gold graph stands in
the report on parsers, and beside it what differs in the graphs of the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

from markupsafe import Markup

from amr_metrics.base import Metric
from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS
from bamboo.display.points import points
from bamboo.display.table import Table, capitalize_f1
from bamboo.errors import BambooWarning
from bamboo.files import json_text
from bamboo.pages.folder import site_folder
from bamboo.pages.rendering import Pages
from bamboo.parsers.agreement_graphs import Annotated
from bamboo.parsers.agreement_result import ALL, Agreement
from bamboo.parsers.report.overview import Overview, Words
from bamboo.parsers.report.sentence_list import build_sentences_page, write_lists
from bamboo.parsers.report.sentences import PairCollector
from bamboo.parsers.report.write import SENTENCES, STATIC, add_mistakes
from bamboo.parsers.result import Report
from bamboo.parsers.score import Analysis, score_parsers
from bamboo.scoring.chunks import Reading
from bamboo.scoring.sides import GraphSource
from bamboo.statistics.resampling import SystemTests

WORDS = Words("annotator", "other graph", "central", "difference")
READ = 12  # sentences with the lowest agreement that are listed
CELL, LABEL, TOP, LETTER = 72, 12, 34, 7.2  # pixels: a cell, margins, and a letter of a name
LONGEST = 24  # letters of a name that the picture shows
COLOUR, FAINT, STRONG = "#00805c", 0.12, 0.6  # of cells, from the lowest score to the highest


class Fact(NamedTuple):
    """A line of the card beside the title; the meaning explains the term."""

    term: str
    value: str
    meaning: str = ""


@dataclass(frozen=True)
class ListedSentence:
    """A sentence with low agreement: its address, the mean over couples, and its text."""

    address: str
    value: str
    sentence: str


@dataclass(frozen=True)
class AgreementPage:
    """The first page.

    Attributes:
        title: the heading.
        lead: what the agreement is.
        card: the facts beside the title.
        matrix: the picture.
        notes: what its numbers are.
        tables: of annotators, and of aspects and buckets.
        read: the sentences with the lowest agreement.
        signature, command: how the numbers were made; the command is "" for a call in Python.
        exports: what the button of the picture saves.
    """

    title: str
    lead: str
    card: Sequence[Fact]
    matrix: Markup
    notes: Sequence[str]
    tables: Sequence[Table]
    read: Sequence[ListedSentence]
    signature: str
    command: str
    exports: Mapping[str, Markup]


def write_agreement(
    folder: Path,
    agreement: Agreement,
    annotated: Annotated,
    metric: Metric,
    reading: Reading,
    command: str,
) -> None:
    """Write the pages of an agreement.

    Each annotator's graphs are explained once, with the central graphs.

    Args:
        annotated: the graphs.
        metric: that computed the scores.
        command: makes the pages; "" if there is no such command.

    Raises:
        ConfigError: a folder that cannot be written to.
    """
    sources = {
        name: source
        for name, source in annotated.sources.items()
        if any(not math.isnan(agreement.value(*c)) for c in agreement.couples if name in c)
    }
    with (
        site_folder(folder, "agreement", "agree report=html") as site,
        PairCollector(site, metric, sources, reading.on_error) as collector,
    ):
        report = _score_with_central(sources, agreement, annotated, metric, reading, collector)
        report = replace(report, tgt="the central graphs", inputs={})
        found = collector.write()
        view = Overview.of(add_mistakes(report, found), found)
        view = replace(view, words=WORDS, agreement=agreement.means)
        write_lists(site, view)
        site.write("data/agreement.json", json_text(agreement.to_json()) + "\n")
        pages = Pages(site, Path(__file__).parent, (("Agreement", "index.html"), SENTENCES), view)
        page = build_page(agreement, view, command)
        pages.write("index.html", "report_agreement.html", "Agreement", page)
        pages.write(
            "sentences.html", "report_sentences.html", "Sentences", build_sentences_page(view)
        )
        pages.write_static(STATIC)


def _score_with_central(
    sources: Mapping[str, GraphSource],
    agreement: Agreement,
    annotated: Annotated,
    metric: Metric,
    reading: Reading,
    collector: PairCollector,
) -> Report:
    """Score the annotators' graphs against the central ones, and collect them for the explorer."""
    # Only the scores of sentences are shown, not the tests: a single draw is enough.
    analysis = Analysis(tests=SystemTests(1, 0, 1))
    metrics, central = {agreement.metric: metric}, annotated.choose(agreement.central)
    reading = replace(reading, ids="ignore")
    with catch_warnings():  # those on these graphs were given when the couples were scored
        simplefilter("ignore", BambooWarning)
        return score_parsers(sources, central, metrics, reading, analysis, collect=collector.add)


def build_page(agreement: Agreement, view: Overview, command: str) -> AgreementPage:
    """Return what the template of the first page shows."""
    tables = [table for table in agreement.tables() if table.columns[0] in ("aspect", "bucket")]
    whole = agreement.tables()[0]
    order = sorted(
        (k for k, mean in enumerate(agreement.means.tolist()) if not math.isnan(mean)),
        key=lambda k: float(agreement.means[k]),
    )
    read = [
        ListedSentence(
            view.address(order="agreement", s=view.found.name(k)),
            points(float(agreement.means[k])),
            view.sentence(k),
        )
        for k in order[:READ]
    ]
    notes = [note for note in whole.notes if not note.startswith(("signature", "cite"))]
    return AgreementPage(
        title=f"How far {len(agreement.annotators)} annotators agree",
        lead=_describe(agreement),
        card=[
            Fact("Annotators", str(len(agreement.annotators))),
            Fact("Sentences", f"{len(order):,}", "with two graphs or more"),
            Fact("Metric", agreement.metric),
            Fact("Micro", _format_with_interval(agreement, agreement.main), "mean over couples"),
            Fact(
                "Macro",
                _format_with_interval(agreement, f"macro_{agreement.main}"),
                "mean over sentences",
            ),
        ],
        matrix=draw_matrix(agreement, view),
        notes=notes,
        tables=[agreement.tabulate_annotators(), *tables],
        read=read,
        signature=agreement.signature,
        command=command,
        exports={"matrix-svg": draw_matrix(agreement)},
    )


def _format_with_interval(agreement: Agreement, score: str) -> str:
    row = agreement.board.select(kind=CORPUS, system=ALL, score=score).scores[0]
    interval = "" if row.interval is None else f" ({points(row.low)} to {points(row.high)})"
    return f"{points(row.value)}{interval}"


def _describe(agreement: Agreement) -> str:
    """Say how far annotators agree, who is nearest to the others, and who is farthest."""
    main = capitalize_f1(agreement.main)
    text = (
        f"Two annotators agree with {main} {_format_with_interval(agreement, agreement.main)} on "
        "average."
    )
    if len(agreement.annotators) < 3:
        return text
    rows = agreement.board.select(kind=CORPUS, score=agreement.main).scores
    means = {row.system: row.value for row in rows if row.system != ALL}
    known = sorted((n for n in means if not math.isnan(means[n])), key=lambda name: -means[name])
    return (
        f"{text} {known[0]} agrees most with the others ({points(means[known[0]])}), {known[-1]} "
        f"least ({points(means[known[-1]])})."
    )


def draw_matrix(agreement: Agreement, view: Overview | None = None) -> Markup:
    """Draw the scores of all couples: the darker a cell, the higher the score.

    Args:
        view: for links to the sentences of a couple; None for a figure by itself.
    """
    names = [*agreement.annotators]
    shown = [f"{name[: LONGEST - 1]}…" if len(name) > LONGEST else name for name in names]
    left = LABEL + LETTER * max(map(len, shown))
    known = [v for a, b in agreement.couples if not math.isnan(v := agreement.value(a, b))]
    lowest, highest = min(known), max(known)
    # Names above the columns are turned if they are wider than a cell.
    is_turned = LETTER * max(map(len, shown)) > CELL - 8
    top = left if is_turned else TOP
    width, height = left + CELL * len(names) + LABEL, top + CELL * 0.6 * len(names) + LABEL
    parts = []
    for k, name in enumerate(shown):
        x, y = left + CELL * (k + 0.5), top + CELL * 0.6 * (k + 0.5) + 4
        parts.append(_write(left - 8, y, name, "end"))
        turn = f' transform="rotate(-90 {x + 4:.1f} {top - 8:.1f})"' if is_turned else ""
        anchor = "start" if is_turned else "middle"
        parts.append(_write(x + 4 * is_turned, top - 8, name, anchor, turn))
    for r, first in enumerate(names):
        for c, second in enumerate(names):
            x, y = left + CELL * c, top + CELL * 0.6 * r
            value = math.nan if r == c else agreement.value(first, second)
            share = (value - lowest) / (highest - lowest) if highest > lowest else 1.0
            opacity = 0.0 if math.isnan(value) else FAINT + (STRONG - FAINT) * share
            text = "" if r == c else points(value)
            cell = (
                f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{CELL - 2}" '
                f'height="{CELL * 0.6 - 2:.1f}" rx="3" fill="{COLOUR}" '
                f'fill-opacity="{opacity:.3f}"/>'
                f"<title>{escape(f'{first} and {second}: {text}')}</title>"
                f"{_write(x + CELL / 2, y + CELL * 0.3 + 4, text, 'middle')}"
            )
            if view is not None and not math.isnan(value):
                address = escape(view.address(order="agreement", a=first, b=second))
                cell = f'<a href="{address}">{cell}</a>'
            parts.append(cell if r != c else "")
    kind = "img" if view is None else "group"
    label = f"Agreement of {format_count(len(names), 'annotator')}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="{kind}" '
        f'aria-label="{label}" font-family="sans-serif" font-size="12">'
    )
    return Markup("".join([head, *parts, "</svg>"]))


def _write(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'
