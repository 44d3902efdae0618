"""What a graph remembers of how its relations were written."""

from metrics import Graph, parse_graph


def test_inverse_roles_are_normalised_and_their_form_is_stored():
    graph = parse_graph("(c / cat :ARG0-of (s / sleep-01) :part (t / tail) :consist-of (f / fur))")
    assert [relation.role for relation in graph.relations] == [":ARG0", ":part", ":consist-of"]
    assert graph.inverted == (0,)


def test_a_node_named_before_it_is_described_is_a_forward_mention():
    graph = parse_graph(
        "(f / foolish :condition (d / do-02 :ARG0 i :ARG1-of k) :domain (i / i :mod (k / kind)"
        " :ARG2 f) :polarity -)"
    )
    assert [graph.relations[k] for k in graph.forward] == [("d", ":ARG0", "i"), ("k", ":ARG1", "d")]
    assert graph.inverted == (2,)


def test_graphs_written_differently_are_equal():
    forward = parse_graph("(a / and :op1 (b / bark-01 :ARG0 d) :op2 (d / dog))")
    backward = Graph(
        forward.variables, forward.concepts, forward.attributes, forward.relations, forward.top
    )
    assert forward.forward == (1,)
    assert backward.forward == ()
    assert forward == backward
    assert hash(forward) == hash(backward)
