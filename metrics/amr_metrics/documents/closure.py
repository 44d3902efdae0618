"""Temporal and coreference relations of a document: their closure, and AnCast's score of clusters.

Source: Sun et al. (2025), AnCast++, and its released code (https://github.com/umr4nlp/ancast).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from amr_metrics.documents.sentences import reachable
from amr_metrics.documents.umr_document import CONTAINMENT, RELATIONS, SUBSETS
from amr_metrics.limits import DocumentSteps

Variant = Literal["published", "corrected"]

# The labels of the closure: after; from the container to what it contains, and back; the same
# entity, the same event; overlap, and dependence on a time.
AFTER, DOWN, UP, ENTITY, EVENT, OVERLAP, DEPENDS = "r", "dn", "up", "sn", "sv", "o", "dp"
SYMMETRIC = {ENTITY, EVENT, OVERLAP}

# The labels that (x :relation y) stands for: from x to y, and from y to x.
NodeLabels = Mapping[str, tuple[str, str]]
BOTH: NodeLabels = {
    "after": (AFTER, ""),
    "before": ("", AFTER),
    "depends-on": (DEPENDS, ""),
    "overlap": (OVERLAP, ""),
    "same-entity": (ENTITY, ENTITY),
    "subset-of": (UP, DOWN),
}
LABELS: Mapping[Variant, NodeLabels] = {
    "published": {
        **BOTH,
        "contained": (UP, DOWN),
        "includes": (UP, DOWN),
        "same-event": ("", EVENT),
    },
    "corrected": {
        **BOTH,
        **dict.fromkeys(CONTAINMENT, (DOWN, UP)),
        **dict.fromkeys(SUBSETS, (UP, DOWN)),
        "same-event": (EVENT, EVENT),
    },
}
# What two relations in a row say about their outer ends: x after y and y after z is x after z. A
# pair that is missing here says nothing.
CHAINED = {
    (AFTER, AFTER): AFTER,
    (AFTER, DOWN): AFTER,
    (UP, AFTER): AFTER,
    **{(label, label): label for label in (UP, DOWN, EVENT, ENTITY)},
    **{(same, way): way for same in (ENTITY, EVENT) for way in (UP, DOWN)},
    **{(way, same): way for same in (ENTITY, EVENT) for way in (UP, DOWN)},
}
PUBLISHED = {**CHAINED, (ENTITY, EVENT): ENTITY, (EVENT, ENTITY): EVENT}

NumberedTriple = tuple[int, str, int]  # of numbered nodes, with the relation as written
EdgesByNode = Mapping[int, Sequence[tuple[int, str]]]


class Cluster(NamedTuple):
    """Nodes that are related to one another: their number, and the closure of their relations."""

    size: int
    relations: set[tuple[int, int, str]]


def clusters(key: str, triples: Iterable[NumberedTriple], variant: Variant) -> list[Cluster]:
    """Return the clusters of the temporal or the coreference relations of a document.

    Modal relations have no closure: each is a cluster that counts 1.

    Args:
        key: ``modal``; ``temporal`` or ``coref``, without what is not a relation of this key.
        triples: distinct relations between nodes, numbered alike for both documents of a pair.
        variant: ``published`` takes what is contained for what contains, ignores ``contains``, and
            relates the nodes of the same event in one direction.

    Raises:
        PairError: relations whose closure takes more than `amr_metrics.limits.DOCUMENT_WORK` steps;
            a step is an edge that is looked at from some node.

    >>> (chain,) = clusters("temporal", [(1, "after", 2), (3, "before", 2)], "corrected")
    >>> chain.size, sorted(chain.relations)
    (3, [(1, 2, 'r'), (1, 3, 'r'), (2, 3, 'r')])
    """
    if key == "modal":
        return [Cluster(1, {(x, y, relation)}) for x, relation, y in triples]
    edges: dict[int, list[tuple[int, str]]] = {}
    neighbours: dict[int, list[int]] = {}
    for x, relation, y in triples:
        if relation not in RELATIONS[key]:
            continue
        forward, backward = LABELS[variant].get(relation, ("", ""))
        if relation == "overlap":
            x, y = sorted((x, y))
        for source, label, target in ((x, forward, y), (y, backward, x)):
            if label and not (variant == "corrected" and x == y):
                edges.setdefault(source, []).append((target, label))
                neighbours.setdefault(source, []).append(target)
                neighbours.setdefault(target, []).append(source)
    # A cluster is a connected component of the relations, whatever their direction.
    components: list[Cluster] = []
    remaining = dict.fromkeys(edges)
    steps = DocumentSteps()
    while remaining:
        nodes = reachable([next(iter(remaining))], neighbours)
        cluster = Cluster(len(nodes), set())
        for node in nodes:
            _add_closure(node, edges, variant, cluster.relations, steps)
            remaining.pop(node, None)
        components.append(cluster)
    return components


def cluster_credit(side: Sequence[Cluster], reference: Sequence[Cluster]) -> float:
    """Return the sum over clusters of a side: their size times the share of equal relations."""
    relations = set().union(*(cluster.relations for cluster in reference))
    return sum(
        cluster.size * len(cluster.relations & relations) / len(cluster.relations)
        for cluster in side
        if cluster.relations
    )


def _add_closure(
    start: int,
    edges: EdgesByNode,
    variant: Variant,
    relations: set[tuple[int, int, str]],
    steps: DocumentSteps,
) -> None:
    """Compose relations depth first from a node, and add what follows.

    As in the released code, the published variant follows a node only once, so that the result
    depends on the order if relations contradict one another. The code looks at the edges of a node
    each time that it comes back to it with the same label: this finds nothing new, since all that
    it leads to was followed the first time.
    """
    published = variant == "published"
    chained = PUBLISHED if published else CHAINED
    reached: set[tuple[int, str]] = set()  # each node with the label from the start to it
    followed: set[int] = set()
    scanned: set[tuple[int, str | None]] = set()
    waiting: list[tuple[int, str | None]] = [(start, None)]
    while waiting:
        node, label = waiting.pop()
        if (node, label) in scanned:
            continue
        scanned.add((node, label))
        followed.add(node)
        onward = edges.get(node, ())
        steps.add(len(onward))
        for target, step in onward:
            composed = step if label is None else chained.get((label, step))
            to_itself = target == start and (not published or composed in (ENTITY, EVENT))
            if composed is None or to_itself:
                continue
            if target not in followed if published else (target, composed) not in reached:
                waiting.append((target, composed))
            reached.add((target, composed))
    relations.update(_order_edge(start, target, label) for target, label in reached)


def _order_edge(source: int, target: int, label: str) -> tuple[int, int, str]:
    """Return one form for relations that say the same, seen from either end."""
    if label == UP or (label in SYMMETRIC and target < source):
        source, target = target, source
    return source, target, DOWN if label == UP else label
