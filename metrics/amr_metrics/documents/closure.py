"""Temporal and coreference relations of a document: their closure, and AnCast's score of clusters.

Source: Sun et al. (2025), AnCast++, and its released code (https://github.com/umr4nlp/ancast).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

Variant = Literal["published", "corrected"]

# The labels of the closure: after; from the container to what it contains, and back; the same
# entity, the same event; overlap, and dependence on a time.
AFTER, DOWN, UP, ENTITY, EVENT, OVERLAP, DEPENDS = "r", "dn", "up", "sn", "sv", "o", "dp"
SYMMETRIC = {ENTITY, EVENT, OVERLAP}
CHAINED = {
    (AFTER, AFTER): AFTER,
    (AFTER, DOWN): AFTER,
    (UP, AFTER): AFTER,
    (UP, UP): UP,
    (DOWN, DOWN): DOWN,
    (EVENT, EVENT): EVENT,
    (ENTITY, ENTITY): ENTITY,
    **{(same, way): way for same in (ENTITY, EVENT) for way in (UP, DOWN)},
    **{(way, same): way for same in (ENTITY, EVENT) for way in (UP, DOWN)},
}
PUBLISHED = {**CHAINED, (ENTITY, EVENT): ENTITY, (EVENT, ENTITY): EVENT}

Triple = tuple[int, str, int]  # of numbered nodes, with the relation as written
Closed = tuple[int, int, str]
Edges = Mapping[int, Sequence[tuple[int, str]]]


class ClusterScore(NamedTuple):
    """The number of nodes of all clusters, each times the share of its relations that match."""

    credit: float
    nodes: int


class Clusters(NamedTuple):
    """The closure of a document's relations.

    Attributes:
        relations: the relations between the nodes of each cluster.
        sizes: its number of nodes.
    """

    relations: Sequence[set[Closed]]
    sizes: Sequence[int]

    @property
    def all(self) -> set[Closed]:
        """The relations of all clusters."""
        return set().union(*self.relations)

    def score(self, other: Clusters) -> ClusterScore:
        """Return the sum over clusters of their size times the share of relations `other` has."""
        relations = other.all
        credit = sum(
            size * len(own & relations) / len(own)
            for own, size in zip(self.relations, self.sizes, strict=True)
            if own
        )
        return ClusterScore(float(credit), sum(self.sizes))


def clusters(key: str, triples: Iterable[Triple], variant: Variant) -> Clusters:
    """Return the closure of the temporal or the coreference relations of a document.

    Args:
        key: ``temporal`` or ``coref``.
        triples: the relations between nodes, numbered alike for both documents of a pair.
        variant: ``published`` keeps one relation of each pair of nodes, the last, takes what is
            contained for what contains, ignores ``contains``, and relates the nodes of the same
            event in one direction.

    >>> chain = clusters("temporal", [(1, "after", 2), (3, "before", 2)], "corrected")
    >>> sorted(chain.all), chain.sizes
    ([(1, 2, 'r'), (1, 3, 'r'), (2, 3, 'r')], [3])
    """
    edges = _edges(key, triples, variant)
    reached = _published(edges) if variant == "published" else _corrected(edges)
    heads: dict[int, int] = {}
    for node, onward in edges.items():
        for other, _ in onward:
            heads[_head(other, heads)] = _head(node, heads)
    relations: dict[int, set[Closed]] = {}
    nodes: dict[int, set[int]] = {}
    for node, (found, visited) in reached.items():
        relations.setdefault(_head(node, heads), set()).update(found)
        nodes.setdefault(_head(node, heads), set()).update(visited)
    return Clusters([*relations.values()], [len(nodes[head]) for head in relations])


def _edges(
    key: str, triples: Iterable[Triple], variant: Variant
) -> dict[int, list[tuple[int, str]]]:
    """Return the labels from each node; relations of unknown kinds are left out."""
    published = variant == "published"
    by_pair: dict[Hashable, Triple] = {}
    for triple in triples:
        by_pair[(triple[0], triple[2]) if published else triple] = triple
    edges: dict[int, list[tuple[int, str]]] = {}

    def join(source: int, label: str, target: int) -> None:
        edges.setdefault(source, []).append((target, label))

    for x, relation, y in by_pair.values():
        if not published and x == y:
            continue
        if key == "temporal":
            if relation == "after":
                join(x, AFTER, y)
            elif relation == "before":
                join(y, AFTER, x)
            elif relation == "depends-on":
                join(x, DEPENDS, y)
            elif relation in ("contained", "includes") and published:
                join(y, DOWN, x)
                join(x, UP, y)
            elif relation in ("contained", "contains", "includes") and not published:
                join(x, DOWN, y)
                join(y, UP, x)
            elif relation == "overlap":
                join(min(x, y), OVERLAP, max(x, y))
        elif relation == "same-entity":
            join(x, ENTITY, y)
            join(y, ENTITY, x)
        elif relation == "same-event":
            join(y, EVENT, x)
            join(y, EVENT, x) if published else join(x, EVENT, y)
        elif relation == "subset-of" or (relation == "subset" and not published):
            join(x, UP, y)
            join(y, DOWN, x)
        elif relation == "contains" and not published:
            join(x, DOWN, y)
            join(y, UP, x)
    return edges


def _closed(source: int, target: int, label: str) -> Closed:
    if label == UP or (label in SYMMETRIC and target < source):
        source, target = target, source
    return source, target, DOWN if label == UP else label


Reached = dict[int, tuple[set[Closed], set[int]]]  # from each node: relations, and nodes visited


def _published(edges: Edges) -> Reached:
    """Compose relations depth first from each node, as in the released code.

    A node is followed only once, so that the result depends on the order if relations contradict
    one another.
    """
    reached = {}
    for start in edges:
        found: set[Closed] = set()
        visited: set[int] = set()
        waiting: list[tuple[int, str | None]] = [(start, None)]
        while waiting:
            node, label = waiting.pop()
            visited.add(node)
            for target, step in edges[node]:
                composed = step if label is None else PUBLISHED.get((label, step))
                if composed is None:
                    continue
                if target not in visited:
                    found.add(_closed(start, target, composed))
                    if target in edges:
                        waiting.append((target, composed))
                    else:
                        visited.add(target)
                elif target != start or composed not in (ENTITY, EVENT):
                    found.add(_closed(start, target, composed))
        reached[start] = found, visited
    return reached


def _corrected(edges: Edges) -> Reached:
    """Return all relations that can be composed from each node."""
    reached = {}
    for start in edges:
        seen: set[tuple[int, str]] = set()
        waiting: list[tuple[int, str | None]] = [(start, None)]
        while waiting:
            node, label = waiting.pop()
            for target, step in edges.get(node, ()):
                composed = step if label is None else CHAINED.get((label, step))
                if composed is not None and target != start and (target, composed) not in seen:
                    seen.add((target, composed))
                    waiting.append((target, composed))
        found = {_closed(start, target, label) for target, label in seen}
        reached[start] = found, {start, *(target for target, _ in seen)}
    return reached


def _head(node: int, heads: dict[int, int]) -> int:
    head = node
    while heads.setdefault(head, head) != head:
        head = heads[head]
    while heads[node] != head:
        heads[node], node = head, heads[node]
    return head
