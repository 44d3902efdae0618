"""Compiled reading of graphs in Penman notation: from bytes to arrays of integers.

The tokens are those of penman's lexer (`penman._lexer.PATTERNS`), which reads line by line. It
treats all characters outside ASCII alike, so that UTF-8 is not decoded. The grammar is the part of
penman's in which each node has a variable of its own and a concept, and each role a target. A graph
with anything else in it is left to the caller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.compiled import compiled, inner
from metrics.nesting import LEVELS
from metrics.types import Ints

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

FACTOR, OFFSET = np.uint64(0x100000001B3), np.uint64(0xCBF29CE484222325)  # FNV-1a hash, 64 bits
SHIFT = np.uint64(29)
SYMBOLS = 1024  # capacity of a new table of symbols

ZERO, NINE, A, Z, DOT, COMMA, BACKSLASH, NEWLINE = np.frombuffer(b"09az.,\\\n", np.uint8)


class Scan(NamedTuple):
    """The graphs of a text. Nodes are numbered within their graph.

    A graph without nodes stands for a part of the text that the kernel left to the caller.

    Attributes:
        position: the end of the last graph or part.
        status: `NOTHING` if only blanks and comments follow it, else why nothing more was read.
        spans: int64 (g, 2), begin and end of each graph's comments, or of the part left out.
        node_start, edge_start: int64 g + 1.
        variables, concepts: int32 n, symbols.
        sources: int32 e, nodes; relations are as written.
        roles: int32 e, symbols.
        targets: int32 e, nodes, or symbols for attributes.
        kinds: uint8 e, `ATTRIBUTE`, `RELATION` or `FORWARD`.
        symbols: uint8, the distinct strings, each with a line feed behind it.
        comments: uint8, the comments of all graphs.
        comment_start: int64 g + 1.
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
    symbols: Ints
    comments: Ints
    comment_start: Ints


class SymbolTable(NamedTuple):
    """An open-addressing hash table of strings, which are parts of the text.

    Attributes:
        slots: int32, the symbol in each slot, -1 in free ones; a power of two.
        hashes: uint64, of each symbol.
        starts, lengths: int64, where the text has each symbol's string.
        graphs, nodes: int64, the last graph that has a node of that name, and the node.
        size: int64 of one element, the number of symbols.
    """

    slots: Ints
    hashes: Ints
    starts: Ints
    lengths: Ints
    graphs: Ints
    nodes: Ints
    size: Ints


class Buffers(NamedTuple):
    """Arrays as in `Scan`, large enough for all nodes and edges, and the open nodes by level."""

    variables: Ints
    concepts: Ints
    sources: Ints
    roles: Ints
    targets: Ints
    kinds: Ints
    parents: Ints


class Reading(NamedTuple):
    """How the reading of one graph ended.

    Attributes:
        status: `DONE`, `NOTHING`, `UNFINISHED`, `UNSURE` or `FULL`.
        end: the position behind the last token read.
        first, opening: positions of the first token and of the first parenthesis.
        nodes, edges: the numbers of rows written.
    """

    status: int
    end: int
    first: int
    opening: int
    nodes: int
    edges: int


@compiled
def scan(data: Ints, regions: Ints, whole: bool, limit: int, complete: int) -> Scan:
    """Read graphs.

    Args:
        data: uint8, the text.
        regions: int64 (r, 2), begin and end of the parts of the text to read, in order.
        whole: if a region cannot be read to its end, leave out all of it, instead of single graphs.
        limit: the largest number of graphs to read.
        complete: where the last line ends that is complete; only before it are graphs left out.
    """
    openings, colons = 0, 0
    for k in range(data.size):
        openings += data[k] == 40  # each node begins with a parenthesis, and each role with a colon
        colons += data[k] == 58
    buffers = Buffers(
        np.empty(openings, np.int32),
        np.empty(openings, np.int32),
        np.empty(colons, np.int32),
        np.empty(colons, np.int32),
        np.empty(colons, np.int32),
        np.empty(colons, np.uint8),
        np.empty(LEVELS, np.int32),
    )
    capacity = min(limit, openings + len(regions))
    spans = np.empty((capacity, 2), np.int64)
    node_start = np.zeros(capacity + 1, np.int64)
    edge_start = np.zeros(capacity + 1, np.int64)
    symbols = larger(
        SymbolTable(
            np.empty(0, np.int32),
            np.empty(0, np.uint64),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            np.zeros(1, np.int64),
        )
    )
    graphs, serial, position, status = 0, 0, 0, NOTHING
    for region in range(len(regions)):
        begin, stop = regions[region, 0], regions[region, 1]
        position, before = begin, graphs
        while graphs < capacity:
            serial += 1
            nodes, edges = node_start[graphs], edge_start[graphs]
            reading = read_graph(data, position, stop, serial, nodes, edges, symbols, buffers)
            status = reading.status
            if status == FULL:
                symbols = larger(symbols)
                continue
            if status == UNSURE and not whole:
                end = end_of_graph(data, position, stop)
                if end < 0 or end > complete:
                    break
                spans[graphs, 0], spans[graphs, 1] = position, end
                node_start[graphs + 1], edge_start[graphs + 1] = nodes, edges
                position = end
            elif status == DONE:
                spans[graphs, 0], spans[graphs, 1] = reading.first, reading.opening
                node_start[graphs + 1] = nodes + reading.nodes
                edge_start[graphs + 1] = edges + reading.edges
                position = reading.end
            else:
                break
            graphs += 1
        if whole and (status != NOTHING or graphs == before) and before < capacity:
            spans[before, 0], spans[before, 1] = begin, stop
            node_start[before + 1], edge_start[before + 1] = node_start[before], edge_start[before]
            graphs = before + 1
    n, e = node_start[graphs], edge_start[graphs]
    comments, comment_start = joined_comments(data, spans[:graphs], node_start)
    return Scan(
        position,
        status,
        spans[:graphs].copy(),
        node_start[: graphs + 1].copy(),
        edge_start[: graphs + 1].copy(),
        buffers.variables[:n].copy(),
        buffers.concepts[:n].copy(),
        buffers.sources[:e].copy(),
        buffers.roles[:e].copy(),
        buffers.targets[:e].copy(),
        buffers.kinds[:e].copy(),
        joined_symbols(data, symbols),
        comments,
        comment_start,
    )


@inner
def read_graph(
    data: Ints,
    position: int,
    stop: int,
    serial: int,
    first_node: int,
    first_edge: int,
    symbols: SymbolTable,
    buffers: Buffers,
) -> Reading:
    """Read the comments and the graph that start at a position.

    Args:
        serial: a number for this attempt, unlike all others.
        first_node, first_edge: where to write.
    """
    expected, alignable = GRAPH, False
    first = opening = -1
    n, e = first_node, first_edge
    node, depth, symbol, role = -1, 0, -1, -1
    while True:
        while position < stop and CLASSES[data[position]] >= BLANK:
            position += 1
        if position == stop:
            status = NOTHING if opening < 0 else UNFINISHED
            return Reading(status, position, first, opening, 0, 0)
        if first < 0:
            first = position
        kind, end = token(data, position, stop)
        if kind <= ROLE:
            symbol = symbol_of(data, position, end, symbols)
            if symbol < 0:
                return Reading(FULL, position, first, opening, 0, 0)
        may_align, alignable = alignable, False
        if kind == ALIGNMENT and may_align:
            pass
        elif expected == EDGE and kind == ROLE:
            role, expected, alignable = symbol, TARGET, True
        elif expected == TARGET and kind <= STRING:
            buffers.sources[e], buffers.roles[e] = node, role
            if symbols.graphs[symbol] == serial:
                buffers.targets[e], buffers.kinds[e] = symbols.nodes[symbol], RELATION
            else:
                buffers.targets[e], buffers.kinds[e] = symbol, ATTRIBUTE
            e += 1
            expected, alignable = EDGE, True
        elif expected == TARGET and kind == OPEN and depth < LEVELS:
            buffers.sources[e], buffers.roles[e] = node, role
            buffers.targets[e], buffers.kinds[e] = n - first_node, RELATION
            e += 1
            buffers.parents[depth] = node
            depth += 1
            expected = VARIABLE
        elif expected == EDGE and kind == CLOSE:
            depth -= 1
            node = buffers.parents[depth]
            if depth == 0:
                break
        elif expected == VARIABLE and kind == SYMBOL and symbols.graphs[symbol] != serial:
            node = n - first_node
            symbols.graphs[symbol], symbols.nodes[symbol] = serial, node
            buffers.variables[n] = symbol
            expected = SEPARATOR
        elif expected == SEPARATOR and kind == SLASH:
            expected = CONCEPT
        elif expected == CONCEPT and kind <= STRING:
            buffers.concepts[n] = symbol
            n += 1
            expected, alignable = EDGE, True
        elif expected == GRAPH and kind == OPEN:
            opening = position
            buffers.parents[0] = -1
            depth, expected = 1, VARIABLE
        elif expected != GRAPH or kind != COMMENT:
            return Reading(UNSURE, position, first, opening, 0, 0)
        position = end
    for k in range(first_edge, e):
        if buffers.kinds[k] == ATTRIBUTE and symbols.graphs[buffers.targets[k]] == serial:
            buffers.targets[k], buffers.kinds[k] = symbols.nodes[buffers.targets[k]], FORWARD
    return Reading(DONE, end, first, opening, n - first_node, e - first_edge)


@inner
def end_of_graph(data: Ints, position: int, stop: int) -> int:
    """The position behind the parenthesis that closes the next graph, or -1 if there is none."""
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
        elif depth == 0 and kind != COMMENT:
            return -1
        position = end


@inner
def token(data: Ints, position: int, stop: int) -> tuple[int, int]:
    """The kind and the end of the token that starts at a position, where there is no blank."""
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
def symbol_of(data: Ints, start: int, end: int, symbols: SymbolTable) -> int:
    """The symbol of a string; a new string is added. Returns -1 if there is no room for it."""
    code = OFFSET
    for k in range(start, end):
        code = (code ^ np.uint64(data[k])) * FACTOR
    mask = symbols.slots.size - 1
    slot = np.int64(code ^ (code >> SHIFT)) & mask
    while symbols.slots[slot] >= 0:
        symbol = symbols.slots[slot]
        if symbols.hashes[symbol] == code and symbols.lengths[symbol] == end - start:
            other, k = symbols.starts[symbol], start
            while k < end and data[k] == data[other]:
                k += 1
                other += 1
            if k == end:
                return int(symbol)
        slot = (slot + 1) & mask
    size = symbols.size[0]
    if size == symbols.starts.size:
        return -1
    symbols.size[0] = size + 1
    symbols.slots[slot] = size
    symbols.hashes[size] = code
    symbols.starts[size], symbols.lengths[size] = start, end - start
    return int(size)


@compiled
def larger(symbols: SymbolTable) -> SymbolTable:
    """The same symbols in a table with twice the capacity."""
    size = symbols.size[0]
    capacity = max(SYMBOLS, 2 * symbols.starts.size)
    slots = np.full(2 * capacity, -1, np.int32)
    mask = slots.size - 1
    hashes = np.empty(capacity, np.uint64)
    starts, lengths = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    graphs, nodes = np.full(capacity, -1, np.int64), np.empty(capacity, np.int64)
    for symbol in range(size):
        hashes[symbol], starts[symbol] = symbols.hashes[symbol], symbols.starts[symbol]
        lengths[symbol] = symbols.lengths[symbol]
        graphs[symbol], nodes[symbol] = symbols.graphs[symbol], symbols.nodes[symbol]
        slot = np.int64(hashes[symbol] ^ (hashes[symbol] >> SHIFT)) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = symbol
    return SymbolTable(slots, hashes, starts, lengths, graphs, nodes, symbols.size)


@compiled
def joined_symbols(data: Ints, symbols: SymbolTable) -> Ints:
    """The strings of all symbols, each with a line feed behind it."""
    size = symbols.size[0]
    total, at = size, 0
    for symbol in range(size):
        total += symbols.lengths[symbol]
    texts = np.empty(total, np.uint8)
    for symbol in range(size):
        start = symbols.starts[symbol]
        for k in range(start, start + symbols.lengths[symbol]):
            texts[at] = data[k]
            at += 1
        texts[at] = NEWLINE
        at += 1
    return texts


@compiled
def joined_comments(data: Ints, spans: Ints, node_start: Ints) -> tuple[Ints, Ints]:
    """The comments of all graphs, and where those of each graph start."""
    comment_start = np.zeros(len(spans) + 1, np.int64)
    for g in range(len(spans)):
        length = spans[g, 1] - spans[g, 0] if node_start[g] < node_start[g + 1] else 0
        comment_start[g + 1] = comment_start[g] + length
    comments = np.empty(comment_start[-1], np.uint8)
    for g in range(len(spans)):
        offset = spans[g, 0] - comment_start[g]
        for k in range(comment_start[g], comment_start[g + 1]):
            comments[k] = data[k + offset]
    return comments, comment_start
