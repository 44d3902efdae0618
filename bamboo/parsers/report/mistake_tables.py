"""The page of errors: what is wrong, in which direction, and for whom."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bamboo.display.points import difference, equals_p, listed, points
from bamboo.explanation.mistakes import CONSTRUCTIONS, DIRECTIONS, TITLES
from bamboo.parsers.confusions import (
    LISTED,
    Agreement,
    FrequentConfusion,
    agreements,
    frequent_confusions,
)
from bamboo.parsers.costs import Cost, Costs, count_mistakes, list_constructions, select_costs
from bamboo.parsers.report.overview import SIGNIFICANT, Overview
from bamboo.parsers.report.page_types import (
    ConfusionGroup,
    ConfusionRow,
    ConstructionGroup,
    DirectionCount,
    ErrorsPage,
    MistakeRow,
    MistakeTable,
    Place,
    PlaceList,
    TotalRow,
)
from bamboo.parsers.report.plots import Axis, Dot, stack
from bamboo.parsers.report.scores import construction_id
from bamboo.parsers.report.sentences import kind_code
from bamboo.parsers.tables import mark

SIGNS = {"missing": "−", "wrong": "≠", "extra": "+"}
MEASURES = {"gain": "F1 if repaired", "count": "mistakes", "rate": "per 100 gold triples"}
NAMED = 5  # constructions that are named for a parser
PLACES = 3  # places that are shown of a construction


def build_errors_page(
    view: Overview, costs: Costs, best: str | None, exports: Markup
) -> ErrorsPage:
    """Return what the template of the page shows.

    Args:
        costs: what the mistakes of the parsers cost.
        best: the parser with which the others are compared; None for a single one.
        exports: what the buttons copy.
    """
    return ErrorsPage(
        title=_title(costs, view.ranked),
        lead=_lead(view, costs, best),
        card=_build_card(view, costs),
        measures=MEASURES,
        table=_build_table(view, costs),
        best=best,
        confusions=_build_confusions(view),
        places=_build_places(view, agreements([view.mistakes[name] for name in view.ranked])),
        exports=exports,
    )


def _title(costs: Costs, names: Sequence[str]) -> str:
    """Return the construction that costs most, with the smallest and the largest gain."""
    if not costs:
        return "There is no mistake"
    first = list_constructions(costs)[0]
    own = select_costs(costs, construction=first)
    gains = sorted(row["gain"] for row in own if row["parser"] in names)
    ends = [*dict.fromkeys(points(gain) for gain in (gains[0], gains[-1]))]
    unit = "point" if ends == ["1.0"] else "points"
    return f"{TITLES[first]} cost most: {' to '.join(ends)} {unit} of F1"


def _lead(view: Overview, costs: Costs, best: str | None) -> list[str]:
    totals = {
        name: sum(count_mistakes(row) for row in select_costs(costs, parser=name))
        for name in view.ranked
    }
    triples = view.gold_triples
    on = "" if triples is None else f" on {triples.sum():,.0f} gold triples"
    each = listed([f"{name} {count:,}" for name, count in totals.items()], None)
    paragraphs = [f"Mistakes{on}: {each}."]
    sentences = []
    for name in view.ranked:
        rows = [row for row in select_costs(costs, parser=name) if row["p_adjusted"] < SIGNIFICANT]
        more = [TITLES[row["construction"]].lower() for row in rows if row["difference"] > 0][
            :NAMED
        ]
        fewer = [TITLES[row["construction"]].lower() for row in rows if row["difference"] < 0][
            :NAMED
        ]
        texts = [f"more mistakes in {listed(more, None)}"] if more else []
        texts += [f"fewer in {listed(fewer, None)}"] if fewer else []
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
    rows = []
    for name, own in counts.items():
        address = view.address(order="cost", a=name)
        parts = [(d, float(n), address, f"{d}: {n:,}") for d, n in own.items()]
        rate = sum(row["rate"] for row in select_costs(costs, parser=name))
        plot = stack(parts, float(longest))
        rows.append(TotalRow(name, view.hues[name], f"{rate:.1f}", plot))
    return rows


def _build_table(view: Overview, costs: Costs) -> MistakeTable:
    """Return the constructions, each with a row per parser."""
    shown = [row for row in costs if row["parser"] in view.ranked]
    axis = Axis.over(
        [v / 100 for row in shown for v in (row["difference"], row["low"], row["high"])],
        is_signed=True,
    )
    longest = {
        measure: max((sum(_parts(row, measure)) for row in shown), default=1.0) or 1.0
        for measure in MEASURES
    }
    groups = []
    for construction in list_constructions(costs):
        own = {row["parser"]: row for row in select_costs(costs, construction=construction)}
        items = max(row["items"] for row in own.values())
        groups.append(
            ConstructionGroup(
                id=construction_id(construction),
                title=TITLES[construction],
                meaning=CONSTRUCTIONS[construction],
                count=f"{items:,} in gold" if items else "none in gold: each is extra",
                rows=[_build_row(view, own[name], axis, longest) for name in view.ranked],
            )
        )
    return MistakeTable(axis.head(), groups)


def _parts(row: Cost, measure: str) -> list[float]:
    """Return what a measure is of each direction."""
    if measure == "gain":
        return [max(row["gain_missing"], 0), max(row["gain_wrong"], 0), max(row["gain_extra"], 0)]
    counts = [float(row["missing"]), float(row["wrong"]), float(row["extra"])]
    scale = row["rate"] / count_mistakes(row) if measure == "rate" and count_mistakes(row) else 1.0
    return [scale * count for count in counts]


def _build_row(view: Overview, row: Cost, axis: Axis, longest: Mapping[str, float]) -> MistakeRow:
    addresses = [
        view.address(kind=kind_code((row["construction"], direction)), a=row["parser"])
        for direction in DIRECTIONS
    ]
    bars = {}
    for measure in MEASURES:
        values = _parts(row, measure)
        texts = [_shown(value, measure) for value in values]
        bars[measure] = stack(
            [
                (direction, value, address, f"{direction}: {text}")
                for direction, value, address, text in zip(
                    DIRECTIONS, values, addresses, texts, strict=True
                )
            ],
            longest[measure],
        )
    is_tested = not math.isnan(row["difference"])
    is_significant = row["p_adjusted"] < SIGNIFICANT
    interval = f"{_rate(row['low'])} to {_rate(row['high'])}"
    text = f"{_rate(row['difference'])} ({interval}), {equals_p(row['p_adjusted'])}"
    dot = Dot(
        row["difference"] / 100, "ka", text, row["low"] / 100, row["high"] / 100, not is_significant
    )
    numbers = zip(DIRECTIONS, (row["missing"], row["wrong"], row["extra"]), addresses, strict=True)
    return MistakeRow(
        name=row["parser"],
        slug=view.found.slugs[row["parser"]],
        hue=view.hues[row["parser"]],
        bars=bars,
        values={
            "gain": difference(row["gain"]) if row["gain"] else "0.0",
            "count": f"{count_mistakes(row):,}",
            "rate": f"{row['rate']:.1f}",
        },
        counts=[
            DirectionCount(
                direction, SIGNS[direction], f"{n:,}" if n else "·", address if n else ""
            )
            for direction, n, address in numbers
        ],
        share="–" if math.isnan(row["share"]) else f"{100 * row['share']:.0f} %",
        plot=axis.cell([dot] if is_tested else []),
        difference=_rate(row["difference"]),
        mark=mark(row["p_adjusted"]),
    )


def _shown(value: float, measure: str) -> str:
    if measure == "count":
        return f"{value:,.0f}"
    return f"{100 * value if measure == 'gain' else value:.2f}"


def _rate(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.2f}".replace("-", "−")


def confusion_key(one: FrequentConfusion) -> str:
    """Return the name of a confusion in addresses."""
    return f"{one.gold}>{one.parse}"


def _build_confusions(view: Overview) -> list[ConfusionGroup]:
    """Return the most frequent confusions of each construction."""
    names = view.ranked
    groups: dict[str, list[ConfusionRow]] = {construction: [] for construction in LISTED}
    for one in frequent_confusions({name: view.mistakes[name] for name in names}):
        groups[one.construction].append(
            ConfusionRow(
                gold=one.gold,
                parse=one.parse,
                address=view.address(order="cost", pair=confusion_key(one)),
                counts=[one.counts[name] or "·" for name in view.numbered],
                sum=sum(one.counts.values()),
            )
        )
    return [ConfusionGroup(TITLES[c], rows) for c, rows in groups.items() if rows]


def confused_pairs(view: Overview) -> dict[str, list[int]]:
    """Return the positions of the pairs with each of the listed confusions."""
    mistakes = {name: view.mistakes[name] for name in view.ranked}
    listed_here = {one[:3]: confusion_key(one) for one in frequent_confusions(mistakes)}
    found: dict[str, dict[int, None]] = defaultdict(dict)
    for of_parser in mistakes.values():
        for pair, confusions in enumerate(of_parser.confusions):
            for one in confusions or ():
                if one[:3] in listed_here:
                    found[listed_here[one[:3]]][pair] = None
    return {key: sorted(pairs) for key, pairs in found.items()}


def count_agreements(view: Overview) -> list[int]:
    """Return for each pair in how many places all parsers agree, and gold differs."""
    if not view.mistakes:
        return [0] * len(view.found.ids)
    counts = Counter(one.pair for one in agreements([view.mistakes[n] for n in view.ranked]))
    return [counts[k] for k in range(len(view.found.ids))]


def _build_places(view: Overview, found: Sequence[Agreement]) -> PlaceList:
    """Return places to check the gold graphs: of each construction those in short sentences."""
    kinds = Counter(one.construction for one in found)
    table = [(TITLES[construction], count) for construction, count in kinds.most_common()]
    by_size = sorted(found, key=lambda one: (view.found.sizes[one.pair], one.pair))
    seen: set[int] = set()
    chosen: list[Agreement] = []
    for construction in kinds:
        new = {o.pair: o for o in by_size if o.construction == construction and o.pair not in seen}
        chosen += [*new.values()][:PLACES]
        seen.update([*new][:PLACES])
    places = [
        Place(
            address=view.address(order="agree", s=view.found.name(one.pair)),
            sentence=view.sentence(one.pair),
            gold=one.gold,
            parse=one.parse or "nothing",
        )
        for one in chosen
    ]
    return PlaceList(f"{len(found):,}", table, places)
