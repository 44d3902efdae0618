"""Read files of Chinese AMR, in text or tuple form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, get_args

from amr_metrics.camr.draft import Sentence
from amr_metrics.camr.graph import CamrGraph
from amr_metrics.camr.ids import check_visible, full_width_hint
from amr_metrics.camr.text import parse_text, text_blocks
from amr_metrics.camr.tuples import parse_tuples, tuple_blocks
from amr_metrics.errors import GraphError, OnError
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.formats import FileGraphs, find_other_format
from amr_metrics.reading.read import read_text
from amr_metrics.utils.decoding import decode
from amr_metrics.utils.text import split_lines

CamrFormat = Literal["auto", "text", "tuples"]
FORMATS = get_args(CamrFormat)
NUMBER = re.compile(r"[0-9]{1,9}")


def read_camr(
    path: str | Path,
    format: CamrFormat = "auto",
    lengths: str | Path | None = None,
    split: bool = False,
) -> list[CamrGraph]:
    """Read every graph of a file.

    Args:
        path: a UTF-8 file.
        format: ``"text"`` (parentheses), ``"tuples"`` (ten columns) or ``"auto"``, which looks
            at the first line.
        lengths: a file of sentence lengths (see `read_lengths`). Graphs in tuple form have
            anchors only with it; for graphs in text form it takes precedence over ``# ::wid``.
        split: read an id with two concepts as two nodes, as the CAMRP 2022 tool does (else it is
            an error).

    Raises:
        GraphError: with the file, the graph's position, the line and the sentence's id, for
            anything that cannot be read.
    """
    sentences = None if lengths is None else read_lengths(lengths)
    return parse_camr(read_text(path), format, sentences, split, str(path))


def parse_camr(
    text: str,
    format: CamrFormat = "auto",
    lengths: Mapping[str, Sentence] | None = None,
    split: bool = False,
    source: str = "<text>",
) -> list[CamrGraph]:
    """Read every graph of a string; arguments as for `read_camr`, with the lengths themselves.

    Raises:
        GraphError: as `read_camr`.

    >>> [graph.top for graph in parse_camr("(x1 / 走-01)")]
    ['x1']
    """
    if format not in FORMATS:
        raise GraphError(f"unknown graph format {format!r}: use one of {', '.join(FORMATS)}")
    as_text = format == "text" or (format == "auto" and _is_text(text))
    return (parse_text if as_text else parse_tuples)(text, source, lengths, split)


def camr_blocks(text: str) -> tuple[CamrFormat, Iterator[tuple[int, str]]]:
    r"""Return the form of a text, and the lines of each graph with the number of the first.

    Graphs end at blank lines. Comments and header lines are left out.

    >>> form, blocks = camr_blocks("# a note\n\n(x1 / 走-01)\n\n(x1 / 来-01)\n")
    >>> form, list(blocks)
    ('text', [(3, '(x1 / 走-01)'), (5, '(x1 / 来-01)')])
    """
    return ("text", text_blocks(text)) if _is_text(text) else ("tuples", tuple_blocks(text))


def _is_text(text: str) -> bool:
    return text.lstrip()[:1] in ("#", "(", "\uff08")


def load_camr(
    data: bytes,
    source: str,
    on_error: OnError,
    *,
    lengths: Path | None = None,
    split: bool = False,
) -> FileGraphs:
    """Read the graphs of a file; see `amr_metrics.reading.formats.READERS`.

    If a graph is malformed and errors are listed, the file is read block by block.

    Args:
        lengths, split: as for `read_camr`.
    """
    text = decode(data, source)
    sentences = None if lengths is None else read_lengths(lengths)
    try:
        return FileGraphs(parse_camr(text, "auto", sentences, split, source))
    except GraphError as error:
        if (format_error := find_other_format(text, source, "camr")) is not None:
            raise format_error from None
        if on_error == "stop" or error.graph is None:
            raise
    # The form is that of the whole file: a block in error may look like the other one.
    form, blocks = camr_blocks(text)
    graphs: list[Graph] = []
    errors = {}
    for line, block in blocks:
        try:
            graphs += parse_camr(block, form, sentences, split, source)
        except GraphError as error:
            k = len(graphs)
            error_line = line + (error.line or 1) - 1
            errors[k] = GraphError(error.problem, source=source, graph=k, line=error_line)
            graphs.append(Graph.empty())
    return FileGraphs(graphs, errors)


def read_lengths(path: str | Path) -> dict[str, Sentence]:
    """Read a file of sentence lengths, or of segmented sentences, by sentence id.

    Each line has the id, a tab, and the number of words or, in the other kind of file, the words
    themselves, separated by spaces. The first line determines which kind it is.

    Raises:
        GraphError: with the line, for anything else, and for an id with two different lengths.
    """
    source = str(path)
    sentences: dict[str, Sentence] = {}
    counted: bool | None = None
    for number, line in enumerate(split_lines(read_text(path)), 1):
        if not line.strip():
            continue
        try:
            sentence_id, sentence = _read_length(line.strip(), counted)
            if sentences.setdefault(sentence_id, sentence) != sentence:
                raise GraphError(f"sentence {sentence_id} has two lengths: keep one")
        except GraphError as error:
            raise GraphError(error.problem, source=source, line=number) from None
        counted = not sentence.words
    return sentences


def _read_length(line: str, counted: bool | None) -> tuple[str, Sentence]:
    """Read a line's sentence; `counted`: the file has numbers of words, not the words."""
    check_visible(line)
    sentence_id, tab, rest = line.partition("\t")
    if not tab or not rest.strip():
        raise GraphError(f"{line!r} is not a sentence id, a tab, and a length or words")
    if counted is None:
        counted = NUMBER.fullmatch(rest.strip()) is not None
    if not counted:
        words = rest.split()
        return sentence_id.strip(), Sentence(len(words), dict(enumerate(words, 1)))
    if not NUMBER.fullmatch(rest.strip()):
        hint = full_width_hint(rest)
        raise GraphError(f"{rest.strip()!r} is not a number of words, as in the lines above{hint}")
    return sentence_id.strip(), Sentence(int(rest))
