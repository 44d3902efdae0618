"""The page of scores: who is better, how sure that is, why, and what to read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup, escape

from amr_metrics.types import Ints
from bamboo.board import CORPUS, Board, find_detectable, find_highest
from bamboo.display.points import difference, p_value, points
from bamboo.explanation.mistakes import TITLES
from bamboo.pages.folder import unique_slug
from bamboo.pages.rendering import embedded
from bamboo.parsers.buckets import SIZE
from bamboo.parsers.costs import Costs, list_constructions, select_costs
from bamboo.parsers.ranking import Ranked, ReadingList, compare_ranked, sentences_to_read
from bamboo.parsers.report.exports import export_scores
from bamboo.parsers.report.overview import Overview, is_significant
from bamboo.parsers.report.page_types import (
    CostRow,
    CostTable,
    DifferenceRow,
    DifferenceTable,
    DistributionRow,
    Fact,
    ListedSentence,
    NoticeLine,
    Ranking,
    RankingRow,
    ScoresPage,
    SentenceList,
)
from bamboo.parsers.report.parts import build_part_table
from bamboo.parsers.report.plots import BINS, Axis, Dot, ridge, with_interval
from bamboo.parsers.report.provenance import Provenance
from bamboo.parsers.tables import mark
from bamboo.parsers.verdict import Notice

MOST = 8  # constructions that cost most


def build_scores_page(view: Overview, sizes: Board | None, provenance: Provenance) -> ScoresPage:
    """Return what the template of the page shows.

    Args:
        sizes: the parsers on graphs of about the same size; None for too few sentences.
    """
    report, verdict = view.report, view.report.verdict
    read = [
        one
        for one in sentences_to_read(report.of_metric, view.ranking)
        if one.sentences and (one.kind != "costly" or view.costs is not None)
    ]
    buckets = report.board.select(kind="bucket")
    has_buckets = bool(buckets.scores) and report.by != SIZE  # sizes have a section of their own
    aspects = build_part_table(view, report.board.select(kind="aspect"), is_aspect=True)
    plan, resamples = report.facts.aspects, provenance.resamples
    note = "" if plan is None else plan.note
    return ScoresPage(
        title=verdict.title,
        paragraphs=_link_errors(verdict.lead, view.report_costs),
        card=_build_card(view, provenance),
        notices=[_build_notice(view, notice) for notice in verdict.notices],
        is_several=len(view.ranking) > 1,
        main=view.main,
        has_sides="precision" in view.ranking[0].scores,
        ranking=_build_ranking(view),
        differences=_build_differences(view),
        distribution=[_build_distribution(view, name, *_count(view)) for name in view.ranked],
        costs=_build_costs(view, view.report_costs) if view.report_costs else None,
        read=[_build_list(view, one) for one in read],
        read_note=_read_note(view),
        aspects=aspects,
        aspects_note=f"{note[:1].upper()}{note[1:]}." if note else "",
        buckets=build_part_table(view, buckets, is_aspect=False, is_size=False)
        if has_buckets
        else None,
        by=report.by or "",
        sizes=None if sizes is None else build_part_table(view, sizes, is_aspect=False),
        resamples=f"{resamples:,}" if resamples else "",
        permutations=f"{report.tests.number:,}",
        made=provenance,
        has_bibtex=bool(report.bibtex()),
        exports=embedded(export_scores(view, [row.part for row in aspects.rows], provenance)),
    )


def construction_id(construction: str) -> str:
    """Return the name of a construction in addresses."""
    return unique_slug(construction, set())


def _link_errors(paragraphs: Sequence[str], costs: Costs) -> list[Markup]:
    """Link the construction that costs most to its errors."""
    texts = [escape(text) for text in paragraphs]
    if not costs:
        return texts
    first = list_constructions(costs)[0]
    title = TITLES[first].lower()
    link = Markup('<a href="errors.html#{}">{}</a>').format(construction_id(first), title)
    return [text.replace(f"lost on {title}", Markup("lost on ") + link, 1) for text in texts]


def _build_notice(view: Overview, notice: Notice) -> NoticeLine:
    short = {"half": "short", "collapsed": "low"}.get(notice.kind)
    address = view.address(order=short, a=notice.parser) if short else ""
    return NoticeLine(notice.text, notice.option, address)


def _build_card(view: Overview, provenance: Provenance) -> list[Fact]:
    """Return the facts beside the title."""
    main = view.report.board.select(kind=CORPUS, score=view.report.board.main).differences
    ends = dict.fromkeys(map(points, find_detectable(main)))
    triples = view.gold_triples
    meaning = "a true difference of this size is found in four of five tests"
    return [
        Fact("Gold", view.gold),
        Fact("Sentences", f"{len(view.found.ids):,}"),
        *([] if triples is None else [Fact("Triples", f"{triples.sum():,.0f} in gold")]),
        Fact("Metric", provenance.short_signature),
        *([Fact("Resolution", f"{'–'.join(ends)} points (80 % power)", meaning)] if ends else []),
        Fact("Made", f"{provenance.date} · bamboo {provenance.version}"),
    ]


def _value(row: Ranked, main: str) -> tuple[float, float, float]:
    """Return a score with the ends of its interval; NaN without one."""
    return row.scores.get(main, math.nan), *row.intervals.get(main, (math.nan, math.nan))


def _build_ranking(view: Overview) -> Ranking:
    main = view.report.board.main
    is_any_ranked = any(row.is_ranked for row in view.ranking)
    drawn = [row for row in view.ranking if row.is_ranked or not is_any_ranked]
    axis = Axis.over([end for row in drawn for end in _value(row, main)])
    rows = []
    for row in view.ranking:
        value, low, high = _value(row, main)
        text = f"{row.parser}: {with_interval(value, low, high)}"
        is_worse = is_significant(row.difference)
        dot = Dot(value, view.hues[row.parser], text, low, high, is_worse)
        size = "" if row.size is None else f"{100 * row.size:.0f} %"
        sides = [side for side in ("precision", "recall") if side in row.scores]
        rows.append(
            RankingRow(
                name=row.parser,
                hue=view.hues[row.parser],
                is_ranked=row in drawn,
                rank="–".join(map(str, dict.fromkeys(row.ranks))),
                value=points(value),
                plot=axis.cell([dot] if row in drawn else []),
                interval="–" if math.isnan(low) else f"{points(low)} – {points(high)}",
                sides=[points(row.scores[side]) for side in sides],
                size=size,
                perfect=f"{row.perfect:,}",
                difference="–" if row.difference is None else difference(row.difference.value),
                p="" if row.difference is None else _p(row.difference.p_adjusted),
            )
        )
    return Ranking(axis.head(), rows)


def _p(p: float) -> str:
    return f"{p_value(p)} {mark(p)}".strip()


def _build_differences(view: Overview) -> DifferenceTable | None:
    """Return each pair of parsers, the better one first; with many parsers as a matrix."""
    compared = compare_ranked(view.report.of_metric, view.report.board, view.ranking)
    if not compared:
        return None
    known = [one.difference for one in compared]
    axis = Axis.over([v for one in known for v in (one.value, one.low, one.high)], is_signed=True)
    rows = []
    for one, won, equal, lost in compared:
        text = difference(one.value)
        if not math.isnan(one.low):
            text += f" ({difference(one.low)} to {difference(one.high)})"
        dot = Dot(one.value, "ka", text, one.low, one.high, not is_significant(one))
        counts = won, equal, lost
        rows.append(
            DifferenceRow(
                names=(one.first, one.second),
                hues=(view.hues[one.first], view.hues[one.second]),
                address=view.address(order="gap", a=one.first, b=one.second),
                value=difference(one.value),
                plot=axis.cell([dot], one.detectable),
                p=p_value(one.p_adjusted),
                is_significant=is_significant(one),
                counts=[f"{count:,}" for count in counts],
                shares=[100 * count / max(sum(counts), 1) for count in counts],
            )
        )
    names = view.ranked
    by_pair = {row.names: row for row in rows}
    matrix = [[by_pair.get((a, b)) for b in names[1:]] for a in names[:-1]]
    ends = dict.fromkeys(map(points, find_detectable(known)))
    return DifferenceTable(axis.head(), rows, matrix if view.is_wide else None, " to ".join(ends))


def _count(view: Overview) -> tuple[dict[str, Ints], int]:
    """Return how many scores below 1 are in each class, by parser, and the largest number."""
    counts = {}
    for name in view.ranked:
        scores = np.clip(view.scores(name)[np.isfinite(view.scores(name))], 0, 1)
        counts[name] = np.histogram(scores[scores < 1], BINS, (0, 1))[0]
    return counts, max(int(column.max()) for column in counts.values())


def _build_distribution(
    view: Overview, name: str, counts: Mapping[str, Ints], highest: int
) -> DistributionRow:
    """Return how the scores below 1 are distributed; those of 1 are a number of their own."""
    scores = view.scores(name)[np.isfinite(view.scores(name))]
    hue = view.hues[name]
    quartiles = np.quantile(scores, (0.25, 0.5, 0.75)) if len(scores) else np.full(3, np.nan)
    return DistributionRow(
        name=name,
        hue=hue,
        plot=ridge(counts[name].tolist(), highest, hue, f"distribution of {name}"),
        low=f"{int(np.sum(scores < 0.5)):,}",
        address=view.address(order="low", a=name),
        quartiles=[points(float(q)) for q in quartiles],
        perfect=f"{int(np.sum(scores >= 1)):,}",
    )


def _build_costs(view: Overview, costs: Costs) -> CostTable:
    """Return what a parser would gain if it made no mistake of a construction."""
    names = view.ranked
    axis = Axis.over([row["gain"] for row in costs if row["parser"] in names], is_signed=True)
    rows = []
    for construction in list_constructions(costs)[:MOST]:
        own = {row["parser"]: row["gain"] for row in select_costs(costs, construction=construction)}
        gains = [own[name] for name in names]
        pairs = [*zip(names, gains, strict=True)]
        dots = [Dot(v, view.hues[name], f"{name}: {difference(v)}") for name, v in pairs]
        rows.append(
            CostRow(
                id=construction_id(construction),
                title=TITLES[construction],
                plot=axis.cell(dots, is_one_line=True),
                values=[points(gain) for gain in gains[: len(view.numbered)]],
                most=[names.index(name) for name in find_highest(dict(pairs)) if len(names) > 1],
            )
        )
    return CostTable(axis.head(), rows)


LISTS = {
    "better": ("{} better than {}", "gap"),
    "hard": ("Hard for every parser", "cost"),
    "lowest": ("Lowest scores", "low"),
    "good": ("Large, and above 90", "size"),
    "costly": ("Costs most points", "cost"),
}


def _build_list(view: Overview, one: ReadingList) -> SentenceList:
    """Return a list of sentences to read."""
    title, order = LISTS[one.kind]
    order = "low" if order == "cost" and view.costs is None else order
    parsers = {"a": one.first, "b": one.second} if one.kind == "better" else {}
    shown = view.ranked[:4] if len(view.ranked) > 1 else []
    sentences = [
        ListedSentence(
            address=view.address(order=order, **parsers, s=view.found.name(k)),
            value=points(value) if one.kind in ("lowest", "good") else _share(value),
            sentence=view.sentence(k),
            scores=" · ".join(f"{name} {_whole(view.scores(name)[k])}" for name in shown),
        )
        for k, value in one.sentences
    ]
    address = view.address(order=order, **parsers)
    return SentenceList(title.format(one.first, one.second), address, sentences)


def _read_note(view: Overview) -> str:
    """Say what the numbers of the lists are."""
    if len(view.ranked) == 1 and view.costs is None:
        return "Number: the score of the sentence."
    if view.costs is None and view.main != "mean":
        return "Number: what the sentence adds to the difference of the mean scores of sentences."
    if len(view.ranked) == 1:
        return (
            f"Costs: what the sentence takes from the corpus {view.main}; the numbers of all "
            "sentences add up to what is missing from 100."
        )
    return (
        f"Number: points of the corpus {view.main} that the sentence adds to the difference (at "
        "the right: takes from every parser, on average). The numbers of all sentences add up to "
        "the difference."
    )


def _whole(score: float) -> str:
    return "–" if math.isnan(score) else f"{100 * score:.0f}"


def _share(value: float) -> str:
    """Return a part of a corpus score, with two decimals, or three if it is small."""
    return f"{100 * value:+.{2 if abs(value) >= 0.0001 else 3}f}".replace("-", "−")
