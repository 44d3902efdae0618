"""The most frequent confusions of parsers, and places where all parsers contradict the gold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bamboo.explanation.mistakes import CONSTRUCTIONS
from bamboo.scoring.mistake_rows import ParserMistakes

LISTED = ("sense", "concept", "core role", "other role")
MOST = 8  # confusions of each construction


class Confusion(NamedTuple):
    """What a parse has in place of something in the gold graph.

    Attributes:
        pair: the position of the pair.
        construction: one of `bamboo.parsers.mistakes.CONFUSED`.
        gold, parse: the two concepts, roles (in the direction of the gold graph), or roles with
            constants; `parse` is "" for a negation that is missing.
        place: the triple of the gold graph, by its nodes.
        gold_text, parse_text: the triples, with concepts in place of nodes.
    """

    pair: int
    construction: str
    gold: str
    parse: str
    place: str
    gold_text: str
    parse_text: str


Key = tuple[str, str, str]  # of equal confusions: construction, gold and parse


def list_confusions(mistakes: ParserMistakes) -> Iterator[Confusion]:
    """Yield the confusions among the mistakes of a parser."""
    names = [*CONSTRUCTIONS]
    for pair, construction, *_, labels in mistakes.rows.tolist():
        if labels is not None:
            yield Confusion(pair, names[construction], *labels)


def group_confusions(parsers: Mapping[str, ParserMistakes]) -> dict[Key, list[tuple[str, int]]]:
    """Return the occurrences of each confusion of `LISTED`: the parser and the pair of each."""
    groups: dict[Key, list[tuple[str, int]]] = defaultdict(list)
    for parser, mistakes in parsers.items():
        for pair, construction, gold, parse, *_ in list_confusions(mistakes):
            if construction in LISTED:
                groups[construction, gold, parse].append((parser, pair))
    return groups


def count_confusions(
    groups: Mapping[Key, Sequence[tuple[str, int]]], most: int = MOST
) -> dict[Key, Counter[str]]:
    """Count by parser the most frequent of the confusions of each construction in `groups`.

    Of equally frequent ones, that with the first pair comes first.
    """
    first = {key: min(pair for _, pair in places) for key, places in groups.items()}
    order = sorted(groups, key=lambda key: (-len(groups[key]), first[key]))
    return {
        key: Counter(parser for parser, _ in groups[key])
        for construction in LISTED
        for key in [key for key in order if key[0] == construction][:most]
    }


def find_agreements(parsers: Sequence[ParserMistakes]) -> list[Confusion]:
    """Return the places where all parsers agree with each other and not with the gold graph.

    They have the same other concept, sense, role or constant, or all lack the negation. A single
    parser has none. The texts are those of the first parser.
    """
    if len(parsers) < 2:
        return []
    first, *others = [{row[:5]: row for row in list_confusions(mistakes)} for mistakes in parsers]
    return [row for key, row in first.items() if all(key in places for places in others)]
