"""Pairs as the explorer shows them: the graphs, and what a metric aligns and matches in them.

The leaderboard shows each pair under several metrics, the report on parsers each gold graph with
several parsers. Both are the same to the explorer: systems, each with a pair of graphs at each
position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import MetricError, NoAlignmentError, PairError, SetupError
from amr_metrics.explanation import Explanation
from amr_metrics.types import Floats, Ints
from bamboo.explanation.drawing import lines_by_name, link_lines
from bamboo.explanation.matches import Marks, marks, matches_by_kind
from bamboo.explanation.outline import Outline, outline
from bamboo.scoring.file_pairs import FilePairs

CHUNK = 64  # pairs in a file
EXPLAINED = 1000  # pairs explained at a time: explanations are large
MARKS = {None: "0", False: "1", True: "2"}
SCALE = 10_000  # scores are stored with four decimals

Outlines = tuple[Outline, Outline]  # of both graphs of a pair


class ShownPair(NamedTuple):
    """A pair with its explanation in terms of the lines of its graphs' outlines.

    Attributes:
        outlines: in the form in which the metric explains the pair; None if the pair is missing.
        links: line of src, line of tgt, weight and cost of each link.
        marks: for each graph a string, with a character for the concept and one for the role of
            each line, then one for each re-entrant edge: not counted by the metric (0), not
            matched (1), or matched (2); empty without marks.
        matches: for each kind of triple, the number of matches, the number of triples of src and
            of tgt, and the sum of the weights of the matches.
        effects: for each feature, its value and what it adds to the score.
    """

    outlines: Outlines | None
    links: Sequence[tuple[int, int, float, float]] = ()
    marks: tuple[str, ...] = ()
    matches: Mapping[str, Sequence[float]] = {}
    effects: Mapping[str, Sequence[float]] = {}


def build_shown_pair(
    outlines: Outlines | None, explanation: Explanation | None, has_marks: bool = True
) -> ShownPair:
    """Return a pair as the explorer shows it.

    Args:
        outlines: of the pair in the form in which it was explained.
        explanation: None if there is none.
        has_marks: whether it is marked what matches.
    """
    if outlines is None or explanation is None:
        return ShownPair(outlines)
    links = link_lines(explanation.links, [lines_by_name(rows) for rows, _ in outlines])
    codes = map(_encode_marks, marks(explanation, outlines)) if has_marks else ()
    return ShownPair(
        outlines,
        links,
        tuple(codes),
        {
            kind: [matched, src, tgt, weight]
            for kind, matched, weight, src, tgt in matches_by_kind(explanation)
        },
        {c.feature: [float(c.value), float(c.effect)] for c in explanation.contributions},
    )


def explain_pairs(
    metric: Metric,
    pairs: Sequence[Pair | None],
    outlines: Sequence[Outlines | None],
    on_error: str,
    numbers: Sequence[int] | Ints,
) -> tuple[list[ShownPair], bool]:
    """Explain pairs; return also whether the metric aligns graphs.

    Args:
        outlines: of the pairs as they are; the same objects are returned where the metric compares
            them in this form.
        on_error: with ``nan`` or ``zero``, a pair that cannot be explained has no explanation.
        numbers: the number of each pair in errors.

    Raises:
        PairError: a pair that cannot be explained (``on_error="stop"``), with its number.
    """
    shown_pairs: list[ShownPair] = []
    is_aligned = True
    for start in range(0, len(pairs), EXPLAINED):
        chunk = slice(start, start + EXPLAINED)
        explanations = collect_explanations(metric, pairs[chunk], on_error, numbers[chunk])
        is_aligned = explanations is not None
        explained = explanations or [None] * len(pairs[chunk])
        for pair, as_read, explanation in zip(
            pairs[chunk], outlines[chunk], explained, strict=True
        ):
            form = pair if explanation is None else explanation.pair or pair
            compared = as_read if form == pair else build_outlines(form)
            # Equal outlines are one object, so that a file has them once.
            same = as_read if compared == as_read else compared
            shown_pairs.append(build_shown_pair(same, explanation))
    return shown_pairs, is_aligned


def build_outlines(pair: Pair | None) -> Outlines | None:
    """Return the outlines of both graphs of a pair; None if it is missing."""
    return None if pair is None else (outline(pair.src), outline(pair.tgt))


def collect_explanations(
    metric: Metric,
    pairs: Sequence[Pair | None],
    on_error: str,
    numbers: Sequence[int] | Ints,
) -> list[Explanation | None] | None:
    """Explain pairs; return None for a metric that aligns no nodes.

    Args:
        on_error: with ``nan`` or ``zero``, a pair that cannot be explained has no explanation.
        numbers: the number of each pair in errors.

    Raises:
        PairError: a pair that cannot be explained (``on_error="stop"``), with its number.
    """
    files = FilePairs.of(pairs)
    present, positions = files.select(files.present), files.present.tolist()
    explanations: Sequence[Explanation | None]
    try:
        explanations = [*metric.explanations(present)]
    except NoAlignmentError:
        return None
    except SetupError:
        raise
    except MetricError as error:
        if on_error == "stop" and isinstance(error, PairError):
            raise error.numbered([int(numbers[k]) for k in positions]) from None
        if on_error == "stop":
            raise
        explanations = [_try_explanation(metric, pair) for pair in present]
    by_position = dict(zip(positions, explanations, strict=True))
    return [by_position.get(k) for k in range(len(pairs))]


def _try_explanation(metric: Metric, pair: Pair) -> Explanation | None:
    try:
        return metric.explanations([pair])[0]
    except MetricError:
        return None


def _encode_marks(side: Marks) -> str:
    """Return the marks of an outline in the form described in `ShownPair`."""
    lines = zip(side.texts, side.roles, strict=True)
    return "".join(MARKS[mark] for line in (*lines, side.reentrant) for mark in line)


class Words:
    """Texts that a file contains once, and their numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __getitem__(self, text: str) -> int:
        """Return the number of a text, which is added if it is new."""
        return self._numbers.setdefault(text, len(self._numbers))

    def texts(self) -> list[str]:
        """Return the texts in the order of their numbers."""
        return [*self._numbers]


def pack_pairs(systems: Mapping[str, Sequence[ShownPair]], words: Words) -> dict[str, Any]:
    """Return some pairs under several systems as a file contains them.

    All but the outlines are by the system's slug, without systems that have none of the kind:

    - ``outlines``: each once: its lines and its re-entrant edges, see `_flatten_outline`;
    - ``pairs``: the numbers of both outlines of each pair; None for a missing pair;
    - ``links``: of each pair the line of src, line of tgt, weight and cost of its links;
    - ``marks``: of each pair, as in `ShownPair`;
    - ``counts``: of each pair the matches, the triples of src and of tgt, and the weight, for each
      of the ``kinds`` of triples;
    - ``effects``: of each pair the values of the ``features``, and what they add to the score.

    Args:
        systems: the pairs of each system, by its slug.
        words: the texts of the file, which the caller adds to the content.
    """
    numbers: dict[tuple[tuple[int, ...], ...], int] = {}
    by_identity: dict[int, int] = {}  # systems share outlines

    def number(graph: Outline) -> int:
        if id(graph) not in by_identity:
            lines = tuple(map(tuple, _flatten_outline(graph, words)))
            by_identity[id(graph)] = numbers.setdefault(lines, len(numbers))
        return by_identity[id(graph)]

    parts = ("pairs", "links", "marks", "counts", "effects", "kinds", "features")
    packed: dict[str, dict[str, Any]] = {part: {} for part in parts}
    for slug, pairs in systems.items():
        packed["pairs"][slug] = [
            None if pair.outlines is None else [number(graph) for graph in pair.outlines]
            for pair in pairs
        ]
        if any(pair.links for pair in pairs):
            packed["links"][slug] = [_flatten_links(pair) for pair in pairs]
        if kinds := _list_names(pair.matches for pair in pairs):
            packed["kinds"][slug] = kinds
            if any(pair.marks for pair in pairs):
                packed["marks"][slug] = [pair.marks for pair in pairs]
            packed["counts"][slug] = [_flatten_counts(pair, kinds) for pair in pairs]
        if features := _list_names(pair.effects for pair in pairs):
            packed["features"][slug] = features
            packed["effects"][slug] = [_flatten_effects(pair, features) for pair in pairs]
    return {"outlines": [*numbers], **packed}


def round_to_units(values: Floats) -> list[int | None]:
    """Return values rounded to four decimals, in units of the last decimal.

    >>> round_to_units(np.array([0.03125, 1.0, np.nan]))
    [312, 10000, None]
    """
    return [
        int(f"{value:.4f}".replace(".", "")) if np.isfinite(value) else None
        for value in values.tolist()
    ]


def _list_names(tables: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names in all tables, in the order of their first occurrence."""
    return list(dict.fromkeys(name for table in tables for name in table))


def _flatten_outline(of_graph: Outline, words: Words) -> list[list[int]]:
    """Return lines as (parent, role, text) and re-entrant edges as (source, target, role).

    The text of a constant is the complement of its number, so that it is negative.
    """
    rows, reentrant = of_graph
    lines: list[int] = []
    for row in rows:
        text = words[row.text]
        lines += (row.parent, words[row.role], text if row.is_node else ~text)
    return [lines, [v for edge in reentrant for v in (edge.source, edge.target, words[edge.role])]]


def _flatten_links(pair: ShownPair) -> list[float]:
    return [
        value
        for src, tgt, weight, cost in pair.links
        for value in (src, tgt, _round_number(weight), _round_number(cost))
    ]


def _flatten_counts(pair: ShownPair, kinds: Sequence[str]) -> list[float]:
    rows = [pair.matches.get(kind, (0, 0, 0, 0.0)) for kind in kinds]
    return [v for *counts, weight in rows for v in (*counts, _round_number(weight, 5))]


def _flatten_effects(
    pair: ShownPair, features: Sequence[str]
) -> list[list[int | None] | list[int]]:
    table = np.array([pair.effects.get(feature, (0.0, 0.0)) for feature in features])
    return [round_to_units(table[:, 0]), split_into_units(table[:, 1])]


def split_into_units(effects: Floats) -> list[int]:
    """Return numbers in units of the fourth decimal, whose sum is that of the numbers.

    Each is off by at most one unit.

    >>> split_into_units(np.array([0.00004, 0.00004, 0.00004]))
    [0, 1, 0]
    """
    totals = np.rint(np.cumsum(effects) * SCALE).astype(np.int64)
    units: list[int] = np.diff(totals, prepend=0).tolist()
    return units


def _round_number(value: float, digits: int = 3) -> float | int:
    """Return a number rounded to the digits shown."""
    if 0 <= value < 100 and value == int(value):
        return int(value)
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short
