"""The sub-graph of an aspect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from amr_metrics.aspects.table import Aspect
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.standardize.standardizer import STEPS

Triple = Attribute | Relation

NONE = Graph.empty()  # the sub-graph of an aspect that does not occur in a graph


@dataclass(frozen=True, eq=False)
class TripleIndex:
    """The edges of a graph in one list, with the look-ups needed for extraction."""

    graph: Graph

    @cached_property
    def all(self) -> tuple[Triple, ...]:
        """Attributes, then relations."""
        return (*self.graph.attributes, *self.graph.relations)

    @cached_property
    def leaving(self) -> dict[str, list[int]]:
        """The outgoing edges of each node."""
        edges: dict[str, list[int]] = {variable: [] for variable in self.graph.variables}
        for k, triple in enumerate(self.all):
            edges[triple[0]].append(k)
        return edges

    @cached_property
    def entering(self) -> dict[str, list[int]]:
        """The incoming relations of each node."""
        edges: dict[str, list[int]] = {variable: [] for variable in self.graph.variables}
        first = len(self.graph.attributes)
        for k, triple in enumerate(self.graph.relations, first):
            edges[triple.target].append(k)
        return edges

    def ends(self, edges: Iterable[int]) -> list[str]:
        """Return the nodes at either end of some edges."""
        return [
            node for k in edges for node in (self.all[k][0], self.target(k)) if node is not None
        ]

    def target(self, k: int) -> str | None:
        """Return the node that an edge leads to; None for a constant."""
        triple = self.all[k]
        return triple.target if isinstance(triple, Relation) else None

    def part(self, nodes: Iterable[str], edges: Iterable[int]) -> Graph:
        """Return the sub-graph of some nodes, some edges and the nodes at their ends."""
        edges = sorted(set(edges))
        selected = {*nodes, *self.ends(edges)}
        if not selected:
            return NONE
        variables = [variable for variable in self.graph.variables if variable in selected]
        triples = [self.all[k] for k in edges]
        return Graph(
            tuple(variables),
            tuple([self.graph.concept(variable) for variable in variables]),
            tuple([triple for triple in triples if isinstance(triple, Attribute)]),
            tuple([triple for triple in triples if isinstance(triple, Relation)]),
            self.graph.top if self.graph.top in selected else variables[0],
        )


def extract(graph: Graph, aspect: Aspect) -> Graph:
    """Extract the sub-graph of an aspect; it is empty if the aspect does not occur in the graph.

    The graph must be standardised, with its root as a triple (``root_concept``). The top of the
    sub-graph is arbitrary.
    Source: Opitz (2023), Smatch++: standardized and extended evaluation of semantic graphs.

    >>> from amr_metrics import parse_graph
    >>> from amr_metrics.aspects.table import aspect_table
    >>> graph = parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (b / big)) :location (m / mat))")
    >>> extract(graph, aspect_table()["agent"]).concepts
    ('sleep-01', 'cat', 'big')
    """
    triples = TripleIndex(graph)
    if aspect.step is not None:
        return STEPS[aspect.step](graph)
    if aspect.items is not None:
        return _items(graph, *aspect.items)
    if aspect.select is not None:
        return SELECTIONS[aspect.select](triples)
    nodes = [
        variable
        for variable, concept in zip(graph.variables, graph.concepts, strict=True)
        if concept in aspect.concepts
    ]
    aspect_edges = [k for k, triple in enumerate(triples.all) if triple[1] in aspect.roles]
    if not aspect_edges and not nodes:
        return NONE
    aspect_edges += [k for node in nodes for k in (*triples.leaving[node], *triples.entering[node])]
    edges = _reached(triples, aspect_edges, aspect.range)
    if aspect.parents:
        sources = {*nodes, *(triples.all[k][0] for k in aspect_edges)}
        edges |= {k for source in sources for k in triples.entering[source]}
    if aspect.predicates:
        edges |= _predicates(triples, {*nodes, *triples.ends(edges)})
    return triples.part(nodes, edges)


def _reached(triples: TripleIndex, edges: Iterable[int], steps: int) -> set[int]:
    """Return the edges, and those reachable downwards from them in the given number of steps."""
    reached = set(edges)
    newest = reached
    for _ in range(steps):
        targets = {triples.target(k) for k in newest}
        newest = {k for t in targets if t is not None for k in triples.leaving[t]} - reached
        reached = reached | newest
    return reached


def _predicates(triples: TripleIndex, nodes: Iterable[str]) -> set[int]:
    """Return the edges into some nodes from nodes that have no other edge.

    The root's triple counts as an edge of its node, so that the root is not one of them.
    """
    return {
        k
        for node in nodes
        for k in triples.entering[node]
        if not triples.entering[source := triples.all[k][0]] and len(triples.leaving[source]) == 1
    }


def _nodes(triples: TripleIndex) -> Graph:
    return triples.part(triples.graph.variables, ())


def _frames(triples: TripleIndex) -> Graph:
    return triples.part(_variables(triples.graph, with_sense=True), ())


def _non_frames(triples: TripleIndex) -> Graph:
    """Return the nodes without a sense, and the edges between them and to their constants."""
    nodes = set(_variables(triples.graph, with_sense=False))
    edges = [
        k
        for k, triple in enumerate(triples.all)
        if triple[0] in nodes and triple[1] != ":root" and triples.target(k) in {None, *nodes}
    ]
    return triples.part(nodes, edges)


def _reentrancies(triples: TripleIndex) -> Graph:
    """Return the edges into nodes that more than one edge leads to."""
    return triples.part((), [k for e in triples.entering.values() if len(e) > 1 for k in e])


def _variables(graph: Graph, *, with_sense: bool) -> list[str]:
    return [
        variable
        for variable, concept in zip(graph.variables, graph.concepts, strict=True)
        if bool(SENSE.search(concept)) == with_sense
    ]


SELECTIONS: dict[str, Callable[[TripleIndex], Graph]] = {
    "nodes": _nodes,
    "frames": _frames,
    "non-frames": _non_frames,
    "reentrancies": _reentrancies,
}


def _items(graph: Graph, role: str, label: str) -> Graph:
    """Return a node without edges for each edge of a role, labelled by its source or target."""
    concepts = dict(zip(graph.variables, graph.concepts, strict=True))
    edges = [t for t in (*graph.attributes, *graph.relations) if t[1] == role]
    ends = [edge[0] if label == "source" else edge[2] for edge in edges]
    names = [f"item{k}" for k in range(len(ends))]
    labels = [concepts.get(end, end) for end in ends]
    return Graph(tuple(names), tuple(labels), (), (), names[0] if names else "")
