"""Mistakes of a parse: every triple in which it differs from the gold graph belongs to exactly one.

The mistakes follow from the matched and unmatched triples of an explanation, of which the first
graph is the parse and the second the gold graph. Two nodes are counterparts if they have the same
place in two matched triples, or, of the nodes that have none, if their concepts differ only in the
sense: the optimal alignment is indifferent to these.

A mistake has a construction and a direction: something is *missing* from the parse, *extra* in it,
or *wrong*, with triples of both graphs. The rules, in this order, take the triples that no rule
before them has taken:

1. The triples of a name (of a node with the concept ``name`` and the edges to it) are one mistake:
   wrong with those of the name of its counterpart, or of its owner's counterpart.
2. Attributes ``:wiki`` and ``:polarity`` are paired with those of the counterpart of their node.
3. A concept of a node without a counterpart is extra or missing; with its edges it is one mistake.
4. Concepts of counterparts have a wrong sense if they differ only in it, else a wrong concept. If
   these are the roots, and the metric compares the concepts of roots, it has the root's triples.
5. Other triples of the roots are a wrong root.
6. Attributes of counterparts with the same role, or else with the same constant, are a wrong
   constant.
7. Relations between counterparts, in either direction, have a wrong role.
8. A relation is an extra or missing re-entrancy if its target has several incoming relations, and
   more than the counterpart of the target.
9. Relations with the same role whose targets, or whose sources, are counterparts are wrongly
   attached.
10. Other attributes and relations are extra or missing.

Triples are paired one to one. A match of lower weight than its triples, such as that of two similar
concepts, is a wrong concept, sense or root with the weight that is missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, NamedTuple

from amr_metrics.explanation import ExplainedTriple, Explanation
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair
from bamboo.explanation.sides import NAME as NAME
from bamboo.explanation.sides import (
    Side,
    TripleList,
    TriplePairs,
    build_sides,
    is_known,
    lemma,
    list_nodes,
)
from bamboo.scoring.mistake_rows import DIRECTIONS as DIRECTIONS

# What each construction is, in the order in which constructions are listed.
CONSTRUCTIONS: Mapping[str, str] = {
    "concept": "a node with its edges: missing, extra, or with another lemma",
    "sense": "aligned nodes whose concepts differ only in the sense",
    "core role": ":ARG0, :ARG1 ... between two aligned nodes",
    "other role": ":mod, :time, :op1 ... between two aligned nodes",
    "re-entrancy": "a further edge to a node: control, co-reference, coordination",
    "attachment": "a relation of the same role has another source or target",
    "name": "the name of an entity: the name node with its :op1, :op2 ...",
    "wiki": ":wiki",
    "negation": ":polarity",
    "constant": ":quant, :mode, :value ... of aligned nodes",
    "root": "the top of the graph",
    "other": "a triple of another kind, which the metric defines",
}
TITLES: Mapping[str, str] = {
    "concept": "Concepts",
    "sense": "Word senses",
    "core role": "Core roles",
    "other role": "Other roles",
    "re-entrancy": "Re-entrancies",
    "attachment": "Attachment",
    "name": "Names",
    "wiki": "Wiki links",
    "negation": "Negation",
    "constant": "Constants",
    "root": "Root",
    "other": "Other triples",
}
BY_NODE = {":wiki": "wiki", ":polarity": "negation"}  # attributes with constructions of their own
EDGES = ("relation", "attribute")
ROLES = ("core role", "other role")
CORE = re.compile(r":arg\d", re.IGNORECASE)
CACHED = 1000  # roles
SAME = 1e-9  # smaller differences of weights are rounding errors


class Mistake(NamedTuple):
    """A mistake of a parse.

    Attributes:
        construction: one of `CONSTRUCTIONS`.
        direction: one of `DIRECTIONS`.
        src, tgt: its triples in the parse and in the gold graph.
        src_weight, tgt_weight: what its triples weigh, as far as they do not match: for a metric
            without weights the number of triples.
        is_inverse: whether a relation of the parse has the opposite direction.
    """

    construction: str
    direction: str
    src: tuple[ExplainedTriple, ...]
    tgt: tuple[ExplainedTriple, ...]
    src_weight: float
    tgt_weight: float
    is_inverse: bool = False


def mistakes(explanation: Explanation) -> list[Mistake]:
    """Return the mistakes of a parse, in the order of the rules.

    Args:
        explanation: of the parse (src) and the gold graph (tgt).

    >>> from amr_metrics import Pair, Smatch, parse_graph
    >>> parse = parse_graph("(s / sleep-02 :ARG1 (c / cat))")
    >>> gold = parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")
    >>> for mistake in mistakes(Smatch(root="none").explain(Pair(parse, gold))):
    ...     print(mistake.direction, mistake.construction, *mistake.src, *mistake.tgt)
    missing negation :polarity(s, -)
    wrong sense instance(s, sleep-02) instance(s, sleep-01)
    wrong core role :arg1(s, c) :arg0(s, c)
    """
    src, tgt = build_sides(explanation)
    by_rule = [_build_mistake(*parts, src, tgt) for rule in RULES for parts in rule(src, tgt)]
    return [*by_rule, *_find_partial_matches(explanation)]


@dataclass(frozen=True)
class MistakeText:
    """The triples of a mistake in each graph, as texts; None for no triples."""

    src: str | None
    tgt: str | None

    def __str__(self) -> str:
        if self.src is None:
            return f"missing: {self.tgt}"
        return f"added: {self.src}" if self.tgt is None else f"{self.src} instead of {self.tgt}"


def describe_mistakes(explanation: Explanation, pair: Pair) -> list[MistakeText]:
    """Return a text for each mistake: wrong ones first, then missing ones, then extra ones.

    Nodes are named by their concepts.

    Args:
        pair: the parse and the gold graph as they were explained (`Metric.view`).

    >>> from amr_metrics import Smatch, parse_graph
    >>> texts = ("(s / sleep-01 :ARG0 (c / cat) :time (n / now))", "(s / sleep-02 :ARG1 (c / cat))")
    >>> pair = Pair(*map(parse_graph, texts))
    >>> for text in describe_mistakes(Smatch(root="constant").explain(pair), pair):
    ...     print(text)
    sleep-01 instead of sleep-02
    sleep-01 :arg0 cat instead of sleep-02 :arg1 cat
    added: now, sleep-01 :time now
    """
    texts = [
        MistakeText(
            *distinguish(_describe(mistake.src, pair.src), _describe(mistake.tgt, pair.tgt))
        )
        for mistake in mistakes(explanation)
    ]
    return sorted(texts, key=lambda text: (None in (text.src, text.tgt), text.src is not None))


def distinguish(src: str | None, tgt: str | None) -> tuple[str | None, str | None]:
    r"""Return two texts with what cannot be seen as escapes, if they differ in nothing else.

    Such are blanks of other kinds, characters without a sign, and combining characters.

    >>> distinguish("caf\u00e9", "cafe\u0301"), distinguish("cat\u00a0", "cat")
    (('caf\\u00e9', 'cafe\\u0301'), ('cat\\u00a0', 'cat'))
    """
    if src is None or tgt is None or (src.isascii() and tgt.isascii()):
        return src, tgt
    if _fold_invisible(src) != _fold_invisible(tgt):
        return src, tgt
    different = ({*src} ^ {*tgt}) | {c for c in src + tgt if not c.isprintable()}
    return _escape(src, different), _escape(tgt, different)


def _fold_invisible(text: str) -> str:
    """Return a text without what cannot be seen, with composed accents."""
    return "".join(c for c in unicodedata.normalize("NFC", text) if c.isprintable() and c != " ")


def _escape(text: str, letters: Container[str]) -> str:
    """Return a text with some letters as escapes if they are not ASCII."""
    escapes = (f"\\u{ord(c):04x}" if c in letters and not c.isascii() else c for c in text)
    return "".join(escapes)


def _describe(triples: TripleList, graph: Graph) -> str | None:
    """Return triples with concepts in place of nodes."""

    def concept(node: str) -> str:
        # Metrics for Chinese AMR name a node ``x4/student``.
        variable = node if node in graph.positions else node.partition("/")[0]
        return graph.concept(variable) if variable in graph.positions else node

    texts = []
    for triple in triples:
        if not isinstance(triple, ExplainedTriple):  # a metric of one's own may give texts
            texts.append(str(triple))
        elif triple.kind == "instance":
            texts.append(triple.target)
        elif triple.kind == "TOP":
            texts.append(f"root {concept(triple.source)}")
        else:
            target = concept(triple.target) if triple.kind != "attribute" else triple.target
            texts.append(f"{concept(triple.source)} {triple.role} {target}")
    return ", ".join(texts) or None


@lru_cache(maxsize=CACHED)
def is_core(role: str) -> bool:
    """Return whether a role is a core role.

    >>> is_core(":ARG1"), is_core(":arg0-of"), is_core(":mod")
    (True, True, False)
    """
    return CORE.match(role) is not None


# The construction and the direction of a mistake, and its triples in both graphs.
MistakeParts = tuple[str, str, TripleList, TripleList]


def _build_mistake(
    construction: str, direction: str, a: TripleList, b: TripleList, src: Side, tgt: Side
) -> Mistake:
    is_inverse = construction in ROLES and direction == "wrong" and not src.has_source(a[0], b[0])
    triples = tuple(a), tuple(b)
    return Mistake(construction, direction, *triples, src.weight(a), tgt.weight(b), is_inverse)


def _compare_names(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    names, gold = _name_triples(src), _name_triples(tgt)
    gold_of_owner = {tgt.owners[node]: node for node in gold if node in tgt.owners}
    for node, triples in names.items():
        owner = src.counterparts.get(src.owners.get(node, ""), "")
        candidates = src.counterparts.get(node), gold_of_owner.get(owner)
        rival = next((name for name in candidates if name in gold), None)
        if rival is not None:
            yield "name", "wrong", triples, gold.pop(rival)
        else:
            yield "name", "wrong" if node in src.counterparts else "extra", triples, ()
    for node, triples in gold.items():
        yield "name", "wrong" if node in tgt.counterparts else "missing", (), triples


def _name_triples(side: Side) -> dict[str, list[ExplainedTriple]]:
    """Take the triples of each name node."""
    by_node: dict[str, list[ExplainedTriple]] = defaultdict(list)
    if not side.names:
        return by_node
    for triple in side.take_if(lambda triple: side.name_node(triple) is not None):
        by_node[side.name_node(triple) or ""].append(triple)
    return by_node


def _compare_attributes_by_node(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    for role, construction in BY_NODE.items():
        a, b = (side.take_if(partial(_is_attribute, role=role)) for side in (src, tgt))
        pairs, a, b = _pair_triples(a, b, src, attrgetter("source"))
        yield from _list_wrong(construction, pairs)
        yield from _list_absent(construction, a, b)


def _is_attribute(triple: ExplainedTriple, role: str) -> bool:
    return triple.kind == "attribute" and triple.role.lower() == role


def _find_absent_concepts(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    for triples in _take_with_edges(src):
        yield "concept", "extra", triples, ()
    for triples in _take_with_edges(tgt):
        yield "concept", "missing", (), triples


def _take_with_edges(side: Side) -> Iterator[list[ExplainedTriple]]:
    """Take the concept of each node without a counterpart, with its edges."""
    absent = {
        triple.source: k
        for k, triple in side.left.items()
        if triple.kind == "instance" and triple.source not in side.counterparts
    }
    edges = defaultdict(list)
    for k, triple in side.left.items():
        for node in list_nodes(triple) if triple.kind in EDGES else ():
            edges[node].append(k)
    for node, concept in absent.items():
        positions = dict.fromkeys([concept, *edges[node]])  # an edge to the node itself is one
        yield [side.left.pop(k) for k in positions if k in side.left]


def _compare_concepts(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    a, b = src.take("instance"), tgt.take("instance")
    pairs, a, b = _pair_triples(a, b, src, attrgetter("source"))
    for parsed, gold in pairs:
        are_roots = src.is_root(parsed.source) and tgt.is_root(gold.source)
        roots = (src.take("TOP"), tgt.take("TOP")) if are_roots else ((), ())
        yield _find_construction(parsed, gold), "wrong", [parsed, *roots[0]], [gold, *roots[1]]
    yield from _list_absent("concept", a, b)


def _compare_roots(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    a, b = src.take("TOP"), tgt.take("TOP")
    yield from _list_wrong("root", zip(a, b, strict=False))
    yield from _list_absent("root", a[len(b) :], b[len(a) :])


def _compare_attributes(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    a, b = src.take("attribute"), tgt.take("attribute")
    for key in (attrgetter("source", "role"), attrgetter("source", "target")):
        pairs, a, b = _pair_triples(a, b, src, key)
        yield from _list_wrong("constant", pairs)
    yield from _list_absent("constant", a, b)


def _compare_relations(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    a, b = src.take("relation"), tgt.take("relation")
    pairs, a, b = _pair_triples(a, b, src, lambda triple: frozenset({triple.source, triple.target}))
    for parsed, gold in pairs:
        yield _find_construction(parsed, gold), "wrong", [parsed], [gold]
    further = (
        [triple for triple in a if _is_further(triple, src, tgt)],
        [triple for triple in b if _is_further(triple, tgt, src)],
    )
    yield from _list_absent("re-entrancy", *further)
    a, b = (
        [t for t in left if t not in taken] for left, taken in zip((a, b), further, strict=True)
    )
    for key in (attrgetter("role", "target"), attrgetter("role", "source")):
        pairs, a, b = _pair_triples(a, b, src, key)
        yield from _list_wrong("attachment", pairs)
    for triple in a:
        yield _find_construction(triple, triple), "extra", [triple], ()
    for triple in b:
        yield _find_construction(triple, triple), "missing", (), [triple]


def _compare_others(src: Side, tgt: Side) -> Iterator[MistakeParts]:
    yield from _list_absent("other", src.others, tgt.others)


RULES = (
    _compare_names,
    _compare_attributes_by_node,
    _find_absent_concepts,
    _compare_concepts,
    _compare_roots,
    _compare_attributes,
    _compare_relations,
    _compare_others,
)


def _pair_triples(
    src: TripleList, tgt: TripleList, side: Side, key: Callable[[ExplainedTriple], Any]
) -> tuple[TriplePairs, list[ExplainedTriple], list[ExplainedTriple]]:
    """Pair triples of two graphs, one to one, in their order.

    Args:
        side: the graph of `src`.
        key: what two triples have in common, in terms of the nodes of the gold graph.

    Returns:
        the pairs, and the triples of each graph that have none.
    """
    if not (src and tgt):
        return [], [*src], [*tgt]
    rivals: dict[Any, deque[int]] = defaultdict(deque)
    for k, triple in enumerate(tgt):
        rivals[key(triple)].append(k)
    pairs: dict[int, int] = {}
    for k, triple in enumerate(src):
        if candidates := rivals.get(key(_translate_to_gold(triple, side.counterparts))):
            pairs[k] = candidates.popleft()
    alone = [triple for k, triple in enumerate(src) if k not in pairs]
    rest = [triple for k, triple in enumerate(tgt) if k not in {*pairs.values()}]
    return [(src[a], tgt[b]) for a, b in pairs.items()], alone, rest


def _translate_to_gold(triple: ExplainedTriple, aligned: Mapping[str, str]) -> ExplainedTriple:
    """Return a triple of the parse with the nodes of the gold graph, "" for one that has none."""
    source = aligned.get(triple.source, "")
    target = aligned.get(triple.target, "") if triple.kind == "relation" else triple.target
    return ExplainedTriple(triple.kind, triple.role, source, target)


def _is_further(relation: ExplainedTriple, side: Side, opposite: Side) -> bool:
    """Return whether a relation is one of several to its target, more than to its counterpart."""
    incoming = side.incoming[relation.target]
    counterpart = side.counterparts.get(relation.target, "")
    return incoming > 1 and incoming > opposite.incoming.get(counterpart, 0)


def _find_construction(parsed: ExplainedTriple, gold: ExplainedTriple) -> str:
    """Return the construction of two triples at the same place; that of the gold graph decides."""
    if gold.kind == "relation":
        return "core role" if is_core(gold.role) else "other role"
    if gold.kind == "instance":
        return "sense" if lemma(parsed.target) == lemma(gold.target) else "concept"
    return "root" if gold.kind == "TOP" else "constant"


def _list_wrong(
    construction: str, pairs: Iterable[tuple[ExplainedTriple, ExplainedTriple]]
) -> Iterator[MistakeParts]:
    for parsed, gold in pairs:
        yield construction, "wrong", [parsed], [gold]


def _list_absent(construction: str, src: TripleList, tgt: TripleList) -> Iterator[MistakeParts]:
    for triple in src:
        yield construction, "extra", [triple], ()
    for triple in tgt:
        yield construction, "missing", (), [triple]


def _find_partial_matches(explanation: Explanation) -> Iterator[Mistake]:
    """Yield the matches of different triples that weigh less than the triples."""
    src, tgt = explanation.weights
    for parsed, gold, weight in explanation.matched:
        if weight == 1 and not (src or tgt):
            continue
        rest = src.get(parsed, 1.0) - weight, tgt.get(gold, 1.0) - weight
        if min(rest) > SAME and is_known(parsed) and parsed.target != gold.target:
            if parsed.kind != "relation":  # whose target is a node
                construction = _find_construction(parsed, gold)
                yield Mistake(construction, "wrong", (parsed,), (gold,), *rest)
