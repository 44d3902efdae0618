"""Compiled reading of graphs in Penman notation: from bytes to arrays of integers.

The tokens are those of penman's lexer (`penman._lexer.PATTERNS`), which reads line by line. It
treats all characters outside ASCII alike, so that UTF-8 is not decoded. The grammar is the part of
penman's in which each node has a variable of its own and a concept, and each role a target. A graph
with anything else in it is left to the caller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.compiled import compiled, inner
from amr_metrics.graphs.notation import LEVELS
from amr_metrics.types import Ints

# Classes of bytes. Those up to `HASH` continue a symbol or role; those from `BLANK` are whitespace.
WORD, HASH, QUOTE, OPENING, CLOSING, SOLIDUS, COLON, TILDE, BLANK, LINE_END = range(10)
CLASSES = np.zeros(256, np.uint8)
for _class, _bytes in (
    (HASH, b"#"),
    (QUOTE, b'"'),
    (OPENING, b"("),
    (CLOSING, b")"),
    (SOLIDUS, b"/"),
    (COLON, b":"),
    (TILDE, b"~"),
    (BLANK, b" \t\v\f"),
    (LINE_END, b"\r\n"),
):
    CLASSES[list(_bytes)] = _class

# Kinds of tokens: those up to `STRING` are concepts and constants, those up to `ROLE` are symbols.
SYMBOL, STRING, ROLE, OPEN, CLOSE, SLASH, ALIGNMENT, COMMENT, UNEXPECTED = range(9)

# What the next token of a graph should be. EDGE: a role, or the end of the node.
GRAPH, VARIABLE, SEPARATOR, CONCEPT, EDGE, TARGET = range(6)

# How the reading of a graph ended: with a graph; at the end of the text, after nothing but comments
# or within a graph; at something that is not certain to be part of a graph; without room for
# another symbol.
DONE, NOTHING, UNFINISHED, UNSURE, FULL = range(5)

# Kinds of edges: the target is a constant, a node, or a node that is defined only later.
ATTRIBUTE, RELATION, FORWARD = range(3)

# Columns of the tables of graphs, nodes, edges and symbols. The first row of graphs is empty; the
# others have the numbers of nodes and edges up to this graph, and the begin and end of its comments
# or of the part that was left out. Symbols have the position of their string in the text, the last
# graph (or attempt to read one) with a node of that name, and the node.
NODES, EDGES, BEGIN, END = range(4)
VARIABLE_NAME, CONCEPT_NAME = range(2)
SOURCE, ROLE_NAME, TARGET_NAME, KIND = range(4)
HASH_CODE, START, LENGTH, ATTEMPT, NODE = range(5)

# The state of reading: the region, the number of graphs before it, the position in the text, how
# reading ended, and the numbers of graphs, symbols and attempts to read a graph so far.
REGION, FIRST, POSITION, STATUS, GRAPHS, SYMBOLS, ATTEMPTS = range(7)

FACTOR, OFFSET, BITS = 0x01000193, 0x811C9DC5, 0xFFFFFFFF  # FNV-1a hash, 32 bits
CAPACITY = 1024  # of a new table of symbols

ZERO, NINE, A, Z, DOT, COMMA, BACKSLASH, LINE_FEED = np.frombuffer(b"09az.,\\\n", np.uint8)


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
    begin, end = (int(regions[0, 0]), int(regions[-1, 1])) if len(regions) else (0, 0)
    openings, colons = (int(np.count_nonzero(data[begin:end] == character)) for character in b"(:")
    graphs = np.zeros((openings + len(regions) + 1, 4), np.int64)
    nodes, edges = np.empty((openings, 2), np.int32), np.empty((colons, 4), np.int32)
    symbols, parents = np.empty((0, 5), np.int64), np.empty(LEVELS, np.int32)
    state = np.zeros(7, np.int64)
    state[STATUS] = FULL
    while state[STATUS] == FULL:
        # The table of symbols is full, at first with none: continue with one twice as large.
        full = symbols
        symbols = np.full((max(CAPACITY, 2 * len(full)), 5), -1, np.int64)
        symbols[: len(full)] = full
        slots = np.full(2 * len(symbols), -1, np.int32)
        fill_slots(slots, symbols, len(full))
        read_graphs(
            data, regions, whole, complete, state, graphs, nodes, edges, symbols, slots, parents
        )
    graphs = graphs[: state[GRAPHS] + 1]
    nodes, edges = nodes[: graphs[-1, NODES]], edges[: graphs[-1, EDGES]]
    symbols, spans = symbols[: state[SYMBOLS]], graphs[1:, BEGIN:].copy()
    lengths = np.where(np.diff(graphs[:, NODES]) > 0, spans[:, 1] - spans[:, 0], 0)
    return Scan(
        int(state[POSITION]),
        int(state[STATUS]),
        spans,
        graphs[:, NODES].copy(),
        graphs[:, EDGES].copy(),
        nodes[:, VARIABLE_NAME].copy(),
        nodes[:, CONCEPT_NAME].copy(),
        edges[:, SOURCE].copy(),
        edges[:, ROLE_NAME].copy(),
        edges[:, TARGET_NAME].copy(),
        edges[:, KIND].copy(),
        _joined(data, symbols[:, START].copy(), symbols[:, LENGTH].copy()),
        _joined(data, spans[:, 0].copy(), lengths),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)]),
    )


def _joined(data: Ints, begins: Ints, lengths: Ints) -> bytes:
    joined = np.empty(int(lengths.sum()) + len(lengths), np.uint8)
    join(data, begins, lengths, joined)
    return joined.tobytes()


class GraphEnd(NamedTuple):
    """How the reading of one graph ended.

    Attributes:
        status: `DONE`, `NOTHING`, `UNFINISHED`, `UNSURE` or `FULL`.
        end: the position behind the last token read.
        first, opening: the positions of the first token and of the first parenthesis.
        nodes, edges: where the rows of the next graph start.
    """

    status: int
    end: int
    first: int
    opening: int
    nodes: int
    edges: int


@compiled
def read_graphs(
    data: Ints,
    regions: Ints,
    whole: bool,
    complete: int,
    state: Ints,
    graphs: Ints,
    nodes: Ints,
    edges: Ints,
    symbols: Ints,
    slots: Ints,
    parents: Ints,
) -> None:
    """Read graphs from where `state` says, to the end or until the table of symbols is full.

    Args:
        data: uint8, the text.
        regions, whole, complete: as for `scan`.
        graphs, nodes, edges, symbols: the tables to add to.
        slots: int32, a hash table: the symbol in each slot, -1 if it is free.
        parents: int32, one entry per level of parentheses.
    """
    # Everything is kept in `state`: after `FULL`, the caller enlarges the table of symbols and
    # calls again; the graph that was being read is read from its beginning.
    state[STATUS] = NOTHING
    while state[REGION] < len(regions):
        begin, stop = regions[state[REGION], 0], regions[state[REGION], 1]
        state[POSITION] = max(state[POSITION], begin)
        while True:
            # Rows of nodes and edges are overwritten by the next attempt unless `add_graph` counts
            # them.
            count = state[GRAPHS]
            if count + 1 == len(graphs):
                state[STATUS] = DONE
                return
            position, n, e = state[POSITION], graphs[count, NODES], graphs[count, EDGES]
            reading = read_graph(
                data, position, stop, n, e, state, nodes, edges, symbols, slots, parents
            )
            state[STATUS] = reading.status
            if reading.status == FULL:
                return
            if reading.status == DONE:
                add_graph(
                    graphs, state, reading.nodes, reading.edges, reading.first, reading.opening
                )
                state[POSITION] = reading.end
                continue
            if reading.status == UNSURE and not whole:
                end = end_of_graph(data, position, stop)
                if 0 <= end <= complete:
                    add_graph(graphs, state, n, e, position, end)
                    state[POSITION] = end
                    continue
            break
        if whole and (state[STATUS] != NOTHING or state[GRAPHS] == state[FIRST]):
            count = state[FIRST]
            state[GRAPHS] = count
            add_graph(graphs, state, graphs[count, NODES], graphs[count, EDGES], begin, stop)
        state[FIRST] = state[GRAPHS]
        state[REGION] += 1


@inner
def add_graph(graphs: Ints, state: Ints, nodes: int, edges: int, begin: int, end: int) -> None:
    """Add a row to the table of graphs."""
    state[GRAPHS] += 1
    row = state[GRAPHS]
    graphs[row, NODES], graphs[row, EDGES] = nodes, edges
    graphs[row, BEGIN], graphs[row, END] = begin, end


@inner
def read_graph(
    data: Ints,
    position: int,
    stop: int,
    first_node: int,
    first_edge: int,
    state: Ints,
    nodes: Ints,
    edges: Ints,
    symbols: Ints,
    slots: Ints,
    parents: Ints,
) -> GraphEnd:
    """Read the comments and the graph that start at a position.

    Args:
        stop: the end of the text to read.
        first_node, first_edge: where to write.
    """
    # An automaton: `expected` is what the next token should be. `parents[:depth]` is a stack with
    # the parent of each node whose parenthesis is open, -1 for the root. A symbol is a variable of
    # this graph if its last attempt is this one, so that nothing has to be reset between graphs.
    state[ATTEMPTS] += 1
    attempt = state[ATTEMPTS]
    expected, alignable = GRAPH, False
    first = opening = -1
    n, e = first_node, first_edge
    node, depth, symbol, role = -1, 0, -1, -1
    while True:
        while position < stop and CLASSES[data[position]] >= BLANK:
            position += 1
        if position == stop:
            return GraphEnd(NOTHING if opening < 0 else UNFINISHED, position, first, opening, n, e)
        if first < 0:
            first = position
        kind, end = token(data, position, stop)
        if kind <= ROLE:
            symbol = symbol_of(data, position, end, state, symbols, slots)
            if symbol < 0:
                return GraphEnd(FULL, position, first, opening, n, e)
        may_align, alignable = alignable, False
        if kind == ALIGNMENT and may_align:
            pass
        elif expected == EDGE and kind == ROLE:
            role, expected, alignable = symbol, TARGET, True
        elif expected == TARGET and kind <= STRING:
            edges[e, SOURCE], edges[e, ROLE_NAME] = node, role
            if symbols[symbol, ATTEMPT] == attempt:
                edges[e, TARGET_NAME], edges[e, KIND] = symbols[symbol, NODE], RELATION
            else:
                edges[e, TARGET_NAME], edges[e, KIND] = symbol, ATTRIBUTE
            e += 1
            expected, alignable = EDGE, True
        elif expected == TARGET and kind == OPEN and depth < parents.size:
            edges[e, SOURCE], edges[e, ROLE_NAME] = node, role
            edges[e, TARGET_NAME], edges[e, KIND] = n - first_node, RELATION
            e += 1
            parents[depth] = node
            depth += 1
            expected = VARIABLE
        elif expected == EDGE and kind == CLOSE:
            depth -= 1
            node = parents[depth]
            if depth == 0:
                break
        elif expected == VARIABLE and kind == SYMBOL and symbols[symbol, ATTEMPT] != attempt:
            node = n - first_node
            symbols[symbol, ATTEMPT], symbols[symbol, NODE] = attempt, node
            nodes[n, VARIABLE_NAME] = symbol
            expected = SEPARATOR
        elif expected == SEPARATOR and kind == SLASH:
            expected = CONCEPT
        elif expected == CONCEPT and kind <= STRING:
            nodes[n, CONCEPT_NAME] = symbol
            n += 1
            expected, alignable = EDGE, True
        elif expected == GRAPH and kind == OPEN:
            opening = position
            parents[0] = -1
            depth, expected = 1, VARIABLE
        elif expected != GRAPH or kind != COMMENT:
            return GraphEnd(UNSURE, position, first, opening, n, e)
        position = end
    # A symbol that was no variable when it was read may be one that is defined later.
    for k in range(first_edge, e):
        symbol = edges[k, TARGET_NAME]
        if edges[k, KIND] == ATTRIBUTE and symbols[symbol, ATTEMPT] == attempt:
            edges[k, TARGET_NAME], edges[k, KIND] = symbols[symbol, NODE], FORWARD
    return GraphEnd(DONE, end, first, opening, n, e)


@inner
def end_of_graph(data: Ints, position: int, stop: int) -> int:
    """Return the position behind the parenthesis that closes the next graph, or -1.

    Text with an unexpected character is invalid in any case, so that its end is not looked for.
    """
    depth = 0
    while True:
        while position < stop and CLASSES[data[position]] >= BLANK:
            position += 1
        if position == stop:
            return -1
        kind, end = token(data, position, stop)
        if kind == OPEN:
            depth += 1
        elif kind == CLOSE:
            depth -= 1
            if depth <= 0:
                return end if depth == 0 else -1
        elif kind == UNEXPECTED or (depth == 0 and kind != COMMENT):
            return -1
        position = end


@inner
def token(data: Ints, position: int, stop: int) -> tuple[int, int]:
    """Return the kind and the end of the token that starts at a position without a blank."""
    start = CLASSES[data[position]]
    end = position + 1
    if start in (WORD, COLON):
        while end < stop and CLASSES[data[end]] <= HASH:
            end += 1
        return SYMBOL if start == WORD else ROLE, end
    if start == OPENING:
        return OPEN, end
    if start == CLOSING:
        return CLOSE, end
    if start == SOLIDUS:
        return SLASH, end
    if start == HASH:
        while end < stop and CLASSES[data[end]] != LINE_END:
            end += 1
        return COMMENT, end
    if start == QUOTE:
        while end < stop and CLASSES[data[end]] != LINE_END:
            if data[end] == BACKSLASH:
                end += 1
                if end == stop or CLASSES[data[end]] == LINE_END:
                    break
            elif CLASSES[data[end]] == QUOTE:
                return STRING, end + 1
            end += 1
        return UNEXPECTED, position + 1
    # A tilde: an optional letter, possibly with a dot, and numbers separated by commas.
    if end < stop and A <= data[end] <= Z:
        end += 1
        if end < stop and data[end] == DOT:
            end += 1
    digits = end
    while end < stop and ZERO <= data[end] <= NINE:
        end += 1
    if end == digits:
        return UNEXPECTED, position + 1
    while end + 1 < stop and data[end] == COMMA and ZERO <= data[end + 1] <= NINE:
        end += 2
        while end < stop and ZERO <= data[end] <= NINE:
            end += 1
    return ALIGNMENT, end


@inner
def symbol_of(data: Ints, start: int, end: int, state: Ints, symbols: Ints, slots: Ints) -> int:
    """Return a string's symbol, after adding a new string; -1 if there is no room for it."""
    # Equal codes are only likely to be equal strings: their bytes are compared as well.
    code = OFFSET
    for k in range(start, end):
        code = ((code ^ int(data[k])) * FACTOR) & BITS
    mask = slots.size - 1
    slot = (code ^ (code >> 15)) & mask
    while slots[slot] >= 0:
        symbol = slots[slot]
        if symbols[symbol, HASH_CODE] == code and symbols[symbol, LENGTH] == end - start:
            same, k = symbols[symbol, START], start
            while k < end and data[k] == data[same]:
                k += 1
                same += 1
            if k == end:
                return int(symbol)
        slot = (slot + 1) & mask
    size = state[SYMBOLS]
    if size == len(symbols):
        return -1
    state[SYMBOLS] += 1
    slots[slot] = size
    symbols[size, HASH_CODE] = code
    symbols[size, START], symbols[size, LENGTH] = start, end - start
    return int(size)


@compiled
def fill_slots(slots: Ints, symbols: Ints, size: int) -> None:
    """Enter the first `size` symbols into an empty hash table."""
    mask = slots.size - 1
    for symbol in range(size):
        code = symbols[symbol, HASH_CODE]
        slot = (code ^ (code >> 15)) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = symbol


@compiled
def join(data: Ints, begins: Ints, lengths: Ints, joined: Ints) -> None:
    """Copy parts of a text, each with a line feed behind it, to `joined`."""
    size = 0
    for part in range(len(begins)):
        begin = begins[part]
        for k in range(begin, begin + lengths[part]):
            joined[size] = data[k]
            size += 1
        joined[size] = LINE_FEED
        size += 1
