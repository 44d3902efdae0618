"""Encoding of many graphs at once, against a plain reference for one graph at a time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Corpus
from amr_metrics.features.rematch import Rematch
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.graphs.folding import lower_without_outer_quotes, lower_without_quotes
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from tests import reference_graphs as reference
from tests.strategies import ROLES, graphs

DOMAIN = (*ROLES, ":domain")
CONSTANTS = ('"v1"', "vv2", "vv(2", '"(vv2)"', '" a  B "', "dog", "Dog", '""', "-", ":ARG0")

FORMS = {
    "rematch": (Rematch(), reference.of_rematch),
    "sema": (Sema(variant="corrected"), reference.of_sema),
    "sema published": (Sema(variant="published"), reference.of_published_sema),
    "sembleu": (SemBleu(variant="corrected"), reference.of_sembleu),
    "sembleu published": (SemBleu(variant="published"), reference.of_sembleu_tool),
    "sembleu 2019": (
        SemBleu(variant="2019"),
        lambda graph: reference.of_sembleu_tool(graph, turned=True),
    ),
    "wlk": (Wlk(variant="definition"), reference.plain),
    "wlk 2021": (Wlk(variant="2021"), reference.of_wlk_2021),
    "wlk 2023": (Wlk(variant="2023"), reference.of_wlk_2023),
}


@st.composite
def written(draw):
    """A graph with long and short names, inverse and forward relations, unusual constants."""
    graph = draw(
        st.one_of(graphs(loops=True, duplicates=True, roles=DOMAIN), st.just(Graph.empty()))
    )
    if not graph.variables:
        return graph
    names = {v: draw(st.sampled_from((v, f"v{v}"))) for v in graph.variables}
    count = len(graph.relations)
    flags = [draw(st.lists(st.booleans(), min_size=count, max_size=count)) for _ in range(2)]
    added = draw(
        st.lists(
            st.builds(
                Attribute,
                st.sampled_from(graph.variables),
                st.sampled_from((*DOMAIN, ":MOD", ":mod-of")),
                st.sampled_from(CONSTANTS),
            ),
            max_size=4,
        )
    )
    return Graph(
        tuple(names.values()),
        graph.concepts,
        tuple(a._replace(node=names[a.node]) for a in (*graph.attributes, *added)),
        tuple(Relation(names[s], role, names[t]) for s, role, t in graph.relations),
        draw(st.sampled_from([*names.values()])),
        {},
        *[tuple(np.flatnonzero(flag).tolist()) for flag in flags],
    )


def renumbered(values):
    """Numbers in order of first occurrence."""
    numbers = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


@given(some=st.lists(written(), max_size=5))
def test_a_table_has_the_labels_and_edges_of_each_graph(some):
    corpus = Corpus.of(some)
    for metric, encode in FORMS.values():
        table = metric.encode(corpus)
        expected = [encode(graph) for graph in some]
        labels = [label for graph_labels, _ in expected for label in graph_labels]
        edges = [edge for _, graph_edges in expected for edge in graph_edges]
        assert renumbered(table.labels.tolist()) == renumbered(labels)
        assert renumbered(table.roles.tolist()) == renumbered(role for _, _, role in edges)
        ends = [*zip(table.sources.tolist(), table.targets.tolist(), strict=True)]
        assert ends == [(s, t) for s, t, _ in edges]
        assert np.diff(table.node_start).tolist() == [
            len(graph_labels) for graph_labels, _ in expected
        ]
        assert np.diff(table.edge_start).tolist() == [
            len(graph_edges) for _, graph_edges in expected
        ]
        assert table.variables.tolist() == [len(graph.variables) for graph in some]
        tops = [graph.positions[graph.top] if graph.variables else 0 for graph in some]
        assert table.tops.tolist() == tops
        assert {column.dtype for column in table} == {np.dtype(np.int64)}  # kernels: compiled once


def test_quotes_within_a_label_are_kept_or_dropped():
    assert lower_without_outer_quotes('"3.5" Disk"') == '3.5" disk'
    assert lower_without_quotes('"3.5" Disk"') == "3.5 disk"
