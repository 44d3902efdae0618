"""Read Penman notation into a `Corpus`: a compiled scanner, backed by penman.

penman defines what is valid. The scanner (`amr_metrics.reading.scanner_kernels`) reads graphs in
the usual form; any other part of a text is read by penman, with the same result and the same errors
as if penman had read the whole text.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from amr_metrics import limits
from amr_metrics.errors import GraphError, OnError
from amr_metrics.graphs.comments import Comments, metadata
from amr_metrics.graphs.corpus import Corpus, Symbols
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.decoding import Readable
from amr_metrics.reading.formats import FileGraphs, find_other_format
from amr_metrics.reading.labels import deinverted
from amr_metrics.reading.scanner_kernels import NOTHING, UNSURE, Scan, scan, split_edges
from amr_metrics.types import Bools, Ints
from amr_metrics.utils.arrays import sort_distinct
from amr_metrics.utils.decoding import decode, encode, strip_marks
from amr_metrics.utils.text import split_lines

READ = 1 << 21  # bytes to read from a stream at a time, at least
LINE = re.compile(rb"[^\r\n]*(?:\r\n?|\n|\Z)")  # with its end; the last match may be empty


def scan_amr(data: bytes | str, source: str = "<text>") -> Corpus:
    """Read all graphs of a text in Penman notation.

    Args:
        data: the text, in UTF-8; byte order marks are skipped (`strip_marks`).
        source: the name of the file in error messages.

    Raises:
        GraphError: as `amr_metrics.parse_amr`, and if it is no text, or bytes that are not UTF-8.

    >>> scan_amr(b"(s / sleep-01 :ARG0 (c / cat))")
    <Corpus of 1 graph: 2 nodes, 0 attributes, 1 relation>
    """
    if not isinstance(data, bytes | str):  # such as None, for a parse that failed
        raise GraphError(f"expected text in Penman notation, not {type(data).__name__}")
    encoded = encode(data, source) if isinstance(data, str) else strip_marks(data)
    corpus, _, _ = _read_part(Text(data=encoded, source=source))
    if not len(corpus):
        raise _report_no_graph(source)
    return corpus


def scan_amr_with_errors(
    data: bytes, source: str = "<text>"
) -> tuple[Corpus, dict[int, GraphError]]:
    """Read all graphs of a file in Penman notation, and list those that cannot be read.

    If a graph cannot be read, the text is read block by block, see `scan_stream`.

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
    ((corpus, errors),) = scan_stream(io.BytesIO(data), source, by_block=True, read=sys.maxsize)
    return corpus, errors


def load_amr(data: bytes, source: str, on_error: OnError) -> FileGraphs:
    """Read the graphs of a file in Penman notation; see `amr_metrics.reading.formats.READERS`."""
    if on_error == "stop":
        return FileGraphs(scan_amr(data, source))
    return FileGraphs(*scan_amr_with_errors(data, source))


def scan_stream(
    stream: Readable, source: str, *, by_block: bool = False, read: int | None = None
) -> Iterator[tuple[Corpus, dict[int, GraphError]]]:
    """Read the graphs of a stream in Penman notation, some at a time.

    Memory does not grow with the length of the stream.

    Args:
        stream: text in UTF-8; byte order marks are skipped (`strip_marks`).
        source: its name in error messages.
        by_block: divide the text into blocks and list those that cannot be read: each counts as
            one graph. A block ends where an unindented line follows a blank one, unless it has
            only comments.
        read: the number of bytes to read at a time, at least; by default `READ`.

    Yields:
        some graphs, and the errors by position among them; with `by_block`, the empty graph (with
        the metadata before it) where one cannot be read.

    Raises:
        GraphError: the text is not valid UTF-8, contains no graph or none in `limits.TEXT` bytes,
            is in another format (`find_other_format`), or, without `by_block`, a graph cannot be
            read: when the part with the error is read. Graphs and lines are counted from the start
            of the stream.
    """
    text = Text(data=b"", source=source, ended=False)
    size = read = read or READ
    while not text.ended or text.begin < len(text.data):
        text = text.filled(stream, size)
        corpus, errors, end = _read_part(text, by_block)
        if len(corpus):
            yield corpus, errors
        text = replace(text, begin=end, graph=text.graph + len(corpus))
        size = read if len(corpus) else 2 * size
        if size > limits.TEXT and not len(corpus) and not text.ended:
            length = limits.readable(len(text.data) - end)
            raise GraphError(
                f"{length} of text contain no complete graph: is it the right file?",
                source=source,
                line=text.line_of(end),
            )
    if not text.graph:
        raise _report_no_graph(source)


def _report_no_graph(source: str) -> GraphError:
    return GraphError("contains no graph: is it the right file?", source=source)


def scan_regions(text: Text, regions: Ints) -> tuple[Corpus, dict[int, GraphError], Ints]:
    """Read the graphs of some regions of a text, each as if it were the whole text.

    Args:
        regions: int64 (r, 2), begin and end of each region, in order.

    Returns:
        the graphs, the empty graph (with the metadata before it) for a region that cannot be read,
        the errors by position, and the number of graphs of each region (int64).

    >>> text = Text(data=b"First: (a / b) Second: (c / d (e / f) (g / h)", source="a text")
    >>> corpus, errors, counts = scan_regions(text, np.array([[6, 15], [22, 29], [37, 45]]))
    >>> [graph.top for graph in corpus], [*errors], counts.tolist()
    (['a', '', 'g'], [1], [1, 1, 1])
    """
    result = scan(text.data, regions, True, text.complete)
    region = np.searchsorted(regions[:, 0], result.spans[:, 0], side="right") - 1
    counts = np.bincount(region, minlength=len(regions))
    by_penman: dict[int, Sequence[Graph]] = {}
    errors: dict[int, GraphError] = {}
    for k in _find_left_out(result):  # a whole region
        begin, end = result.spans[k].tolist()
        position = int(counts[: region[k]].sum())
        try:
            by_penman[k] = text.parse(begin, end, position)
        except GraphError as error:
            errors[position] = GraphError(
                error.problem,
                source=error.source,
                graph=text.graph + position,
                line=error.line,
                text=error.text,
                offset=error.offset,
            )
            by_penman[k] = [make_unread(text.data[begin:end])]
        counts[region[k]] = len(by_penman[k])
    return _build_corpus(text.data, result, by_penman, regions[region, 1]), errors, counts


@dataclass(frozen=True, kw_only=True)
class Text:
    """Part of a file.

    Attributes:
        data: bytes of the file.
        source: the name of the file.
        line: the number of the line on which `data` starts.
        begin: where to start reading in `data`.
        graph: the number of graphs before it.
        ended: whether the file ends with `data`.
    """

    data: bytes
    source: str
    line: int = 1
    begin: int = 0
    graph: int = 0
    ended: bool = True

    def filled(self, stream: Readable, size: int) -> Text:
        """Read from the stream until `size` bytes after `begin` are available, or it ends."""
        if self.ended or len(self.data) - self.begin >= size:
            return self
        first, line = self._find_line(self.begin)  # messages show whole lines
        pieces, missing, ended = [self.data[first:]], size - len(self.data) + self.begin, False
        while missing > 0 and not ended:
            pieces.append(stream.read(missing))
            missing -= len(pieces[-1])
            ended = not pieces[-1]
        data = strip_marks(b"".join(filter(None, pieces)))  # a single piece is not copied
        return replace(self, data=data, line=line, begin=self.begin - first, ended=ended)

    def check_encoding(self) -> None:
        """Check that the lines that are complete are valid UTF-8.

        Raises:
            GraphError: they are not.
        """
        if not self.data.isascii():
            part = self.data[self.begin : self.complete]
            decode(part, self.source, self.line_of(self.begin))

    def parse(self, begin: int, end: int, graphs: int, ended: bool = True) -> list[Graph]:
        """Read a part of the text with penman.

        Args:
            graphs: the number of graphs of this text before it.
            ended: whether the last graph of the part must be complete.

        Raises:
            GraphError: a graph cannot be read.
        """
        from amr_metrics.reading.penman_reading import interpret, parse_lines  # imports penman

        if ended:
            try:
                return parse_lines(split_lines(self.data[begin:end].decode()), interpret)
            except GraphError:
                pass  # read it again, with its place in the file for the error message
        # Whole lines of the file for the message. For reading, what stands before the part becomes
        # blanks, so that columns stay the same, and what stands behind it is cut off.
        first, last = self._starts[self._row(begin)], self._starts[self._row(end) + 1]
        message_lines = split_lines(self.data[first:last].decode(errors="replace")) or [""]
        lines = [*message_lines]
        before, behind = self.data[first:begin].decode(), self.data[end:last].rstrip(b"\r\n")
        lines[-1] = lines[-1][: len(lines[-1]) - len(behind.decode(errors="replace"))]
        lines[0] = " " * len(before) + lines[0][len(before) :]
        return parse_lines(
            lines,
            interpret,
            source=self.source,
            message_lines=message_lines,
            graph=self.graph + graphs,
            first_line=self.line_of(first),
            ended=ended,
        )

    def find_other_format(self) -> GraphError | None:
        """Return the error for text that is in another format; None if it is not."""
        rest = self.data[self.begin :].decode(errors="replace")
        return find_other_format(rest, self.source, "penman")

    @cached_property
    def complete(self) -> int:
        """The end of the last line that is complete."""
        if self.ended:
            return len(self.data)
        return 1 + max(self.data.rfind(end) for end in (b"\n", b"\r"))

    def line_of(self, position: int) -> int:
        """Return the number of the line at a position."""
        return self.line + (self._row(position) if position else 0)

    def _find_line(self, position: int) -> tuple[int, int]:
        """Return where the line at a position starts, and its number."""
        if b"\r" in self.data:
            first = int(self._starts[self._row(position)])
            return first, self.line_of(first)
        # Without carriage returns, lines need not be listed: this is done for each part of a file.
        first = 1 + self.data.rfind(b"\n", 0, position)
        before = np.frombuffer(self.data, np.uint8, first)
        return first, self.line + int(np.count_nonzero(before == ord("\n")))

    @cached_property
    def _starts(self) -> Ints:
        """Where the lines of `data` start, and the end of `data`."""
        characters = np.frombuffer(self.data, np.uint8)
        is_end = characters == ord("\r")
        is_feed = characters == ord("\n")
        is_end[:-1] &= ~is_feed[1:]
        rows = np.flatnonzero(is_end | is_feed) + 1
        return np.concatenate([[0], rows, [len(self.data)]])

    def _row(self, position: int) -> int:
        return int(np.searchsorted(self._starts[:-1], position, side="right")) - 1


def _read_part(text: Text, by_block: bool = False) -> tuple[Corpus, dict[int, GraphError], int]:
    """Read the graphs, or the blocks, that are complete; see `_read_graphs` and `_read_blocks`.

    Raises:
        GraphError: as these, or the text is in another format.
    """
    try:
        part = _read_blocks(text) if by_block else _read_graphs(text)
    except GraphError as error:
        other = None if error.graph is None else text.find_other_format()
        raise other or error from None
    if part[1] and (other := text.find_other_format()) is not None:
        raise other
    return part


def _read_graphs(text: Text) -> tuple[Corpus, dict[int, GraphError], int]:
    """Read the graphs that are complete.

    Returns:
        the graphs, an empty mapping, as for `_read_blocks`, and the end of the last graph.

    Raises:
        GraphError: one of them cannot be read, or what follows cannot be the start of one.
    """
    text.check_encoding()
    complete = text.complete
    result = scan(text.data, np.array([[text.begin, complete]]), False, complete)
    count = len(result.spans)
    if not text.ended and not count:
        if result.status == UNSURE:  # an error, whatever the text that is still to come?
            text.parse(text.begin, complete, 0, ended=False)
        return Corpus.of(()), {}, text.begin
    by_penman: dict[int, Sequence[Graph]] = {}
    for k in _find_left_out(result):
        begin, stop = result.spans[k].tolist()
        by_penman[k] = text.parse(begin, stop, k)
    end = len(text.data) if text.ended else result.position
    if text.ended and result.status != NOTHING:
        by_penman[count] = text.parse(result.position, end, count)
    return _build_corpus(text.data, result, by_penman, end), {}, end


def _read_blocks(text: Text) -> tuple[Corpus, dict[int, GraphError], int]:
    """Read the blocks that are complete.

    Returns:
        the graphs, the errors by position, and the end of the last block.

    Raises:
        GraphError: the text is not valid UTF-8.
    """
    text.check_encoding()
    blocks = list(block_spans(text.data[text.begin : text.complete]))
    end = len(text.data) if text.ended else text.begin
    if blocks and not text.ended:
        end += blocks.pop()[0]
    regions = np.array(blocks, np.int64).reshape(-1, 2) + text.begin
    corpus, errors, _ = scan_regions(text, regions)
    return corpus, errors, end


def block_spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each block of a text in UTF-8, see `scan_stream`."""
    begin = position = 0
    is_open = is_blank = has_graph = False
    # The last, empty row ends the last block and is not part of it.
    for match in LINE.finditer(data):
        row = match[0]
        text = row.decode() if row else "the end"
        if is_open and has_graph and (is_blank or not row) and text[:1].strip():
            yield begin, position
            is_open = has_graph = False
        is_blank = not text.strip()
        if not is_open and not is_blank:
            begin, is_open = position, True
        has_graph = has_graph or not (is_blank or text.startswith("#"))
        position += len(row)


def _find_left_out(result: Scan) -> list[int]:
    """Return the positions of the parts that the scanner left to penman: graphs without nodes."""
    empty: list[int] = np.flatnonzero(np.diff(result.node_start) == 0).tolist()
    return empty


def make_unread(block: bytes) -> Graph:
    """Return the empty graph with the metadata at the start of a block that cannot be read."""
    comments = []
    for line in split_lines(block.decode()):
        if line.strip() and not line.startswith("#"):
            break
        comments.append(line)
    return replace(Graph.empty(), metadata=metadata("\n".join(comments)))


def _build_corpus(
    data: bytes, result: Scan, by_penman: Mapping[int, Sequence[Graph]], stops: Ints | int
) -> Corpus:
    """Return the corpus of a scan.

    Args:
        data: the text that was scanned.
        by_penman: the graphs that take the place of a graph without nodes, by its position.
        stops: where the text to read ends, for each graph of the scan or for all.
    """
    texts = result.symbols.decode().split("\n")
    texts.pop()
    base_roles, is_inverse = _deinvert_roles(texts, result.symbols)
    corpus = Corpus(
        symbols=Symbols(tuple(texts)),
        tops=np.where(np.diff(result.node_start) > 0, 0, -1),
        node_start=result.node_start,
        variables=result.variables,
        concepts=result.concepts,
        metadata=Comments(result.comments, result.comment_start),
        aligned=_find_aligned(data, result, stops),
        **split_edges(result, base_roles, is_inverse)._asdict(),
    )
    if not by_penman:
        return corpus
    # The graphs that penman has read are appended, and then moved to the places that are theirs: a
    # part of the text that the scanner left out may have any number of graphs.
    graphs = [graph for part in by_penman.values() for graph in part]
    joined = Corpus.concatenate([corpus, Corpus.of(graphs)])
    order: list[int] = []
    added = len(corpus)
    for k in range(max(len(corpus), 1 + max(by_penman))):
        if k in by_penman:
            order += range(added, added + len(by_penman[k]))
            added += len(by_penman[k])
        else:
            order.append(k)
    return joined.take(np.array(order))


def _find_aligned(data: bytes, result: Scan, stops: Ints | int) -> dict[int, str]:
    """Return the text of each graph with a tilde, by position; it may also be in a constant."""
    if b"~" not in data or not len(result.spans):
        return {}
    tildes = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("~"))
    begins = result.spans[:, 1]
    ends = np.minimum(np.append(result.spans[1:, 0], result.position), stops)
    graphs = np.searchsorted(begins, tildes, side="right") - 1
    in_graphs = graphs[(graphs >= 0) & (tildes < ends[graphs])]
    positions = sort_distinct(in_graphs).tolist()
    return {k: data[begins[k] : ends[k]].decode().rstrip() for k in positions}


def _deinvert_roles(texts: list[str], symbols: bytes) -> tuple[Ints, Bools]:
    """Find inverse roles among symbols; roles that they invert are added to the symbols.

    Args:
        texts: the symbols.
        symbols: the same, each with a line feed behind it.

    Returns:
        for each symbol the symbol of the role that it inverts, else itself; and whether it is an
        inverse role.
    """
    characters = np.frombuffer(symbols, np.uint8)
    begins = np.concatenate([[-1], np.flatnonzero(characters == ord("\n"))])[:-1] + 1
    is_role = characters[begins] == ord(":")
    roles = {texts[k]: k for k in np.flatnonzero(is_role).tolist()}
    base_roles = {}
    for role, k in [*roles.items()]:
        if (base_role := deinverted(role)) is not None:
            base_roles[k] = roles.setdefault(base_role, len(texts))
            if base_roles[k] == len(texts):
                texts.append(base_role)
    numbers = np.arange(len(texts), dtype=np.int32)
    numbers[[*base_roles]] = [*base_roles.values()]
    is_inverse = np.zeros(len(texts), np.bool_)
    is_inverse[[*base_roles]] = True
    return numbers, is_inverse
