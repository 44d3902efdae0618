"""Read graphs from files and strings: Penman notation and TSV triples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metrics.errors import GraphError
from metrics.graphs.corpus import Corpus
from metrics.graphs.graph import Graph
from metrics.reading.decoding import bom_length, decode, read_bytes
from metrics.reading.penman_reading import interpret, parse_trees
from metrics.reading.scanner import scan_amr
from metrics.reading.umr import parse_umr
from metrics.utils.text import split_lines

if TYPE_CHECKING:
    import penman

FORMATS = ("penman", "tsv", "umr")


def read_graphs(path: str | Path, format: str = "penman") -> Corpus:
    """Read every graph of a file.

    Args:
        path: a UTF-8 file; a byte order mark is skipped.
        format: ``"penman"`` (AMR's usual notation), ``"tsv"`` (see `parse_tsv`) or ``"umr"`` (the
            sentence graphs of a UMR file, see `metrics.reading.umr`).

    Returns:
        the graphs: a sequence that creates a `Graph` each time that it is accessed.

    Raises:
        GraphError: if the file cannot be read, is not valid UTF-8, contains no graph, or contains a
            malformed graph. The message names the file, the graph's position and the line.
    """
    if format not in FORMATS:
        raise GraphError(f"unknown graph format {format!r}: use one of {', '.join(FORMATS)}")
    if format == "tsv":
        return Corpus.of(parse_tsv(read_text(path), str(path)))
    if format == "umr":
        return parse_umr(read_bytes(path), str(path)).graphs
    return scan_amr(read_bytes(path), str(path))


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file; a byte order mark is skipped.

    Raises:
        GraphError: if the file cannot be read or is not valid UTF-8. The message names the file and
            the line.
    """
    data = read_bytes(path)
    return decode(data[bom_length(data, str(path)) :], str(path))


def parse_graph(text: str) -> Graph:
    """Read one graph in Penman notation.

    Raises:
        GraphError: if the text is malformed or does not contain exactly one graph.

    >>> parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)").concepts
    ('sleep-01', 'cat')
    """
    graphs = parse_amr(text)
    if len(graphs) != 1:
        raise GraphError(f"expected one graph, found {len(graphs)}")
    return graphs[0]


def parse_amr(text: str, source: str = "<text>") -> list[Graph]:
    """Read all graphs in a string in Penman notation, in order.

    Inverse roles (``:ARG0-of``) are normalised according to penman's AMR model and recorded in
    `Graph.inverted`. Surface alignments (``~e.3``) are removed; everything else is kept as written.
    A node without a concept, ``(b)`` or ``(b :mod ...)``, is a mention of a variable that has its
    concept elsewhere in the graph.
    Line endings are those of files that penman opens, see `metrics.utils.text.split_lines`.

    Raises:
        GraphError: if the text is malformed. The message names `source`, the graph's position and
            the line.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a string, but not of a file: with half of a surrogate pair
        return parse_trees(text, interpret, source)
    return list(scan_amr(data, source))


def from_penman(graph: penman.Graph) -> Graph:
    """Convert a graph of the package penman, as if its text had been read.

    Raises:
        GraphError: a graph that has no text, such as one that is not connected or has metadata
            that are not strings, or whose text is malformed.

    >>> import penman
    >>> from_penman(penman.decode("(d / dog :ARG0-of (b / bark-01))")).relations
    (Relation(source='b', role=':ARG0', target='d'),)
    """
    import penman
    from penman.exceptions import PenmanError

    try:
        text = penman.encode(graph)
    except (PenmanError, TypeError) as error:
        raise GraphError(f"penman cannot write the graph: {error}") from None
    return parse_graph(text)


def parse_tsv(text: str, source: str = "<text>") -> list[Graph]:
    r"""Read graphs given as triples, one per line: ``source target :role``.

    Columns are separated by tabs (or, in a line without tabs, by spaces). The role ``:instance``
    gives the concept of a node; the target of ``:top`` (or ``:root``) is the root, by default the
    first triple's source. ``# ::key value`` lines are metadata; a blank line ends a graph. A graph
    may have several components (see `Graph.components`), unlike in Penman notation.

    Raises:
        GraphError: if the text is malformed. The message names `source`, the graph's position and
            the line.

    >>> graph, = parse_tsv("b bark-01 :instance\nd dog :instance\nb d :ARG0\n")
    >>> graph.relations
    (Relation(source='b', role=':ARG0', target='d'),)
    """
    graphs: list[Graph] = []
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*split_lines(text), ""], 1):
        if line.strip():
            block.append((number, line))
        elif block:
            graphs.append(_tsv_graph(block, source, len(graphs)))
            block = []
    if not graphs:
        raise GraphError("contains no graph: is it the right file?", source=source)
    return graphs


def _tsv_graph(block: Sequence[tuple[int, str]], source: str, position: int) -> Graph:
    triples, metadata, top = [], {}, None
    for number, line in block:
        if line.startswith("#"):
            key, _, value = line.lstrip("# ").removeprefix("::").partition(" ")
            metadata[key] = value
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) != 3 or not cells[2].startswith(":") or not all(cells):
            raise GraphError(
                "expected three columns: source, target, :role",
                source=source,
                graph=position,
                line=number,
                text=line,
            )
        if cells[2] in (":top", ":root"):
            top = cells[1]
        else:
            triples.append((cells[0], cells[2], cells[1]))
    try:
        return Graph.from_triples(triples, top, metadata, connected=False)
    except GraphError as error:
        raise GraphError(error.problem, source=source, graph=position, line=block[0][0]) from None
