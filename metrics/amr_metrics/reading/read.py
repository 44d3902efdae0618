"""Read graphs from files and strings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.decoding import read_bytes
from amr_metrics.reading.scanner import scan_amr
from amr_metrics.utils.decoding import decode

if TYPE_CHECKING:
    import penman

FORMATS = ("penman", "umr")


def read_graphs(path: str | Path, format: str = "penman") -> Corpus:
    """Read every graph of a file.

    Args:
        path: a UTF-8 file; byte order marks are skipped, also those of files joined in it.
        format: ``"penman"`` (AMR's usual notation) or ``"umr"`` (the sentence graphs of a UMR file,
            see `amr_metrics.reading.umr`).

    Returns:
        the graphs: a sequence that creates a `Graph` each time that it is accessed.

    Raises:
        GraphError: if the file cannot be read, is not valid UTF-8, contains no graph, or contains a
            malformed graph. The message names the file, the graph's position and the line.
    """
    if format not in FORMATS:
        raise GraphError(f"unknown graph format {format!r}: use one of {', '.join(FORMATS)}")
    if format == "umr":
        from amr_metrics.reading.umr import parse_umr  # only UMR needs it

        return parse_umr(read_bytes(path), str(path)).graphs
    return scan_amr(read_bytes(path), str(path))


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file; byte order marks are skipped, also those of files joined in it.

    Raises:
        GraphError: if the file cannot be read or is not valid UTF-8. The message names the file and
            the line.
    """
    return decode(read_bytes(path), str(path))


def parse_graph(text: str) -> Graph:
    """Read one graph in Penman notation.

    Raises:
        GraphError: if the text is malformed or does not contain exactly one graph.

    >>> parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)").concepts
    ('sleep-01', 'cat')
    """
    graphs = scan_amr(text)
    if len(graphs) != 1:
        raise GraphError(f"expected one graph, found {len(graphs)}")
    return graphs[0]


def parse_amr(text: str, source: str = "<text>") -> list[Graph]:
    """Read all graphs in a string in Penman notation, in order.

    Inverse roles (``:ARG0-of``) are normalised according to penman's AMR model and recorded in
    `Graph.inverted`. Surface alignments (``~e.3``) are removed; everything else is kept as written.
    A node without a concept, ``(b)`` or ``(b :mod ...)``, is a mention of a variable that has its
    concept elsewhere in the graph.
    Line endings are those of files that penman opens, see `amr_metrics.utils.text.split_lines`.

    Raises:
        GraphError: if the text is malformed. The message names `source`, the graph's position and
            the line.
    """
    return list(scan_amr(text, source))


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
