"""Graphs and pairs that several tests are about."""

from itertools import pairwise

from amr_metrics import Graph, Pair, parse_graph
from amr_metrics.graphs.graph import Relation


def pair_of(src, tgt):
    """A pair of graphs in Penman notation."""
    return Pair(parse_graph(src), parse_graph(tgt))


def chain(nodes, concept="thing", role=":mod"):
    """A chain of nodes; `concept` with {} is a different concept for each."""
    names = tuple(f"x{k}" for k in range(nodes))
    relations = tuple(Relation(a, role, b) for a, b in pairwise(names))
    return Graph(names, tuple(concept.format(k) for k in range(nodes)), (), relations, names[0])


def same(first, second):
    """Whether two graphs are equal up to the order of nodes and triples."""
    return (
        first.top == second.top
        and sorted(zip(first.variables, first.concepts, strict=True))
        == sorted(zip(second.variables, second.concepts, strict=True))
        and sorted(first.attributes) == sorted(second.attributes)
        and sorted(first.relations) == sorted(second.relations)
    )
