"""The sentences of pairs; those of Arg, which the release leaves out, are taken from Main."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from amr_metrics.base import Pair
from amr_metrics.graphs.graph import Graph
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.scoring.file_pairs import list_texts
from bamboo.scoring.problems import OnError

MAIN = "main"
SIDES = ("src", "tgt")


@dataclass(frozen=True)
class Sentences:
    """The sentences of the pairs of a cell.

    Attributes:
        texts: the sentences of src and tgt of each pair.
        main: the number in Main of the pair that a pair was made from, where known; empty for a
            cell that has sentences of its own.
        altered: which graph differs from that pair: ``src``, ``tgt``, both, or "" for neither.
    """

    texts: Sequence[tuple[str, str]]
    main: Mapping[int, int] = field(default_factory=dict)
    altered: Mapping[int, str] = field(default_factory=dict)


def sentences(cell: Cell, pairs: Sequence[Pair | None], on_error: OnError) -> Sentences:
    """Return the sentences of a cell's pairs.

    Pairs that come in couples, an altered and the original one, and have no sentences (Arg) get
    those of the Main pair with the same graphs as the original.

    Args:
        on_error: how to treat pairs of Main that cannot be read.
    """
    texts = [list_texts(pair) for pair in pairs]
    if cell.unit != 2 or any(map(any, texts)) or MAIN not in cell.dataset.partitions:
        return Sentences(texts)
    return _find_in_main(texts, pairs, replace(cell, partition=MAIN, limit=None).load(on_error))


def _find_in_main(
    texts: Sequence[tuple[str, str]], pairs: Sequence[Pair | None], main: PairSet
) -> Sentences:
    """Return the sentences of Main in place of the texts of couples of pairs.

    Arg is in the order of Main, so the search for a couple begins after the previous one. This
    matters for graphs that occur in several pairs of Main.
    """
    positions: dict[tuple[object, object], list[int]] = {}
    for k, pair in enumerate(main.pairs):
        if pair is not None:
            positions.setdefault((content(pair.src), content(pair.tgt)), []).append(k)
    new_texts, numbers, altered = list(texts), {}, {}
    last = -1
    for k in range(0, len(pairs) - 1, 2):
        original = pairs[k + 1]
        if original is None:
            continue
        same = positions.get((content(original.src), content(original.tgt)), [])
        if not same:
            continue
        at = next((position for position in same if position > last), same[0])
        last = max(last, at)
        for member in (k, k + 1):
            new_texts[member] = list_texts(main.pairs[at])
            numbers[member] = int(main.numbers[at])
            altered[member] = _find_altered_sides(pairs[member], original)
    return Sentences(new_texts, numbers, altered)


def _find_altered_sides(pair: Pair | None, original: Pair) -> str:
    """Return which sides of a pair differ from the original's."""
    if pair is None:
        return ""
    sides = zip(SIDES, pair, original, strict=True)
    return " and ".join(side for side, a, b in sides if content(a) != content(b))


def content(graph: Graph) -> tuple[object, ...]:
    """Return what a graph consists of, regardless of the order in which it is written."""
    nodes = frozenset(zip(graph.variables, graph.concepts, strict=True))
    return graph.top, nodes, frozenset(graph.attributes), frozenset(graph.relations)
