"""Read files in the format of Uniform Meaning Representation (UMR).

A file is divided into sentences by lines of hash signs, or by the lines ``# :: snt1`` in their
headers. Each sentence has a header and three parts, which start with comment lines: the sentence
graph in Penman notation, which may be empty, the alignment of its nodes to words, and the document
level annotation. The latter two (`amr_metrics.reading.umr_parts`) are read if this is asked for.

A concept may begin with a hash sign, ``(s1x / #Forn)``, or be a slash, ``(s1x / /)``. In all other
places a hash sign begins a comment, as in Penman notation. A colon before a digit is part of a
value: ``:time 0:00``.

Source: UMR 2.0 data release and the UMR file format page of ÚFAL (Charles University).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from amr_metrics.errors import GraphError, OnError
from amr_metrics.graphs.corpus import Corpus, Symbols
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.formats import FileGraphs
from amr_metrics.reading.scanner import Text, scan_regions
from amr_metrics.reading.umr_parts import (
    Dropped,
    NumberedLines,
    UmrSentence,
    read_alignment,
    read_annotation,
)
from amr_metrics.utils.decoding import decode
from amr_metrics.utils.text import format_count

SEPARATOR = re.compile(r"#{20,}\s*")  # 80 hash signs in released files
PARTS = {
    "sentence level graph": "graph",
    "alignment": "alignment",
    "document level annotation": "document",
}
OTHERS = ("alignment", "document")
PART = re.compile(rf"#\s*({'|'.join(PARTS)})\s*:?\s*", re.IGNORECASE)
SENTENCE_ID = re.compile(r"#.*::\s*sent_id\s*=\s*(\S+)")
NUMBER = re.compile(r"#\s*::\s*snt([0-9]{1,9})\b")
SENTENCE = re.compile(r"#\s*::\s*(snt\S*)\s*(.*)")
WORDS = re.compile(r"(?:Words|Sentence):?\s+(.*)")

# penman takes every hash sign for the start of a comment, a slash for the start of a concept, and a
# colon for the start of a role: noncharacters of Unicode stand for a hash sign at the start of a
# concept, for a slash that is a concept, and for a colon between a value's first character and a
# digit, while the graphs are read.
STAND_INS = {
    "#": ("\uffff", re.compile(rb"(?<=/)([ \t]*)#(?=\S)")),
    "/": ("\ufdd0", re.compile(rb"(?<=/)([ \t]*)/(?=[\s)])")),
    ":": ("\ufffe", re.compile(rb"(?<=[^\s():])():(?=[0-9])")),
}
# A bracket, or text in which brackets do not count: strings and comments.
BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"|(?:^|(?<=\s))#.*|[()]', re.MULTILINE)
NODE = re.compile(rb"\(\s*[^\s()/]+\s*/")


@dataclass(frozen=True)
class UmrFile:
    """The sentence graphs of a UMR file.

    Attributes:
        graphs: one graph per sentence, with the id and the words as metadata ``id`` and ``snt``;
            the empty graph where one cannot be read.
        errors: why graphs cannot be read, by position.
        part_errors: what is wrong with the other parts of a sentence, if these were read.
        alignments: the number of sentences that have an alignment.
        documents: the number of sentences that have a document level annotation.
        sentences: the sentences with their other parts, if these were read; one whose number is
            not larger than that of the sentence before it is empty and has number 0.
    """

    graphs: Corpus
    errors: Mapping[int, GraphError]
    alignments: int
    documents: int
    sentences: Sequence[UmrSentence] = ()
    part_errors: Mapping[int, Sequence[GraphError]] = field(default_factory=dict)


def parse_umr(
    data: bytes, source: str = "<text>", *, list_errors: bool = False, with_parts: bool = False
) -> UmrFile:
    r"""Read the sentence graphs of a text in UMR format.

    Args:
        data: the text, in UTF-8, without a byte order mark.
        source: its name in error messages.
        list_errors: whether to list graphs, alignments and annotations that cannot be read.
        with_parts: whether to read alignments and document level annotations. If errors are listed
            as well, a complete graph with text after it is kept, and of an annotation what is
            before the fault.

    Raises:
        GraphError: if the text is not valid UTF-8 or has no sentences, or (unless errors are
            listed) if a sentence has no part for its graph, or this contains several graphs or an
            invalid one, or if another part that is read is malformed.

    >>> umr = parse_umr(b'''########################################
    ... # :: snt1
    ... Words: Dogs bark .
    ...
    ... # sentence level graph:
    ... (s1b / bark-01 :ARG0 (s1d / dog) :aspect habitual)
    ...
    ... # alignment:
    ... s1b: 2-2
    ...
    ... # document level annotation:
    ... (s1s0 / sentence)
    ... ''')
    >>> umr.graphs[0].concepts, umr.graphs[0].sentence, umr.alignments, umr.documents
    (('bark-01', 'dog'), 'Dogs bark .', 1, 1)
    """
    data, sections = _split_sections(data, source)
    regions = np.array([section.graph for section in sections])
    text = Text(data=data, source=source)
    corpus, unreadable, counts = scan_regions(text, regions)
    errors: dict[int, GraphError] = {}
    first_graphs: list[Corpus] = []
    # The empty graph stands for a part without a graph, and for one that cannot be read.
    index = np.where(counts == 1, np.cumsum(counts) - 1, len(corpus))
    for k, (begin, end) in enumerate(regions.tolist()):
        error = unreadable.get(int(index[k]))
        if counts[k] > 1 or begin == end:
            problem = f"expected one graph, found {counts[k]}"
            error = GraphError(problem, source=source, graph=k, line=text.line_of(begin))
        if error is not None:
            error = GraphError(
                _restore(error.problem),
                source=source,
                graph=k,
                line=error.line,
                text=_restore(error.text or ""),
                offset=error.offset,
            )
            if not list_errors:
                raise error
            errors[k], index[k] = error, len(corpus)
            if with_parts and (graph := _read_first_graph(text, begin, end)) is not None:
                index[k] += 1 + len(first_graphs)
                first_graphs.append(graph)
    graphs = Corpus.concatenate([corpus, Corpus.of([Graph.empty()]), *first_graphs]).take(index)
    both = zip([section.header for section in sections], graphs.metadata, strict=True)
    graphs = replace(
        graphs,
        symbols=Symbols(tuple([_restore(text) for text in graphs.symbols.texts])),
        metadata=tuple([{**header, **dict(comments)} for header, comments in both]),
    )
    sentences: list[UmrSentence] = []
    part_errors: dict[int, list[GraphError]] = {}
    last = 0
    for k, section in enumerate(sections if with_parts else ()):
        number, line = section.number or (last + 1, 0)
        nodes = len(NODE.findall(data, *section.graph))
        if number <= last and number != 1:
            triples, relations, _ = read_annotation(section.rows["document"])
            left_out = Dropped(nodes, len(triples) + relations)
            sentence = UmrSentence(0, Graph.empty(), dropped=left_out)
            faults = [
                GraphError(
                    f"sentence snt{number} follows snt{last}: number the sentences of a document "
                    "in order; snt1 begins the next document",
                    line=line,
                )
            ]
        else:
            last = number
            sentence, faults = _read_parts(UmrSentence(number, graphs[k]), section)
            if k in errors:
                left_out = sentence.dropped._replace(nodes=nodes - len(sentence.graph.variables))
                sentence = replace(sentence, dropped=left_out)
        located = [GraphError(e.problem, source=source, graph=k, line=e.line) for e in faults]
        if located and not list_errors:
            raise located[0]
        if located:
            part_errors[k] = located
        sentences.append(sentence)
    return UmrFile(
        graphs,
        errors,
        sum(bool(section.rows["alignment"]) for section in sections),
        sum(bool(section.rows["document"]) for section in sections),
        sentences,
        part_errors,
    )


def load_umr(data: bytes, source: str, on_error: OnError) -> FileGraphs:
    """Read the sentence graphs of a file; see `amr_metrics.reading.formats.READERS`."""
    file = parse_umr(data, source, list_errors=on_error != "stop")
    counts = (
        (file.alignments, "the alignment"),
        (file.documents, "the document level annotation"),
    )
    parts = [f"{part} of {format_count(count, 'sentence')}" for count, part in counts if count]
    note = f"{source}: only sentence graphs are read: {' and '.join(parts)} skipped"
    return FileGraphs(file.graphs, file.errors, (note,) if parts else ())


def _read_first_graph(text: Text, begin: int, end: int) -> Corpus | None:
    """Return the first graph of a region in which text follows it; None if it cannot be read."""
    depth = 0
    for bracket in BRACKET.finditer(text.data, begin, end):
        depth += {b"(": 1, b")": -1}.get(bracket[0], 0)
        if depth == 0 and bracket[0] == b")":
            corpus, errors, _ = scan_regions(text, np.array([[begin, bracket.end()]]))
            return None if errors else corpus
    return None


@dataclass
class _Section:
    """A sentence of a file.

    Attributes:
        header: its id and its words.
        number: of ``# :: snt1``, with the line.
        graph: where the part for the graph begins and ends.
        rows: the lines of its other parts, with their numbers.
    """

    header: dict[str, str] = field(default_factory=dict)
    number: tuple[int, int] | None = None
    graph: tuple[int, int] = (0, 0)
    rows: dict[str, list[tuple[int, str]]] = field(
        default_factory=lambda: {"header": [], "alignment": [], "document": []}
    )


def _split_sections(data: bytes, source: str) -> tuple[bytes, Sequence[_Section]]:
    """Divide a text into its sentences and their parts.

    Returns:
        the text as penman can read it, and the sentences.
    """
    decode(data, source)
    rows: list[bytes] = []
    sections = [_Section()]
    part, has_content, has_graph, end = "header", False, False, 0
    for number, row in enumerate(data.splitlines(keepends=True), 1):
        line = row.decode().strip()
        is_text = bool(line) and not line.startswith("#")
        if part == "graph" and is_text:
            for stand_in, mark in STAND_INS.values():
                row = mark.sub(rb"\1" + stand_in.encode(), row)
        rows.append(row)
        end += len(row)
        is_header = part in OTHERS and line.startswith("#") and bool(_read_metadata(line, {}))
        if is_header or SEPARATOR.fullmatch(line):
            if has_content:
                sections.append(_Section())
            sections[-1] = _Section(graph=(end, end))
            part, has_content, has_graph = "header", False, False
        section = sections[-1]
        if heading := PART.fullmatch(line):
            part, has_content = PARTS[heading[1].lower()], True
            if part == "graph":
                if has_graph:
                    problem = "a second graph of one sentence: is a line of hash signs missing?"
                    raise GraphError(problem, source=source, line=number)
                section.graph, has_graph = (end, end), True
        elif part == "graph":
            section.graph = section.graph[0], end
        elif part == "header":
            section.rows[part].append((number, line))
            section.header |= _read_metadata(line, section.header)
            if written := NUMBER.match(line):
                section.number = int(written[1]), number
            has_content = has_content or is_text or bool(section.header)
        elif is_text:
            section.rows[part].append((number, line))
    if not has_content:
        del sections[-1]
    if all(section.graph[0] == section.graph[1] for section in sections):
        problem = "contains no sentence graph (# sentence level graph:): is it a UMR file?"
        raise GraphError(problem, source=source)
    return b"".join(rows), sections


def _read_parts(sentence: UmrSentence, section: _Section) -> tuple[UmrSentence, list[GraphError]]:
    """Read the other parts of a sentence, as far as possible.

    Returns:
        the sentence, and what is wrong with its parts.
    """
    header = [text for _, text in section.rows["header"] if not SEPARATOR.fullmatch(text)]
    faults = []
    alignment: Mapping[str, Sequence[tuple[int, int]]] = {}
    ranges: NumberedLines = ()
    try:
        alignment, ranges = read_alignment(section.rows["alignment"])
    except GraphError as error:
        faults.append(error)
    triples, relations, fault = read_annotation(section.rows["document"])
    if fault is not None:
        faults.append(fault)
    sentence = replace(
        sentence,
        alignment=alignment,
        triples=triples,
        header="\n".join(header),
        dropped=Dropped(relations=relations, ranges=ranges),
    )
    return sentence, faults


def _restore(text: str) -> str:
    for mark, (stand_in, _) in STAND_INS.items():
        text = text.replace(stand_in, mark)
    return text


def _read_metadata(line: str, header: Mapping[str, str]) -> dict[str, str]:
    """Read the id or the words from a line of a sentence's header.

    Args:
        header: the metadata from the lines above.
    """
    if match := SENTENCE_ID.match(line):
        return {"id": match[1]}
    if match := SENTENCE.match(line):
        words = {"snt": match[2]} if match[2] else {}
        return words | ({} if "id" in header else {"id": match[1]})
    if match := WORDS.match(line):
        return {"snt": " ".join(match[1].split())}
    return {}
