"""Which parts of two graphs match: by kind of triple, and by line of their outlines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from amr_metrics.explanation import ExplainedTriple, Explanation
from bamboo.explanation.outline import Outline

# The name of each kind of triples; metrics may have others of their own.
KINDS = {
    "instance": "concepts",
    "attribute": "attributes",
    "relation": "relations",
    "TOP": "root",
}


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


def matches_by_kind(explanation: Explanation) -> list[KindMatches]:
    """Return the number of matches of each kind of triple; empty for a metric without triples.

    >>> from amr_metrics import Pair, Smatch, parse_graph
    >>> pair = Pair(*(parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("cat", "dog")))
    >>> for row in matches_by_kind(Smatch().explain(pair)):
    ...     print(*row)
    concepts 1 1.0 2 2
    relations 1 1.0 1 1
    root 1 1.0 1 1
    """
    src, tgt = (Counter(map(_find_kind, triples)) for triples in explanation.triples)
    weights: dict[str, list[float]] = {kind: [] for kind in (*src, *tgt)}
    for triple, _, weight in explanation.matched:
        weights[_find_kind(triple)].append(weight)
    return [
        KindMatches(KINDS.get(kind, kind), len(of_kind), float(sum(of_kind)), src[kind], tgt[kind])
        for kind, of_kind in sorted(weights.items(), key=lambda row: [*KINDS, row[0]].index(row[0]))
    ]


def _find_kind(triple: ExplainedTriple) -> str:
    return getattr(triple, "kind", "others")  # a metric of one's own may give texts


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
    """Return the marks of both outlines of a pair.

    Args:
        outlines: see `bamboo.explanation.outline.outline`; of the pair as it was explained.
    """
    src = _collect_statuses((a for a, _, _ in explanation.matched), explanation.unmatched_src)
    tgt = _collect_statuses((b for _, b, _ in explanation.matched), explanation.unmatched_tgt)
    return _mark_outline(src, outlines[0]), _mark_outline(tgt, outlines[1])


Statuses = dict[tuple[str, str, str], bool]


def _collect_statuses(
    matched: Iterable[ExplainedTriple], unmatched: Iterable[ExplainedTriple]
) -> Statuses:
    """Return whether each triple is matched; the value only matters where a node has several."""
    statuses: Statuses = {}
    for triples, status in ((unmatched, False), (matched, True)):
        for triple in triples:
            if not isinstance(triple, ExplainedTriple):
                continue
            value = "" if triple.kind in ("instance", "TOP") else fold_constant(triple.target)
            statuses[triple.role.lower(), triple.source, value] = status
    return statuses


def fold_constant(constant: str) -> str:
    """Return a constant as metrics compare it, regardless of case and quotes."""
    return constant.strip('"').lower()


def _mark_outline(statuses: Statuses, outline: Outline) -> Marks:
    rows, reentrant = outline
    texts, roles = [], []
    for row in rows:
        texts.append(statuses.get(("instance", row.node, "")) if row.is_node else None)
        if row.parent < 0:
            roles.append(statuses.get(("top", row.node, "")))
        elif row.is_node:
            roles.append(_look_up_relation(statuses, rows[row.parent].node, row.role, row.node))
        else:
            roles.append(statuses.get((row.role.lower(), row.node, fold_constant(row.text))))
    edges = [
        _look_up_relation(statuses, rows[edge.source].node, edge.role, rows[edge.target].node)
        for edge in reentrant
    ]
    return Marks(tuple(texts), tuple(roles), tuple(edges))


def _look_up_relation(statuses: Statuses, source: str, role: str, target: str) -> bool | None:
    """Return the status of an edge, which an outline may show in the inverse direction."""
    role = role.lower()
    status = statuses.get((role, source, fold_constant(target)))
    if status is None and role.endswith("-of"):
        status = statuses.get((role.removesuffix("-of"), target, fold_constant(source)))
    return status
