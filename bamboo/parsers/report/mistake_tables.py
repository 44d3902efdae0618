"""The page of errors: what is wrong, in which direction, and for whom."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from bamboo.board import MISTAKE, find_lowest
from bamboo.display.points import (
    difference,
    equals_p,
    include_equal,
    join_names,
    mark,
    points,
    signed,
)
from bamboo.explanation.mistakes import CONSTRUCTIONS, DIRECTIONS, TITLES
from bamboo.parsers.analyses.errors import Cost, Costs, find_best, find_compared
from bamboo.parsers.confusions import Confusion, count_confusions
from bamboo.parsers.left_out import describe_left_out
from bamboo.parsers.report.exports import export_errors
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.plots import Axis, Dot, PlottedRows, Row, format_with_interval, stack
from bamboo.parsers.report.scores import construction_id
from bamboo.parsers.report.sentences import kind_code

# The title, the value of a row, and how it is shown.
MEASURES: Mapping[str, tuple[str, Callable[[Cost], float], Callable[[float], str]]] = {
    "gain": ("F1 if repaired", attrgetter("gain"), difference),
    "count": ("mistakes", attrgetter("mistakes"), str),
    "rate": ("per 100 gold triples", attrgetter("rate"), "{:.1f}".format),
}
NAMED = 5  # constructions that are named for a parser
PLACES = 3  # places that are shown of a construction


@dataclass(frozen=True)
class ErrorsPage:
    """What the page of errors shows.

    Attributes:
        best: the parser with which others are compared; None for a single parser.
        places, kinds, examples: where to check the gold graphs: how many places, in which
            constructions, and some of them.
    """

    title: str
    lead: Sequence[str]
    card: Sequence[Row]
    measures: Mapping[str, str]
    axis: Axis
    groups: Sequence[Mapping[str, Any]]
    best: str | None
    confusions: Mapping[str, Sequence[tuple[str, str, str, Counter[str]]]]
    places: int
    kinds: Sequence[tuple[str, int]]
    examples: Sequence[Confusion]
    exports: Mapping[str, str]


def build_errors_page(view: Overview) -> ErrorsPage:
    """Return what the template of the page shows."""
    costs = view.construction_costs
    groups = _build_groups(view, costs)
    kinds = Counter(place.construction for place in view.shared_mistakes)
    best = find_compared(view.report.board.select(kind=MISTAKE))
    return ErrorsPage(
        title=_write_title(costs, view.compared),
        lead=_write_lead(view, costs, best),
        card=_build_card(view, costs),
        measures={name: title for name, (title, _, _) in MEASURES.items()},
        axis=PlottedRows.over([row for group in groups for row in group["rows"]], True).axis,
        groups=groups,
        best=best,
        confusions=_build_confusions(view),
        places=len(view.shared_mistakes),
        kinds=[(TITLES[construction], count) for construction, count in kinds.most_common()],
        examples=_choose_places(view, kinds),
        exports=export_errors(view),
    )


def _write_title(costs: Costs, names: Sequence[str]) -> str:
    """Return the construction that costs most, with the smallest and the largest gain."""
    if not costs:
        return "There is no mistake"
    first, by_parser = next(iter(costs.items()))
    gains = sorted(by_parser[name].gain for name in names)
    ends = [*dict.fromkeys(points(gain) for gain in (gains[0], gains[-1]))]
    unit = "point" if ends == ["1.0"] else "points"
    return f"{TITLES[first]} cost most: {' to '.join(ends)} {unit} of F1"


def _write_lead(view: Overview, costs: Costs, best: str | None) -> list[str]:
    totals = {name: sum(of[name].mistakes for of in costs.values()) for name in view.compared}
    triples = view.gold_triples
    on = "" if triples is None else f" on {triples.sum():,.0f} gold triples"
    each = join_names([f"{name} {count:,}" for name, count in totals.items()], None)
    paragraphs = [f"Mistakes{on}: {each}."]
    sentences = []
    for name in view.compared:
        rows = [of[name] for of in costs.values() if mark(of[name].p_adjusted)]
        more, fewer = (
            [TITLES[row.construction].lower() for row in rows if sign * row.difference > 0][:NAMED]
            for sign in (1, -1)
        )
        texts = [f"more mistakes in {join_names(more, None)}"] if more else []
        texts += [f"fewer in {join_names(fewer, None)}"] if fewer else []
        if texts:
            sentences.append(f"{name} makes significantly {', '.join(texts)} than {best}.")
    left_out = [f"{text}." for text in describe_left_out(view.report)]
    return [*paragraphs, *([" ".join(sentences)] if sentences else []), *left_out]


def _build_card(view: Overview, costs: Costs) -> list[Row]:
    """Return the mistakes of each parser per 100 gold triples, by direction."""
    counts = {
        name: {d: sum(of[name].directions[d] for of in costs.values()) for d in DIRECTIONS}
        for name in view.compared
    }
    longest = max(sum(by_direction.values()) for by_direction in counts.values()) or 1
    rates = {name: sum(of[name].rate for of in costs.values()) for name in view.compared}
    best = include_equal(find_lowest(rates), rates, "{:.1f}".format) if len(rates) > 1 else []
    rows = []
    for name, by_direction in counts.items():
        address = view.address(order="cost", a=name)
        parts = [(d, float(n), address, f"{d}: {n:,}") for d, n in by_direction.items()]
        values = {"rate": rates[name], "bar": stack(parts, float(longest))}
        rows.append(Row(name, values, best=best if name in best else []))
    return rows


def _build_groups(view: Overview, costs: Costs) -> list[dict[str, Any]]:
    """Return the constructions, each with a row per parser."""
    compared = [of[name] for of in costs.values() for name in view.compared]
    longest = {
        measure: max((sum(_measure(row, measure)) for row in compared), default=1.0) or 1.0
        for measure in MEASURES
    }
    groups = []
    for construction, by_parser in costs.items():
        rows = [by_parser[name] for name in view.compared]
        groups.append(
            {
                "id": construction_id(construction),
                "title": TITLES[construction],
                "meaning": CONSTRUCTIONS[construction],
                "in_gold": max(row.items for row in by_parser.values()),
                "rows": [_build_row(view, row, longest) for row in rows],
                "best": {name: find_best(rows, *about[1:]) for name, about in MEASURES.items()},
            }
        )
    return groups


def _measure(row: Cost, measure: str) -> list[float]:
    """Return the lengths of the bars of each direction."""
    if measure == "gain":
        return [max(gain, 0) for gain in (row.gain_missing, row.gain_wrong, row.gain_extra)]
    scale = row.rate / row.mistakes if measure == "rate" and row.mistakes else 1.0
    return [scale * count for count in row.directions.values()]


def _build_row(view: Overview, row: Cost, longest: Mapping[str, float]) -> Row:
    addresses = {
        direction: view.address(kind=kind_code((row.construction, direction)), a=row.parser)
        for direction in DIRECTIONS
    }
    bars = {}
    for measure in MEASURES:
        parts = [
            (direction, value, addresses[direction], f"{direction}: {_format(value, measure)}")
            for direction, value in zip(DIRECTIONS, _measure(row, measure), strict=True)
        ]
        bars[measure] = stack(parts, longest[measure])
    value, low, high = (end / 100 for end in (row.difference, row.low, row.high))
    text = format_with_interval(signed, row.difference, row.low, row.high)
    text = f"{text}, {equals_p(row.p_adjusted)}"
    dot = Dot(value, "ka", text, low, high, not mark(row.p_adjusted))
    values = {"cost": row, "bars": bars, "addresses": addresses}
    return Row(row.parser, values, [] if math.isnan(value) else [dot])


def _format(value: float, measure: str) -> str:
    if measure == "count":
        return f"{value:,.0f}"
    return f"{100 * value if measure == 'gain' else value:.2f}"


def _name_confusion(gold: str, parse: str) -> str:
    """Return the name of a confusion in addresses."""
    return f"{gold}>{parse}"


def _build_confusions(view: Overview) -> dict[str, list[tuple[str, str, str, Counter[str]]]]:
    """Return the most frequent confusions by the title of their construction.

    Returns:
        gold and parse, the address of the sentences, and how often each parser has the confusion.
    """
    groups = defaultdict(list)
    for (construction, gold, parse), counts in count_confusions(view.confusions).items():
        address = view.address(order="cost", pair=_name_confusion(gold, parse))
        groups[TITLES[construction]].append((gold, parse, address, counts))
    return groups


def find_confused_pairs(view: Overview) -> dict[str, list[int]]:
    """Return the positions of the pairs with each of the listed confusions."""
    frequent = count_confusions(view.confusions)
    pairs: dict[str, set[int]] = defaultdict(set)
    for key, occurrences in view.confusions.items():
        if key in frequent:
            pairs[_name_confusion(*key[1:])].update(pair for _, pair in occurrences)
    return {name: sorted(positions) for name, positions in pairs.items()}


def count_agreements(view: Overview) -> list[int]:
    """Return for each pair in how many places all parsers agree, and gold differs."""
    counts = Counter(place.pair for place in view.shared_mistakes)
    return [counts[k] for k in range(len(view.collected.ids))]


def _choose_places(view: Overview, kinds: Iterable[str]) -> list[Confusion]:
    """Return places to check the gold graphs: of each construction those in short sentences."""
    by_size = sorted(
        view.shared_mistakes, key=lambda place: (view.collected.sizes[place.pair], place.pair)
    )
    examples: dict[int, Confusion] = {}  # one of each pair
    for kind in kinds:
        of_kind = [place for place in by_size if place.construction == kind]
        new = {place.pair: place for place in of_kind if place.pair not in examples}
        examples |= [*new.items()][:PLACES]
    return [*examples.values()]
