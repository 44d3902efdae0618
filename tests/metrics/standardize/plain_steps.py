"""Standardisation steps for one graph, written plainly: what the steps on a corpus must give."""

from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.graphs.reification import dereify, reify
from amr_metrics.reading.labels import deinverted
from amr_metrics.standardize import STEPS
from amr_metrics.standardize.standardizer import rules_table
from amr_metrics.standardize.steps import CONSTANT_DOMAINS, lower_role


def plain(steps):
    """The function that applies a chain of steps to one graph."""

    def applied(graph):
        for name in steps:
            graph = step(name)(graph)
        return graph

    return applied


def step(name):
    if name.startswith("dereify:"):
        rules = rules_table(name.removeprefix("dereify:"))
        return lambda graph: (
            graph if rules.by_concept.keys().isdisjoint(graph.concepts) else dereify(graph, rules)
        )
    if name.startswith("reify:"):
        return lambda graph: reify(graph, rules_table(name.removeprefix("reify:")))
    return PLAIN.get(name) or STEPS[name]  # the others work on each graph


def lower(graph):
    return _relabelled(graph, str.lower, lower_role)


def unquote(graph):
    return _relabelled(graph, bare, str)


def deinvert(graph):
    def turned(relation):
        while (plain := deinverted(relation.role)) is not None:
            relation = Relation(relation.target, plain, relation.source)
        return relation

    relations = tuple(map(turned, graph.relations))
    return _changed(graph, graph.concepts, graph.attributes, relations)


def fold_domain(graph):
    relations = tuple(
        [
            Relation(t, ":mod", s) if r == ":domain" else Relation(s, r, t)
            for s, r, t in graph.relations
        ]
    )
    attributes = tuple(
        [Attribute(n, CONSTANT_DOMAINS.get(role, role), c) for n, role, c in graph.attributes]
    )
    return _changed(graph, graph.concepts, attributes, relations)


def distinct(graph):
    attributes, relations = dict.fromkeys(graph.attributes), dict.fromkeys(graph.relations)
    return _changed(graph, graph.concepts, tuple(attributes), tuple(relations))


def unlabel(graph):
    return _relabelled(graph, str, lambda role: role if role == ":root" else ":rel")


def bare(label):
    return label.replace('"', "").replace("'", "")


def _relabelled(graph, label, role_label):
    return _changed(
        graph,
        tuple([label(concept) for concept in graph.concepts]),
        tuple([Attribute(n, role_label(role), label(c)) for n, role, c in graph.attributes]),
        tuple([Relation(s, role_label(role), t) for s, role, t in graph.relations]),
    )


def _changed(graph, concepts, attributes, relations):
    if (concepts, attributes, relations) == (graph.concepts, graph.attributes, graph.relations):
        return graph
    return Graph(graph.variables, concepts, attributes, relations, graph.top, graph.metadata)


PLAIN = {
    "lower": lower,
    "unquote": unquote,
    "deinvert": deinvert,
    "fold_domain": fold_domain,
    "distinct": distinct,
    "unlabel": unlabel,
}
