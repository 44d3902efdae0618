"""Graphs and explanations show themselves: in plain Python and in notebooks."""

from __future__ import annotations

import pytest

from metrics import Graph, Pair, format_graph, get, parse_graph, parse_tsv

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
    (parts,) = parse_tsv("a\tcat\t:instance\nb\tdog\t:instance\n")
    assert "Graph of 2 nodes in 2 components, 0 attributes, 0 relations" in show(parts)
    assert "Graph of 0 nodes in 0 components" in show(Graph.empty())


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
