"""`Graph` values as text in Penman notation."""

from __future__ import annotations

from collections.abc import Iterable

import penman
from penman.models.amr import model as amr_model

from metrics.errors import GraphError
from metrics.graph import Graph


def format_graph(graph: Graph) -> str:
    """A graph in Penman notation with its metadata; reading it gives an equal graph.

    The order of nodes and triples may change, since the notation is a tree.

    Raises:
        GraphError: for the empty graph, or one that is not connected: they cannot be written.

    >>> from metrics.reading import parse_graph
    >>> print(format_graph(parse_graph("(c / cat :ARG0-of (s / sleep-01))")))
    (c / cat
       :ARG0-of (s / sleep-01))
    """
    if not graph.variables:
        raise GraphError("the empty graph has no Penman notation")
    triples = [
        *((v, ":instance", c) for v, c in zip(graph.variables, graph.concepts, strict=True)),
        *graph.attributes,
        *graph.relations,
    ]
    written = penman.Graph(triples, top=graph.top, metadata=dict(graph.metadata))
    try:
        return str(penman.encode(written, model=amr_model))
    except penman.exceptions.LayoutError as error:
        raise GraphError(f"cannot be written in Penman notation: {error}") from None


def format_graphs(graphs: Iterable[Graph]) -> str:
    """Graphs as the content of a file, a blank line between them."""
    return "\n\n".join(map(format_graph, graphs)) + "\n"
