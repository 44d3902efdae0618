"""Standardisation steps: pure functions that remove differences between equivalent graphs.

A step returns the same object if nothing changes, so that a chain of steps is cheap for graphs
that are already standardised.
Source: Opitz (2023), Smatch++: standardized and extended evaluation of semantic graphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import chain, count

from metrics.graphs.folding import SENSE
from metrics.graphs.graph import Attribute, Graph, Relation
from metrics.graphs.reification import Reifications, dereify, reify
from metrics.reading.read import deinverted

Step = Callable[[Graph], Graph]

CORE_ROLE = re.compile(r":arg(?=\d)")
# A constant has no outgoing edges, so that only the role can be normalised.
CONSTANT_DOMAINS = {":domain": ":mod-of", ":domain-of": ":mod"}


def lower(graph: Graph) -> Graph:
    """Lower-case concepts, constants and roles.

    Core roles are the exception: they are written ``:ARG0``, as usual in AMR, so that later steps
    and tables of roles recognise them.

    >>> from metrics import parse_graph
    >>> lower(parse_graph('(s / Sing-01 :arg0 (c / Cat) :Polarity "No")')).attributes
    (Attribute(node='s', role=':polarity', constant='"no"'),)
    """
    return _relabelled(graph, str.lower, lower_role)


def unquote(graph: Graph) -> Graph:
    """Remove quotation marks, including single quotes and apostrophes, from all labels.

    >>> from metrics import parse_graph
    >>> unquote(parse_graph('(n / name :op1 "Smith")')).attributes
    (Attribute(node='n', role=':op1', constant='Smith'),)
    """
    return _relabelled(graph, bare, str)


def deinvert(graph: Graph) -> Graph:
    """Normalise inverse roles. Reading Penman notation already does this.

    >>> graph = Graph(("d", "b"), ("dog", "bark-01"), (), (Relation("d", ":ARG0-of", "b"),), "d")
    >>> deinvert(graph).relations
    (Relation(source='b', role=':ARG0', target='d'),)
    """
    if not any(deinverted(role) for _, role, _ in graph.relations):
        return graph

    def turned(relation: Relation) -> Relation:
        while (plain := deinverted(relation.role)) is not None:
            relation = Relation(relation.target, plain, relation.source)
        return relation

    relations = tuple(map(turned, graph.relations))
    return _changed(graph, graph.concepts, graph.attributes, relations)


def fold_domain(graph: Graph) -> Graph:
    """Replace ``x :domain y`` by the equivalent ``y :mod x``.

    >>> from metrics import parse_graph
    >>> fold_domain(parse_graph("(s / small :domain (d / dog))")).relations
    (Relation(source='d', role=':mod', target='s'),)
    """
    relations, attributes = graph.relations, graph.attributes
    if any(role == ":domain" for _, role, _ in relations):
        relations = tuple(
            [Relation(r[2], ":mod", r[0]) if r[1] == ":domain" else r for r in relations]
        )
    if any(role in CONSTANT_DOMAINS for _, role, _ in attributes):
        attributes = tuple(
            [Attribute(n, CONSTANT_DOMAINS.get(role, role), c) for n, role, c in attributes]
        )
    return _changed(graph, graph.concepts, attributes, relations)


def distinct(graph: Graph) -> Graph:
    """Remove repeated triples.

    >>> from metrics import parse_graph
    >>> distinct(parse_graph("(s / sleep-01 :polarity - :polarity -)")).attributes
    (Attribute(node='s', role=':polarity', constant='-'),)
    """
    attributes, relations = dict.fromkeys(graph.attributes), dict.fromkeys(graph.relations)
    if len(attributes) == len(graph.attributes) and len(relations) == len(graph.relations):
        return graph
    return _changed(graph, graph.concepts, tuple(attributes), tuple(relations))


def dereified(rules: Reifications) -> Step:
    """The step that replaces nodes that represent edges by edges (`metrics.graphs.reification`)."""
    concepts = rules.by_concept.keys()

    def step(graph: Graph) -> Graph:
        return graph if concepts.isdisjoint(graph.concepts) else dereify(graph, rules)

    return step


def reified(rules: Reifications) -> Step:
    """The step that replaces edges that have a rule by nodes (`metrics.graphs.reification`)."""
    return lambda graph: reify(graph, rules)


def root_concept(graph: Graph) -> Graph:
    """Add the triple ``top :root concept``, for metrics that ignore the root.

    >>> from metrics import parse_graph
    >>> root_concept(parse_graph("(d / dog)")).attributes
    (Attribute(node='d', role=':root', constant='dog'),)
    """
    if not graph.variables:
        return graph
    root = Attribute(graph.top, ":root", graph.concept(graph.top))
    return replace(graph, attributes=(*graph.attributes, root))


def reindex(graph: Graph) -> Graph:
    """Rename variables after their concepts: ``d``, ``d2``; none equals a concept or constant.

    >>> from metrics import parse_graph
    >>> reindex(parse_graph("(xv0 / dog :mod (xv1 / deaf))")).variables
    ('d', 'd2')
    """
    taken = {*graph.concepts, *(constant for _, _, constant in graph.attributes)}
    names: dict[str, str] = {}
    for variable, concept in zip(graph.variables, graph.concepts, strict=True):
        letter = concept[:1].lower() if concept[:1].isalpha() else "x"
        tries = chain([letter], (f"{letter}{k}" for k in count(2)))
        names[variable] = next(name for name in tries if name not in taken)
        taken.add(names[variable])
    return Graph(
        tuple(names.values()),
        graph.concepts,
        tuple([Attribute(names[node], role, c) for node, role, c in graph.attributes]),
        tuple([Relation(names[s], role, names[t]) for s, role, t in graph.relations]),
        names.get(graph.top, ""),
        graph.metadata,
    )


def drop_senses(graph: Graph) -> Graph:
    """Remove senses from concepts and from the root's triple (`root_concept`).

    >>> from metrics import parse_graph
    >>> drop_senses(parse_graph("(s / sleep-01)")).concepts
    ('sleep',)
    """
    return _changed(
        graph,
        tuple([SENSE.sub("", concept) for concept in graph.concepts]),
        tuple(
            [
                a._replace(constant=SENSE.sub("", a[2])) if a[1] == ":root" else a
                for a in graph.attributes
            ]
        ),
        graph.relations,
    )


def drop_wiki(graph: Graph) -> Graph:
    """Remove ``:wiki`` attributes, which many parsers leave to a separate program.

    >>> from metrics import parse_graph
    >>> drop_wiki(parse_graph('(c / city :wiki "Ulm")')).attributes
    ()
    """
    attributes = tuple([a for a in graph.attributes if a.role.lower() != ":wiki"])
    if len(attributes) == len(graph.attributes):
        return graph
    return replace(graph, attributes=attributes)


def unlabel(graph: Graph) -> Graph:
    """Replace all roles by ``:rel``, except in the root's triple (`root_concept`).

    >>> from metrics import parse_graph
    >>> unlabel(parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")).attributes
    (Attribute(node='s', role=':rel', constant='-'),)
    """
    return _relabelled(graph, str, lambda role: role if role == ":root" else ":rel")


@cache
def lower_role(role: str) -> str:
    """A role in lower case, but ``ARG`` in capitals.

    >>> lower_role(":arg0-of"), lower_role(":OP1")
    (':ARG0-of', ':op1')
    """
    return CORE_ROLE.sub(":ARG", role.lower())


def bare(label: str) -> str:
    """A label without quotation marks."""
    return label.replace('"', "").replace("'", "")


def _relabelled(
    graph: Graph, label: Callable[[str], str], role_label: Callable[[str], str]
) -> Graph:
    """Apply functions to concepts and constants, and to roles."""
    relations = graph.relations
    if any(role_label(role) != role for _, role, _ in relations):
        relations = tuple([Relation(s, role_label(role), t) for s, role, t in relations])
    return _changed(
        graph,
        tuple([label(concept) for concept in graph.concepts]),
        tuple([Attribute(n, role_label(role), label(c)) for n, role, c in graph.attributes]),
        relations,
    )


def _changed(
    graph: Graph,
    concepts: tuple[str, ...],
    attributes: tuple[Attribute, ...],
    relations: tuple[Relation, ...],
) -> Graph:
    """The graph with the given parts; the same object if nothing changes."""
    same = relations is graph.relations or relations == graph.relations
    if same and concepts == graph.concepts and attributes == graph.attributes:
        return graph
    return Graph(graph.variables, concepts, attributes, relations, graph.top, graph.metadata)
