"""Graphs and explanations show themselves: in plain Python and in notebooks."""

from __future__ import annotations

import pytest

from amr_metrics import Graph, Pair, format_graph, get, parse_graph
from amr_metrics.camr import parse_camr

TEXT = "# ::snt A <b>dog</b> barks.\n(b / bark-01\n   :ARG0 (d / <dog>))"


def test_a_graph_is_shown_in_penman_notation() -> None:
    graph = parse_graph(TEXT)
    assert repr(graph) == "<Graph (b / bark-01 :ARG0 (d / <dog>))>"
    assert str(graph) == TEXT == format_graph(graph)
    assert graph._repr_html_() == (
        "<pre># ::snt A &lt;b&gt;dog&lt;/b&gt; barks.\n"
        "(b / bark-01\n   :ARG0 (d / &lt;dog&gt;))</pre>"
    )


@pytest.mark.parametrize("show", [repr, str, Graph._repr_html_])
def test_graphs_without_penman_notation(show: object) -> None:
    assert callable(show)
    parts = Graph(("a", "b"), ("cat", "dog"), (), (), "a")
    assert "Graph of 2 nodes in 2 components, 0 attributes, 0 relations" in show(parts)
    assert "Graph of 0 nodes in 0 components" in show(Graph.empty())


def test_a_deep_graph_is_shown_by_its_size() -> None:
    count = 1_500
    names = tuple(f"v{k}" for k in range(count))
    relations = [(names[k], ":ARG0", names[k + 1]) for k in range(count - 1)]
    triples = [*((name, ":instance", "a") for name in names), *relations]
    graph = Graph.from_triples(triples)
    assert repr(graph) == "<Graph of 1,500 nodes in 1 component, 0 attributes, 1,499 relations>"


def test_a_chinese_graph_names_its_class() -> None:
    (graph,) = parse_camr("# ::wid x1_他 x2_走\n(x2 / 走-01 :arg0() (x1 / 他))")
    assert repr(graph) == "<CamrGraph (x2 / 走-01 :arg0 (x1 / 他))>"


def test_an_explanation_is_shown_with_its_links_and_triples() -> None:
    pair = Pair(
        parse_graph("(c / <cat> :mod (b / big))"), parse_graph("(k / <cat> :mod (s / old))")
    )
    explanation = get("smatch").explain(pair)
    assert repr(explanation) == (
        "<Explanation: score 0.7500; 2 links, proven optimal; "
        "triples: matched 3, only src 1, only tgt 1>"
    )
    lines = str(explanation).splitlines()
    assert lines[2:4] == ["src  tgt  weight  cost", "c    k    2.5     0"]
    assert "instance(b, big)" in lines
    assert "                    instance(s, old)" in lines
    html = explanation._repr_html_()
    assert "instance(c, &lt;cat&gt;)" in html
    assert "<cat>" not in html
    assert html.count("<table>") == 2
    assert html.count("<tr>") == html.count("</tr>") == 2 + len(explanation.links) + 3 + 1 + 1
