"""Write `Graph` values in Penman notation."""

from __future__ import annotations

from collections.abc import Iterable

import penman
from penman.models.amr import model as amr_model

from metrics.errors import GraphError
from metrics.graph import Graph
from metrics.nesting import LEVELS, NestingError, is_too_deep, with_deep_stack


def format_graph(graph: Graph) -> str:
    """Format a graph with its metadata in Penman notation; reading it gives an equal graph.

    The order of nodes and triples may change, since the notation is a tree.

    Raises:
        GraphError: if the graph is empty, not connected, or nested more than 1,000 levels deep.

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
    return encode(written)


def encode(graph: penman.Graph, indent: int = -1) -> str:
    """Format a `penman.Graph` in Penman notation.

    Args:
        indent: as for `penman.format`: spaces per level, or -1 to align with the parent.

    Raises:
        GraphError: if the graph is not connected, or nested more than 1,000 levels deep.
    """

    def encoded() -> str:
        try:
            tree = penman.configure(graph, model=amr_model)
            if is_too_deep(tree.node):
                raise RecursionError
            return str(penman.format(tree, indent=indent))
        except penman.PenmanError as error:
            raise GraphError(f"cannot be written in Penman notation: {error}") from None
        except RecursionError:
            raise NestingError(
                "cannot be written in Penman notation: "
                f"it is nested more than {LEVELS:,} levels deep"
            ) from None

    return with_deep_stack(encoded)


def format_graphs(graphs: Iterable[Graph]) -> str:
    """Format graphs as the content of a file, separated by blank lines."""
    return "\n\n".join(map(format_graph, graphs)) + "\n"
