"""Read files in Penman notation into a `Corpus`: a compiled scanner, backed by penman.

penman defines what is valid. The scanner (`metrics.reading.scanner_kernels`) reads graphs in the
usual form; any other part of a text is read by penman, with the same result and the same errors as
if penman had read the whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from metrics.errors import GraphError
from metrics.graphs.comments import Comments, metadata
from metrics.graphs.corpus import Corpus
from metrics.graphs.graph import Graph
from metrics.graphs.symbols import Symbols
from metrics.reading.decoding import Readable
from metrics.reading.penman_reading import deinverted, interpret, parse_part, parse_trees
from metrics.reading.scanned_text import Text, left_out
from metrics.reading.scanner_kernels import ATTRIBUTE, FORWARD, NOTHING, Scan
from metrics.types import Bools, Ints
from metrics.utils.text import split_lines

NO_GRAPH = "contains no graph: is it the right file?"

READ = 1 << 20  # bytes to read from a stream at a time, at least


def scan_amr(data: bytes, source: str = "<text>") -> Corpus:
    """Read all graphs of a file in Penman notation.

    Args:
        data: the content of the file, in UTF-8; a byte order mark is skipped.
        source: the name of the file in error messages.

    Raises:
        GraphError: as `metrics.parse_amr`, and if the text is not valid UTF-8.

    >>> scan_amr(b"(s / sleep-01 :ARG0 (c / cat))")
    <Corpus of 1 graph: 2 nodes, 0 attributes, 1 relation>
    """
    text = Text.of(data, source)
    result = text.scan()
    slow = text.slow_graphs(result)
    if result.status != NOTHING:
        slow[len(result.spans)] = text.rest(result)
    corpus = _corpus(result, slow)
    if not len(corpus):
        raise GraphError(NO_GRAPH, source=source)
    return corpus


def scan_amr_with_errors(
    data: bytes, source: str = "<text>"
) -> tuple[Corpus, dict[int, GraphError]]:
    """Read all graphs of a file in Penman notation, and list those that cannot be read.

    If a graph cannot be read, the text is divided into blocks: a block ends where an unindented
    line follows a blank one, unless it has only comments. A block that cannot be read counts as one
    graph.

    Returns:
        the graphs, the empty graph (with the metadata before it) where one cannot be read, and the
        errors by position.

    Raises:
        GraphError: the text is not valid UTF-8 or contains no graph.
    """
    try:
        return scan_amr(data, source), {}
    except GraphError as error:
        if error.graph is None:
            raise
    corpus, errors, _ = _by_block(Text.of(data, source))
    return corpus, errors


def scan_regions(data: bytes, regions: Ints, source: str = "<text>") -> Corpus:
    """Read one graph in Penman notation from each of some regions of a text.

    The graph of a region with nothing but blanks and comments is the empty graph.

    Args:
        data: the text, in UTF-8 without a byte order mark.
        regions: int64 (r, 2), begin and end of each region, in order.

    Raises:
        GraphError: a region has no characters, or contains several graphs or an invalid one.

    >>> text = b"First: (a / b) Second: (c / d)"
    >>> [graph.top for graph in scan_regions(text, np.array([[6, 15], [22, 30]]))]
    ['a', 'c']
    """
    text = Text(data=data, source=source)
    result = text.scan(regions=regions)
    region = np.searchsorted(regions[:, 0], result.spans[:, 0], side="right") - 1
    counts = np.bincount(region, minlength=len(regions))
    unusual = counts != 1
    unusual[region[left_out(result)]] = True
    slow: dict[int, Sequence[Graph]] = {}
    for k in np.flatnonzero(unusual).tolist():  # the regions before it have one graph each
        begin, end = regions[k].tolist()
        part, count = text.part(begin, end, k), int(counts[k])
        if count == 1:
            try:
                slow[k] = parse_part(part, interpret, source)
                count = len(slow[k])
            except GraphError as error:
                if error.graph is not None:
                    raise
                count = 0
                slow[k] = [Graph.empty()]
        if count > 1 or begin == end:
            raise GraphError(
                f"expected one graph, found {count}", source=source, graph=k, line=part.line
            )
    return _corpus(result, slow)


def scan_chunks(stream: Readable, source: str, graphs_per_chunk: int) -> Iterator[Corpus]:
    """Read the graphs of a stream in Penman notation, some at a time.

    Memory does not grow with the length of the stream.

    Args:
        stream: text in UTF-8; a byte order mark is skipped.
        source: its name in error messages.
        graphs_per_chunk: the number of graphs of each corpus; the last may have fewer.

    Raises:
        GraphError: as `scan_amr`, when the chunk with the error is read. Graphs and lines are
            counted from the start of the stream.
    """
    text, size, total = Text(data=b"", source=source, ended=False), READ, 0
    while True:
        text = text.filled(stream, size)
        result = text.scan(limit=graphs_per_chunk)
        is_last = len(result.spans) < graphs_per_chunk
        if is_last and not text.ended:
            text.check_rest(result)
            size *= 2
            continue
        text.check_encoding(len(text.data) if is_last else result.position)
        slow = text.slow_graphs(result)
        if is_last and result.status != NOTHING:
            slow[len(result.spans)] = text.rest(result)
        corpus = _corpus(result, slow)
        total += len(corpus)
        if len(corpus):
            yield corpus
        if is_last:
            break
        size = max(READ, (result.position - text.begin) * 5 // 4)
        text = replace(text, begin=result.position, graph=total)
    if not total:
        raise GraphError(NO_GRAPH, source=source)


def scan_chunks_with_errors(
    stream: Readable, source: str, graphs_per_chunk: int
) -> Iterator[tuple[Corpus, dict[int, GraphError]]]:
    """Read the graphs of a stream, some at a time, and list those that cannot be read.

    The text is divided into blocks as by `scan_amr_with_errors`, whether or not there is an error.
    Memory does not grow with the length of the stream.

    Yields:
        the graphs of a chunk and the errors by position in the chunk.

    Raises:
        GraphError: the text is not valid UTF-8 or contains no graph.
    """
    text, size, total = Text(data=b"", source=source, ended=False), READ, 0
    waiting, errors = Corpus.of(()), dict[int, GraphError]()
    while not text.ended or text.begin < len(text.data):
        text = text.filled(stream, size)
        corpus, new_errors, end = _by_block(text)
        size = READ if len(corpus) else 2 * size
        errors |= {len(waiting) + k: error for k, error in new_errors.items()}
        waiting = Corpus.concatenate([waiting, corpus]) if len(waiting) else corpus
        total += len(corpus)
        text = replace(text, begin=end, graph=total)
        first = 0
        while len(waiting) - first >= graphs_per_chunk:
            chunk = slice(first, first + graphs_per_chunk)
            yield waiting[chunk], {k - first: e for k, e in errors.items() if k < chunk.stop}
            errors = {k: error for k, error in errors.items() if k >= chunk.stop}
            first = chunk.stop
        waiting = waiting[first:]
        errors = {k - first: error for k, error in errors.items()}
    if len(waiting):
        yield waiting, errors
    if not total:
        raise GraphError(NO_GRAPH, source=source)


def _by_block(text: Text) -> tuple[Corpus, dict[int, GraphError], int]:
    """The graphs of the blocks that are complete, the errors by position, and the last block's end.

    Raises:
        GraphError: the text is not valid UTF-8.
    """
    text.check_encoding(text.complete)
    blocks = list(_blocks(text.data[text.begin : text.complete]))
    end = len(text.data) if text.ended else text.begin
    if blocks and not text.ended:
        end += blocks.pop()[0]
    regions = np.array([block[:2] for block in blocks], np.int64).reshape(-1, 2) + text.begin
    result = text.scan(regions=regions)
    lines = {begin: line for (begin, _), (*_, line) in zip(regions.tolist(), blocks, strict=True)}
    before = text.line_of(text.begin) - 1
    slow: dict[int, Sequence[Graph]] = {}
    errors: dict[int, GraphError] = {}
    shift = 0  # of positions, by blocks with several graphs
    for k in left_out(result):
        begin, stop = result.spans[k].tolist()
        try:
            slow[k] = parse_trees(text.data[begin:stop].decode(), interpret, text.source)
            shift += len(slow[k]) - 1
        except GraphError as error:
            errors[k + shift] = GraphError(
                error.problem,
                source=text.source,
                graph=text.graph + k + shift,
                line=before + lines[begin] + (error.line or 1) - 1,
            )
            slow[k] = [_unread(text.data[begin:stop])]
    return _corpus(result, slow), errors, end


def _unread(block: bytes) -> Graph:
    """The empty graph with the metadata at the start of a block that cannot be read."""
    comments = []
    for line in split_lines(block.decode()):
        if line.strip() and not line.startswith("#"):
            break
        comments.append(line)
    return replace(Graph.empty(), metadata=metadata("\n".join(comments)))


def _blocks(data: bytes) -> Iterator[tuple[int, int, int]]:
    """The begin, end and first line number of the blocks of `scan_amr_with_errors`."""
    begin = position = 0
    line, is_open, is_blank, has_graph = 1, False, False, False
    # The extra row ends the last block and is not part of it.
    for number, row in enumerate([*data.splitlines(keepends=True), b""], 1):
        text = row.decode() if row else "the end"
        if is_open and has_graph and (is_blank or not row) and text[:1].strip():
            yield begin, position, line
            is_open = has_graph = False
        blank = not text.strip()
        if not is_open and not blank:
            begin, line, is_open = position, number, True
        is_blank = blank
        has_graph = has_graph or (not blank and not text.startswith("#"))
        position += len(row)


def _corpus(result: Scan, slow: Mapping[int, Sequence[Graph]]) -> Corpus:
    """The corpus of a scan.

    Args:
        slow: the graphs that take the place of a graph without nodes, by its position.
    """
    texts = result.symbols.decode().split("\n")
    texts.pop()
    relation = result.kinds != ATTRIBUTE
    relation_start = np.concatenate([np.zeros(1, np.int64), np.cumsum(relation)])[result.edge_start]
    plain, is_inverse = _deinverted(texts)
    sources, targets = result.sources[relation], result.targets[relation]
    roles = result.roles[relation]
    inverted = is_inverse[roles]
    corpus = Corpus(
        symbols=Symbols(tuple(texts)),
        tops=np.where(np.diff(result.node_start) > 0, 0, -1),
        node_start=result.node_start,
        variables=result.variables,
        concepts=result.concepts,
        attribute_start=result.edge_start - relation_start,
        holders=result.sources[~relation],
        attribute_roles=result.roles[~relation],
        constants=result.targets[~relation],
        relation_start=relation_start,
        sources=np.where(inverted, targets, sources),
        relation_roles=plain[roles],
        targets=np.where(inverted, sources, targets),
        inverted=inverted,
        forward=result.kinds[relation] == FORWARD,
        metadata=Comments(result.comments, result.comment_start),
    )
    if not slow:
        return corpus
    graphs = [graph for part in slow.values() for graph in part]
    joined = Corpus.concatenate([corpus, Corpus.of(graphs)])
    order: list[int] = []
    added = len(corpus)
    for k in range(max(len(corpus), 1 + max(slow))):
        if k in slow:
            order += range(added, added + len(slow[k]))
            added += len(slow[k])
        else:
            order.append(k)
    return joined.take(np.array(order))


def _deinverted(texts: list[str]) -> tuple[Ints, Bools]:
    """For each symbol, that of the role it is the inverse of, else itself; and whether it is one.

    Roles that are missing are added to the symbols.
    """
    roles = {text: k for k, text in enumerate(texts) if text[0] == ":"}
    plain = {}
    for role, k in [*roles.items()]:
        if (other := deinverted(role)) is not None:
            plain[k] = roles.setdefault(other, len(texts))
            if plain[k] == len(texts):
                texts.append(other)
    symbols = np.arange(len(texts), dtype=np.int32)
    symbols[[*plain]] = [*plain.values()]
    is_inverse = np.zeros(len(texts), np.bool_)
    is_inverse[[*plain]] = True
    return symbols, is_inverse
