"""Reify: every edge that has a rule becomes a node (BAMBOO, section 5)."""

from __future__ import annotations

from functools import cache

import penman
from penman.model import Model
from penman.models import amr
from penman.transform import reify_edges

from amr_metrics.graphs.reification import Reifications
from bamboo.transforms.layout import with_layout
from bamboo.transforms.record import Operation, Transformed


def reify(graph: penman.Graph, rules: Reifications | None = None) -> Transformed:
    """Return the graph with every edge that has a rule replaced by a node.

    This is penman's `reify_edges` with our rules. The rest of the layout is unchanged; a graph
    without a layout gets one.

    >>> from bamboo.transforms.layout import parse_layouts, to_text
    >>> graph, = parse_layouts("(s / sing-01 :ARG0 (c / choir :mod (l / large)))")
    >>> reified, operations = reify(graph)
    >>> print(to_text([reified]))
    (s / sing-01
          :ARG0 (c / choir
                :ARG1-of (_ / have-mod-91
                      :ARG2 (l / large))))
    >>> operations
    (Operation(node='c', before=':mod', after='_'),)
    """
    rules = rules or Reifications.default()
    if not any(role in rules.by_role for _, role, _ in graph.triples):
        return Transformed(graph, ())
    graph = with_layout(graph)
    reified = reify_edges(graph, _model(rules))
    # Each reified edge adds a new node, in the order of the edges.
    old = graph.variables()
    nodes = [source for source, _, _ in reified.instances() if source not in old]
    edges = [triple for triple in graph.triples if triple[1] in rules.by_role]
    operations = tuple(
        Operation(source, role, node) for (source, role, _), node in zip(edges, nodes, strict=True)
    )
    return Transformed(reified, operations)


@cache
def _model(rules: Reifications) -> Model:
    return Model(
        top_variable=amr.model.top_variable,
        top_role=amr.model.top_role,
        roles=amr.roles,
        normalizations=amr.normalizations,
        reifications=[tuple(rule) for rule in rules.by_role.values()],
    )
