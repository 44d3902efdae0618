"""Write `Graph` values in Penman notation."""

from __future__ import annotations

from collections.abc import Iterable

from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.notation import encode, format_triples

__all__ = ["encode", "format_graph", "format_graphs"]


def format_graph(graph: Graph) -> str:
    """Format a graph with its metadata in Penman notation; reading it gives an equal graph.

    The order of nodes and triples may change, since the notation is a tree.

    Raises:
        GraphError: if the graph is empty, not connected, or nested more than 1,000 levels deep.

    >>> from amr_metrics.reading.read import parse_graph
    >>> print(format_graph(parse_graph("(c / cat :ARG0-of (s / sleep-01))")))
    (c / cat
       :ARG0-of (s / sleep-01))
    """
    return format_triples(graph.triples, graph.top, graph.metadata)


def format_graphs(graphs: Iterable[Graph]) -> str:
    """Format graphs as the content of a file, separated by blank lines."""
    return "\n\n".join(map(format_graph, graphs)) + "\n"
