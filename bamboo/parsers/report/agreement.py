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
from bamboo.parsers.agreement_data import ALL
from bamboo.parsers.agreement_graphs import Annotated
from bamboo.parsers.agreement_result import Agreement, tabulate_sentence
from bamboo.parsers.agreement_triples import FEWEST
from bamboo.parsers.report.overview import ListedSentence, Overview, Words
from bamboo.parsers.report.plots import format_with_interval
from bamboo.parsers.report.sentence_list import build_sentences_page, write_lists
from bamboo.parsers.report.sentences import PairCollector
from bamboo.parsers.report.write import SENTENCES, STATIC, add_mistakes
from bamboo.parsers.result import Report
from bamboo.parsers.score import Evaluation, score_parsers
from bamboo.scoring.chunks import Reading
from bamboo.scoring.sides import GraphSource
from bamboo.statistics.resampling import SystemTests

WORDS = Words("annotator", "other graph", "central", "difference")
READ = 12  # sentences with the lowest agreement that are listed
CELL, LABEL, TOP, LETTER = 72, 12, 34, 7.2  # pixels: a cell, margins, and a letter of a name
DISPUTED = 200  # sentences on which annotators disagree that the page shows
LONGEST = 24  # letters of a name that the picture shows
COLOUR, FAINT, STRONG = "#00805c", 0.12, 0.6  # of cells, from the lowest score to the highest


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
        collected = collector.write()
        view = Overview(add_mistakes(report, collected), collected, WORDS, agreement.means)
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
    evaluation = Evaluation(tests=SystemTests(1, 0, 1))
    metrics, central = {agreement.metric: metric}, annotated.choose(agreement.central)
    reading = replace(reading, ids="ignore")
    with catch_warnings():  # those on these graphs were given when the couples were scored
        simplefilter("ignore", BambooWarning)
        return score_parsers(sources, central, metrics, reading, evaluation, collect=collector.add)


@dataclass(frozen=True)
class AgreementPage:
    """What the first page shows; the card has terms, values, and what explains the terms."""

    title: str
    lead: str
    card: Sequence[tuple[str, str, str]]
    matrix: Markup
    notes: Sequence[str]
    tables: Sequence[Table]
    read: Sequence[ListedSentence]
    disputed: Sequence[tuple[str, str, str, Table]]
    most_disputed: int
    signature: str
    command: str
    exports: Mapping[str, str]


def build_page(agreement: Agreement, view: Overview, command: str) -> AgreementPage:
    """Return what the template of the first page shows."""
    whole, *others = agreement.tables()
    means = {k: mean for k, mean in enumerate(agreement.means.tolist()) if not math.isnan(mean)}
    lowest = sorted(means, key=means.__getitem__)[:READ]
    micro = _format_with_interval(agreement, agreement.main)
    macro = _format_with_interval(agreement, f"macro_{agreement.main}")
    return AgreementPage(
        title=f"How far {len(agreement.annotators)} annotators agree",
        lead=_describe(agreement),
        card=[
            ("Annotators", str(len(agreement.annotators)), ""),
            ("Sentences", f"{len(means):,}", "with two graphs or more"),
            ("Metric", agreement.metric, ""),
            ("Micro", micro, "mean over couples"),
            ("Macro", macro, "mean over sentences"),
        ],
        matrix=draw_matrix(agreement, view),
        notes=[
            *(n for n in whole.notes if not n.startswith(("signature", "cite"))),
            *agreement.remarks,
        ],
        tables=[
            agreement.tabulate_annotators(),
            *(table for table in others if table.columns[0] in ("aspect", "bucket", "triples")),
        ],
        read=[view.list_sentence(k, points(means[k]), order="agreement") for k in lowest],
        disputed=list_disputed(agreement, view),
        most_disputed=DISPUTED,
        signature=agreement.signature,
        command=command,
        exports={"matrix-svg": draw_matrix(agreement)},
    )


def list_disputed(agreement: Agreement, view: Overview) -> list[tuple[str, str, str, Table]]:
    """Return the sentences on which three annotators or more disagree, lowest agreement first.

    Returns:
        its name, text and address, and who has which triple.
    """
    if len(agreement.annotators) < FEWEST:
        return []
    sentences = [sentence for sentence in agreement.triples if sentence.disputed]
    sentences.sort(key=lambda sentence: agreement.means[sentence.position])
    return [
        (
            sentence.name,
            sentence.sentence,
            view.address(order="agreement", s=view.collected.names[sentence.position]),
            tabulate_sentence(sentence),
        )
        for sentence in sentences[:DISPUTED]
    ]


def _format_with_interval(agreement: Agreement, score: str) -> str:
    row = agreement.board.select(kind=CORPUS, system=ALL, score=score).scores[0]
    return format_with_interval(points, row.value, row.low, row.high)


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
    order = sorted((n for n in means if not math.isnan(means[n])), key=lambda name: -means[name])
    most, least = order[0], order[-1]
    return (
        f"{text} {most} agrees most with the others ({points(means[most])}), {least} "
        f"least ({points(means[least])})."
    )


def draw_matrix(agreement: Agreement, view: Overview | None = None) -> Markup:
    """Draw the scores of all couples: the darker a cell, the higher the score.

    Args:
        view: for links to the sentences of a couple; None for a figure by itself.
    """
    names = [*agreement.annotators]
    labels = [f"{name[: LONGEST - 1]}…" if len(name) > LONGEST else name for name in names]
    left = LABEL + LETTER * max(map(len, labels))
    values = [v for a, b in agreement.couples if not math.isnan(v := agreement.value(a, b))]
    lowest, highest = min(values), max(values)
    # Names above the columns are turned if they are wider than a cell.
    is_turned = LETTER * max(map(len, labels)) > CELL - 8
    top = left if is_turned else TOP
    width, height = left + CELL * len(names) + LABEL, top + CELL * 0.6 * len(names) + LABEL
    parts = []
    for k, label in enumerate(labels):
        x, y = left + CELL * (k + 0.5), top + CELL * 0.6 * (k + 0.5) + 4
        parts.append(_write(left - 8, y, label, "end"))
        turn = f' transform="rotate(-90 {x + 4:.1f} {top - 8:.1f})"' if is_turned else ""
        anchor = "start" if is_turned else "middle"
        parts.append(_write(x + 4 * is_turned, top - 8, label, anchor, turn))
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
    title = f"Agreement of {format_count(len(names), 'annotator')}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="{kind}" '
        f'aria-label="{title}" font-family="sans-serif" font-size="12">'
    )
    return Markup("".join([head, *parts, "</svg>"]))


def _write(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'
