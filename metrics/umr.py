"""Read the sentence graphs of files in the format of Uniform Meaning Representation (UMR).

A file is divided into sentences by lines of hash signs. Each sentence has a header and three parts,
which start with comment lines: the sentence graph in Penman notation, the alignment of its nodes to
words, and the document level annotation. Only the sentence graphs are read.

Source: UMR 2.0 data release and the UMR file format page of ÚFAL (Charles University).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from metrics.corpus import Corpus
from metrics.decoding import after_mark, decode, read_bytes
from metrics.errors import GraphError
from metrics.graph import Graph
from metrics.scanner import scan_regions
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
            sentence does not have exactly one valid graph.
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
    return sections.file(scan_regions(data, sections.regions, source))


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
        return sections.file(scan_regions(data, sections.regions, source)), {}
    except GraphError:
        pass
    graphs: list[Corpus] = []
    errors: dict[int, GraphError] = {}
    for k in range(len(sections.regions)):
        region = sections.regions[k : k + 1]
        try:
            graphs.append(scan_regions(data, region, source))
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
    """The text without a byte order mark, and its parts."""
    data = data[after_mark(data, source) :]
    decode(data, source)
    sentences: list[dict[str, str]] = []
    regions: list[tuple[int, int]] = []
    filled = {"alignment": 0, "document": 0}
    part, has_graph, is_empty, position = "", False, True, 0
    for row in data.splitlines(keepends=True):
        end, line = position + len(row), row.decode().strip()
        if SEPARATOR.fullmatch(line):
            sentences.append({})
            regions.append((end, end))
            part, has_graph = "header", False
        elif part and (heading := PART.fullmatch(line)):
            part, is_empty = PARTS[heading[1].lower()], True
            if part == "graph":
                if has_graph:
                    problem = "a second graph of one sentence: is a line of hash signs missing?"
                    raise _error(problem, data, position, source)
                regions[-1], has_graph = (end, end), True
        elif part == "graph":
            regions[-1] = regions[-1][0], end
        elif part == "header":
            sentences[-1] |= _metadata(line, sentences[-1])
        elif part and line and not line.startswith("#"):
            filled[part] += is_empty
            is_empty = False
        elif not part and line and not line.startswith("#"):
            problem = "expected a line of hash signs before the first sentence: is it a UMR file?"
            raise _error(problem, data, position, source)
        position = end
    if not sentences:
        raise GraphError("contains no sentence: is it a UMR file?", source=source)
    return data, _Sections(sentences, np.array(regions), filled)


def _error(problem: str, data: bytes, position: int, source: str) -> GraphError:
    """An error on the line that starts at a position."""
    return GraphError(problem, source=source, line=1 + len(data[:position].splitlines()))


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
