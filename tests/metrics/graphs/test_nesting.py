"""Graphs nested far beyond Python's recursion limit: read and written, or one clear error."""

import pytest

from amr_metrics import format_graph, parse_graph
from amr_metrics.errors import GraphError
from amr_metrics.graphs.notation import LEVELS
from bamboo.transforms.layout import parse_layouts, to_text
from tests.builders import chain


def nested(levels, role=":ARG0"):
    """A graph that is one chain of nodes."""
    opening = f" {role} ".join(f"(x{k} / c{k}" for k in range(levels))
    return opening + ")" * levels


@pytest.mark.parametrize("levels", [1, 100, 350, 500])
def test_writing(levels):
    graph = parse_graph(nested(levels))
    assert parse_graph(format_graph(graph)) == graph
    (layout,) = parse_layouts(nested(levels))
    assert len(layout.triples) == 2 * levels - 1
    assert to_text([layout]).count("\n") == levels - 1


def test_deeper_graphs_cannot_be_written():
    with pytest.raises(GraphError, match=r"cannot be written .* more than 1,000 levels"):
        format_graph(chain(LEVELS + 1))
