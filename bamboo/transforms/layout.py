"""Read and write penman graphs, which keep the layout of their text.

`amr_metrics.graphs.graph.Graph`, which metrics compare, has no layout. Files in the released format
are therefore made from `penman.Graph`; `convert_to_graph` converts them to the graphs that metrics
compare.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import penman
from penman.layout import interpret
from penman.models.amr import model as amr_model

from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.reading import parse_amr, read_text
from amr_metrics.reading.penman_reading import parse_trees
from amr_metrics.reading.writing import encode
from bamboo.errors import BuildError

INDENT = 6


class Transformed(NamedTuple):
    """A transformed graph, and the number of changes."""

    graph: penman.Graph
    operations: int


def read_layouts(path: Path) -> list[penman.Graph]:
    """Return the graphs of a file, with their layout.

    Raises:
        GraphError: as `amr_metrics.read_graphs`, for anything that cannot be read, and for a graph
            that is nested too deeply to be written.
    """
    return parse_layouts(read_text(path), str(path))


def parse_layouts(text: str, source: str = "<text>") -> list[penman.Graph]:
    """Return the graphs of a text, with their layout.

    Raises:
        GraphError: as `read_layouts`; the message names `source`.

    >>> graph, = parse_layouts("(s / sing-01 :ARG0-of (l / like-01))")
    >>> graph.edges()
    [Edge(source='l', role=':ARG0', target='s')]
    """
    enabled = gc.isenabled()
    gc.disable()  # reading makes many objects but no garbage, and would take half as long again
    try:
        return parse_trees(text, lambda tree: interpret(tree, amr_model), source)
    finally:
        if enabled:
            gc.enable()


def to_text(graphs: Iterable[penman.Graph]) -> str:
    """Return the graphs in the released format: separated by blank lines, no newline at the end.

    Raises:
        BuildError: a graph that cannot be written, or would read back as a different graph; the
            message gives its position.

    >>> print(to_text(parse_layouts("(s / sing-01 :ARG0 (c / choir))")))
    (s / sing-01
          :ARG0 (c / choir))
    """
    originals = list(graphs)
    blocks = []
    for position, graph in enumerate(originals):
        try:
            blocks.append(encode(graph, INDENT))
        except GraphError as error:
            raise BuildError(f"graph {position} {error}") from None
    text = "\n\n".join(blocks)
    try:
        again = parse_amr(text, "the text to be written") if blocks else []
    except GraphError as error:
        raise BuildError(f"a graph cannot be written: {error}") from None
    if len(again) != len(originals):
        raise BuildError(f"{len(originals)} graphs would read back as {len(again)}")
    for position, (graph, read) in enumerate(zip(originals, again, strict=True)):
        if not same_graph(read, convert_to_graph(graph)):
            raise BuildError(
                f"graph {position} would read back as another graph, so it is not written: "
                "look for roles that are inverted when read, or a duplicate edge. "
                f"It is\n{blocks[position]}"
            )
    return text


def drop_layout(graph: penman.Graph) -> penman.Graph:
    """Return the same triples in the same order, with a new layout when written.

    >>> text = "(a / and :op1 (s / sing-01 :ARG0 c) :op2 (d / dance-01 :ARG0 (c / choir)))"
    >>> print(to_text([drop_layout(parse_layouts(text)[0])]))
    (a / and
          :op1 (s / sing-01
                :ARG0 (c / choir))
          :op2 (d / dance-01
                :ARG0 c))
    """
    return penman.Graph(graph.triples, top=graph.top, metadata=graph.metadata)


def add_layout(graph: penman.Graph) -> penman.Graph:
    """Return the graph with a layout: its own, or the one it would be written with.

    >>> add_layout(penman.Graph([("s", ":instance", "sing-01"), ("s", ":polarity", "-")])).epidata
    {('s', ':instance', 'sing-01'): [], ('s', ':polarity', '-'): []}
    """
    if all(triple in graph.epidata for triple in graph.triples):
        return graph
    return parse_layouts(encode(graph))[0]


def convert_to_graph(graph: penman.Graph) -> Graph:
    """Return the value that metrics compare.

    >>> convert_to_graph(parse_layouts("(s / sing-01 :polarity -)")[0]).attributes
    (Attribute(node='s', role=':polarity', constant='-'),)
    """
    concepts = {source: str(target) for source, _, target in graph.instances()}
    return Graph(
        tuple(concepts),
        tuple(concepts.values()),
        tuple(Attribute(s, r, str(t)) for s, r, t in graph.attributes()),
        tuple(Relation(s, r, t) for s, r, t in graph.edges()),
        str(graph.top or ""),
        graph.metadata,
    )


def same_graph(first: Graph, second: Graph) -> bool:
    """Check that two graphs are equal, regardless of the order of nodes and triples."""
    return (
        first.top == second.top
        and dict(zip(first.variables, first.concepts, strict=True))
        == dict(zip(second.variables, second.concepts, strict=True))
        and Counter(first.attributes) == Counter(second.attributes)
        and Counter(first.relations) == Counter(second.relations)
    )


def replace_metadata(graph: penman.Graph, metadata: Mapping[str, str]) -> penman.Graph:
    """Return the graph with other ``# ::key value`` lines."""
    return penman.Graph(
        graph.triples, top=graph.top, epidata=graph.epidata, metadata=dict(metadata)
    )


def concepts(graph: penman.Graph) -> Sequence[tuple[int, str, str]]:
    """Return each node's (position of its concept's triple, variable, concept).

    >>> concepts(parse_layouts("(s / sing-01 :ARG0 (c / choir))")[0])
    [(0, 's', 'sing-01'), (2, 'c', 'choir')]
    """
    return [
        (position, source, str(target))
        for position, (source, role, target) in enumerate(graph.triples)
        if role == ":instance"
    ]
