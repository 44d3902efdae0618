"""Graphs nested far beyond Python's recursion limit: read and written, or one clear error."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bamboo.explanation.drawing import draw
from bamboo.explanation.outline import outline
from bamboo.transforms.layout import parse_layouts, to_text
from metrics import Pair, Smatch, SmatchPP, format_graph, parse_graph, read_graphs
from metrics.errors import GraphError
from metrics.features.rematch import Rematch
from metrics.features.sema import Sema
from metrics.features.sembleu import SemBleu
from metrics.features.wlk import Wlk
from metrics.graphs.notation import LEVELS
from tests.builders import chain


def nested(levels, role=":ARG0"):
    """A graph that is one chain of nodes."""
    opening = f" {role} ".join(f"(x{k} / c{k}" for k in range(levels))
    return opening + ")" * levels


@pytest.mark.parametrize("levels", [1, 100, 490, 500, 999, LEVELS])
def test_reading(levels):
    assert parse_graph(nested(levels)) == chain(levels, "c{}", ":ARG0")


@pytest.mark.parametrize("levels", [1, 100, 350, 500])
def test_writing(levels):
    graph = parse_graph(nested(levels))
    assert parse_graph(format_graph(graph)) == graph
    (layout,) = parse_layouts(nested(levels))
    assert len(layout.triples) == 2 * levels - 1
    assert to_text([layout]).count("\n") == levels - 1


@pytest.mark.parametrize("levels", [LEVELS + 1, 5_000, 50_000])
def test_deeper_graphs_are_an_error_that_names_the_place(tmp_path, levels):
    path = tmp_path / "deep.amr"
    path.write_text(f"(a / b)\n\n# ::id 2\n{nested(levels)}\n\n(c / d)\n")
    with pytest.raises(GraphError) as caught:
        read_graphs(path)
    assert (caught.value.source, caught.value.graph, caught.value.line) == (str(path), 1, 3)
    assert str(caught.value).endswith(
        "graph 1, line 3: nested more than 1,000 levels deep: check its parentheses"
    )
    with pytest.raises(GraphError, match="graph 0, line 1: nested more than 1,000 levels"):
        parse_layouts(nested(levels))


def test_deeper_graphs_cannot_be_written():
    with pytest.raises(GraphError, match=r"cannot be written .* more than 1,000 levels"):
        format_graph(chain(LEVELS + 1))


def test_an_error_within_a_deep_graph_is_located():
    with pytest.raises(GraphError, match="variable 'x3' is defined twice"):
        parse_graph(nested(800).replace("(x700 ", "(x3 "))
    with pytest.raises(GraphError, match="unbalanced"):
        parse_graph(nested(800)[:-1])


def test_threads_may_read_and_write_deep_graphs_at_the_same_time():
    text = nested(700).replace("(x699 / c699", "(x699 / c699 :mod (x0)")  # which penman reads
    with ThreadPoolExecutor(4) as threads:
        graphs = list(threads.map(lambda _: parse_graph(text), range(6)))
        texts = set(threads.map(format_graph, graphs))
    assert [len(graph.relations) for graph in graphs] == [700] * 6
    assert len(texts) == 1


@pytest.mark.parametrize(
    "metric", [Smatch(), SmatchPP(), Sema(), SemBleu(), Wlk(), Rematch()], ids=lambda m: type(m)
)
def test_metrics(metric):
    graph = parse_graph(nested(800))
    assert metric.score([Pair(graph, graph)])[0] == pytest.approx(1)


@pytest.mark.parametrize("role", [":ARG0", ":ARG0-of"])
def test_drawing(role):
    graph = parse_graph(nested(900, role))
    rows, again = outline(graph)
    assert [(row.node, row.depth) for row in rows] == [(f"x{k}", k) for k in range(900)]
    assert {row.role for row in rows[1:]} == {role}
    assert again == []
    pair = Pair(graph, graph)
    assert draw(pair, Smatch().explain(pair), "deep").count('class="link"') == 900
