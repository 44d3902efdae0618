"""Which parts of two graphs match: by kind of triple, and by line of their outlines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bamboo.explanation.outline import Outline
from metrics.base import Explanation, Pair
from metrics.graphs.graph import Graph

# A triple in an explanation: neither a role nor the name of a node contains "(" or ", ".
TRIPLE = re.compile(r"([^()]+)\(((?:(?!, ).)*), (.*)\)", re.DOTALL)
CONCEPTS, ATTRIBUTES, RELATIONS, ROOT = "concepts", "attributes", "relations", "root"
INSTANCE, TOP = "instance", "TOP"


class Triple(NamedTuple):
    """A triple of an explanation: ``instance(v, concept)``, ``:role(v, w)``, ``TOP(v, value)``."""

    role: str
    source: str
    target: str


def read_triple(text: str) -> Triple | None:
    """The triple that a text such as ``:ARG0(s, c)`` stands for; None for any other text.

    >>> read_triple(":ARG0(s, c)"), read_triple("free text")
    (Triple(role=':ARG0', source='s', target='c'), None)
    """
    match = TRIPLE.fullmatch(text)
    return None if match is None else Triple(match[1], match[2], match[3])


class KindMatches(NamedTuple):
    """The triples of one kind that match.

    Attributes:
        kind: ``concepts``, ``attributes``, ``relations``, ``root``, or another of the metric's own.
        matched: number of matches.
        weight: the sum of their weights.
        src, tgt: number of triples of each graph.
    """

    kind: str
    matched: int
    weight: float
    src: int
    tgt: int


def matches_by_kind(pair: Pair, explanation: Explanation) -> list[KindMatches]:
    """The number of matches of each kind of triple; empty for a metric without triples.

    Args:
        pair: the pair in the form in which it was explained (`Metric.explained_pair`).

    >>> from metrics import Smatch, parse_graph
    >>> pair = Pair(*(parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("cat", "dog")))
    >>> for row in matches_by_kind(pair, Smatch().explain(pair)):
    ...     print(*row)
    concepts 1 1.0 2 2
    relations 1 1.0 1 1
    root 1 1.0 1 1
    """
    sides = (
        dict.fromkeys([*(a for a, _, _ in explanation.matched), *explanation.unmatched_src]),
        dict.fromkeys([*(b for _, b, _ in explanation.matched), *explanation.unmatched_tgt]),
    )
    kinds = [
        {text: _kind(text, graph) for text in texts}
        for texts, graph in zip(sides, pair, strict=True)
    ]
    occurring = dict.fromkeys([*kinds[0].values(), *kinds[1].values()])
    order = [kind for kind in (CONCEPTS, ATTRIBUTES, RELATIONS, ROOT) if kind in occurring]
    rows = []
    for kind in [*order, *(kind for kind in occurring if kind not in order)]:
        weights = [w for a, _, w in explanation.matched if kinds[0][a] == kind]
        counts = [sum(k == kind for k in of_side.values()) for of_side in kinds]
        rows.append(KindMatches(kind, len(weights), float(sum(weights)), counts[0], counts[1]))
    return rows


def _kind(text: str, graph: Graph) -> str:
    triple = read_triple(text)
    if triple is None:
        return "others"
    if triple.role in (INSTANCE, TOP):
        return CONCEPTS if triple.role == INSTANCE else ROOT
    if not triple.role.startswith(":"):
        return triple.role
    return RELATIONS if triple.target in graph.positions else ATTRIBUTES


@dataclass(frozen=True)
class Marks:
    """Which parts of an outline match: True, False, or None for what the metric does not count.

    Attributes:
        texts: of each line, its concept.
        roles: of each line, what leads to it: a relation, an attribute, or for the root TOP.
        reentrant: of each re-entrant edge.
    """

    texts: tuple[bool | None, ...]
    roles: tuple[bool | None, ...]
    reentrant: tuple[bool | None, ...]


def marks(explanation: Explanation, outlines: Sequence[Outline]) -> tuple[Marks, Marks]:
    """The marks of both outlines of a pair.

    Args:
        outlines: see `bamboo.explanation.outline.outline`; of the pair as it was explained.
    """
    src = _statuses((a for a, _, _ in explanation.matched), explanation.unmatched_src)
    tgt = _statuses((b for _, b, _ in explanation.matched), explanation.unmatched_tgt)
    return _marks(src, outlines[0]), _marks(tgt, outlines[1])


Statuses = dict[tuple[str, str, str], bool]


def _statuses(matched: Iterable[str], unmatched: Iterable[str]) -> Statuses:
    """Whether each triple is matched; its value does not matter where a node has only one."""
    statuses: Statuses = {}
    for texts, status in ((unmatched, False), (matched, True)):
        for text in texts:
            if (triple := read_triple(text)) is not None:
                value = "" if triple.role in (INSTANCE, TOP) else _folded(triple.target)
                statuses[triple.role.lower(), triple.source, value] = status
    return statuses


def _folded(constant: str) -> str:
    """A constant as metrics compare it, regardless of case and quotes."""
    return constant.strip('"').lower()


def _marks(statuses: Statuses, outline: Outline) -> Marks:
    rows, reentrant = outline
    texts, roles = [], []
    for row in rows:
        is_node = row.text.startswith(f"{row.node} / ")
        texts.append(statuses.get((INSTANCE, row.node, "")) if is_node else None)
        if row.parent < 0:
            roles.append(statuses.get((TOP.lower(), row.node, "")))
        elif is_node:
            roles.append(_relation(statuses, rows[row.parent].node, row.role, row.node))
        else:
            roles.append(statuses.get((row.role.lower(), row.node, _folded(row.text))))
    edges = [
        _relation(statuses, rows[edge.source].node, edge.role, rows[edge.target].node)
        for edge in reentrant
    ]
    return Marks(tuple(texts), tuple(roles), tuple(edges))


def _relation(statuses: Statuses, source: str, role: str, target: str) -> bool | None:
    """The status of an edge, which an outline may show in the inverse direction."""
    role = role.lower()
    status = statuses.get((role, source, _folded(target)))
    if status is None and role.endswith("-of"):
        status = statuses.get((role.removesuffix("-of"), target, _folded(source)))
    return status
