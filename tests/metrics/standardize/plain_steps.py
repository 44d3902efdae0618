"""Standardisation steps for one graph, written plainly: what the steps on a corpus must give."""

from dataclasses import replace
from typing import NamedTuple

from amr_metrics.graphs.graph import Attribute, Relation
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
        return lambda graph: replace(
            graph if rules.by_concept.keys().isdisjoint(graph.concepts) else dereify(graph, rules),
            inverted=(),
            forward=(),
        )
    if name.startswith("reify:"):
        return lambda graph: reify(graph, rules_table(name.removeprefix("reify:")))
    return PLAIN.get(name) or STEPS[name]  # the others work on each graph


def lower(graph):
    return _relabelled(graph, str.lower, lower_role)


def unquote(graph):
    return _relabelled(graph, bare, str)


def deinvert(graph):
    def turned(written):
        while (plain := deinverted(written.role)) is not None:
            written = written.reversed_as(plain)
        return written

    return _changed(graph, graph.concepts, graph.attributes, map(turned, list_written(graph)))


def fold_domain(graph):
    relations = [
        written.reversed_as(":mod") if written.role == ":domain" else written
        for written in list_written(graph)
    ]
    attributes = [
        Attribute(n, CONSTANT_DOMAINS.get(role, role), c) for n, role, c in graph.attributes
    ]
    return _changed(graph, graph.concepts, attributes, relations)


def distinct(graph):
    relations = {}
    for written in list_written(graph):
        relations.setdefault(written[:3], written)
    return _changed(graph, graph.concepts, dict.fromkeys(graph.attributes), relations.values())


def unlabel(graph):
    return _relabelled(graph, str, lambda role: role if role == ":root" else ":rel")


def bare(label):
    return label.replace('"', "").replace("'", "")


class Written(NamedTuple):
    """A relation, and how it was written."""

    source: str
    role: str
    target: str
    is_inverted: bool
    is_forward: bool

    def reversed_as(self, role):
        """The relation from target to source, which was written from the same node."""
        return Written(self.target, role, self.source, not self.is_inverted, self.is_forward)


def list_written(graph):
    return [
        Written(*relation, k in graph.inverted, k in graph.forward)
        for k, relation in enumerate(graph.relations)
    ]


def _relabelled(graph, label, role_label):
    return _changed(
        graph,
        [label(concept) for concept in graph.concepts],
        [Attribute(n, role_label(role), label(c)) for n, role, c in graph.attributes],
        [written._replace(role=role_label(written.role)) for written in list_written(graph)],
    )


def _changed(graph, concepts, attributes, relations):
    relations = [*relations]
    return replace(
        graph,
        concepts=tuple(concepts),
        attributes=tuple(attributes),
        relations=tuple([Relation(*written[:3]) for written in relations]),
        inverted=tuple([k for k, written in enumerate(relations) if written.is_inverted]),
        forward=tuple([k for k, written in enumerate(relations) if written.is_forward]),
    )


PLAIN = {
    "lower": lower,
    "unquote": unquote,
    "deinvert": deinvert,
    "fold_domain": fold_domain,
    "distinct": distinct,
    "unlabel": unlabel,
}
