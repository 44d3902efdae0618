"""The page of scores: who is better, how sure that is, why, and what to read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from bamboo.board import (
    BUCKET,
    CORPUS,
    WHOLE,
    Board,
    Difference,
    find_detectable,
    find_highest,
)
from bamboo.display.points import difference, include_equal, points
from bamboo.explanation.mistakes import TITLES
from bamboo.pages.folder import unique_slug
from bamboo.parsers.analyses.aspects import Aspects
from bamboo.parsers.analyses.errors import Costs, find_best
from bamboo.parsers.analysis import find_analysis
from bamboo.parsers.ranking import (
    ReadingList,
    compare_ranked,
    count_perfect,
    count_wins,
    list_ranked,
    measure_size,
    select_systems,
    sentences_to_read,
)
from bamboo.parsers.report.exports import export_scores
from bamboo.parsers.report.overview import ListedSentence, Overview, is_significant
from bamboo.parsers.report.parts import build_part_table, draw_score, list_absent
from bamboo.parsers.report.plots import BINS, Dot, PlottedRows, Row, format_with_interval, ridge
from bamboo.parsers.verdict import Verdict
from bamboo.scoring.buckets import SIZE
from bamboo.scoring.validity import Validity

MOST = 8  # constructions that cost most
QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class ScoresPage:
    """What the page of scores shows.

    Attributes:
        detectable, smallest: the smallest and the largest detectable difference of all parsers,
            also those that are not ranked, and of the ranked ones.
        differences, matrix: of every two ranked parsers, as rows and by both names.
        made: how the numbers were made.
    """

    verdict: Verdict
    paragraphs: Sequence[Markup]
    detectable: Sequence[float]
    ranking: PlottedRows
    differences: PlottedRows | None
    matrix: Mapping[tuple[str, str], Row]
    smallest: Sequence[float]
    distribution: Sequence[Row]
    costs: PlottedRows | None
    read: Sequence[tuple[str, str, Sequence[ListedSentence]]]
    read_note: str
    aspects: PlottedRows
    aspects_note: str
    absent: Sequence[str]
    sizes: PlottedRows | None
    flags: Mapping[str, Sequence[tuple[float, int, str]]]
    buckets: PlottedRows | None
    made: Mapping[str, Any]
    exports: Mapping[str, str]


def build_scores_page(
    view: Overview, sizes: Board | None, provenance: Mapping[str, Any]
) -> ScoresPage:
    """Return what the template of the page shows.

    Args:
        sizes: the parsers on graphs of about the same size; None for too few sentences.
        provenance: how the numbers were made.
    """
    report, verdict = view.report, view.report.verdict
    corpus = report.board.select(kind=CORPUS)
    names = list_ranked(view.ranks)
    differences = _list_differences(view, compare_ranked(corpus, names))
    absent = list_absent(view)
    aspects = report.board.select(kind="aspect")
    planned = find_analysis(report.analyses, Aspects)
    plan = None if planned is None else planned.plans.get(report.metric)
    buckets = report.board.select(kind=BUCKET)
    has_buckets = bool(buckets.scores) and report.by != SIZE  # sizes have a section of their own
    note = "" if plan is None else plan.note
    return ScoresPage(
        verdict=verdict,
        paragraphs=_link_errors(verdict.lead, view.construction_costs),
        detectable=find_detectable(corpus.select(score=corpus.main).differences),
        smallest=find_detectable(row.values["difference"] for row in differences),
        ranking=_build_ranking(view, corpus),
        differences=PlottedRows.over(differences, is_signed=True) if differences else None,
        matrix={
            (row.values["difference"].first, row.values["difference"].second): row
            for row in differences
        },
        distribution=_build_distribution(view),
        costs=_build_costs(view, view.construction_costs) if view.construction_costs else None,
        read=[
            _build_list(view, reading)
            for reading in sentences_to_read(report.by_parser, names)
            if reading.sentences and (reading.kind != "costly" or view.sentence_costs is not None)
        ],
        read_note=_describe_numbers(view),
        aspects=build_part_table(view, aspects, "aspect", absent),
        aspects_note=f"{note[:1].upper()}{note[1:]}." if note else "",
        absent=absent,
        sizes=None if sizes is None else build_part_table(view, sizes, "size"),
        flags=_build_flag_table(view),
        buckets=build_part_table(view, buckets, "bucket") if has_buckets else None,
        made=provenance,
        exports=export_scores(view, provenance),
    )


def construction_id(construction: str) -> str:
    """Return the name of a construction in addresses."""
    return unique_slug(construction, set())


def _link_errors(paragraphs: Sequence[str], costs: Costs) -> list[Markup]:
    """Link the construction that costs most to its errors."""
    texts = [escape(text) for text in paragraphs]
    if not costs:
        return texts
    first = next(iter(costs))
    title = TITLES[first].lower()
    link = Markup('<a href="errors.html#{}">{}</a>').format(construction_id(first), title)
    return [text.replace(f"lost on {title}", Markup("lost on ") + link, 1) for text in texts]


def _build_ranking(view: Overview, corpus: Board) -> PlottedRows:
    place, compared = (view.report.metric, CORPUS, WHOLE), select_systems(corpus, view.compared)
    main = {name: corpus.rows[*place, name][corpus.main].value for name in view.compared}
    best = include_equal(find_highest(main), main) if len(main) > 1 else []
    rows = []
    for name in view.ranks:
        scores, scored = corpus.rows[*place, name], view.report.by_parser[name]
        is_compared = name in view.compared
        of_best = compared.compare_with_best(*place, name)[1] if is_compared else None
        score = scores[corpus.main]
        values = {
            "score": score,
            "sides": [scores[side].value for side in ("precision", "recall") if side in scores],
            "size": measure_size(scored),
            "perfect": count_perfect(scored),
            "difference": of_best,
        }
        dots = [draw_score(view, score, of_best)] if is_compared else []
        rows.append(Row(name, values, dots, best if name in best else []))
    return PlottedRows.over(rows)


def _list_differences(view: Overview, compared: Sequence[Difference]) -> list[Row]:
    rows, parsers = [], view.report.by_parser
    for row in compared:
        text = format_with_interval(difference, row.value, row.low, row.high)
        dot = Dot(row.value, "ka", text, row.low, row.high, not is_significant(row))
        wins = count_wins(parsers[row.first], parsers[row.second])
        rows.append(Row(row.first, {"difference": row, "counts": wins}, [dot]))
    return rows


def _build_distribution(view: Overview) -> list[Row]:
    """Return how the scores below 1 are distributed; those of 1 are a number of their own."""
    scores = {name: view.scores(name)[np.isfinite(view.scores(name))] for name in view.compared}
    clipped = {name: np.clip(column, 0, 1) for name, column in scores.items()}
    counts = {n: np.histogram(v[v < 1], BINS, (0, 1))[0] for n, v in clipped.items()}
    highest = max(int(column.max()) for column in counts.values())
    quartiles = {
        name: np.quantile(column, QUARTILES) if len(column) else np.full(3, np.nan)
        for name, column in scores.items()
    }
    medians = {name: float(median) for name, (_, median, _) in quartiles.items()}
    best = include_equal(find_highest(medians), medians)
    rows = []
    for name, column in scores.items():
        plot = ridge(counts[name].tolist(), highest, view.hues[name], f"distribution of {name}")
        values = {
            "plot": plot,
            "low": int(np.sum(column < 0.5)),
            "quartiles": quartiles[name].tolist(),
            "perfect": int(np.sum(column >= 1)),
        }
        rows.append(Row(name, values, best=best if len(scores) > 1 and name in best else []))
    return rows


def _build_costs(view: Overview, costs: Costs) -> PlottedRows:
    """Return what a parser would gain if it made no mistake of a construction."""
    rows = []
    for construction, by_parser in [*costs.items()][:MOST]:
        gains = {name: by_parser[name].gain for name in view.compared}
        rows.append(
            Row(
                TITLES[construction],
                gains,
                [Dot(v, view.hues[n], f"{n}: {difference(v)}") for n, v in gains.items()],
                find_best([by_parser[name] for name in view.compared], attrgetter("gain")),
                f"errors.html#{construction_id(construction)}",
            )
        )
    return PlottedRows.over(rows, is_signed=True)


def _build_flag_table(view: Overview) -> dict[str, list[tuple[float, int, str]]]:
    """Return for each kind of flags those of the gold graphs, then those of each parser.

    Empty if flags were not looked for.

    Returns:
        flags per 1,000 triples, their number, and the address of the first sentence, "" for none.
    """
    validity = view.report.validity
    if validity is None:
        return {}
    # The page of sentences shows gold graphs beside those of the best parser.
    columns = [(next(iter(view.ranks)), validity.gold)]
    columns += [(name, validity.parsers[name]) for name in view.ranks]
    return {
        kind or "all kinds": [
            _build_flag_cell(view, name, system, kind) for name, system in columns
        ]
        for kind in ("", *validity.kinds)
    }


def _build_flag_cell(
    view: Overview, parser: str, validity: Validity, kind: str
) -> tuple[float, int, str]:
    flags = [flag for flag in validity.flags if kind in ("", flag.kind)]
    address = view.address(a=parser, s=view.collected.names[flags[0].pair]) if flags else ""
    return validity.rate(len(flags)), len(flags), address


LISTS = {
    "better": ("{} better than {}", "gap"),
    "hard": ("Hard for every parser", "cost"),
    "lowest": ("Lowest scores", "low"),
    "good": ("Large, and above 90", "size"),
    "costly": ("Costs most points", "cost"),
}


def _build_list(view: Overview, reading: ReadingList) -> tuple[str, str, Sequence[ListedSentence]]:
    """Return the title of a list of sentences to read, the address of all of them, and some."""
    title, order = LISTS[reading.kind]
    order = "low" if order == "cost" and view.sentence_costs is None else order
    query = {"order": order}
    if reading.kind == "better":
        query |= {"a": reading.first, "b": reading.second}
    format_value = points if reading.kind in ("lowest", "good") else _format_part
    parsers = view.compared[:4] if len(view.compared) > 1 else []
    sentences = []
    for k, value in reading.sentences:
        scores = [f"{name} {_format_whole(view.scores(name)[k])}" for name in parsers]
        sentences.append(view.list_sentence(k, format_value(value), " · ".join(scores), **query))
    return title.format(reading.first, reading.second), view.address(**query), sentences


def _describe_numbers(view: Overview) -> str:
    """Say what the numbers of the lists are."""
    if len(view.compared) == 1 and view.sentence_costs is None:
        return "Number: the score of the sentence."
    if view.sentence_costs is None and view.report.board.main != "mean":
        return "Number: what the sentence adds to the difference of the mean scores of sentences."
    if len(view.compared) == 1:
        return (
            f"Costs: what the sentence takes from the corpus {view.score_label}; the numbers of "
            "all sentences add up to what is missing from 100."
        )
    return (
        f"Number: points of the corpus {view.score_label} that the sentence adds to the difference "
        "(last list: that every parser loses, on average). The numbers of all sentences add up to "
        "the difference."
    )


def _format_whole(score: float) -> str:
    return "–" if math.isnan(score) else f"{100 * score:.0f}"


def _format_part(value: float) -> str:
    """Return a part of a corpus score, with two decimals, or three if it is small."""
    return f"{100 * value:+.{2 if abs(value) >= 0.0001 else 3}f}".replace("-", "−")
