"""One pair of huge or degenerate graphs, scored in a process with little memory.

    python -m tests.fuzz.huge METRIC SHAPE NODES NODES

prints ``scored`` with the score or ``refused`` with the error, and the seconds of processor time.
The process may use `SPARE` bytes more than what is loaded when the graphs are built.
"""

import resource
import sys
import time
from itertools import pairwise
from pathlib import Path

from metrics import Graph, Pair, limits, parse_graph
from metrics.conformance import ready
from metrics.errors import PairError
from metrics.graphs.graph import Attribute, Relation
from tests.fuzz.metrics import every_metric

SPARE = limits.MEMORY * 3 // 2
SMALL = Pair(
    parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)"),
    parse_graph("(b / bark-01 :ARG0 (d / dog :mod (b2 / big)))"),
)


def _graph(concepts, relations):
    names = tuple(f"x{k}" for k in range(len(concepts)))
    edges = tuple(Relation(names[s], role, names[t]) for s, role, t in relations)
    return Graph(names, tuple(concepts), (), edges, names[0])


def flat(size):
    """A root with children that all differ in concept and role."""
    return _graph([f"c{k}" for k in range(size)], [(0, f":op{k}", k) for k in range(1, size)])


def star(size):
    """A root with children that are all alike."""
    return _graph(["thing"] * size, [(0, ":mod", k) for k in range(1, size)])


def star_of_concepts(size):
    """A root with children of one role, with different concepts."""
    return _graph([f"c{k}" for k in range(size)], [(0, ":mod", k) for k in range(1, size)])


def chain(size):
    """Nodes in a row, all alike."""
    return _graph(["thing"] * size, [(a, ":mod", b) for a, b in pairwise(range(size))])


def reversed_chain(size):
    """Nodes in a row with different concepts, whose relations come last to first."""
    ends = list(pairwise(range(size)))[::-1]
    return _graph([f"c{k}" for k in range(size)], [(a, ":mod", b) for a, b in ends])


def bipartite(size):
    """Two layers of nodes that are all alike, each joined with all of the other layer."""
    side = max(1, round((size / 2) ** 0.5))
    ends = [(a, ":mod", side + b) for a in range(side) for b in range(side)]
    return _graph(["thing"] * (2 * side), ends)


def constants(size):
    """Two nodes with many constants."""
    graph = _graph(["cat", "dog"], [(0, ":mod", 1)])
    attributes = tuple(Attribute(f"x{k % 2}", ":op1", str(k // 4)) for k in range(size))
    return Graph(graph.variables, graph.concepts, attributes, graph.relations, graph.top)


SHAPES = {
    shape.__name__: shape
    for shape in (flat, star, star_of_concepts, chain, reversed_chain, bipartite, constants)
}


def main(name, shape, *sizes):
    """Score one pair; the exit status is 0 if it was scored or refused."""
    metric = ready(every_metric()[name], [SMALL, Pair(SMALL.src, SMALL.src)])
    metric.score([SMALL])
    pair = Pair(*[SHAPES[shape](int(size)) for size in sizes])
    used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + SPARE, used + SPARE))
    start = time.process_time()
    try:
        answer = f"scored {float(metric.score([pair])[0])}"
    except PairError as error:
        answer = f"refused {error}"
    print(f"{time.process_time() - start:.2f} {answer}")


if __name__ == "__main__":
    main(*sys.argv[1:])
