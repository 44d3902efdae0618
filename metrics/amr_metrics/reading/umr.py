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

import numpy as np

from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus, Symbols
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.decoding import decode
from amr_metrics.reading.scanner import Text, scan_regions
from amr_metrics.types import Ints

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
        graphs: one graph per sentence, with the id and the words as metadata ``id`` and ``snt``;
            the empty graph where one cannot be read.
        errors: why graphs cannot be read, by position.
        alignments: the number of sentences whose alignment was skipped.
        documents: the number of sentences whose document level annotation was skipped.
    """

    graphs: Corpus
    errors: Mapping[int, GraphError]
    alignments: int
    documents: int


def parse_umr(data: bytes, source: str = "<text>", *, list_errors: bool = False) -> UmrFile:
    r"""Read the sentence graphs of a text in UMR format.

    Args:
        data: the text, in UTF-8, without a byte order mark.
        source: its name in error messages.
        list_errors: whether to list graphs that cannot be read.

    Raises:
        GraphError: if the text is not valid UTF-8 or has no sentences, or (unless errors are
            listed) if a sentence has no part for its graph, or this contains several graphs or an
            invalid one.

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
    data, sentences, regions, filled = _sections(data, source)
    text = Text(data=data, source=source)
    corpus, unreadable, counts = scan_regions(text, regions)
    errors: dict[int, GraphError] = {}
    # The empty graph stands for a part without a graph, and for one that cannot be read.
    index = np.where(counts == 1, np.cumsum(counts) - 1, len(corpus))
    for k, (begin, end) in enumerate(regions.tolist()):
        error = unreadable.get(int(index[k]))
        if counts[k] > 1 or begin == end:
            problem = f"expected one graph, found {counts[k]}"
            error = GraphError(problem, source=source, graph=k, line=text.line_of(begin))
        if error is not None:
            error = GraphError(
                _with_hash(error.problem),
                source=source,
                graph=k,
                line=error.line,
                text=_with_hash(error.text or ""),
                offset=error.offset,
            )
            if not list_errors:
                raise error
            errors[k], index[k] = error, len(corpus)
    empty = Corpus.of([Graph.empty()])
    graphs = Corpus.concatenate([corpus, empty]).take(index)
    both = zip(sentences, graphs.metadata, strict=True)
    return UmrFile(
        replace(
            graphs,
            symbols=Symbols(tuple([_with_hash(text) for text in graphs.symbols.texts])),
            metadata=tuple([{**header, **dict(comments)} for header, comments in both]),
        ),
        errors,
        filled["alignment"],
        filled["document"],
    )


def _sections(
    data: bytes, source: str
) -> tuple[bytes, Sequence[Mapping[str, str]], Ints, Mapping[str, int]]:
    """Divide a text into its parts.

    Returns:
        the text as penman can read it; the metadata of each sentence;
        int64 (s, 2), where the graph of each sentence begins and ends; and the number of sentences
        that have other parts, by the name of the part.
    """
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
    return b"".join(rows), sentences, np.array(regions), filled


def _with_hash(text: str) -> str:
    return text.replace(STAND_IN, "#")


def _metadata(line: str, header: Mapping[str, str]) -> dict[str, str]:
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
