"""The sub-graph of an aspect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from amr_metrics.aspects.table import Aspect
from amr_metrics.graphs.corpus import Corpus, Symbols
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.rows import row_positions, starts
from amr_metrics.graphs.selection import match_symbols
from amr_metrics.graphs.triples import Triples
from amr_metrics.standardize.standardizer import STEPS
from amr_metrics.standardize.steps import Graphs, on_corpus
from amr_metrics.types import Bools


def extract(graphs: Graphs, aspect: Aspect) -> Graphs:
    """Extract the sub-graph of an aspect from a graph, or from all graphs of a corpus.

    The sub-graph is empty if the aspect does not occur in the graph. Graphs must be standardised,
    with their root as a triple (``root_concept``). The top of a sub-graph is arbitrary.
    Source: Opitz (2023), Smatch++: standardized and extended evaluation of semantic graphs.

    >>> from amr_metrics import parse_graph
    >>> from amr_metrics.aspects.table import aspect_table
    >>> graph = parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (b / big)) :location (m / mat))")
    >>> extract(graph, aspect_table()["agent"]).concepts
    ('sleep-01', 'cat', 'big')
    """
    return on_corpus(partial(_extract_part, aspect=aspect))(graphs)


def _extract_part(corpus: Corpus, aspect: Aspect) -> Corpus:
    if aspect.step is not None:
        return STEPS[aspect.step](corpus)
    triples = Triples(corpus)
    if aspect.items is not None:
        return _list_items(triples, *aspect.items)
    if aspect.select is not None:
        return triples.part(*SELECTIONS[aspect.select](triples))
    # An aspect begins with the edges of its roles and those at the nodes of its concepts. Then
    # follow the edges below them up to `range` steps, the edges into them, and those of the
    # predicates.
    nodes = triples.with_concepts(aspect.concepts)
    aspect_edges = triples.with_roles(aspect.roles)
    aspect_edges |= nodes[triples.sources] | triples.leading_to(nodes)
    edges = _find_reached(triples, aspect_edges, aspect.range)
    if aspect.parents:
        edges |= triples.leading_to(nodes | triples.sources_of(aspect_edges))
    if aspect.predicates:
        ends = triples.sources_of(edges) | triples.targets_of(edges)
        edges |= _find_predicates(triples, nodes | ends)
    return triples.part(nodes, edges)


def _find_reached(triples: Triples, edges: Bools, steps: int) -> Bools:
    """Return the edges, and those reachable downwards from them in the given number of steps."""
    # Breadth first: the next edges leave the nodes that the newest lead to.
    reached = newest = edges
    for _ in range(steps):
        newest = triples.targets_of(newest)[triples.sources] & ~reached
        reached = reached | newest
    return reached


def _find_predicates(triples: Triples, nodes: Bools) -> Bools:
    """Return the edges into some nodes from nodes that have no other edge.

    The root's triple counts as an edge of its node, so that the root is not one of them.
    """
    alone = (triples.entering == 0) & (triples.leaving == 1)
    return np.asarray(triples.leading_to(nodes) & alone[triples.sources])


def _find_frames(triples: Triples) -> Bools:
    """Return the nodes whose concept has a sense."""
    return match_symbols(triples.corpus, triples.corpus.concepts, SENSE.search)


def _find_non_frames(triples: Triples) -> tuple[Bools, Bools]:
    """Return the nodes without a sense, and the edges between them and to their constants."""
    nodes = ~_find_frames(triples)
    inside = triples.leading_to(nodes) | (triples.targets < 0)
    return nodes, nodes[triples.sources] & inside & ~triples.with_roles([":root"])


def _find_reentrancies(triples: Triples) -> tuple[Bools, Bools]:
    """Return the edges into nodes that more than one edge leads to."""
    return triples.no_nodes, triples.leading_to(triples.entering > 1)


# The nodes and edges of some sub-graphs; the nodes at the ends of the edges belong to them as well.
SELECTIONS: dict[str, Callable[[Triples], tuple[Bools, Bools]]] = {
    "nodes": lambda triples: (~triples.no_nodes, triples.no_edges),
    "frames": lambda triples: (_find_frames(triples), triples.no_edges),
    "non-frames": _find_non_frames,
    "reentrancies": _find_reentrancies,
}


def _list_items(triples: Triples, role: str, label: str) -> Corpus:
    """Return a node without edges for each edge of a role, labelled by its source or target."""
    corpus, edges = triples.corpus, np.flatnonzero(triples.with_roles([role]))
    # Attributes come before relations in `Triples`: sorted, the items of a graph are adjacent.
    edges = edges[np.argsort(triples.graphs[edges], kind="stable")]
    node_start = starts(np.bincount(triples.graphs[edges], minlength=len(corpus)))
    sizes = np.diff(node_start)
    names = Symbols(tuple([f"item{k}" for k in range(sizes.max(initial=0))]))
    symbols, (_, numbers) = Symbols.join([corpus.symbols, names])
    concepts = corpus.concepts[triples.sources] if label == "source" else triples.values
    bare = triples.part(triples.no_nodes, triples.no_edges)
    return replace(
        bare,
        symbols=symbols,
        tops=np.where(sizes > 0, 0, -1),
        node_start=node_start,
        variables=numbers.astype(np.int32)[row_positions(node_start)],
        concepts=concepts[edges],
    )
