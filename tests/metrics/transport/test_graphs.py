from hypothesis import given, settings
from strategies import graphs

from metrics import parse_graph
from metrics.graph import Graph
from metrics.transport.graphs import EDGE, labelled, roles_to_nodes

RANDOM = settings(deadline=None, derandomize=True, max_examples=60)
GRAPH = parse_graph(
    '(w / Want-01 :ARG0 (c / city :name (n / name :op1 "Rome" :op2 "Rome"))'
    " :ARG1 (s / sleep-01 :ARG0 c :ARG0 c :polarity -) :polarity -)"
)


def test_2023_gives_every_constant_a_node():
    made = labelled(GRAPH, "2023")
    assert made.labels == ["want-01", "city", "name", "sleep-01", "rome", "rome", "-", "-"]
    assert made.names[4:] == ['n :op1 "Rome"', 'n :op2 "Rome"', "s :polarity -", "w :polarity -"]
    assert (2, 5, ":op2") in made.edges
    assert made.edges.count((3, 1, ":arg0")) == 1  # written twice


def test_2021_has_equal_constants_share_a_node():
    made = labelled(GRAPH, "2021")
    assert made.labels == ["Want-01", "city", "name", "sleep-01", '"Rome"', "-"]
    assert made.names == ["w", "c", "n", "s", '"Rome"', "-"]
    assert [edge for edge in made.edges if edge[1] == 4] == [(2, 4, ":op1"), (2, 4, ":op2")]
    assert made.edges.count((3, 1, ":ARG0")) == 2


def test_constants_that_differ_in_case_or_quotes_alone_are_one_triple_in_2023():
    made = labelled(parse_graph('(n / name :op1 "Rome" :OP1 rome)'), "2023")
    assert made.labels == ["name", "rome"]


def test_a_lone_node():
    cat = parse_graph("(c / cat)")
    assert labelled(cat, "2023").edges == []
    assert labelled(cat, "2021").edges == [(0, 0, ":instance")]


def test_an_empty_graph():
    for variant in ("2021", "2023"):
        assert labelled(Graph.empty(), variant) == ([], [], [])


def test_roles_become_nodes():
    made = labelled(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), "2023", edge_to_node=True)
    assert made.labels == ["sleep-01", "cat", ":arg0"]
    assert made.names == ["s", "c", "s :arg0 c"]
    assert made.edges == [(0, 2, EDGE), (2, 1, EDGE)]


@RANDOM
@given(graph=graphs(loops=True, duplicates=True))
def test_nodes_and_edges_are_counted(graph):
    one, other = labelled(graph, "2023"), labelled(graph, "2021")
    constants = {(a.node, a.role.lower(), a.constant.lower()) for a in graph.attributes}
    assert len(one.labels) == len(one.names) == len(graph.variables) + len(constants)
    assert len(set(one.names)) == len(one.names)
    distinct = {a.constant for a in graph.attributes}
    assert len(other.labels) == len(graph.variables) + len(distinct)
    alone = len(graph.variables) == 1 and not (graph.relations or graph.attributes)
    assert len(other.edges) == len(graph.relations) + len(graph.attributes) + alone
    turned = roles_to_nodes(one)
    assert len(turned.labels) == len(one.labels) + len(one.edges)
    assert len(turned.edges) == 2 * len(one.edges)
