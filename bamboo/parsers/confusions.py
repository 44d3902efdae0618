"""The most frequent confusions of parsers, and places where all parsers contradict the gold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bamboo.parsers.mistakes import Confusion, ParserMistakes

LISTED = ("sense", "concept", "core role", "other role")
MOST = 8  # confusions of each construction


class FrequentConfusion(NamedTuple):
    """What parsers write in place of something in the gold graphs.

    Attributes:
        construction: one of `LISTED`.
        gold, parse: the two concepts, or roles.
        counts: how often, by parser.
        pair: the position of the first pair with it.
    """

    construction: str
    gold: str
    parse: str
    counts: Mapping[str, int]
    pair: int

    @property
    def key(self) -> str:
        """Its name in addresses."""
        return f"{self.gold}>{self.parse}"


class Agreement(NamedTuple):
    """A place where all parsers have the same, and the gold graph something else.

    Attributes:
        pair: the position of the pair.
        construction: one of `bamboo.parsers.mistakes.CONFUSED`.
        gold, parse: the triple of the gold graph and that of the first parser, with concepts in
            place of nodes; `parse` is "" if it is missing from all parses.
    """

    pair: int
    construction: str
    gold: str
    parse: str


def frequent_confusions(
    parsers: Mapping[str, ParserMistakes], most: int = MOST
) -> list[FrequentConfusion]:
    """Return the most frequent confusions of each construction, by their sum over parsers."""
    counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    first: dict[tuple[str, str, str], int] = {}
    for parser, found in parsers.items():
        for pair, one in _occurrences(found):
            counts[one[:3]][parser] += 1
            first[one[:3]] = min(pair, first.get(one[:3], pair))
    order = sorted(counts, key=lambda key: (-counts[key].total(), first[key]))
    return [
        FrequentConfusion(*key, {name: counts[key][name] for name in parsers}, first[key])
        for construction in LISTED
        for key in [key for key in order if key[0] == construction][:most]
    ]


def agreements(parsers: Sequence[ParserMistakes]) -> list[Agreement]:
    """Return the places where all parsers agree with each other and not with the gold graph.

    They have the same other concept, sense, role or constant, or all lack the negation. A single
    parser has none.
    """
    if len(parsers) < 2:
        return []
    found = []
    for pair, confusions in enumerate(zip(*(one.confusions for one in parsers), strict=True)):
        places = [{(c.place, *c[:3]): c for c in of_parser or ()} for of_parser in confusions]
        found += [
            Agreement(pair, one.construction, one.gold_text, one.parse_text)
            for key, one in places[0].items()
            if all(key in other for other in places[1:])
        ]
    return found


def _occurrences(found: ParserMistakes) -> Iterator[tuple[int, Confusion]]:
    for pair, confusions in enumerate(found.confusions):
        for one in confusions or ():
            if one.construction in LISTED:
                yield pair, one
