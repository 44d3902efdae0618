"""Reify: every edge that has a rule becomes a node (BAMBOO, section 5)."""

from __future__ import annotations

from functools import cache

import penman
from penman.model import Model
from penman.models import amr
from penman.transform import reify_edges

from amr_metrics.graphs.reification import Reifications
from bamboo.transforms.layout import Transformed, add_layout


def reify(graph: penman.Graph) -> Transformed:
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
    1
    """
    by_role = Reifications.default().by_role
    edges = sum(role in by_role for _, role, _ in graph.triples)
    if not edges:
        return Transformed(graph, 0)
    return Transformed(reify_edges(add_layout(graph), _build_model()), edges)


@cache
def _build_model() -> Model:
    return Model(
        top_variable=amr.model.top_variable,
        top_role=amr.model.top_role,
        roles=amr.roles,
        normalizations=amr.normalizations,
        reifications=[tuple(rule) for rule in Reifications.default().by_role.values()],
    )
