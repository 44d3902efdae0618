"""The page of errors: what is wrong, in which direction, and for whom."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from bamboo.board import MISTAKE, find_lowest
from bamboo.display.points import equals_p, join_names, mark, points, signed
from bamboo.explanation.mistakes import CONSTRUCTIONS, DIRECTIONS, TITLES
from bamboo.parsers.confusions import (
    Confusion,
    count_confusions,
    find_agreements,
    group_confusions,
)
from bamboo.parsers.costs import (
    Cost,
    Costs,
    count_mistakes,
    find_compared,
    list_constructions,
    select_costs,
)
from bamboo.parsers.report.exports import export_errors
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.plots import Axis, Dot, PlottedRows, stack
from bamboo.parsers.report.scores import construction_id
from bamboo.parsers.report.sentences import kind_code
from bamboo.scoring.mistake_rows import ParserMistakes

SIGNS = {"missing": "−", "wrong": "≠", "extra": "+"}
MEASURES = {"gain": "F1 if repaired", "count": "mistakes", "rate": "per 100 gold triples"}
NAMED = 5  # constructions that are named for a parser
PLACES = 3  # places that are shown of a construction


class TotalRow(NamedTuple):
    """All mistakes of a parser per 100 gold triples, and the bar of their directions.

    `is_best`: whether none of several parsers has fewer.
    """

    name: str
    rate: float
    bar: Markup
    is_best: bool


class MistakeRow(NamedTuple):
    """What the mistakes of a parser in a construction cost.

    `bars` are by measure, `addresses` (of the sentences) by direction; the dot is the difference
    from the best parser. `best`: the measures in which none of several parsers has less.
    """

    cost: Cost
    bars: Mapping[str, Markup]
    addresses: Mapping[str, str]
    dots: Sequence[Dot]
    best: Sequence[str]


class ConstructionGroup(NamedTuple):
    """The rows of a construction, of which gold has so many items."""

    id: str
    title: str
    meaning: str
    items: int
    rows: Sequence[MistakeRow]


class ConfusionRow(NamedTuple):
    """A confusion, the address of its sentences, and how often each parser has it."""

    gold: str
    parse: str
    address: str
    counts: Counter[str]


@dataclass(frozen=True)
class ErrorsPage:
    """What the page of errors shows.

    Attributes:
        title, lead: the heading and the paragraphs below it.
        card: the mistakes of each parser.
        measures: names and labels of the lengths of bars.
        signs: of the directions of mistakes.
        axis: of the differences from the parser `best`, which is None for a single parser.
        confusions: the most frequent ones, by title of the construction.
        places: the number of places to check the gold graphs; `kinds` has that of each
            construction, `examples` those that are shown.
        exports: what the buttons copy, by name.
    """

    title: str
    lead: Sequence[str]
    card: Sequence[TotalRow]
    measures: Mapping[str, str]
    signs: Mapping[str, str]
    axis: Axis
    groups: Sequence[ConstructionGroup]
    best: str | None
    confusions: Mapping[str, Sequence[ConfusionRow]]
    places: int
    kinds: Sequence[tuple[str, int]]
    examples: Sequence[Confusion]
    exports: Mapping[str, str]


def build_errors_page(view: Overview) -> ErrorsPage:
    """Return what the template of the page shows."""
    costs, report = view.report_costs, view.report
    best = find_compared(report.board.select(kind=MISTAKE))
    groups = _build_groups(view, costs)
    mistakes = {name: view.mistakes[name] for name in view.ranked}
    places = find_agreements([*mistakes.values()])
    kinds = Counter(one.construction for one in places)
    return ErrorsPage(
        title=_write_title(costs, view.ranked),
        lead=_write_lead(view, costs, best),
        card=_build_card(view, costs),
        measures=MEASURES,
        signs=SIGNS,
        axis=PlottedRows.over([row for group in groups for row in group.rows], True).axis,
        groups=groups,
        best=best,
        confusions=_build_confusions(view, mistakes),
        places=len(places),
        kinds=[(TITLES[construction], count) for construction, count in kinds.most_common()],
        examples=_choose_places(view, places, kinds),
        exports=export_errors(view),
    )


def _write_title(costs: Costs, names: Sequence[str]) -> str:
    """Return the construction that costs most, with the smallest and the largest gain."""
    if not costs:
        return "There is no mistake"
    first = list_constructions(costs)[0]
    own = select_costs(costs, construction=first)
    gains = sorted(row["gain"] for row in own if row["parser"] in names)
    ends = [*dict.fromkeys(points(gain) for gain in (gains[0], gains[-1]))]
    unit = "point" if ends == ["1.0"] else "points"
    return f"{TITLES[first]} cost most: {' to '.join(ends)} {unit} of F1"


def _write_lead(view: Overview, costs: Costs, best: str | None) -> list[str]:
    totals = {
        name: sum(count_mistakes(row) for row in select_costs(costs, parser=name))
        for name in view.ranked
    }
    triples = view.gold_triples
    on = "" if triples is None else f" on {triples.sum():,.0f} gold triples"
    each = join_names([f"{name} {count:,}" for name, count in totals.items()], None)
    paragraphs = [f"Mistakes{on}: {each}."]
    sentences = []
    for name in view.ranked:
        rows = [row for row in select_costs(costs, parser=name) if mark(row["p_adjusted"])]
        more, fewer = (
            [TITLES[r["construction"]].lower() for r in rows if sign * r["difference"] > 0][:NAMED]
            for sign in (1, -1)
        )
        texts = [f"more mistakes in {join_names(more, None)}"] if more else []
        texts += [f"fewer in {join_names(fewer, None)}"] if fewer else []
        if texts:
            sentences.append(f"{name} makes significantly {', '.join(texts)} than {best}.")
    return [*paragraphs, *([" ".join(sentences)] if sentences else [])]


def _build_card(view: Overview, costs: Costs) -> list[TotalRow]:
    """Return the mistakes of each parser per 100 gold triples, by direction."""
    counts = {
        name: {d: sum(row[d] for row in select_costs(costs, parser=name)) for d in DIRECTIONS}
        for name in view.ranked
    }
    longest = max(sum(own.values()) for own in counts.values()) or 1
    rates = {
        name: sum(row["rate"] for row in select_costs(costs, parser=name)) for name in view.ranked
    }
    best = find_lowest(rates) if len(rates) > 1 else []
    rows = []
    for name, own in counts.items():
        address = view.address(order="cost", a=name)
        parts = [(d, float(n), address, f"{d}: {n:,}") for d, n in own.items()]
        rows.append(TotalRow(name, rates[name], stack(parts, float(longest)), name in best))
    return rows


def _build_groups(view: Overview, costs: Costs) -> list[ConstructionGroup]:
    """Return the constructions, each with a row per parser."""
    ranked = [row for row in costs if row["parser"] in view.ranked]
    longest = {
        measure: max((sum(_measure(row, measure)) for row in ranked), default=1.0) or 1.0
        for measure in MEASURES
    }
    groups = []
    for construction in list_constructions(costs):
        own = {row["parser"]: row for row in select_costs(costs, construction=construction)}
        best = _find_best({name: own[name] for name in view.ranked})
        groups.append(
            ConstructionGroup(
                construction_id(construction),
                TITLES[construction],
                CONSTRUCTIONS[construction],
                max(row["items"] for row in own.values()),
                [_build_row(view, own[name], longest, best[name]) for name in view.ranked],
            )
        )
    return groups


def _measure(row: Cost, measure: str) -> list[float]:
    """Return the lengths of the bars of each direction."""
    if measure == "gain":
        return [max(row[f"gain_{direction}"], 0) for direction in DIRECTIONS]
    counts = [float(row[direction]) for direction in DIRECTIONS]
    scale = row["rate"] / count_mistakes(row) if measure == "rate" and count_mistakes(row) else 1.0
    return [scale * count for count in counts]


def _find_best(rows: Mapping[str, Cost]) -> dict[str, list[str]]:
    """Return for each parser the measures in which none of several parsers has less."""
    best: dict[str, list[str]] = {name: [] for name in rows}
    values: dict[str, dict[str, float]] = {
        "gain": {name: row["gain"] for name, row in rows.items()},
        "count": {name: count_mistakes(row) for name, row in rows.items()},
        "rate": {name: row["rate"] for name, row in rows.items()},
    }
    for measure in MEASURES if len(rows) > 1 else ():
        for name in find_lowest(values[measure]):
            best[name].append(measure)
    return best


def _build_row(
    view: Overview, row: Cost, longest: Mapping[str, float], best: Sequence[str]
) -> MistakeRow:
    addresses = {
        direction: view.address(kind=kind_code((row["construction"], direction)), a=row["parser"])
        for direction in DIRECTIONS
    }
    bars = {}
    for measure in MEASURES:
        parts = [
            (direction, value, addresses[direction], f"{direction}: {_format(value, measure)}")
            for direction, value in zip(DIRECTIONS, _measure(row, measure), strict=True)
        ]
        bars[measure] = stack(parts, longest[measure])
    value, low, high = (row[name] / 100 for name in ("difference", "low", "high"))
    interval = f"{signed(row['low'])} to {signed(row['high'])}"
    text = f"{signed(row['difference'])} ({interval}), {equals_p(row['p_adjusted'])}"
    dot = Dot(value, "ka", text, low, high, not mark(row["p_adjusted"]))
    return MistakeRow(row, bars, addresses, [] if math.isnan(value) else [dot], best)


def _format(value: float, measure: str) -> str:
    if measure == "count":
        return f"{value:,.0f}"
    return f"{100 * value if measure == 'gain' else value:.2f}"


def _name_confusion(gold: str, parse: str) -> str:
    """Return the name of a confusion in addresses."""
    return f"{gold}>{parse}"


def _build_confusions(
    view: Overview, mistakes: Mapping[str, ParserMistakes]
) -> dict[str, list[ConfusionRow]]:
    """Return the most frequent confusions by the title of their construction."""
    groups: dict[str, list[ConfusionRow]] = defaultdict(list)
    frequent = count_confusions(group_confusions(mistakes))
    for (construction, gold, parse), counts in frequent.items():
        address = view.address(order="cost", pair=_name_confusion(gold, parse))
        groups[TITLES[construction]].append(ConfusionRow(gold, parse, address, counts))
    return groups


def find_confused_pairs(view: Overview) -> dict[str, list[int]]:
    """Return the positions of the pairs with each of the listed confusions."""
    groups = group_confusions({name: view.mistakes[name] for name in view.ranked})
    frequent = count_confusions(groups)
    pairs: dict[str, set[int]] = defaultdict(set)
    for key in groups:
        if key in frequent:
            pairs[_name_confusion(*key[1:])].update(pair for _, pair in groups[key])
    return {name: sorted(positions) for name, positions in pairs.items()}


def count_agreements(view: Overview) -> list[int]:
    """Return for each pair in how many places all parsers agree, and gold differs."""
    if not view.mistakes:
        return [0] * len(view.found.ids)
    counts = Counter(one.pair for one in find_agreements([view.mistakes[n] for n in view.ranked]))
    return [counts[k] for k in range(len(view.found.ids))]


def _choose_places(
    view: Overview, places: Sequence[Confusion], kinds: Iterable[str]
) -> list[Confusion]:
    """Return places to check the gold graphs: of each construction those in short sentences."""
    by_size = sorted(places, key=lambda one: (view.found.sizes[one.pair], one.pair))
    seen: set[int] = set()
    chosen: list[Confusion] = []
    for construction in kinds:
        new = {o.pair: o for o in by_size if o.construction == construction and o.pair not in seen}
        chosen += [*new.values()][:PLACES]
        seen.update([*new][:PLACES])
    return chosen
