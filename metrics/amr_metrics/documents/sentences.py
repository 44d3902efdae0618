"""The sentences of a document: which nodes belong to which, and so which nodes may be aligned.

A document is one graph: its root ``(d / document)`` has an edge ``:snt1``, ``:snt2`` ... to the
root of each sentence. A node may belong to several sentences, such as the node of a chain.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from amr_metrics.errors import PairError
from amr_metrics.graphs.graph import Graph, Relation
from amr_metrics.limits import DocumentSteps
from amr_metrics.reading.penman_reading import laid_out

AnyNode = TypeVar("AnyNode", bound=Hashable)
AlignmentRule = Literal["docsmatch", "triples"]
Missing = Literal["error", "count"]

SENTENCE = re.compile(r":snt([0-9]{1,9})", re.IGNORECASE)
ORIGIN = re.compile(r"s([0-9]{1,9})\.")  # the beginning of a DocAMR variable
CHAIN = "coref-entity"
CHAIN_NODES = (CHAIN, "implicit-role")
COREF = ":coref"
BRIDGES = (":part", ":subset")
# Edges between the entities of a document, not between a predicate and its arguments.
ENTITY_ROLES = (COREF, *BRIDGES)


def list_written(graph: Graph) -> list[Relation]:
    """Return the edges of a graph as they are written, such as ``:ARG0-of``.

    >>> from amr_metrics import parse_graph
    >>> [tuple(edge) for edge in list_written(parse_graph("(d / dog :ARG0-of (b / bark-01))"))]
    [('d', ':ARG0-of', 'b')]
    """
    inverted = set(graph.inverted)
    return [
        Relation(target, f"{role}-of", source) if k in inverted else Relation(source, role, target)
        for k, (source, role, target) in enumerate(graph.relations)
    ]


def list_stored_edges(graph: Graph) -> list[tuple[str, str, str, bool]]:
    """Return the edges as the smatch package stores them, and whether they are written inversely.

    >>> from amr_metrics import parse_graph
    >>> list_stored_edges(parse_graph("(d / dog :mod (b / big))"))
    [('b', ':domain', 'd', True)]
    """
    inverted = set(graph.inverted)
    return [
        (target, ":domain", source, True)
        if role == ":mod" and k not in inverted
        else (source, role, target, k in inverted)
        for k, (source, role, target) in enumerate(graph.relations)
    ]


def sentence_roots(graph: Graph) -> dict[int, str]:
    """Return the root of each sentence of a document by the sentence's number.

    Raises:
        PairError: a graph without ``:sntN`` edges at its root, or with a number that occurs twice.

    >>> from amr_metrics import parse_graph
    >>> sentence_roots(parse_graph("(d / document :snt1 (r / rain-01) :snt3 (s / snow-01))"))
    {1: 'r', 3: 's'}
    """
    roots: dict[int, str] = {}
    for source, role, target in graph.relations:
        number = SENTENCE.fullmatch(role)
        if source != graph.top or number is None:
            continue
        if roots.setdefault(int(number[1]), target) != target:
            raise PairError(f"the document has two sentences {role}: give each its own number")
    if not roots and graph.variables and graph.concept(graph.top) != "document":
        raise PairError(
            f"the graph of {graph.concept(graph.top)!r} is not a document: its root has no "
            "sentences (:snt1, :snt2 ...). For graphs of sentences use a metric of sentences, "
            "such as smatch"
        )
    return roots


def sentences_of(graph: Graph, rule: AlignmentRule) -> Mapping[str, set[int]]:
    """Return the numbers of the sentences to which each node belongs; 0 is that of the root.

    Args:
        rule: ``docsmatch``: a node belongs to a sentence if a path leads from the sentence's root
            to it. Edges may be followed as they are written, ``:ARG0-of`` and ``:mod`` from both
            ends, ``:part`` and ``:subset`` too, and ``:coref`` from the mention to the chain. So
            the result depends on how the graph is laid out.
            ``triples``: a node belongs to the sentence that its name begins with (``s3.x``), or
            without such a name to the sentences whose roots lead to it, and to those of the nodes
            from which a path of triples leads to it, without ``:coref``, ``:part`` and ``:subset``;
            a chain belongs to the sentences of its mentions.

    Raises:
        PairError: as `sentence_roots`, for a node that belongs to no sentence, or if the numbers
            of nodes of all sentences add up to more than `amr_metrics.limits.DOCUMENT_WORK`.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(d / document :snt1 (s / see-01 :ARG0 (b / boy)) "
    ...                     ":snt2 (l / leave-11 :ARG0 b))")
    >>> sentences_of(graph, "triples")
    {'d': {0}, 's': {1}, 'b': {1, 2}, 'l': {2}}
    """
    if not graph.variables:
        return {}
    roots = sentence_roots(graph)
    if rule == "triples":
        sentences = _invert_members(graph, _assign_by_triples(graph, roots))
    else:
        sentences = _invert_members(graph, _assign_as_written(graph, roots))
        if not all(sentences.values()):  # perhaps a graph that was not read: penman lays it out
            sentences = _invert_members(
                graph, _assign_as_written(laid_out(graph.triples, graph.top), roots)
            )
    for node, numbers in sentences.items():
        if not numbers:
            raise PairError(
                f"node {node} ({graph.concept(node)}) belongs to no sentence: no path leads to it "
                "from the root of a sentence. Attach it to a sentence, or remove it"
            )
    return sentences


def _invert_members(graph: Graph, members: Mapping[int, set[str]]) -> dict[str, set[int]]:
    """Return the sentences of each node from the nodes of each sentence."""
    of_nodes: dict[str, set[int]] = {variable: set() for variable in graph.variables}
    for number, nodes in members.items():
        for node in nodes:
            of_nodes[node].add(number)
    of_nodes[graph.top].add(0)
    return of_nodes


def _assign_as_written(graph: Graph, roots: Mapping[int, str]) -> dict[int, set[str]]:
    onward: dict[str, list[str]] = {variable: [] for variable in graph.variables}
    mentions = []
    for source, role, target, inverted in list_stored_edges(graph):
        if role == COREF:
            mentions.append((source, target))
        elif not (role == ":domain" and inverted):
            onward[source].append(target)
        if inverted or role in ENTITY_ROLES:
            onward[target].append(source)
    # A chain leads to a mention only if nothing else does: the chains are followed in the order of
    # the text, each on what was reached by then.
    reached = reachable([graph.top], onward)
    order = graph.positions
    for chain, mention in sorted(mentions, key=lambda edge: order[edge[0]]):
        if chain in reached and mention not in reached:
            onward[chain].append(mention)
            reached |= reachable([mention], onward)
    return _find_members({number: [root] for number, root in roots.items()}, onward)


def _assign_by_triples(graph: Graph, roots: Mapping[int, str]) -> dict[int, set[str]]:
    onward: dict[str, list[str]] = {variable: [] for variable in graph.variables}
    chains: dict[str, list[str]] = {}
    for source, role, target in graph.relations:
        if role == COREF:
            chains.setdefault(source, []).append(target)
        elif role not in BRIDGES and source != graph.top:
            onward[source].append(target)
    starts = {number: [root] for number, root in roots.items()}
    for variable in graph.variables:
        if (origin := ORIGIN.match(variable)) is not None and int(origin[1]) in starts:
            starts[int(origin[1])].append(variable)
    members = _find_members(starts, onward)
    for nodes in members.values():
        for chain, mentions in chains.items():
            if not nodes.isdisjoint(mentions):
                nodes.add(chain)
    return members


def _find_members(
    starts: Mapping[int, Sequence[str]], onward: Mapping[str, Sequence[str]]
) -> dict[int, set[str]]:
    """Return the nodes of each sentence, to which a path leads from one of its first nodes."""
    members, steps = {}, DocumentSteps()
    for number, nodes in starts.items():
        members[number] = reachable(nodes, onward)
        steps.add(len(members[number]))
    return members


def reachable(
    starts: Iterable[AnyNode], onward: Mapping[AnyNode, Sequence[AnyNode]]
) -> set[AnyNode]:
    """Return the nodes to which a path leads from one of some nodes, these included."""
    reached = set(starts)
    waiting = list(reached)
    while waiting:
        new = {*onward[waiting.pop()]} - reached
        reached |= new
        waiting += new
    return reached


def check_document(graph: Graph) -> None:
    """Check that a graph is a document whose chains have mentions.

    Raises:
        PairError: as `sentence_roots`, or for a chain without an explicit or implicit mention.
    """
    sentence_roots(graph)
    mentioned = {source for source, role, _ in graph.relations if role == COREF}
    mentioned |= {target for _, role, target in graph.relations if role not in BRIDGES}
    for node, concept in zip(graph.variables, graph.concepts, strict=True):
        if concept == CHAIN and node not in mentioned:
            raise PairError(
                f"chain {node} has no mention: attach a mention to it by :coref-of, or remove it"
            )


def check_same_sentences(numbers: Sequence[Iterable[int]]) -> None:
    """Check that the documents of a pair have the same sentences.

    Args:
        numbers: the numbers of the sentences of both sides.

    Raises:
        PairError: if they do not; it lists the sentences of one side alone.
    """
    src, tgt = (set(side) for side in numbers)
    parts = [
        f"only {name} has sentence{'s' * (len(alone) > 1)} "
        f"{', '.join(map(str, alone[:5]))}{', ...' * (len(alone) > 5)}"
        for name, alone in (("src", sorted(src - tgt)), ("tgt", sorted(tgt - src)))
        if alone
    ]
    if parts:
        raise PairError(
            f"the documents have different sentences: {' and '.join(parts)}. Sentences are paired "
            "by their numbers: add those that are missing, or use missing=count, which counts "
            "everything in them as unmatched"
        )
