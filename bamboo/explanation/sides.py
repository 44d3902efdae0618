"""Both graphs of an explained pair: which nodes are counterparts, and which triples differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from amr_metrics.explanation import ExplainedTriple, Explanation
from amr_metrics.graphs.folding import SENSE

KINDS = ("instance", "attribute", "relation", "TOP")  # of triples; a metric may define others
NAME = "name"
CACHED = 100_000  # concepts

TripleList = Sequence[ExplainedTriple]
TriplePairs = list[tuple[ExplainedTriple, ExplainedTriple]]


@dataclass(eq=False)
class Side:
    """One graph of a pair.

    Attributes:
        concepts: by node.
        names: the nodes with the concept ``name``.
        incoming: the number of relations to each node.
        owners: the node that has each name node.
        counterparts: the node of the other graph for each node that has one.
        weights: of the triples whose weight is not 1.
        left: the unmatched triples that no rule has taken, by position.
        others: the unmatched triples of other kinds.
    """

    concepts: Mapping[str, str]
    names: Collection[str]
    incoming: Mapping[str, int]
    owners: Mapping[str, str]
    counterparts: dict[str, str]
    weights: Mapping[ExplainedTriple, float]
    left: dict[int, ExplainedTriple]
    others: Sequence[ExplainedTriple]

    def take(self, *kinds: str) -> list[ExplainedTriple]:
        """Return the triples of some kinds that are left; they are left no longer."""
        return self.take_if(lambda triple: triple.kind in kinds)

    def take_if(self, is_taken: Callable[[ExplainedTriple], bool]) -> list[ExplainedTriple]:
        """Return the triples that are left for which a function is true; see `take`."""
        positions = [k for k, triple in self.left.items() if is_taken(triple)]
        return [self.left.pop(k) for k in positions]

    def is_root(self, node: str) -> bool:
        """Return whether a node has a root's triple that is left."""
        return any(t.kind == "TOP" and t.source == node for t in self.left.values())

    def weight(self, triples: TripleList) -> float:
        """Return the sum of the weights of some triples."""
        return total_weight(triples, self.weights)

    def name_node(self, triple: ExplainedTriple) -> str | None:
        """Return the name node of a triple; None if it has none, or is that of the root."""
        if triple.kind == "TOP":
            return None
        if triple.source in self.names:
            return triple.source
        is_edge = triple.kind == "relation" and triple.target in self.names
        return triple.target if is_edge else None

    def has_source(self, triple: ExplainedTriple, opposite: ExplainedTriple) -> bool:
        """Return whether the sources of a triple and of one of the other graph are counterparts."""
        return self.counterparts.get(triple.source) == opposite.source


def total_weight(triples: TripleList, weights: Mapping[ExplainedTriple, float]) -> float:
    """Return the sum of the weights of some triples.

    Args:
        weights: other than 1.
    """
    if not weights:
        return float(len(triples))
    return float(sum(weights.get(triple, 1.0) for triple in triples))


def list_nodes(triple: ExplainedTriple) -> tuple[str, ...]:
    """Return the nodes of a triple: two of a relation, one of others."""
    return (triple.source, triple.target) if triple.kind == "relation" else (triple.source,)


def build_sides(explanation: Explanation) -> tuple[Side, Side]:
    """Return both graphs of an explained pair."""
    matched = [(a, b) for a, b, _ in explanation.matched if is_known(a) and is_known(b)]
    unmatched = explanation.unmatched_src, explanation.unmatched_tgt
    of_amr = select_known_triples(unmatched[0]), select_known_triples(unmatched[1])
    aligned = _find_counterparts(matched, of_amr)
    src, tgt = (
        _build_side(
            [pair[k] for pair in matched],
            of_amr[k],
            [triple for triple in unmatched[k] if not is_known(triple)],
            aligned[k],
            explanation.weights[k],
        )
        for k in (0, 1)
    )
    return src, tgt


def _build_side(
    matched: TripleList,
    unmatched: TripleList,
    others: TripleList,
    aligned: dict[str, str],
    weights: Mapping[ExplainedTriple, float],
) -> Side:
    concepts: dict[str, str] = {}
    incoming: dict[str, int] = defaultdict(int)
    owners: dict[str, str] = {}
    for kind, role, source, target in (*matched, *unmatched):
        if kind == "instance":
            concepts[source] = target
        elif kind == "relation":
            incoming[target] += 1
            if role.lower() == ":name":
                owners[target] = source
    return Side(
        concepts,
        {node for node, concept in concepts.items() if concept == NAME},
        incoming,
        owners,
        aligned,
        weights,
        dict(enumerate(unmatched)),
        others,
    )


def _find_counterparts(
    matched: TriplePairs, unmatched: tuple[TripleList, TripleList]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return for the nodes of each graph their counterparts in the other graph.

    They have the same place in two matched triples, or, of the nodes that have none, concepts that
    differ only in the sense.
    """
    aligned: tuple[dict[str, str], dict[str, str]] = {}, {}
    for a, b in matched:
        aligned[0].setdefault(a.source, b.source)
        aligned[1].setdefault(b.source, a.source)
        if a.kind == "relation":
            aligned[0].setdefault(a.target, b.target)
            aligned[1].setdefault(b.target, a.target)
    free: tuple[dict[str, list[str]], dict[str, list[str]]] = {}, {}
    for counterparts, triples, lemmas in zip(aligned, unmatched, free, strict=True):
        for triple in triples:
            if triple.kind == "instance" and triple.source not in counterparts:
                lemmas.setdefault(lemma(triple.target), []).append(triple.source)
    for shared, nodes in free[0].items():
        for a_node, b_node in zip(nodes, free[1].get(shared, ()), strict=False):
            aligned[0][a_node] = b_node
            aligned[1][b_node] = a_node
    return aligned


def select_known_triples(triples: Iterable[object]) -> list[ExplainedTriple]:
    """Return the triples of the kinds of AMR graphs; a metric may define others, or give texts."""
    return [t for t in triples if isinstance(t, ExplainedTriple) and t.kind in KINDS]


def is_known(triple: object) -> bool:
    """Return whether a triple is of the kinds of AMR graphs."""
    return isinstance(triple, ExplainedTriple) and triple.kind in KINDS


@lru_cache(maxsize=CACHED)
def lemma(concept: str) -> str:
    """Return a concept without its sense.

    >>> lemma("sleep-01"), lemma("date-entity")
    ('sleep', 'date-entity')
    """
    return SENSE.sub("", concept)
