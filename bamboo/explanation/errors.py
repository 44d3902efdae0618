"""Kinds of errors: every triple in which a parse and the gold graph differ has exactly one.

The kinds follow from the matched and unmatched triples of an explanation, of which the first graph
is the parse and the second the gold graph. Two nodes are counterparts if they have the same place
in two matched triples, or, of the nodes that have none, if their concepts differ only in the sense:
the optimal alignment is indifferent to these. An unmatched triple is of the first kind whose rule
applies:

1. A triple of a name (of a node with the concept ``name``, or an edge to it), of ``:wiki`` or of
   ``:polarity`` is a wrong name, wiki link or polarity, and the root's triple is a wrong root.
2. A concept of a node without a counterpart is extra (in the parse) or missing (from it). If there
   is a counterpart, the sense is wrong if the concepts differ only in it, otherwise the concept.
3. An edge, to a node or to a constant, of a node without a counterpart is an edge of an extra or of
   a missing concept.
4. An attribute has a wrong constant if the counterpart of its node has an unmatched attribute with
   the same role, a wrong role if it has one with the same constant. Otherwise it is extra or
   missing.
5. A relation has a wrong role if there is an unmatched relation between the counterparts of its
   nodes, in either direction. Otherwise it is an extra or missing re-entrancy if its target has
   several incoming edges, and more than the counterpart of the target. Otherwise it is wrongly
   attached if there is an unmatched relation with the same role at the counterpart of its source or
   into that of its target. Otherwise it is extra or missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from amr_metrics.base import ExplainedTriple, Explanation
from amr_metrics.graphs.folding import SENSE

# What each kind means, in the order in which kinds are listed.
MEANINGS: Mapping[str, str] = {
    "missing concept": "a node of the gold graph without a counterpart in the parse",
    "extra concept": "a node of the parse without a counterpart in the gold graph",
    "wrong concept": "the concepts of two aligned nodes differ",
    "wrong sense": "the concepts of two aligned nodes differ only in their sense",
    "wrong name": "a part of a name that only one graph has: the node, its :op, or the edge to it",
    "wrong wiki link": "a :wiki that only one graph has",
    "wrong polarity": "a :polarity that only one graph has",
    "wrong constant": "an attribute of two aligned nodes with different constants",
    "missing attribute": "an attribute that the aligned node of the parse does not have",
    "extra attribute": "an attribute that the aligned node of the gold graph does not have",
    "wrong role": "another role or direction between the same nodes, or a node and a constant",
    "wrong attachment": "a relation of the same role has another source or target",
    "missing re-entrancy": "a relation to a node with more incoming edges than in the parse",
    "extra re-entrancy": "a relation to a node with more incoming edges than in the gold graph",
    "missing relation": "any other relation of the gold graph between aligned nodes",
    "extra relation": "any other relation of the parse between aligned nodes",
    "edge of a missing concept": "a relation or an attribute of a missing concept",
    "edge of an extra concept": "a relation or an attribute of an extra concept",
    "wrong root": "the graphs have different roots",
    "other": "a triple of another kind, which the metric defines",
}
BY_ROLE = {":wiki": "wrong wiki link", ":polarity": "wrong polarity"}
NAME = "name"


class TripleError(NamedTuple):
    """A triple that only one graph has.

    Attributes:
        kind: one of `MEANINGS`.
        side: 0: only the parse has the triple; 1: only the gold graph.
        triple: the triple.
    """

    kind: str
    side: int
    triple: ExplainedTriple


def triple_errors(explanation: Explanation) -> list[TripleError]:
    """Return each unmatched triple with its kind: those of the parse, then those of the gold graph.

    >>> from amr_metrics import Pair, Smatch, parse_graph
    >>> parse = parse_graph("(s / sleep-02 :ARG1 (c / cat))")
    >>> gold = parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")
    >>> for error in triple_errors(Smatch(root="none").explain(Pair(parse, gold))):
    ...     print(error.side, error.triple, error.kind)
    0 instance(s, sleep-02) wrong sense
    0 :arg1(s, c) wrong role
    1 instance(s, sleep-01) wrong sense
    1 :polarity(s, -) wrong polarity
    1 :arg0(s, c) wrong role
    """
    matched = [(a, b) for a, b, _ in explanation.matched if _is_known(a) and _is_known(b)]
    counterparts: tuple[dict[str, str], dict[str, str]] = {}, {}
    for a, b in matched:
        ends = [(a.source, b.source)]
        ends += [(a.target, b.target)] if a.kind == "relation" else []
        for one, other in ends:
            counterparts[0].setdefault(one, other)
            counterparts[1].setdefault(other, one)
    unmatched = explanation.unmatched_src, explanation.unmatched_tgt
    _add_other_senses(counterparts, unmatched)
    sides = [_Side.of([pair[k] for pair in matched], unmatched[k], counterparts[k]) for k in (0, 1)]
    return [
        TripleError(_kind(triple, sides[k], sides[1 - k], k), k, triple)
        for k in (0, 1)
        for triple in unmatched[k]
    ]


def _add_other_senses(
    counterparts: Sequence[dict[str, str]], unmatched: Sequence[Sequence[ExplainedTriple]]
) -> None:
    """Make nodes without a counterpart whose concepts differ only in the sense counterparts."""
    free: tuple[dict[str, list[str]], dict[str, list[str]]] = {}, {}
    for known, triples, lemmas in zip(counterparts, unmatched, free, strict=True):
        for triple in triples:
            if _is_known(triple) and triple.kind == "instance" and triple.source not in known:
                lemmas.setdefault(_lemma(triple.target), []).append(triple.source)
    for lemma, nodes in free[0].items():
        for one, other in zip(nodes, free[1].get(lemma, ()), strict=False):
            counterparts[0][one] = other
            counterparts[1][other] = one


def _lemma(concept: str) -> str:
    return SENSE.sub("", concept)


@dataclass(frozen=True)
class _Side:
    """One graph of a pair.

    Attributes:
        concepts: by node.
        incoming: the number of relations to each node.
        unmatched: the triples that the other graph does not have.
        counterparts: the node of the other graph for each node that has one.
    """

    concepts: Mapping[str, str]
    incoming: Mapping[str, int]
    unmatched: Sequence[ExplainedTriple]
    counterparts: Mapping[str, str]

    @classmethod
    def of(
        cls,
        matched: Sequence[ExplainedTriple],
        unmatched: Sequence[ExplainedTriple],
        counterparts: Mapping[str, str],
    ) -> _Side:
        known = [triple for triple in unmatched if _is_known(triple)]
        triples = [*matched, *known]
        return cls(
            {triple.source: triple.target for triple in triples if triple.kind == "instance"},
            Counter(triple.target for triple in triples if triple.kind == "relation"),
            known,
            counterparts,
        )


def _is_known(triple: object) -> bool:
    return isinstance(triple, ExplainedTriple)  # a metric of one's own may give texts


def _kind(triple: ExplainedTriple, own: _Side, other: _Side, side: int) -> str:
    if not _is_known(triple) or triple.kind not in ("instance", "attribute", "relation", "TOP"):
        return "other"
    if triple.kind == "TOP":
        return "wrong root"
    ends = [triple.source, *([triple.target] if triple.kind == "relation" else [])]
    if NAME in [own.concepts.get(node) for node in ends]:
        return "wrong name"
    if triple.kind != "instance" and (kind := BY_ROLE.get(triple.role.lower())) is not None:
        return kind
    absent = ("extra", "missing")[side]
    aligned = [own.counterparts[node] for node in ends if node in own.counterparts]
    if triple.kind == "instance":
        if not aligned:
            return f"{absent} concept"
        same_lemma = _lemma(other.concepts.get(aligned[0], "")) == _lemma(triple.target)
        return "wrong sense" if same_lemma else "wrong concept"
    if len(aligned) < len(ends):
        return "edge of an extra concept" if side == 0 else "edge of a missing concept"
    if triple.kind == "attribute":
        return _attribute_kind(triple, aligned[0], other, absent)
    return _relation_kind(triple, aligned[0], aligned[1], own, other, absent)


def _attribute_kind(triple: ExplainedTriple, node: str, other: _Side, absent: str) -> str:
    rivals = [t for t in other.unmatched if (t.kind, t.source) == ("attribute", node)]
    if any(rival.role == triple.role for rival in rivals):
        return "wrong constant"
    if any(rival.target == triple.target for rival in rivals):
        return "wrong role"
    return f"{absent} attribute"


def _relation_kind(
    triple: ExplainedTriple, source: str, target: str, own: _Side, other: _Side, absent: str
) -> str:
    rivals = [t for t in other.unmatched if t.kind == "relation"]
    if any({rival.source, rival.target} == {source, target} for rival in rivals):
        return "wrong role"
    incoming = own.incoming[triple.target]
    if incoming > 1 and incoming > other.incoming.get(target, 0):
        return f"{absent} re-entrancy"
    same_role = [rival for rival in rivals if rival.role == triple.role]
    if any(rival.source == source or rival.target == target for rival in same_role):
        return "wrong attachment"
    return f"{absent} relation"
