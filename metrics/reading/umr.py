"""Read the sentence graphs of files in the format of Uniform Meaning Representation (UMR).

A file is divided into sentences by lines of hash signs, or by the lines ``# :: snt1`` in their
headers. Each sentence has a header and three parts, which start with comment lines: the sentence
graph in Penman notation, which may be empty, the alignment of its nodes to words, and the document
level annotation. Only the sentence graphs are read.

A concept may begin with a hash sign: ``(s1x / #Forn)``. In all other places a hash sign begins a
comment, as in Penman notation.

Source: UMR 2.0 data release and the UMR file format page of ÚFAL (Charles University).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from metrics.errors import GraphError
from metrics.graphs.corpus import Corpus
from metrics.graphs.graph import Graph
from metrics.graphs.symbols import Symbols
from metrics.reading.decoding import after_mark, decode, read_bytes
from metrics.reading.scanner import scan_regions
from metrics.types import Ints

SEPARATOR = re.compile(r"#{20,}\s*")  # 80 hash signs in released files
PARTS = {
    "sentence level graph": "graph",
    "alignment": "alignment",
    "document level annotation": "document",
}
PART = re.compile(rf"#\s*({'|'.join(PARTS)})\s*:?\s*", re.IGNORECASE)
SENTENCE_ID = re.compile(r"#.*::\s*sent_id\s*=\s*(\S+)")
SENTENCE = re.compile(r"#\s*::\s*(snt\S*)\s*(.*)")
WORDS = re.compile(r"(?:Words|Sentence):?\s+(.*)")

# penman takes every hash sign for the start of a comment: a noncharacter of Unicode stands for one
# at the start of a concept while the graphs are read.
HASH_CONCEPT = re.compile(rb"(/[ \t]*)#(?=\S)")
STAND_IN = "\uffff"


@dataclass(frozen=True)
class UmrFile:
    """The sentence graphs of a UMR file.

    Attributes:
        graphs: one graph per sentence, with the id and the words as metadata ``id`` and ``snt``.
        alignments: the number of sentences whose alignment was skipped.
        documents: the number of sentences whose document level annotation was skipped.
    """

    graphs: Corpus
    alignments: int
    documents: int


def read_umr(path: str | Path) -> UmrFile:
    """Read the sentence graphs of a UMR file.

    Raises:
        GraphError: if the file cannot be read, is not valid UTF-8 or has no sentences, or if a
            sentence has no part for its graph, or this contains several graphs or an invalid one.
    """
    return parse_umr(read_bytes(path), str(path))


def parse_umr(data: bytes, source: str = "<text>") -> UmrFile:
    r"""Read the sentence graphs of a text in UMR format.

    Args:
        data: the text, in UTF-8; a byte order mark is skipped.
        source: its name in error messages.

    Raises:
        GraphError: as `read_umr`.

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
    data, sections = _sections(data, source)
    return sections.file(_scan(data, sections.regions, source))


def parse_umr_with_errors(
    data: bytes, source: str = "<text>"
) -> tuple[UmrFile, dict[int, GraphError]]:
    """Read the sentence graphs of a text in UMR format, and list those that cannot be read.

    Returns:
        the file, with the empty graph for a sentence whose graph cannot be read, and the errors by
        position.

    Raises:
        GraphError: the text is not valid UTF-8 or is not divided into sentences.
    """
    data, sections = _sections(data, source)
    try:
        return sections.file(_scan(data, sections.regions, source)), {}
    except GraphError:
        pass
    graphs: list[Corpus] = []
    errors: dict[int, GraphError] = {}
    for k in range(len(sections.regions)):
        region = sections.regions[k : k + 1]
        try:
            graphs.append(_scan(data, region, source))
        except GraphError as error:
            errors[k] = GraphError(error.problem, source=source, graph=k, line=error.line)
            graphs.append(Corpus.of([Graph.empty()]))
    return sections.file(Corpus.concatenate(graphs)), errors


@dataclass(frozen=True, eq=False)
class _Sections:
    """The parts of a UMR file.

    Attributes:
        sentences: the metadata of each sentence.
        regions: int64 (s, 2), where the graph of each sentence begins and ends.
        filled: the number of sentences that have other parts, by the name of the part.
    """

    sentences: Sequence[Mapping[str, str]]
    regions: Ints
    filled: Mapping[str, int]

    def file(self, graphs: Corpus) -> UmrFile:
        """The file with these graphs."""
        both = zip(self.sentences, graphs.metadata, strict=True)
        metadata = tuple([{**own, **dict(old)} for own, old in both])
        return UmrFile(
            replace(graphs, metadata=metadata), self.filled["alignment"], self.filled["document"]
        )


def _sections(data: bytes, source: str) -> tuple[bytes, _Sections]:
    """The text as penman can read it, without a byte order mark, and its parts."""
    data = data[after_mark(data, source) :]
    decode(data, source)
    rows: list[bytes] = []
    sentences: list[dict[str, str]] = [{}]
    regions = [(0, 0)]
    filled = {"alignment": 0, "document": 0}
    part, has_content, has_graph, is_empty, end = "header", False, False, True, 0
    for number, row in enumerate(data.splitlines(keepends=True), 1):
        line = row.decode().strip()
        is_text = bool(line) and not line.startswith("#")
        if part == "graph" and is_text:
            row = HASH_CONCEPT.sub(rb"\1" + STAND_IN.encode(), row)
        rows.append(row)
        end += len(row)
        is_header = part in filled and line.startswith("#") and bool(_metadata(line, {}))
        if is_header or SEPARATOR.fullmatch(line):
            if has_content:
                sentences.append({})
                regions.append((end, end))
            sentences[-1], regions[-1] = {}, (end, end)
            part, has_content, has_graph = "header", False, False
        if heading := PART.fullmatch(line):
            part, has_content, is_empty = PARTS[heading[1].lower()], True, True
            if part == "graph":
                if has_graph:
                    problem = "a second graph of one sentence: is a line of hash signs missing?"
                    raise GraphError(problem, source=source, line=number)
                regions[-1], has_graph = (end, end), True
        elif part == "graph":
            regions[-1] = regions[-1][0], end
        elif part == "header":
            sentences[-1] |= _metadata(line, sentences[-1])
            has_content = has_content or is_text or bool(sentences[-1])
        elif is_text:
            filled[part] += is_empty
            is_empty = False
    if not has_content:
        del sentences[-1], regions[-1]
    if all(begin == end for begin, end in regions):
        problem = "contains no sentence graph (# sentence level graph:): is it a UMR file?"
        raise GraphError(problem, source=source)
    return b"".join(rows), _Sections(sentences, np.array(regions), filled)


def _scan(data: bytes, regions: Ints, source: str) -> Corpus:
    """The graphs of a text of `_sections`, with hash signs for what stands for them."""
    try:
        graphs = scan_regions(data, regions, source)
    except GraphError as error:
        error.problem = error.problem.replace(STAND_IN, "#")
        error.args = (str(error).replace(STAND_IN, "#"),)
        raise
    texts = tuple([text.replace(STAND_IN, "#") for text in graphs.symbols.texts])
    return replace(graphs, symbols=Symbols(texts))


def _metadata(line: str, known: Mapping[str, str]) -> dict[str, str]:
    """The id or the words that a line of a sentence's header gives."""
    if match := SENTENCE_ID.match(line):
        return {"id": match[1]}
    if match := SENTENCE.match(line):
        found = {"snt": match[2]} if match[2] else {}
        return found | ({} if "id" in known else {"id": match[1]})
    if match := WORDS.match(line):
        return {"snt": " ".join(match[1].split())}
    return {}
