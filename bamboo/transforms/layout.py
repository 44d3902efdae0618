"""Graphs as penman keeps them, with the layout of their text: what the builder reads and writes.

`metrics.graph.Graph` is the value that metrics compare; it does not say how a graph was laid out.
Files in the released format are therefore made from `penman.Graph`; `as_graph` and `as_layout`
go from one to the other.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import penman
from penman.models.amr import model as amr_model

from bamboo.transforms.errors import BuildError
from metrics.errors import GraphError
from metrics.graph import Attribute, Graph, Relation
from metrics.reading import parse_amr, read_graphs

INDENT = 6

# It reports whole graphs, and edges stated twice, which BAMBOO's files have and which are kept.
logging.getLogger("penman").setLevel(logging.ERROR)


def read_layouts(path: Path) -> list[penman.Graph]:
    """The graphs of a file, with their layout.

    Raises:
        GraphError: as `metrics.read_graphs`, for anything that cannot be read.
    """
    read_graphs(path)  # for its checks: penman alone would stop quietly at what is no graph
    return parse_layouts(path.read_text("utf-8"))


def parse_layouts(text: str) -> list[penman.Graph]:
    """The graphs of a text that is known to be well formed, with their layout.

    >>> graph, = parse_layouts("(s / sing-01 :ARG0-of (l / like-01))")
    >>> graph.edges()
    [Edge(source='l', role=':ARG0', target='s')]
    """
    graphs: list[penman.Graph] = penman.loads(text, model=amr_model)
    return graphs


def to_text(graphs: Iterable[penman.Graph]) -> str:
    """The graphs in the released format: a blank line between two of them, nothing at the end.

    Raises:
        BuildError: for a graph that cannot be written, or reads back as another one; it says
            which.

    >>> print(to_text(parse_layouts("(s / sing-01 :ARG0 (c / choir))")))
    (s / sing-01
          :ARG0 (c / choir))
    """
    blocks = []
    for position, graph in enumerate(graphs):
        try:
            block = penman.encode(graph, indent=INDENT, model=amr_model)
            again = parse_amr(block)
        except (penman.PenmanError, GraphError) as error:
            raise BuildError(f"graph {position} cannot be written: {error}") from None
        if len(again) != 1 or not same_graph(again[0], as_graph(graph)):
            raise BuildError(
                f"graph {position} would read back as another graph, so it is not written: "
                "look for roles that are turned round on reading, or one edge stated twice. "
                f"It is\n{block}"
            )
        blocks.append(block)
    return "\n\n".join(blocks)


def without_layout(graph: penman.Graph) -> penman.Graph:
    """The same triples in the same order, laid out anew when written.

    >>> text = "(a / and :op1 (s / sing-01 :ARG0 c) :op2 (d / dance-01 :ARG0 (c / choir)))"
    >>> print(to_text([without_layout(parse_layouts(text)[0])]))
    (a / and
          :op1 (s / sing-01
                :ARG0 (c / choir))
          :op2 (d / dance-01
                :ARG0 c))
    """
    return penman.Graph(graph.triples, top=graph.top, metadata=graph.metadata)


def as_graph(graph: penman.Graph) -> Graph:
    """The value that metrics compare.

    >>> as_graph(parse_layouts("(s / sing-01 :polarity -)")[0]).attributes
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


def as_layout(graph: Graph) -> penman.Graph:
    """A graph to write: each node's concept, then its attributes, then its edges.

    >>> print(to_text([as_layout(as_graph(parse_layouts("(s / sing-01 :ARG0 (c / choir))")[0]))]))
    (s / sing-01
          :ARG0 (c / choir))
    """
    rows: dict[str, list[tuple[str, str, str]]] = {
        node: [(node, ":instance", concept)]
        for node, concept in zip(graph.variables, graph.concepts, strict=True)
    }
    for source, role, target in (*graph.attributes, *graph.relations):
        rows[source].append((source, role, target))
    return penman.Graph(
        [triple for node in rows for triple in rows[node]],
        top=graph.top,
        metadata=dict(graph.metadata),
    )


def same_graph(one: Graph, other: Graph) -> bool:
    """Equality, whatever the order of nodes and triples."""
    return (
        one.top == other.top
        and dict(zip(one.variables, one.concepts, strict=True))
        == dict(zip(other.variables, other.concepts, strict=True))
        and Counter(one.attributes) == Counter(other.attributes)
        and Counter(one.relations) == Counter(other.relations)
    )


def with_metadata(graph: penman.Graph, metadata: Mapping[str, str]) -> penman.Graph:
    """The graph under other ``# ::key value`` lines."""
    return penman.Graph(
        graph.triples, top=graph.top, epidata=graph.epidata, metadata=dict(metadata)
    )


def concepts(graph: penman.Graph) -> Sequence[tuple[int, str, str]]:
    """Each node's (position of its concept's triple, variable, concept).

    >>> concepts(parse_layouts("(s / sing-01 :ARG0 (c / choir))")[0])
    [(0, 's', 'sing-01'), (2, 'c', 'choir')]
    """
    return [
        (position, source, str(target))
        for position, (source, role, target) in enumerate(graph.triples)
        if role == ":instance"
    ]
