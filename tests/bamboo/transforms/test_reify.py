"""Reify on graphs with layout."""

from collections import Counter

from hypothesis import given
from strategies import as_layout, graphs

from amr_metrics.graphs.reification import reify as reify_graph
from bamboo.transforms.layout import convert_to_graph, parse_layouts, to_text
from bamboo.transforms.reify import reify


def shape(graph, old):
    """A graph without the names of the nodes that are not in the old one."""

    def name(node):
        return node if node in old.positions else f"new {graph.concept(node)}"

    nodes = Counter(
        (
            name(node),
            graph.concept(node),
            tuple(sorted((r, name(t)) for s, r, t in graph.relations if s == node)),
            tuple(sorted((a.role, a.constant) for a in graph.attributes if a.node == node)),
        )
        for node in graph.variables
    )
    return nodes, graph.top


def test_new_nodes_have_the_positions_of_the_edges():
    graph = parse_layouts("(s / sing-01 :manner (l / loud :degree (v / very)) :polarity -)")[0]
    reified, operations = reify(graph)
    assert to_text([reified]) == (
        "(s / sing-01\n"
        "      :ARG1-of (_ / have-manner-91\n"
        "            :ARG2 (l / loud\n"
        "                  :ARG1-of (_2 / have-degree-92\n"
        "                        :ARG2 (v / very))))\n"
        "      :ARG1-of (_3 / have-polarity-91\n"
        "            :ARG2 -))"
    )
    assert operations == 3


def test_metadata_is_kept():
    graph = parse_layouts("# ::id 7\n# ::snt Large choir.\n(c / choir :mod (l / large))")[0]
    assert reify(graph).graph.metadata == {"id": "7", "snt": "Large choir."}


@given(graphs())
def test_it_is_the_graph_that_metrics_reify(graph):
    reified, operations = reify(as_layout(graph))
    assert shape(convert_to_graph(reified), graph) == shape(reify_graph(graph), graph)
    assert operations == len(reified.variables()) - len(graph.variables)
