"""The page of scores: who is better, how sure that is, why, and what to read."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.types import Bools, Floats, Ints
from bamboo.evaluation.parts import ASPECT, aspect_texts, parts_with
from bamboo.evaluation.report import ParserReport
from bamboo.evaluation.systems import (
    EMPTY,
    SystemDifference,
    SystemResults,
    compare_systems,
    corpus_statistics,
)
from bamboo.evaluation.tables import LEVELS, mark
from bamboo.report.numbers import p_text, percent, points, signed
from bamboo.report.pairs import Collected
from bamboo.report.plots import BINS, Axis, Dot, ridge

SIGNIFICANT = LEVELS[-1][0]
CLASSES = 6  # of the size of graphs
FEWEST = 20  # sentences of an aspect that is drawn
FEWEST_SIZES = 60  # sentences that are divided by size
READ = 4  # sentences in each list
LARGE, GOOD = 10, 0.9  # triples of a sentence that is listed; a good score
COLOURED = 6  # with more parsers only the first two are coloured
MATRIX = 6  # with so many parsers, differences are a matrix
SAY = 110  # characters of a sentence in a list


@dataclass(frozen=True, eq=False)
class Overview:
    """What the pages need of the report, in the order of the ranking.

    Attributes:
        ranked: the parsers, best first.
        hues: the class of the colour of each parser.
        identical: the parsers whose graphs are those of the gold graphs, which are not ranked.
        totals: by parser, the numbers of matched triples, of triples of the parse and of the gold
            graph, of each pair; None if the metric's corpus score is no ratio of sums.
        costs: by parser, what each sentence takes from the corpus score.
    """

    report: ParserReport
    found: Collected
    ranked: Sequence[str]
    hues: Mapping[str, str]
    identical: Sequence[str]
    totals: Mapping[str, tuple[Floats, Floats, Floats]] | None
    costs: Mapping[str, Floats] | None

    @classmethod
    def of(cls, report: ParserReport, found: Collected) -> Overview:
        """Order the parsers by their corpus scores."""
        main = report.results.main
        values = {row.system: row.scores.get(main, -math.inf) for row in report.results.scores}
        order = sorted(values, key=lambda name: -values[name])
        several = len(order) > 1
        same = [n for n in order if several and bool(np.all(report[n].scores == 1))]
        ranked = [name for name in order if name not in same] or order
        same = [] if ranked == order else same
        colours = {name: f"k{k}" for k, name in enumerate(report.parsers)}
        if len(order) > COLOURED:
            colours = {
                name: f"k{ranked.index(name)}" if name in ranked[:2] else "kx" for name in order
            }
        totals = {name: _totals(report, name) for name in order}
        complete = {name: value for name, value in totals.items() if value is not None}
        if len(complete) < len(order):
            return cls(report, found, ranked, colours, same, None, None)
        costs = {
            name: (s + g - 2 * m) / max(float(s.sum() + g.sum()), 1.0)
            for name, (m, s, g) in complete.items()
        }
        return cls(report, found, ranked, colours, same, complete, costs)

    @property
    def main(self) -> str:
        """The score by which parsers are ranked, as the pages write it."""
        return "F1" if self.report.results.main == "f1" else self.report.results.main

    def scores(self, name: str) -> Mapping[str, float]:
        """Return the corpus scores of a parser."""
        return next(r.scores for r in self.report.results.scores if r.system == name)

    def score(self, name: str) -> float:
        """Return the corpus score by which parsers are ranked."""
        return self.scores(name).get(self.report.results.main, math.nan)

    def interval(self, name: str) -> tuple[float, float]:
        """Return the 95 % interval of this score; NaN without one."""
        (row,) = (row for row in self.report.results.scores if row.system == name)
        return row.intervals.get(self.report.results.main, (math.nan, math.nan))

    def difference(self, a: str, b: str, part: str = "") -> SystemDifference | None:
        """Return the score of a parser minus that of another."""
        results = self.report.results if not part else self.report.aspects
        return _difference(results, a, b, part)

    def rank(self, name: str) -> str:
        """Return the places of the parsers that cannot be told from a parser, as a range."""
        places = [
            k
            for k, other in enumerate(self.ranked, 1)
            if other == name or not _is_significant(self.difference(name, other))
        ]
        low, high = min(places), max(places)
        return f"{low}" if low == high else f"{low}–{high}"

    def size(self, name: str) -> float:
        """Return the number of triples of a parser per triple of the gold graphs."""
        if self.totals is None:
            return math.nan
        _, s, g = (float(np.nansum(column)) for column in self.totals[name])
        return s / g if g else math.nan

    def address(self, **values: str) -> str:
        """Return the address of sentences; parsers by their name."""
        slugs = {k: self.found.slugs.get(v, v) if k in ("a", "b") else v for k, v in values.items()}
        return f"sentences.html#{urlencode(slugs)}"

    def sentence(self, k: int) -> str:
        """Return the beginning of a sentence; the first concepts of its graph if there is none."""
        text = self.found.sentences[k] or ", ".join(self.found.concepts[k][:3])
        return f"{text[:SAY]}…" if len(text) > SAY else text


def _difference(results: SystemResults, a: str, b: str, part: str = "") -> SystemDifference | None:
    for one in results.differences:
        if one.part == part and one.score == results.main and {one.first, one.second} == {a, b}:
            return one if one.first == a else one.reversed()
    return None


def _is_significant(one: SystemDifference | None) -> bool:
    return one is not None and one.p_adjusted < SIGNIFICANT


def _totals(report: ParserReport, name: str) -> tuple[Floats, Floats, Floats] | None:
    """Return matched triples, triples of the parse and of gold; 0 for a missing pair."""
    details = report[name].values.scores.details
    found = [details.get(column) for column in ("matches", "src_total", "tgt_total")]
    if report.results.main != "f1" or any(column is None for column in found):
        return None
    m, s, g = (np.nan_to_num(np.asarray(column, np.float64)) for column in found)
    return m, s, g


def scores_page(view: Overview, sizes: SystemResults | None) -> dict[str, Any]:
    """Return the values for the template of the page.

    Args:
        sizes: the parsers on graphs of about the same size; None for too few sentences.
    """
    return {
        "main": view.main,
        "has_sides": "precision" in view.scores(view.ranked[0]),
        "several": len(view.report.parsers) > 1,
        "ranking": _ranking(view),
        "differences": _differences(view),
        "distribution": _distribution(view),
        "read": _read(view),
        "aspects": _parts(view, view.report.aspects, is_aspect=True),
        "sizes": None if sizes is None else _parts(view, sizes, is_aspect=False),
        "aspect_texts": aspect_texts(view.report.aspects_definition),
    }


def _ranking(view: Overview) -> dict[str, Any]:
    best = view.ranked[0]
    ends = [end for name in view.ranked for end in (*view.interval(name), view.score(name))]
    axis = Axis.over(ends)
    rows = []
    for name in [*view.ranked, *view.identical]:
        value, (low, high) = view.score(name), view.interval(name)
        one = view.difference(name, best) if name != best else None
        text = f"{name}: {points(value, 2)}"
        text += f" ({points(low, 2)} to {points(high, 2)})" if math.isfinite(low) else ""
        dot = Dot(value, view.hues[name], text, low, high, _is_significant(one))
        is_ranked = name in view.ranked
        rows.append(
            {
                "name": name,
                "hue": view.hues[name],
                "is_ranked": is_ranked,
                "rank": view.rank(name) if is_ranked else "",
                "value": points(value),
                "plot": axis.cell([dot] if is_ranked else []),
                "interval": f"{points(low)} – {points(high)}" if math.isfinite(low) else "–",
                "precision": points(view.scores(name).get("precision")),
                "recall": points(view.scores(name).get("recall")),
                "size": percent(view.size(name)),
                "perfect": f"{int(np.sum(view.report[name].scores == 1)):,}",
                "difference": "–" if one is None else signed(one.value),
                "p": "" if one is None else f"{p_text(one.p_adjusted)} {mark(one.p_adjusted)}",
            }
        )
    return {"axis": axis.head(), "rows": rows}


def _differences(view: Overview) -> dict[str, Any] | None:
    """Return each pair of parsers, the better one first; with many parsers as a matrix."""
    pairs = [*itertools.combinations(view.ranked, 2)]
    found = {pair: view.difference(*pair) for pair in pairs}
    known = {pair: one for pair, one in found.items() if one is not None and one.pairs}
    if not known:
        return None
    axis = Axis.over(
        [v for one in known.values() for v in (one.value, one.low, one.high)], is_signed=True
    )
    rows = []
    for (a, b), one in known.items():
        gap = view.report[a].scores - view.report[b].scores
        won, lost, same = (int(np.sum(x)) for x in (gap > 0, gap < 0, gap == 0))
        interval = f" ({signed(one.low)} to {signed(one.high)})" if math.isfinite(one.low) else ""
        is_hollow = not _is_significant(one)
        dot = Dot(one.value, "ka", f"{signed(one.value)}{interval}", one.low, one.high, is_hollow)
        rows.append(
            {
                "names": (a, b),
                "hues": (view.hues[a], view.hues[b]),
                "address": view.address(order="gap", a=a, b=b),
                "value": signed(one.value),
                "plot": axis.cell([dot], one.detectable),
                "p": p_text(one.p_adjusted),
                "is_significant": not is_hollow,
                "won": f"{won:,}",
                "lost": f"{lost:,}",
                "same": f"{same:,}",
                "shares": [100 * n / max(won + lost + same, 1) for n in (won, same, lost)],
            }
        )
    by_pair = {row["names"]: row for row in rows}
    detectable = sorted({points(one.detectable) for one in known.values()} - {"–"})
    matrix = [[by_pair.get((a, b)) for b in view.ranked[1:]] for a in view.ranked[:-1]]
    return {
        "axis": axis.head(),
        "rows": rows,
        "matrix": matrix if len(view.ranked) >= MATRIX else None,
        "detectable": " to ".join([*dict.fromkeys([detectable[0], detectable[-1]])])
        if detectable
        else "",
    }


def _distribution(view: Overview) -> list[dict[str, Any]]:
    """Return how the scores below 1 are distributed; those of 1 are a number of their own."""
    counts, values = {}, {}
    for name in view.ranked:
        scores = view.report[name].scores
        values[name] = np.clip(scores[np.isfinite(scores)], 0, 1)
        counts[name] = np.histogram(values[name][values[name] < 1], BINS, (0, 1))[0]
    highest = max(int(column.max()) for column in counts.values())
    return [
        {
            "name": name,
            "hue": view.hues[name],
            "plot": ridge(
                counts[name].tolist(), highest, view.hues[name], f"distribution of {name}"
            ),
            "low": f"{int(np.sum(values[name] < 0.5)):,}",
            "address": view.address(order="low", a=name),
            "quartiles": [points(float(q)) for q in np.quantile(values[name], (0.25, 0.5, 0.75))]
            if len(values[name])
            else ["–"] * 3,
            "perfect": f"{int(np.sum(values[name] == 1)):,}",
        }
        for name in view.ranked
    ]


def _read(view: Overview) -> list[dict[str, Any]]:
    """Return sentences to read first, in lists."""
    if len(view.ranked) == 1:
        return _read_one(view, view.ranked[0])
    a, b = view.ranked[:2]
    if view.costs is None:
        gap = view.report[a].scores - view.report[b].scores
        mean = np.mean([view.report[name].scores for name in view.ranked], axis=0) - 1
        values, hard = (gap, -gap), mean
    else:
        values = (view.costs[b] - view.costs[a], view.costs[a] - view.costs[b])
        hard = -np.mean([view.costs[name] for name in view.ranked], axis=0)
    lists = []
    for (one, other), value in zip(((a, b), (b, a)), values, strict=True):
        order = {"order": "gap", "a": one, "b": other}
        chosen = [k for k in np.argsort(-value, kind="stable")[:READ] if value[k] > 0]
        lists.append(_list(view, f"{one} better than {other}", order, chosen, value))
    order = {"order": "cost" if view.costs else "low"}
    chosen = [k for k in np.argsort(hard, kind="stable")[:READ] if hard[k] < 0]
    title = "Hard for both parsers" if len(view.ranked) == 2 else "Hard for every parser"
    return [*lists, _list(view, title, order, chosen, hard)]


def _read_one(view: Overview, name: str) -> list[dict[str, Any]]:
    scores = np.nan_to_num(view.report[name].scores, nan=2.0)
    large = np.array(view.found.sizes) if view.totals is None else view.totals[name][2]
    order = np.argsort(np.where(large >= LARGE, scores, 2.0), kind="stable")
    lowest = [k for k in order[:READ] if large[k] >= LARGE and scores[k] < 1]
    order = np.argsort(-np.where((scores > GOOD) & (scores <= 1), large, 0), kind="stable")
    good = [k for k in order[:READ] if GOOD < scores[k] <= 1]
    lists = [
        _list(view, "Lowest scores", {"order": "low"}, lowest, None),
        _list(view, "Large, and above 90", {"order": "size"}, good, None),
    ]
    if view.costs is not None:
        cost = view.costs[name]
        chosen = [k for k in np.argsort(-cost, kind="stable")[:READ] if cost[k] > 0]
        lists.append(_list(view, "Costs most points", {"order": "cost"}, chosen, -cost))
    return lists


def _list(
    view: Overview,
    title: str,
    order: Mapping[str, str],
    chosen: Sequence[int],
    value: Floats | None,
) -> dict[str, Any]:
    """Return a list of sentences.

    Args:
        value: what each sentence adds to the corpus score; None to show its score.
    """
    names = view.found.names()
    items = []
    for k in chosen:
        scores = [f"{name} {points(view.report[name].scores[k], 0)}" for name in view.ranked[:4]]
        alone = view.report[view.ranked[0]].scores[k]
        items.append(
            {
                "address": view.address(**order, s=names[k]),
                "value": points(alone) if value is None else _share(float(value[k])),
                "sentence": view.sentence(k),
                "scores": " · ".join(scores) if len(view.ranked) > 1 else "",
            }
        )
    return {"title": title, "address": view.address(**order), "items": items}


def _share(value: float) -> str:
    """Return a part of a corpus score, with at least two decimals, as short as possible."""
    digits = 2 if abs(value) >= 0.0001 else 3
    return f"{100 * value:+.{digits}f}".replace("-", "−")


def _parts(view: Overview, results: SystemResults, is_aspect: bool) -> dict[str, Any]:
    """Return the parsers on each part of the corpus: an aspect, or a size."""
    parts = [*dict.fromkeys(row.part for row in results.scores)]
    absent = _absent(view) if is_aspect else set()
    rows: list[dict[str, Any]] = []
    drawn = []
    for part in parts:
        of_part = {row.system: row for row in results.scores if row.part == part and row.scores}
        if part in absent or not any(name in of_part for name in view.ranked):
            continue
        values = {name: of_part[name].scores.get("f1", math.nan) for name in of_part}
        values = values if is_aspect else {n: of_part[n].scores[results.main] for n in of_part}
        score = "f1" if is_aspect else results.main
        best = max(view.ranked, key=lambda name: values.get(name, -math.inf))
        sentences = max(row.pairs for row in of_part.values())
        dots: list[Dot | None] = []
        for name in view.ranked:
            if name not in of_part:
                dots.append(None)
                continue
            low, high = of_part[name].intervals.get(score, (math.nan, math.nan))
            is_worse = name != best and _is_significant(_difference(results, name, best, part))
            text = f"{name}: {points(values[name], 2)}"
            dots.append(Dot(values[name], view.hues[name], text, low, high, is_worse))
        is_few = sentences < FEWEST
        if not is_few:
            drawn += [v for d in dots if d is not None for v in (d.value, d.low, d.high)]
        address = view.address(aspect=part) if is_aspect else view.address(size=part.split(" ")[0])
        rows.append(
            {
                "part": part,
                "address": address,
                "dots": dots,
                "few": f"only {sentences} sentence{'' if sentences == 1 else 's'}"
                if is_few
                else "",
                "values": [points(values.get(name)) for name in view.ranked],
                "best": view.ranked.index(best) if len(view.ranked) > 1 else -1,
                "sentences": f"{sentences:,}",
                "order": -float(np.nanmean([*values.values()])),
            }
        )
    axis = Axis.over(drawn)
    for row in rows:
        row["plot"] = axis.cell([] if row["few"] else row.pop("dots"))
    if is_aspect:
        rows.sort(key=lambda row: (bool(row["few"]), row["order"]))
    return {"axis": axis.head(), "rows": rows, "absent": [part for part in parts if part in absent]}


def _absent(view: Overview) -> set[str]:
    """Return the aspects that do not occur in the gold graphs."""
    files = {name: scores.values for name, scores in view.report.parsers.items()}
    absent = set()
    for aspect, parts in parts_with(ASPECT, files).items():
        totals = [part.details.get("tgt_total") for part in parts.values()]
        if all(total is not None and not np.nansum(total) for total in totals):
            absent.add(aspect)
    return absent


def size_classes(sizes: Ints) -> dict[str, Bools]:
    """Divide pairs into up to `CLASSES` classes of about the same number, by number of nodes.

    Args:
        sizes: of each pair; -1 for one that belongs to no class.

    >>> [*size_classes(np.array([1, 2, 2, 3, 9, -1]))]
    ['1 node', '2 nodes', '3 nodes', '9 nodes']
    """
    existing = sizes[sizes >= 0]
    if not len(existing):
        return {}
    shares = np.linspace(0, 1, CLASSES + 1)[:-1]
    lows = np.unique(np.quantile(existing, shares, method="higher"))
    classes = {}
    for low, end in zip(lows, [*lows[1:], existing.max() + 1], strict=True):
        highest = existing[existing < end].max()
        span = f"{low}" if highest == low else f"{low}–{highest}"
        classes[f"{span} node{'s' if span != '1' else ''}"] = (sizes >= low) & (sizes < end)
    return classes


def compare_sizes(report: ParserReport, metric: Metric, sizes: Ints) -> SystemResults | None:
    """Compare the parsers on graphs of about the same size; None for too few sentences.

    Args:
        sizes: the number of nodes of each gold graph.
    """
    if np.sum(sizes >= 0) < FEWEST_SIZES:
        return None
    parts: dict[str, dict[str, Scores]] = {}
    for label, within in size_classes(sizes).items():
        for name, scores in report.parsers.items():
            columns = {**scores.values.scores.details, EMPTY: ~within}
            parts.setdefault(label, {})[name] = Scores(scores.scores, columns)
    return compare_systems(corpus_statistics(metric), parts, report.resampling, ci=True)
