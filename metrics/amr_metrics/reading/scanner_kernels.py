"""Reading of graphs in Penman notation by the kernels in ``scanner.c``: from bytes to arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.graphs.notation import LEVELS
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Bools, Ints

# How the reading of a graph ended, and the kinds of edges; ``scanner.c`` explains them.
DONE, NOTHING, UNFINISHED, UNSURE, FULL = range(5)
ATTRIBUTE, RELATION, FORWARD = range(3)

CAPACITY = 1024  # of a new table of symbols, at most; a power of two


class Scan(NamedTuple):
    """The graphs of a text. Nodes are numbered within their graph.

    A graph without nodes stands for a part of the text that was left out.

    Attributes:
        position: the end of the last graph or part.
        status: `NOTHING` if only blanks and comments follow it, else why nothing more was read.
        spans: int64 (g, 2), begin and end of each graph's comments, or of the part left out.
        node_start, edge_start: int64 g + 1.
        variables, concepts: int32 n, symbols.
        sources: int32 e, nodes; relations are as written.
        roles: int32 e, symbols.
        targets: int32 e, nodes, or symbols for attributes.
        kinds: int32 e, `ATTRIBUTE`, `RELATION` or `FORWARD`.
        symbols: the distinct strings, each with a line feed behind it.
        comments: the comments of each graph, with a line feed behind them.
        comment_start: int64 g + 1, where those of each graph start.
    """

    position: int
    status: int
    spans: Ints
    node_start: Ints
    edge_start: Ints
    variables: Ints
    concepts: Ints
    sources: Ints
    roles: Ints
    targets: Ints
    kinds: Ints
    symbols: bytes
    comments: bytes
    comment_start: Ints


def scan(text: bytes, regions: Ints, whole: bool, complete: int) -> Scan:
    """Read graphs.

    Args:
        text: the text, in UTF-8.
        regions: int64 (r, 2), begin and end of the parts of the text to read, in order.
        whole: if a region cannot be read to its end, leave out all of it, instead of single graphs.
        complete: where the last line ends that is complete; only before it are graphs left out.
    """
    data = np.frombuffer(text, np.uint8)
    # Each node starts with a parenthesis, and each role with a colon.
    openings, colons = (int(np.count_nonzero(data == character)) for character in b"(:")
    rows = openings + len(regions) + 1  # the first one is empty
    graphs = np.zeros((4, rows), np.int64)
    nodes, edges = np.empty((2, openings), np.int32), np.empty((4, colons), np.int32)
    # A node has two symbols at most, and so has an edge.
    capacity = min(CAPACITY, 1 << (2 * (openings + colons)).bit_length())
    symbols, parents = np.empty((0, 5), np.int64), np.empty(LEVELS, np.int32)
    state, status = np.zeros(8, np.int64), FULL
    while status == FULL:
        # The table of symbols is full, at first with none: continue with one twice as large.
        full = symbols
        symbols = np.zeros((max(capacity, 2 * len(full)), 5), np.int64)
        symbols[: len(full)] = full
        slots = np.empty(2 * len(symbols), np.int32)
        _read_graphs(
            *(len(text), len(regions), rows, openings, colons, len(symbols), LEVELS),
            *(whole, complete, text, regions),
            *(state, graphs, nodes, edges, symbols, slots, parents),
        )
        _, _, position, status, n_graphs, n_symbols, *_ = state.tolist()
    graphs = graphs[:, : n_graphs + 1].copy()
    node_start, edge_start, begins, ends = graphs
    variables, concepts = nodes[:, : node_start[-1]].copy()
    sources, roles, targets, kinds = edges[:, : edge_start[-1]].copy()
    lengths = np.where(node_start[1:] > node_start[:-1], ends[1:] - begins[1:], 0)
    joined = []
    for starts, sizes in (symbols[:n_symbols, 1:3].T.copy(), (begins[1:], lengths)):
        characters = np.empty(int(sizes.sum()) + len(sizes), np.uint8)
        _join_parts(len(text), len(sizes), len(characters), text, starts, sizes, characters)
        joined.append(characters.tobytes())
    return Scan(
        position=position,
        status=status,
        spans=graphs[2:, 1:].T.copy(),
        node_start=node_start,
        edge_start=edge_start,
        variables=variables,
        concepts=concepts,
        sources=sources,
        roles=roles,
        targets=targets,
        kinds=kinds,
        symbols=joined[0],
        comments=joined[1],
        comment_start=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)]),
    )


class Edges(NamedTuple):
    """The edges of graphs, as in `Corpus`: attributes, and relations with their inverse roles
    normalised.
    """

    attribute_start: Ints
    relation_start: Ints
    holders: Ints
    attribute_roles: Ints
    constants: Ints
    sources: Ints
    relation_roles: Ints
    targets: Ints
    inverted: Bools
    forward: Bools


def split_edges(scanned: Scan, base_roles: Ints, is_inverse: Bools) -> Edges:
    """Divide edges into attributes and relations.

    Args:
        base_roles: int32, for each symbol the symbol of the role that it inverts, else itself.
        is_inverse: whether each symbol is an inverse role.
    """
    graphs, edges = len(scanned.edge_start) - 1, len(scanned.kinds)
    relations = int(np.count_nonzero(scanned.kinds))  # an attribute is of kind 0
    rows = [np.empty((3, count), np.int32) for count in (edges - relations, relations)]
    start, flags = np.empty((2, graphs + 1), np.int64), np.empty((2, relations), np.bool_)
    _split_edges(
        *(graphs, edges, len(base_roles), edges - relations, relations, scanned.edge_start),
        *(scanned.sources, scanned.roles, scanned.targets, scanned.kinds),
        *(base_roles, is_inverse, start, *rows, flags),
    )
    return Edges(*start, *rows[0], *rows[1], *flags)


_read_graphs = declare_kernel("read_graphs")
_split_edges = declare_kernel("split_edges")
_join_parts = declare_kernel("join_parts")
