"""The class `AMR` of `bamboo.smatch`, whose lists are those of smatch 1.0.4."""

import io

import pytest

import bamboo.smatch.amr as amr
from amr_metrics import Pair, SmatchPackage, parse_graph
from bamboo.smatch import get_amr_match
from bamboo.smatch.amr import AMR, read_amr

# Relations and attributes of the package, without its TOP.
FORMS = {
    "(s / small :domain (d / dog) :mod (b / big))": (["domain", "d"], ["domain", "s"]),
    "(s / small :mod-of (d / dog) :domain-of (b / big))": (["mod", "s"], ["domain", "s"]),
    "(p / part :consist-of (w / wood) :ARG0-of-of (x / y))": (
        ["consist-of", "w"],
        ["ARG0-of", "p"],
    ),
    # A variable that is defined later comes last, also where it becomes the source.
    "(s / see-01 :ARG0 b :ARG1 (b / boy :ARG0-of s))": (
        ["ARG1", "b"],
        ["ARG0", "b"],
        ["ARG0", "b"],
    ),
    "(s / see-01 :ARG0-of b :time (b / bell))": (["time", "b"], ["ARG0", "s"]),
    "(s / see-01 :mod 1 :ARG1-of 2 :mod-of 3 :polarity -)": (["polarity", "-"],),
    '(n / "New York" :op1 "New York" :op2 "" :op3 "a/(b):" :Op4 b_)': (
        *(["op1", "New"], ["op2", "_"], ["op3", "a/(b):_"], ["Op4", "b_"]),
    ),
    '(d / dog~e.3 :ARG0-of~e.1 (c / cat) :op1~e.2 "Ada"~e.4,5)': (
        *(["ARG0-of~e.1", "c"], ["op1~e.2", "Ada_~e.4,5"]),
    ),
}


@pytest.mark.parametrize("text", FORMS)
def test_labels_and_order(text):
    graph = read_amr(text)
    edges = [edge for column in (graph.relations, graph.attributes) for of in column for edge in of]
    assert graph.attributes[0][-1] == ["TOP", "top"]
    assert [edge for edge in edges if edge[0] != "TOP"] == [*FORMS[text]]


@pytest.mark.parametrize("text", FORMS)
def test_triples_are_those_of_the_metric(text):
    other = "(s / see-01 :ARG0 (b / boy) :op1 (n / new_york :op1 New))"
    details = SmatchPackage().evaluate([Pair(parse_graph(text), parse_graph(other))]).details
    counts = [int(details[name][0]) for name in ("matches", "src_total", "tgt_total")]
    assert [*get_amr_match(text, other)] == counts


def test_concepts():
    graph = read_amr('(n / "New York" :ARG0 (d / dog~e.3))')
    assert (graph.nodes, graph.node_values) == (["n", "d"], ["NewYork_", "dog~e.3"])


def test_several_lines():
    """The package keeps line breaks as parts of labels."""
    graph = AMR.parse_AMR_line("# ::id 1\n(s / sleep-01\n  :ARG0 (c / cat)\n)\n")
    assert graph.node_values == ["sleep-01", "cat"]


@pytest.mark.parametrize("text", ["", "(d / dog", "(d / dog))", "(d / dog) (c / cat)", "a dog"])
def test_what_cannot_be_read(monkeypatch, text):
    monkeypatch.setattr(amr, "ERROR_LOG", io.StringIO())
    assert AMR.parse_AMR_line(text) is None
    assert amr.ERROR_LOG.getvalue().startswith("Error in parsing AMR: ")


def test_lists_of_the_caller_stay():
    nodes = ["b", "d"]
    graph = AMR(nodes, ["bark-01", "dog"], [[["ARG0", "d"]], []], [[], []])
    graph.rename_node("x")
    assert (graph.nodes, nodes, graph.root) == (["x0", "x1"], ["b", "d"], "b")
    assert graph.get_triples() == (
        [("instance", "x0", "bark-01"), ("instance", "x1", "dog")],
        [],
        [("ARG0", "x0", "x1")],
    )


def test_lines_without_a_role():
    """The package joins all lines, so that labels become one."""
    lines = ["(s / sleep-01 :ARG0", 'c :op1 "New', 'York"', ":ARG1 (c / cat))"]
    text = AMR.get_amr_line(lines)
    assert text == '(s / sleep-01 :ARG0 c :op1 "New York":ARG1 (c / cat))'
    assert read_amr(text).relations[0] == [["ARG1", "c"], ["ARG0", "c"]]
